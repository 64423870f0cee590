import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/api/failure.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { newFolder } from '../support/folders.ts';
import { copySampleData } from './support/sample-data.ts';

const folder = await newFolder();

const start = (options: SandboxOptions) => startSandbox({ sampleData: false, ...options });

async function ask({ url }: Sandbox, path: string, form: Record<string, string>) {
  const response = await fetch(`${url}/api/${path}/`, { method: 'POST', body: new URLSearchParams(form) });
  return (await response.json()) as { Status: string; ID?: string; Rows?: unknown[] };
}

describe('the address', () => {
  test('is a free port of this machine alone', async () => {
    const sandbox = await start({});
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await sandbox.close();
  });

  test('is the port that is asked for; when it is taken, that is said', async () => {
    const first = await start({});
    const port = Number(new URL(first.url).port);
    const second = start({ port });
    await expect(second).rejects.toThrow(Failure);
    await expect(second).rejects.toThrow(`Port ${port} is in use.`);
    await first.close();
    const third = await start({ port });
    expect(third.url).toBe(first.url);
    await third.close();
  });
});

describe('the API key', () => {
  test('is made, stored and enabled when there is none, and used again', async () => {
    const file = join(folder, 'made-key.duckdb');
    const first = await start({ file });
    expect(first.apiKey).toMatch(/^[0-9a-f]{32}$/);
    expect(await ask(first, 'ts/list', { key: first.apiKey })).toMatchObject({ Status: 'OK' });
    await first.close();
    const second = await start({ file });
    expect(second.apiKey).toBe(first.apiKey);
    expect(await ask(second, 'ts/list', { key: first.apiKey })).toMatchObject({ Status: 'OK' });
    await second.close();
  });

  test('that is given replaces the stored one', async () => {
    const file = join(folder, 'given-key.duckdb');
    const { apiKey: oldKey, close } = await start({ file });
    await close();
    const sandbox = await start({ file, apiKey: 'given' });
    expect(await ask(sandbox, 'ts/list', { key: 'given' })).toMatchObject({ Status: 'OK' });
    expect(await ask(sandbox, 'ts/list', { key: oldKey })).toMatchObject({ Status: 'Error' });
    await sandbox.close();
  });

  test('gives no access while access is disabled, until it is enabled', async () => {
    const file = join(folder, 'disabled.duckdb');
    const disabled = await start({ file, apiKey: 'key', apiEnabled: false });
    expect(await ask(disabled, 'ts/list', { key: 'key' })).toMatchObject({ Status: 'Error' });
    await disabled.close();
    const unchanged = await start({ file });
    expect(await ask(unchanged, 'ts/list', { key: 'key' })).toMatchObject({ Status: 'Error' });
    await unchanged.close();
    const enabled = await start({ file, apiEnabled: true });
    expect(await ask(enabled, 'ts/list', { key: 'key' })).toMatchObject({ Status: 'OK' });
    await enabled.close();
  });

  test('can be undefined: then nothing gives access', async () => {
    const sandbox = await start({ apiKey: null, apiEnabled: true });
    expect(sandbox.apiKey).toBe('');
    expect(await ask(sandbox, 'ts/list', { key: '' })).toMatchObject({ Status: 'Error' });
    await sandbox.close();
  });
});

describe('the data', () => {
  test('in a file is there after a restart', async () => {
    const file = join(folder, 'kept.duckdb');
    const first = await start({ file });
    const page = { key: first.apiKey, name: 'Kept', url: 'https://lp.example.com/kept' };
    expect(await ask(first, 'lp/add', page)).toMatchObject({ ID: '1' });
    await first.close();
    const second = await start({ file });
    expect(await ask(second, 'lp/add', page)).toMatchObject({ ID: '2' });
    await second.close();
  });

  test('is sample data in an empty database, a filled file is not filled twice', async () => {
    const file = join(folder, 'sample.duckdb');
    const progress: number[] = [];
    const first = await startSandbox({ file, onProgress: (done, total) => progress.push(done / total) });
    const { Rows } = await ask(first, 'campaign/list', { key: first.apiKey });
    expect(Rows?.length).toBeGreaterThanOrEqual(8);
    expect(progress.at(-1)).toBe(1);
    await first.close();
    const second = await startSandbox({ file });
    expect((await ask(second, 'campaign/list', { key: first.apiKey })).Rows).toHaveLength(Rows?.length ?? 0);
    await second.close();
    await expect(startSandbox({ file, sampleData: true })).rejects.toThrow('already holds campaigns');
  });

  test('cannot be opened where there is no folder for it', async () => {
    await expect(start({ file: join(folder, 'missing', 'tracker.duckdb') })).rejects.toThrow(
      /data file .* cannot be opened/,
    );
  });
});

test('closing answers a request under way first, and takes no other', async () => {
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

test('a visit is in the report that is asked for next, and in the file after a close', async () => {
  const file = await copySampleData();
  const first = await startSandbox({ file, apiKey: 'key' });
  const { Rows = [] } = await ask(first, 'campaign/list', { key: 'key' });
  const link = String((Rows[0] as Record<string, string>)['CampaignUrl']);
  const views = async (sandbox: Sandbox) => {
    const { Reports } = (await ask(sandbox, 'stats', {
      key: 'key',
      camp: '1',
      report: 'campaign',
      start: '2000-01-01',
    })) as {
      Reports?: { campaign: { Views: string }[] };
    };
    return Number(Reports?.campaign[0]?.Views);
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
