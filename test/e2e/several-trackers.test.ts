import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { startClient } from './support/clients.ts';
import { runCommand } from './support/run-command.ts';

const main = { ...(await startKeepingTracker()), key: 'key-of-the-main-tracker' };
const native = { ...(await startKeepingTracker()), key: 'key-of-the-native-tracker' };

const folder = await newFolder();
const config = join(folder, 'trackers.json');
const auditLog = join(folder, 'writes.jsonl');
await writeFile(join(folder, 'main.key'), `${main.key}\n`, { mode: 0o600 });
const print = [process.execPath, '-e', `console.log(${JSON.stringify(native.key)})`];
const trackers = {
  audit_log: 'writes.jsonl',
  trackers: {
    main: { url: main.tracker.url, key_file: 'main.key', timezone: 'UTC' },
    native: { url: native.tracker.url, key_command: print, timezone: 'America/New_York', max_bid: 0.4 },
  },
};
await writeFile(config, JSON.stringify(trackers, null, 2));

function expectNoKey(output: string): void {
  for (const { key } of [main, native]) expect(output).not.toContain(key);
}

/** The paths of the requests that a tracker got since the last look, each with its own key. */
function pathsAt({ tracker, key }: typeof main): readonly string[] {
  const requests = tracker.taken();
  for (const { sent } of requests) expect(sent['key']).toBe(key);
  return requests.map(({ path }) => path);
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

describe('a server with two trackers', () => {
  test('reads and writes each at its own URL, with its own key and limits', async () => {
    const bid = { tracker: 'native', campaign_id: 1, bid: 0.5 };
    expect(JSON.stringify(await call('edit_campaign', bid))).toContain('Tracker native: edit_campaign was refused');
    expect(pathsAt(native)).not.toContain('/api/campaign/edit/');
    const edited = await call('edit_campaign', { ...bid, bid: 0.2 });
    expect(dataOf(edited)).toMatchObject({ tracker: 'native', done: true });
    expect(pathsAt(native)).toContain('/api/campaign/edit/');
    expect(pathsAt(main)).toEqual([]);
    expect(dataOf(await call('list_campaigns', { tracker: 'main' }))).toMatchObject({ tracker: 'main' });
    expect(pathsAt(main)).toEqual(['/api/campaign/list/']);
    expect(pathsAt(native)).toEqual([]);
  });

  test('lists and undoes a change at its tracker, also in a later run', async () => {
    const later = await connect();
    const { changes } = dataOf(await later('list_changes', { tracker: 'native' })) as {
      changes: { change_id: string }[];
    };
    expect(changes).toHaveLength(1);
    expect(dataOf(await later('list_changes', { tracker: 'main' }))).toMatchObject({ changes: [] });
    await later('undo_change', { tracker: 'native', change_id: changes[0]?.change_id });
    expect(native.campaign.Bid).toBe('0.1');
  });

  test('works with call, check and audit', async () => {
    const run = (...given: readonly string[]) =>
      runCommand([...given, '--config', config], { environment: { TRACKER_TIMEOUT_MS: '55000' } });
    const called = await run('call', '--tracker', 'native', 'list_campaigns', '--limit', '1');
    expect(JSON.parse(called.stdout)).toMatchObject({ tracker: 'native', tables: [{ total_rows: 1 }] });
    const unnamed = await run('call', 'list_campaigns');
    expect(unnamed.code).toBe(1);
    expect(unnamed.stderr).toContain('tracker is missing: one of main, native');

    const checked = await run('check');
    expect(checked.stdout).toMatch(
      /^ok {4}main {4}configuration .*\n[\s\S]*^ok {4}native {2}campaigns {9}1 found\. Whether their figures can be trusted: .* call check_tracking\.$/m,
    );
    expect(checked.stdout).toContain(`"TRACKER_CONFIG": ${JSON.stringify(config)}`);
    expect(checked.code).toBe(0);
    for (const tracker of [main, native]) expect(pathsAt(tracker)).not.toEqual([]);

    const audited = await runCommand(['audit', auditLog]);
    expect(audited.stdout).toMatch(/tracker[\s\S]*native/);
    for (const { stdout, stderr } of [called, unnamed, checked, audited]) expectNoKey(stdout + stderr);
    expectNoKey(await readFile(auditLog, 'utf8'));
  });
});
