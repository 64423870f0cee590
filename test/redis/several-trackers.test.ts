import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../e2e/support/run-cli.ts';
import { newFolder } from '../support/folders.ts';
import { callTool, textOf, worked } from './support/call.ts';
import { startCountingTracker } from './support/counting-tracker.ts';
import { startRedis } from './support/redis-server.ts';
import { startReplica } from './support/replicas.ts';

/** Replicas of a server with two accounts at one URL, and a tracker elsewhere. */

const folder = await newFolder();
const [tracker, elsewhere, redis] = await Promise.all([startCountingTracker(), startCountingTracker(), startRedis()]);
const keys = { main: 'key-of-the-main-account', native: 'key-of-the-native-account', other: 'key-of-the-other-one' };
for (const [name, key] of Object.entries(keys)) await writeFile(join(folder, `${name}.key`), key, { mode: 0o600 });

async function configure(name: string, trackers: object): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify({ trackers }));
  return file;
}

const config = await configure('trackers.json', {
  main: { url: tracker.url, key_file: 'main.key' },
  native: { url: tracker.url, key_file: 'native.key' },
  other: { url: elsewhere.url, key_file: 'other.key' },
});
const settings = { TRACKER_API_KEY: '', TRACKER_CONFIG: config, TRACKER_MCP_REDIS: redis.url };
const replicas = await Promise.all([startReplica(settings), startReplica(settings)]);
const [first, second] = replicas.map(({ url }) => url) as [string, string];

it('a change made at one replica is listed and undone at another, only for its account', async () => {
  const made = await callTool(first, 'edit_campaign', { tracker: 'native', campaign_id: 1, bid: 2 });
  const change = String(made.result?.structuredContent?.['change_id']);
  for (const name of ['main', 'other']) {
    expect(textOf(await callTool(second, 'list_changes', { tracker: name })), name).not.toContain(change);
    expect(worked(await callTool(second, 'undo_change', { tracker: name, change_id: change })), name).toBe(false);
  }
  expect(textOf(await callTool(second, 'list_changes', { tracker: 'native' }))).toContain(change);
  expect(worked(await callTool(second, 'undo_change', { tracker: 'native', change_id: change }))).toBe(true);
  expect(tracker.bids).toHaveLength(2);
  expect(elsewhere.bids).toEqual([]);
});

it('an embedded tracker among them is refused at the start', async () => {
  const file = await configure('embedded.json', {
    main: { url: tracker.url, key_file: 'main.key' },
    rehearsal: { sandbox: true },
  });
  const { code, stderr } = await runCli(['http'], { environment: { ...settings, TRACKER_CONFIG: file } });
  expect(code).toBe(2);
  expect(stderr).toContain('--redis is for several servers');
});
