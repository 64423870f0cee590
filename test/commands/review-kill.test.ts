import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listVisits, quiet, simulateVisits } from '../analysis/change/visits.ts';
import { startCli } from '../e2e/support/run-cli.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { newFolder } from '../support/folders.ts';
import { listRows, startForeignTracker } from '../support/foreign-tracker.ts';
import { listening } from '../support/listening.ts';

/** Counts what happens, and kills a process at one point. */
let passed = new Map<string, number>();
let at: { point: string; child?: ChildProcess } = { point: '' };
const pass = (what: string) => {
  const count = (passed.get(what) ?? 0) + 1;
  passed.set(what, count);
  if (at.point !== `${what} ${count}`) return;
  at.child?.kill('SIGKILL');
  at = { point: '' };
};

/** The pages that get no clicks. */
const broken = new Set(['Quiz']);

const visitsOf = () => {
  const clickRate = ({ page }: { readonly page: string }) => (broken.has(page) ? 0 : 0.3);
  const simulated = simulateVisits({ clickRate }, 1, { ...quiet, visits: 300 }, 13);
  return listVisits(simulated, '1', Date.now()).filter(({ Date: day }) => day <= new Date().toISOString());
};
let visits = visitsOf();
const tracker = await startForeignTracker({
  'campaign/list': '[{"ID":"1","Name":"Search"}]',
  ...{ conversions: '[]', stats: '[]' },
  visitorstats: (asked) => {
    pass('question');
    return listRows(visits)(asked);
  },
});

/** The messages of a receiver that keeps one per ID. */
const received = new Map<unknown, string>();
let beforeAnswer = async () => {};
const receiver = createServer(async (request, response) => {
  received.set(request.headers['webhook-id'], await text(request));
  pass('message');
  await beforeAnswer();
  response.on('finish', () => pass('answer'));
  response.end();
});
const hook = `${await listening(receiver)}/`;
const environment = { TRACKER_URL: tracker.url, TRACKER_API_KEY: 'review-secret-key', TRACKER_TIMEZONE: 'UTC' };

test.each([
  ...['question 1', 'lock 1', 'lock 2', 'lock 3', 'lock 4', 'lock 5'],
  ...['write 1', 'replacement 1', 'write 2', 'replacement 2'],
  ...['message 1', 'answer 1', 'write 3'],
])('a round that is killed at %s neither loses a finding nor posts it under two IDs', async (point) => {
  const folder = await newFolder();
  const state = join(folder, 'state.json');
  const given = ['review', '--state', state, '--webhook', hook];
  const seen = new Set<string>();
  const watcher = watch(folder, (_, name) => {
    if (name === 'state.json') pass('replacement');
    else if (name?.startsWith('state.json.lock')) pass('lock');
    else if (name !== null && seen.size < seen.add(name).size) pass('write');
  });
  received.clear();
  passed = new Map();
  const child = startCli(given, { environment });
  at = { point, child };
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  watcher.close();
  expect(at.point).toBe('');

  const next = await runCommand(given, { environment });
  expect(next.stderr).toBe('');
  expect([0, 1]).toContain(next.code);
  expect(stdout + next.stdout).toContain('landing page Quiz');
  expect([...received.values()].map((body) => JSON.parse(body).trackers[0].new)).toMatchObject([
    [{ kind: 'page_without_clicks' }],
  ]);
  expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({ pending: [] });
  const quietRound = await runCommand(given, { environment });
  expect(quietRound).toMatchObject({ code: 0, stdout: expect.stringContaining('0 new, 1 ongoing') });
  expect(received.size).toBe(1);
});

test('two rounds at the same time keep the findings of both', async () => {
  const state = join(await newFolder(), 'state.json');
  const given = ['review', '--state', state, '--webhook', hook];
  received.clear();
  const held = new EventEmitter();
  beforeAnswer = async () => {
    held.emit('arrived');
    await once(held, 'released');
  };
  const arrived = once(held, 'arrived');
  const slow = startCli(given, { environment });
  const ended = once(slow, 'exit');
  await arrived;
  beforeAnswer = async () => {};
  broken.add('Story');
  visits = visitsOf();
  const second = await runCommand(given, { environment });
  expect(second).toMatchObject({ code: 1, stdout: expect.stringContaining('1 new, 1 ongoing') });
  held.emit('released');
  await ended;
  const third = await runCommand(given, { environment });
  expect(third).toMatchObject({ code: 0, stdout: expect.stringContaining('0 new, 2 ongoing') });
  expect(received.size).toBe(2);
  expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({ pending: [] });
});
