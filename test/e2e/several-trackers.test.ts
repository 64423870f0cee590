import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request as ask, createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, describe, expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { listening } from '../support/listening.ts';
import { startClient } from './support/clients.ts';
import { copySampleData, sharedSandbox, startCli } from './support/run-cli.ts';
import { runCommand } from './support/run-command.ts';

/** Two embedded trackers, each with its own process and key, behind proxies that record the keys they get. */

const folder = await newFolder();

const nativeKey = 'key-of-the-native-tracker';
const { TRACKER_URL: mainUrl = '', TRACKER_API_KEY: mainKey = '' } = sharedSandbox();

async function startNative(): Promise<string> {
  const data = await copySampleData(join(folder, 'native.duckdb'));
  const child = startCli(['sandbox', '--json', '--data', data, '--api-key', nativeKey]);
  afterAll(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return JSON.parse(line).url;
}

/** Forwards requests to a tracker, and records the key and the path of each. */
async function startProxy(url: string) {
  const seen: { readonly key: string | null; readonly path: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    seen.push({ key: new URLSearchParams(body).get('key'), path: request.url ?? '' });
    const { method, headers } = request;
    const onward = ask(`${url}${request.url}`, { ...(method ? { method } : {}), headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.end(body);
  });
  return { url: await listening(server), seen };
}

const main = await startProxy(mainUrl);
const native = await startProxy(await startNative());
const config = join(folder, 'trackers.json');
const auditLog = join(folder, 'writes.jsonl');
await writeFile(join(folder, 'main.key'), `${mainKey}\n`, { mode: 0o600 });
const print = [process.execPath, '-e', `console.log(${JSON.stringify(nativeKey)})`];
const trackers = {
  audit_log: 'writes.jsonl',
  trackers: {
    main: { url: main.url, key_file: 'main.key', timezone: 'UTC' },
    native: { url: native.url, key_command: print, timezone: 'America/New_York', max_bid: 0.4 },
  },
};
await writeFile(config, JSON.stringify(trackers, null, 2));

function expectNoKey(output: string): void {
  for (const key of [mainKey, nativeKey]) expect(output).not.toContain(key);
}

async function connect() {
  const { client, call } = await startClient({ TRACKER_CONFIG: config, TRACKER_TIMEOUT_MS: '55000' });
  await client.listTools();
  return async (name: string, given: Record<string, unknown> = {}): Promise<CallToolResult> => {
    const result = await call(name, given);
    expectNoKey(JSON.stringify(result));
    return result;
  };
}
const call = await connect();

const dataOf = ({ structuredContent, isError, content }: CallToolResult) => {
  if (isError) throw new Error(JSON.stringify(content));
  return structuredContent as Record<string, unknown>;
};
const pathsOf = ({ seen }: typeof main) => seen.map(({ path }) => path);

describe('a server with two trackers', () => {
  test('reads and writes each at its own URL, with its own limits', async () => {
    expect(dataOf(await call('list_campaigns', { tracker: 'native' }))).toMatchObject({ tracker: 'native' });
    expect(pathsOf(main)).toEqual([]);
    const bid = { campaign_id: 1, bid: 0.5 };
    const refused = await call('edit_campaign', { tracker: 'native', ...bid });
    expect(JSON.stringify(refused)).toContain('Tracker native: edit_campaign was refused');
    expect(pathsOf(native)).not.toContain('/api/campaign/edit/');
    const edited = await call('edit_campaign', { tracker: 'native', ...bid, bid: 0.2 });
    expect(dataOf(edited)).toMatchObject({ tracker: 'native', done: true });
    expect(pathsOf(main)).not.toContain('/api/campaign/edit/');
  });

  test('lists and undoes a change at its tracker, also in a later run', async () => {
    const later = await connect();
    const listed = dataOf(await later('list_changes', { tracker: 'native' }));
    const changes = listed['changes'] as { change_id: string }[];
    expect(changes).toHaveLength(1);
    expect(dataOf(await later('list_changes', { tracker: 'main' }))).toMatchObject({ changes: [] });
    const undone = await later('undo_change', { tracker: 'native', change_id: changes[0]?.change_id });
    expect(dataOf(undone)).toMatchObject({ tracker: 'native', done: true });
  });

  test('works with call, check and audit', async () => {
    const run = (...given: readonly string[]) =>
      runCommand([...given, '--config', config], { environment: { TRACKER_TIMEOUT_MS: '55000' } });
    const called = await run('call', '--tracker', 'native', 'list_campaigns', '--limit', '1');
    expect(JSON.parse(called.stdout)).toMatchObject({ tracker: 'native', tables: [{ total_rows: 10 }] });
    const unnamed = await run('call', 'list_campaigns');
    expect(unnamed.code).toBe(1);
    expect(unnamed.stderr).toContain('tracker is missing: one of main, native');

    const checked = await run('check');
    expect(checked.stdout).toMatch(
      /^ok {4}main {4}configuration .*\n[\s\S]*^ok {4}native {2}campaigns {9}10 found\.$/m,
    );
    expect(checked.stdout).toContain(`"TRACKER_CONFIG": ${JSON.stringify(config)}`);
    expect(checked.code).toBe(0);

    const audited = await runCommand(['audit', auditLog]);
    expect(audited.stdout).toMatch(/tracker[\s\S]*native/);
    for (const { stdout, stderr } of [called, unnamed, checked, audited]) expectNoKey(stdout + stderr);
  });

  test('sends each tracker only its own key, and the audit log contains none', async () => {
    const keysOf = ({ seen }: typeof main) => new Set(seen.map(({ key }) => key));
    expect(main.seen.length).toBeGreaterThan(4);
    expect(native.seen.length).toBeGreaterThan(4);
    expect(keysOf(main)).toEqual(new Set([mainKey]));
    expect(keysOf(native)).toEqual(new Set([nativeKey]));
    expectNoKey(await readFile(auditLog, 'utf8'));
  });
});
