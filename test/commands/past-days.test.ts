import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PastDayFiles } from '../../src/commands/past-days.ts';
import { PastFigures } from '../../src/tools/past-figures.ts';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import { cacheIn } from '../e2e/support/run-cli.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { connect, contextFor } from '../support/connect.ts';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { specialFiles } from '../support/special-files.ts';
import { privateModes } from '../support/system.ts';

const tracker = await startForeignTracker({
  'campaign/list': '[{"ID":"1","Name":"Search"},{"ID":"2","Name":"Native"}]',
  stats: '[{"Views":"10","Clicks":"5","Conversions":"1","Cost":"1.10","Revenue":"2.20"}]',
  conversions: '[]',
});
const account = { url: tracker.url, apiKey: 'the key of the account' };

/** The spans that a new process asks the tracker for in one call. */
async function ask(
  folder: string,
  given: Readonly<Record<string, unknown>>,
  { day = '2026-06-10', of = account, url = tracker.url }: { day?: string; of?: typeof account; url?: string } = {},
) {
  const files = new PastDayFiles(folder, of);
  const now = () => new Date(`${day}T12:00:00Z`);
  const context = { ...contextFor({ url, now }), pastFigures: new PastFigures(files) };
  const { data } = await connect({ context });
  tracker.taken();
  const { tables, notices } = await data<PresentedTables>('get_overview', given);
  await files.save();
  const asked = tracker.taken().flatMap(({ path, parameters }) => {
    const sent = new Map(parameters);
    return path === '/api/stats/' ? [`${sent.get('camp')} ${sent.get('start')} ${sent.get('end')}`] : [];
  });
  return { asked, totals: tables[0]?.totals, notices };
}

const week = { start_date: '2026-05-25', end_date: '2026-05-31', compare_to: 'none', timezone: 'UTC' };
const weekBefore = { ...week, start_date: '2026-05-18', end_date: '2026-05-24' };
const both = ['1 2026-05-25 2026-05-31', '2 2026-05-25 2026-05-31'];

/** A folder in which a process kept the figures of a day, and their file. */
async function keptDay() {
  const folder = await newFolder();
  await ask(folder, week);
  const [name = ''] = await readdir(folder);
  const directory = join(folder, name);
  return { folder, directory, file: join(directory, '2026-05-31.json') };
}

/** A file of one day, with the figures that the tracker gives for it, except those given here as JSON. */
function dayWith({ span = '2026-05-25 UTC', readOn = '2026-06-10', ...figures }: Readonly<Record<string, string>>) {
  const given = { views: '10', clicks: '5', conversions: '1', cost: '1.1', revenue: '2.2', profit: '1.1', ...figures };
  const text = Object.entries(given).map(([name, json]) => `"${name}":${json}`);
  const entry = `{"${span}":{"readOn":"${readOn}","figures":{${text}}}}`;
  return `{"1":${entry},"2":${entry}}`;
}

describe('figures of past days', () => {
  it('are not asked for again by a later process, except days with late sales', async () => {
    const folder = await newFolder();
    const first = await ask(folder, {});
    expect(first.asked).toHaveLength(4);
    const second = await ask(folder, {});
    expect(second.asked.sort()).toEqual(['1 2026-06-03 2026-06-09', '2 2026-06-03 2026-06-09']);
    expect(second.totals).toEqual(first.totals);
  });

  it('keep how the tracker writes its numbers, which each process says', async () => {
    const folder = await newFolder();
    const withCommas = await startForeignTracker({
      'campaign/list': '[{"ID":"1","Name":"Search"}]',
      stats: '[{"Views":"10","Clicks":"5","Conversions":"1","Cost":"1,10","Revenue":"2,20"}]',
      conversions: '[]',
    });
    const at = { url: withCommas.url };
    const said = ({ notices }: Awaited<ReturnType<typeof ask>>) =>
      notices.filter((notice) => notice.includes('decimal comma'));
    expect(said(await ask(folder, week, at))).toHaveLength(1);
    expect(said(await ask(folder, weekBefore, at))).toHaveLength(1);
    withCommas.taken();
    for (const days of [week, { ...week, start_date: '2026-05-18' }])
      expect(said(await ask(folder, days, at))).toHaveLength(1);
    expect(withCommas.taken().filter(({ path }) => path === '/api/stats/')).toEqual([]);
  });

  it('add up to a span that was never asked for', async () => {
    const folder = await newFolder();
    await ask(folder, week);
    await ask(folder, weekBefore);
    const { asked, totals } = await ask(folder, { ...week, start_date: '2026-05-18' });
    expect(asked).toEqual([]);
    expect(totals).toMatchObject({ Views: 40, Cost: 4.4, Revenue: 8.8 });
    const longer = await ask(folder, { ...week, start_date: '2026-05-17' });
    expect(longer.asked).toHaveLength(2);
  });

  it('are asked for again after as many days as their span was old', async () => {
    const folder = await newFolder();
    await ask(folder, week, { day: '2026-06-10' });
    expect((await ask(folder, week, { day: '2026-06-20' })).asked).toEqual([]);
    expect((await ask(folder, week, { day: '2026-06-21' })).asked).toEqual(both);
    expect((await ask(folder, week, { day: '2026-07-10' })).asked).toEqual([]);
  });

  it.each([
    ['another key', {}, { of: { ...account, apiKey: 'another' } }],
    ['another URL', {}, { of: { ...account, url: 'https://other.example' } }],
    ['another zone', { timezone: 'Asia/Tokyo' }, {}],
    ['the tracker’s own zone', { timezone: undefined }, {}],
  ])('are not used for %s', async (_, given, how) => {
    const folder = await newFolder();
    await ask(folder, week);
    expect((await ask(folder, { ...week, ...given }, how)).asked).toEqual(both);
  });

  it('are in a private file for each day, without the key', async () => {
    const { directory, file } = await keptDay();
    expect(basename(directory)).toMatch(/^[\da-f]{32}$/);
    expect(await readdir(directory)).toEqual(['2026-05-31.json']);
    const figures = { views: 10, clicks: 5, conversions: 1, cost: 1.1, revenue: 2.2, profit: 1.1 };
    const span = { '2026-05-25 UTC': { readOn: '2026-06-10', figures } };
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ 1: span, 2: span });
    if (process.platform !== 'win32') {
      const modes = [directory, file].map(async (path) => (await stat(path)).mode & 0o777);
      expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
    }
  });

  it.each([
    ...['', '{', '[]'],
    ...['"many"', '-1', '1.5', '1e999', 'null'].map((views) => dayWith({ views })),
    ...['-0.01', '"1"'].flatMap((amount) => [dayWith({ cost: amount }), dayWith({ revenue: amount })]),
    dayWith({ profit: '99' }),
    ...['2026-06-11', '2099-01-01', '2026-05-31', '2026-02-30'].map((readOn) => dayWith({ readOn })),
    ...['2026-05-25', '2026-05-32 UTC', '2026-06-01 UTC', '9999-99-99 UTC'].map((span) => dayWith({ span })),
  ])('replace a damaged file: %j', async (content) => {
    const { folder, file } = await keptDay();
    await writeFile(file, content);
    expect((await ask(folder, week)).asked).toEqual(both);
    expect((await ask(folder, week)).asked).toEqual([]);
  });

  it.each(privateModes)('that others could have changed are asked for again, and closed to them', async (mode) => {
    const { folder, file } = await keptDay();
    await chmod(file, mode | 0o022);
    expect((await ask(folder, week)).asked).toEqual(both);
    expect((await ask(folder, week)).asked).toEqual([]);
    expect((await stat(file)).mode & 0o777).toBe(mode);
  });

  it.each(specialFiles)('in the place of which is %s are asked for', async (_, make) => {
    const { folder, file } = await keptDay();
    await rm(file);
    await make(file);
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect((await ask(folder, week)).asked).toEqual(both);
    expect(printed.mock.calls.join()).toMatch(/^tracker-mcp: figures of past days are not kept: /);
    printed.mockRestore();
    expect((await lstat(file)).isFile()).toBe(false);
  });

  it('of two processes are both kept', async () => {
    const folder = await newFolder();
    await Promise.all([ask(folder, { ...week, campaign_ids: [1] }), ask(folder, { ...weekBefore, campaign_ids: [2] })]);
    await ask(folder, { ...week, campaign_ids: [2] });
    const span = { ...week, start_date: '2026-05-18' };
    expect((await ask(folder, { ...span, campaign_ids: [2] })).asked).toEqual([]);
    expect((await ask(folder, { ...week, campaign_ids: [1] })).asked).toEqual([]);
  });

  it('of old days are deleted, even with an earlier key, and nothing else is', async () => {
    const folder = await newFolder();
    const old = join(folder, 'a'.repeat(32));
    const foreign = join(folder, 'photos');
    const others = ['2025-01-01.json.mine', '2025-01-01.jsonl', 'notes.txt'];
    for (const directory of [old, foreign]) {
      await mkdir(directory);
      for (const name of ['2025-01-01.json', '2025-01-01.json.0a1b2c3d', ...others])
        await writeFile(join(directory, name), '');
    }
    await symlink(foreign, join(folder, 'b'.repeat(32)), 'junction');
    await ask(folder, week);
    expect(await readdir(old)).toEqual(others);
    expect(await readdir(foreign)).toHaveLength(2 + others.length);
  });
});

it.each([
  ['kept in the directory of the setting', (folder: string) => ({ TRACKER_PAST_DAYS_DIR: folder }), 1],
  ['kept in the user’s cache without it', cacheIn, 1],
  ['not kept with none', (folder: string) => ({ TRACKER_PAST_DAYS_DIR: 'none', ...cacheIn(folder) }), 0],
])('the figures of a command are %s', async (_, variables, directories) => {
  const folder = await newFolder();
  const environment = { TRACKER_URL: account.url, TRACKER_API_KEY: account.apiKey, ...variables(folder) };
  const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
  const { code, stderr } = await runCommand(['call', 'get_overview', '--start-date', day], { environment });
  expect([code, stderr]).toEqual([0, '']);
  const names = await readdir(folder, { recursive: true });
  expect(names.filter((name) => /[\da-f]{32}$/.test(name))).toHaveLength(directories);
});

describe('a directory that cannot be written', () => {
  afterEach(() => vi.restoreAllMocks());

  it('brings one warning, and answers continue', async () => {
    const file = join(await newFolder(), 'file');
    await writeFile(file, '');
    await chmod(file, 0o600);
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const files = new PastDayFiles(file, account);
    for (const campaignId of ['1', '2']) {
      const span = { campaignId, start: '2026-05-25', end: '2026-05-31', timezone: undefined, asOf: '2026-06-10' };
      files.keep(span, { figures: { views: 1 } });
      await files.save();
      expect(await files.find(span)).toBeUndefined();
    }
    expect(printed).toHaveBeenCalledTimes(1);
    expect(printed.mock.calls[0]?.[0]).toMatch(/^tracker-mcp: figures of past days are not kept: /);
  });
});
