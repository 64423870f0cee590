import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { DuckDBConnection } from '@duckdb/node-api';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Failure } from '../../src/api/failure.ts';
import { listeningFailure, type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { newFolder } from '../support/folders.ts';
import { fixtureDay, setup, traffic } from './support/fixture.ts';
import { copySampleData } from './support/sample-data.ts';
import { startTracker, type WireReply } from './support/tracker.ts';

const folder = await newFolder();

const start = (options: SandboxOptions) => startSandbox({ sampleData: false, ...options });

async function ask({ url, apiKey }: Sandbox, path: string, form: Record<string, string> = {}) {
  const body = new URLSearchParams({ key: apiKey, ...form });
  return (await (await fetch(`${url}/api/${path}/`, { method: 'POST', body })).json()) as WireReply;
}

describe('the address', () => {
  test('is a free port of this machine only, or the given port', async () => {
    const first = await start({});
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const port = Number(new URL(first.url).port);
    const second = start({ port });
    await expect(second).rejects.toThrow(Failure);
    await expect(second).rejects.toThrow(`Port ${port} is in use.`);
    await first.close();
    const third = await start({ port });
    expect(third.url).toBe(first.url);
    await third.close();
  });

  test.each([
    ['EADDRINUSE', 'Port 80 is in use.'],
    ['EACCES', 'Port 80 may not be used: the system reserves it for privileged processes.'],
    ['ENOBUFS', 'Port 80 cannot be used: listen ENOBUFS.'],
  ])('that cannot be used because of %s is explained', (code, happened) => {
    const { message } = listeningFailure(Object.assign(new Error(`listen ${code}`), { code }), 80);
    expect(message).toBe(`${happened} Choose another with --port, or 0 for a free one.`);
  });
});

test('the API key is made, stored and enabled if there is none, used again, and replaced by a given key', async () => {
  const file = join(folder, 'key.duckdb');
  const first = await start({ file });
  expect(first.apiKey).toMatch(/^[0-9a-f]{32}$/);
  expect(await ask(first, 'ts/list')).toMatchObject({ Status: 'OK' });
  await first.close();
  const second = await start({ file });
  expect(second.apiKey).toBe(first.apiKey);
  expect(await ask(second, 'ts/list')).toMatchObject({ Status: 'OK' });
  await second.close();
  const third = await start({ file, apiKey: 'given' });
  expect(await ask(third, 'ts/list', { key: 'given' })).toMatchObject({ Status: 'OK' });
  expect(await ask(third, 'ts/list', { key: first.apiKey })).toMatchObject({ Status: 'Error' });
  await third.close();
});

describe('visits that are made once they are needed', () => {
  const now = () => new Date('2026-06-15T21:00:00Z');
  const day = { camp: '1', start: '2026-06-14', end: '2026-06-14', cols: 'all', rec: '5000' };
  const pages = { campaignid: '1', pageid: '4' };

  afterEach(() => void vi.restoreAllMocks());

  async function startLazily() {
    const run = vi.spyOn(DuckDBConnection.prototype, 'run');
    const sandbox = await startSandbox({ now, isLazy: true });
    return { sandbox, timesMade: () => run.mock.calls.filter(([sql]) => sql.includes('INSERT INTO visits')).length };
  }

  test('are not made for a list of the setup, and are those of before a change that comes first', async () => {
    const file = await copySampleData();
    const { sandbox, timesMade } = await startLazily();
    const eager = await startSandbox({ now, file, apiKey: sandbox.apiKey });
    for (const path of ['campaign/list', 'ts/list'])
      expect((await ask(sandbox, path)).Rows).toHaveLength(((await ask(eager, path)).Rows as unknown[]).length);
    expect(timesMade()).toBe(0);
    const [changed, early, second] = await Promise.all([
      ask(sandbox, 'campaign/editpage', { ...pages, share: '1' }),
      ask(sandbox, 'visitorstats', day),
      ask(sandbox, 'visitorstats', day),
    ]);
    expect(changed).toEqual({ Status: 'OK' });
    expect(timesMade()).toBe(1);
    expect(await ask(eager, 'campaign/editpage', { ...pages, share: '1' })).toEqual({ Status: 'OK' });
    const visitors = await ask(eager, 'visitorstats', day);
    expect((visitors.Rows as unknown[]).length).toBeGreaterThan(100);
    expect(early).toEqual(visitors);
    expect(second).toEqual(early);
    for (const path of ['visitorstats', 'conversions'])
      expect(await ask(sandbox, path, day)).toEqual(await ask(eager, path, day));
    await Promise.all([sandbox.close(), eager.close()]);
  });

  test('are not made to close a tracker that nobody asked', async () => {
    const { sandbox, timesMade } = await startLazily();
    await sandbox.close();
    expect(timesMade()).toBe(0);
  });
});

describe('the data', () => {
  test('is sample data in an empty file, stays there, and is not added twice', async () => {
    const file = join(folder, 'sample.duckdb');
    const first = await startSandbox({ file });
    const { Rows } = await ask(first, 'campaign/list');
    expect(Rows?.length).toBeGreaterThanOrEqual(8);
    const page = { name: 'Kept', url: 'https://lp.example.com/kept' };
    const { ID } = await ask(first, 'lp/add', page);
    await first.close();
    const second = await startSandbox({ file });
    expect((await ask(second, 'campaign/list')).Rows).toHaveLength(Rows?.length ?? 0);
    expect(await ask(second, 'lp/add', page)).toMatchObject({ ID: String(Number(ID) + 1) });
    await second.close();
  });

  test('cannot be in a folder that does not exist', async () => {
    const file = join(folder, 'missing', 'tracker.duckdb');
    await expect(start({ file })).rejects.toThrow(/data file .* cannot be opened/);
  });
});

test('closing answers the request under way, and takes no more', async () => {
  const sandbox = await start({ apiKey: 'key' });
  const underway = request(`${sandbox.url}/api/ts/list/`, {
    method: 'POST',
    headers: { Expect: '100-continue', 'Content-Length': 7 },
  });
  underway.flushHeaders();
  await once(underway, 'continue');
  const closed = sandbox.close();
  await expect(fetch(`${sandbox.url}/api/ts/list/?key=key`)).rejects.toThrow();
  underway.end('key=key');
  const [response] = (await once(underway, 'response')) as [IncomingMessage];
  expect(await json(response)).toEqual({ Status: 'OK', Rows: [] });
  await closed;
});

test('a visit is in the next report, and in the file after a close', async () => {
  const file = await copySampleData();
  const first = await startSandbox({ file, apiKey: 'key' });
  const link = (await ask(first, 'campaign/list')).Rows?.[0]?.['CampaignUrl'] ?? '';
  const views = async (sandbox: Sandbox) => {
    const { Reports } = await ask(sandbox, 'stats', { camp: '1', report: 'campaign', start: '2000-01-01' });
    return Number(Reports?.['campaign']?.[0]?.['Views']);
  };
  const follow = async () => expect((await fetch(link, { redirect: 'manual' })).status).toBe(302);
  const before = await views(first);
  await follow();
  expect(await views(first)).toBe(before + 1);
  await follow();
  await first.close();
  const second = await startSandbox({ file });
  expect(await views(second)).toBe(before + 2);
  await second.close();
});

describe('the log', () => {
  afterEach(() => void vi.restoreAllMocks());
  const silenceLog = () => vi.spyOn(console, 'error').mockImplementation(() => undefined);

  test.each(['/api/stats/', '/adclick.php'])('has no line for a broken request to %s', async (path) => {
    const log = silenceLog();
    const tracker = await startTracker(setup);
    const socket = connect(Number(new URL(tracker.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = ['Host: tracker', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 1000'];
    socket.write([`POST ${path} HTTP/1.1`, ...head, '', 'key=the'].join('\r\n'));
    // Once a later request is answered, the first one is being read.
    expect((await tracker.ask('campaign/list')).Status).toBe('OK');
    socket.destroy();
    await once(socket, 'close');
    expect((await tracker.ask('campaign/list')).Status).toBe('OK');
    await tracker.close();
    expect(log.mock.calls).toEqual([]);
  });

  /** Makes every commit fail as it does on a full disk. Returns a function that ends it. */
  function fillDisk(): () => void {
    const { run } = DuckDBConnection.prototype;
    const full = 'Failed to commit: Could not write file "/data/t.duckdb.wal": No space left on device';
    type This = DuckDBConnection;
    const commits = vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(function (this: This, sql, ...rest) {
      if (sql !== 'COMMIT') return run.call(this, sql, ...rest);
      return Promise.reject(new Error(`TransactionContext Error: ${full}`));
    });
    return () => commits.mockRestore();
  }

  test('has lines without a stack while the disk is full; requests fail, and no answered visit is lost', async () => {
    const log = silenceLog();
    const tracker = await startTracker([...setup, ...traffic]);
    const [campaign] = (await tracker.ask('campaign/list')).Rows ?? [];
    const makeRoom = fillDisk();
    const link = new URL(campaign?.['CampaignUrl'] ?? '');
    const visit = await fetch(link, { redirect: 'manual' });
    expect(visit.status).toBe(302);
    const subid = /tracker_subid=([^;]+)/.exec(visit.headers.get('set-cookie') ?? '')?.[1];
    const full = 'The data file cannot be written: No space left on device.';
    expect(await tracker.refusal('stats', { camp: 1, ...fixtureDay })).toContain(full);
    expect(await tracker.refusal('campaign/edit', { campaignid: 1, bid: 1 })).toContain(full);
    const postback = await fetch(new URL(`/adclick.php?subid=${subid}&revenue=1`, link));
    expect(postback.status).toBe(500);
    expect(await postback.text()).toContain(full);
    expect(log.mock.calls.flat().filter((part) => typeof part !== 'string')).toEqual([]);
    makeRoom();
    expect((await tracker.ask('stats', { camp: 1, ...fixtureDay })).Status).toBe('OK');
    expect(await tracker.stored(`SELECT 1 FROM visits WHERE subid = '${subid}'`)).toHaveLength(1);
    await tracker.close();
  });
});
