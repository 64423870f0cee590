import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { readNumberColumns } from '../../src/analysis/columns/columns.ts';
import { AnswerCache, cachedForMs } from '../../src/client/answer-cache.ts';
import { readAnswer } from '../../src/client/decode/decode.ts';
import { clientOf, startTracker } from './http-tracker.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The live memory of this process, in bytes. */
function living(): number {
  // Objects freed in one pass may have held others.
  for (let pass = 0; pass < 3; pass += 1) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A report as a call reads and uses it, with cells that no other report has. */
async function reportOf(index: number, rowCount: number) {
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const views = 1000 * index + row;
    const figures = Object.fromEntries(['Views', 'Clicks', 'Conversions'].map((name, at) => [name, `${views + at}`]));
    const rates = Object.fromEntries(['CTR', 'CR', 'Cost', 'EPV'].map((name, at) => [name, `${views + at}.25`]));
    return { Keyword: `shoes ${index} ${row} für alle`, ...figures, ...rates };
  });
  const bytes = Buffer.from(JSON.stringify({ Status: 'OK', Reports: { target: rows } }));
  const reading = await readAnswer({ bytes, question: { reply: 'reports', reports: ['target'] } });
  if (reading.reply.kind === 'tables') for (const table of reading.reply.tables) readNumberColumns(table);
  return reading;
}

it.each([
  ['thousands of small answers', 2000, 10],
  ['a few large answers', 3, 20_000],
])('the memory of %s is counted, with everything that was computed from them', async (_, count, rows) => {
  const cache = new AnswerCache();
  await reportOf(0, rows);
  const before = living();
  for (let index = 1; index <= count; index += 1)
    cache.add(`stats ${index}`, await reportOf(index, rows), cache.generation);
  const taken = living() - before;
  expect(cache.bytes).toBeGreaterThan(1_000_000);
  expect(taken).toBeLessThan(1.6 * cache.bytes);
  expect(taken).toBeGreaterThan(0.3 * cache.bytes);
  expect(cache.find(`stats ${count}`)).toBeDefined();
});

it('an answer from before all were dropped is not cached', async () => {
  const cache = new AnswerCache();
  const { generation } = cache;
  cache.clear();
  cache.add('stats', await reportOf(7, 1), generation);
  expect(cache.find('stats')).toBeUndefined();
});

it('cached answers are freed after a minute, even if nothing is asked and the clock is set back', async (context) => {
  const reading = await reportOf(7, 10);
  vi.useFakeTimers();
  context.onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(1);
  const cache = new AnswerCache();
  cache.add('stats', reading, cache.generation);
  vi.setSystemTime(Date.now() - 7_200_000);
  vi.advanceTimersByTime(cachedForMs - 1);
  expect(cache.find('stats')?.ageMs).toBe(cachedForMs - 1);
  vi.advanceTimersByTime(1);
  expect(cache.find('stats')).toBeUndefined();
  expect(cache.bytes).toBe(0);
});

it('the memory of an answer counts its texts: of three with 26 MB the first is dropped', async () => {
  const row = JSON.stringify({ SubID: 'ab12_4_345', Keyword: 'a word of a visitor '.repeat(5) });
  const body = `{"Rows":[${new Array(200_000).fill(row).join(',')}]}`;
  const tracker = await startTracker((response) => response.end(body));
  const client = clientOf(tracker.url, { timeoutMs: 50_000 });
  const read = (campaign: number) => client.read('list_conversions', { campaign_id: campaign }, { reuse: true });
  for (const campaign of [1, 2, 3]) await read(campaign);
  const { reply } = await read(3);
  await read(2);
  expect(tracker.requests).toHaveLength(3);
  const charactersOfRow = 'ab12_4_345'.length + 'a word of a visitor '.length * 5;
  expect(reply.tables[0]?.bytes).toBeGreaterThan(200_000 * charactersOfRow);
  await read(1);
  expect(tracker.requests).toHaveLength(4);
});
