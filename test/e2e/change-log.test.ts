import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { clientHeaders, toolCall } from '../support/messages.ts';
import { startClient, startHttpServer } from './support/clients.ts';
import { runCli, stateIn } from './support/run-cli.ts';
import { runCommand } from './support/run-command.ts';

const { tracker, campaign } = await startKeepingTracker();
const apiKey = 'key-of-the-change-log';

let state: string;
let environment: Record<string, string>;
beforeEach(async () => {
  state = await newFolder();
  environment = { TRACKER_URL: tracker.url, TRACKER_API_KEY: apiKey, ...stateIn(state) };
});

const changesFolder = () => join(state, 'tracker-mcp', 'changes');
const logs = () => readdir(changesFolder()).catch(() => []);
const textOf = ({ content }: CallToolResult) => content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** One run of a server over stdio. */
async function run(given: Record<string, string> = {}) {
  const { client, call } = await startClient({ ...environment, ...given });
  const data = async (name: string, args = {}) => {
    const result = await call(name, args);
    if (result.isError) throw new Error(textOf(result));
    return result.structuredContent as Record<string, unknown>;
  };
  return { call, data, end: () => client.close() };
}

describe('without an audit log', () => {
  test('a change of an earlier run is listed and undone, with its campaign', async () => {
    const first = await run();
    const { change_id: id } = await first.data('edit_campaign', { campaign_id: 1, bid: 0.5 });
    await first.end();
    const second = await run();
    expect(textOf(await second.call('list_changes'))).toContain('edit_campaign campaign_id 1: bid 0.1 -> 0.5 (ok)');
    const undo = await second.call('undo_change', { change_id: id });
    expect(undo.structuredContent).toMatchObject({
      undoes: id,
      done: true,
      campaign: expect.stringMatching(/^1 “.+”$/),
    });
    expect(textOf(undo)).toMatch(new RegExp(`^undo_change of ${id}, campaign 1 “.+”: done`));
    expect(campaign.Bid).toBe('0.1');
  });

  test('only the owner can read the log, which no other account reads, and which does not have the key in its name', async () => {
    await (await run()).data('edit_campaign', { campaign_id: 1, bid: 0.6 });
    const [name = '', ...others] = await logs();
    expect([name, others]).toEqual([expect.stringMatching(/^[\da-f]{32}\.jsonl$/), []]);
    if (process.platform !== 'win32') {
      expect((await stat(join(changesFolder(), name))).mode & 0o777).toBe(0o600);
      expect((await stat(changesFolder())).mode & 0o777).toBe(0o700);
    }
    expect(await readFile(join(changesFolder(), name), 'utf8')).not.toContain(apiKey);
    const other = await run({ TRACKER_API_KEY: 'key-of-another-account' });
    expect(await other.data('list_changes')).toMatchObject({
      changes: [],
      notices: ['No changes by this server yet.', expect.any(String)],
    });
  });

  test('reads create no file, and none turns the log off', async () => {
    await (await run()).data('list_changes');
    const off = await run({ TRACKER_AUDIT_LOG: 'none' });
    await off.data('edit_campaign', { campaign_id: 1, bid: 0.7 });
    expect(await off.data('list_changes')).toMatchObject({ changes: [{ tool: 'edit_campaign' }] });
    expect(await logs()).toEqual([]);
  });

  test('the embedded tracker in memory writes no log', async () => {
    const call = await runCli(['call', 'edit_campaign', '--campaign-id', '1', '--bid', '0.4'], {
      environment: { TRACKER_SANDBOX: '1', ...stateIn(state) },
    });
    expect(call.code).toBe(0);
    expect(await logs()).toEqual([]);
  });

  test('a log that cannot be written is told, and changes stay known until the server ends', async () => {
    // A file has the place of the folder.
    await mkdir(join(state, 'tracker-mcp'), { recursive: true });
    await writeFile(changesFolder(), '');
    const first = await run();
    const { change_id: id } = await first.data('edit_campaign', { campaign_id: 1, bid: 0.8 });
    const listed = await first.data('list_changes');
    expect(listed).toMatchObject({ changes: [{ change_id: id, state: 'done' }] });
    expect(listed['notices']).toContainEqual(expect.stringMatching(/^The change log .* cannot be written \(\w+\)/));
    const cli = await runCommand(['call', 'edit_campaign', '--campaign-id', '1', '--bid', '0.9'], { environment });
    expect(cli).toMatchObject({ code: 0, stderr: expect.stringMatching(/The change log .* cannot be written/) });
  });

  test('over HTTP a caller sees the changes since the start, and no log is written', async () => {
    const { server, exited, url } = await startHttpServer([], environment);
    const post = async (name: string, given: object) => {
      const body = JSON.stringify(toolCall(name, given));
      return (await fetch(url, { method: 'POST', headers: clientHeaders, body })).text();
    };
    expect(await post('edit_campaign', { campaign_id: 1, bid: 0.3 })).toContain('"change_id');
    expect(await post('list_changes', {})).toContain('edit_campaign campaign_id 1');
    expect(await logs()).toEqual([]);
    server.kill();
    await exited;
  });

  test('several processes at once append whole lines, to a log of bounded size', async () => {
    await (await run()).data('edit_campaign', { campaign_id: 1, bid: 0.3 });
    const [name = ''] = await logs();
    const file = join(changesFolder(), name);
    const [line = ''] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, `${line}\n`.repeat(Math.ceil((2 * 1024 * 1024) / line.length)));
    await chmod(file, 0o600);
    const runs = await Promise.all([run(), run(), run()]);
    const bids = [0.31, 0.32, 0.33];
    await Promise.all(runs.map(({ data }, index) => data('edit_campaign', { campaign_id: 1, bid: bids[index] })));
    const texts = await Promise.all((await logs()).map((log) => readFile(join(changesFolder(), log), 'utf8')));
    expect(texts.length).toBeGreaterThan(1);
    const lines = texts.flatMap((text) => text.trimEnd().split('\n'));
    const newest = lines
      .map((text) => JSON.parse(text))
      .filter(({ event, arguments: given }) => event === 'begin' && bids.includes(given.bid));
    expect(newest).toHaveLength(3);
    const { changes } = await (await run()).data('list_changes', { limit: 3 });
    expect((changes as object[]).length).toBe(3);
  });

  test('a server sees what another one changed and undid since it was asked', async () => {
    const [one, other] = await Promise.all([run(), run()]);
    expect(await other.data('list_changes')).not.toMatchObject({ changes: [{ tool: 'edit_campaign' }] });
    const { change_id: id } = await one.data('edit_campaign', { campaign_id: 1, bid: 0.45 });
    expect(await other.data('list_changes')).toMatchObject({ changes: [{ change_id: id, state: 'done' }] });
    await one.data('undo_change', { change_id: id });
    expect(textOf(await other.call('undo_change', { change_id: id }))).toContain('was already undone');
  });

  test('two servers that undo one change at once send it once', async () => {
    const runs = await Promise.all([run(), run(), run()]);
    const [first] = runs;
    const { change_id: id } = (await first?.data('edit_campaign', { campaign_id: 1, bid: 0.55 })) ?? {};
    await Promise.all(runs.map(({ data }) => data('list_changes')));
    tracker.writes();
    const undone = await Promise.all(runs.map(({ call }) => call('undo_change', { change_id: id })));
    expect([tracker.writes().length, undone.filter(({ isError }) => !isError).length]).toEqual([1, 1]);
    // Who reads the tracker after the undo, and the log before it, finds the old value there.
    for (const result of undone.filter(({ isError }) => isError)) {
      expect(textOf(result)).toMatch(/is being undone, or was just undone|was already undone|nothing to undo/);
      expect(textOf(result)).not.toContain('What was sent');
    }
    const { changes } = await (await run()).data('list_changes', { change_id: id });
    expect(changes).toMatchObject([{ state: expect.stringMatching(/^done, undone by \w+$/) }]);
  });

  test('audit prints the changes of this user, with their IDs and the values before', async () => {
    const { change_id: id } = await (await run()).data('edit_campaign', { campaign_id: 1, bid: 0.25 });
    const { code, stdout } = await runCommand(['audit'], { environment: stateIn(state) });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(` ${id} +campaign_id=1 bid=0.25 +bid=`));
  });
});

test.each([apiKey, '0123456789abcdef0123456789abcdef'])('a tracker named like a key is refused: %s', async (name) => {
  const config = join(state, 'trackers.json');
  const entry = { url: tracker.url, api_key: apiKey };
  const trackers = { [name]: entry, other: { ...entry, url: 'http://127.0.0.1:9' } };
  await writeFile(config, JSON.stringify({ trackers }), { mode: 0o600 });
  const { code, stdout, stderr } = await runCommand(['call', 'list_changes'], {
    environment: { TRACKER_CONFIG: config },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /name of (?:tracker 1 in the file holds|a tracker looks like) an API key: give it another one/,
  );
  expect(stderr).not.toContain(name);
});
