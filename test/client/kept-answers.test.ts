import { expect, test, vi } from 'vitest';
import { KeptAnswers, keptForMs, maxKeptBytes } from '../../src/client/kept-answers.ts';
import { clientOf, startTracker } from './http-tracker.ts';

const megabyte = 1024 * 1024;

test('kept answers stay under 64 MB in all, and the oldest make room', () => {
  expect(maxKeptBytes).toBe(64 * megabyte);
  const kept = new KeptAnswers<number>((megabytes) => megabytes * megabyte);
  for (let question = 1; question <= 28; question += 1) {
    kept.keep(String(question), 20, kept.generation);
    expect(kept.bytes).toBeLessThanOrEqual(maxKeptBytes);
  }
  const found = Array.from({ length: 28 }, (_, index) => index + 1).filter((question) => kept.find(String(question)));
  expect(found).toEqual([26, 27, 28]);
});

test('an answer larger than all may be is not kept', () => {
  const kept = new KeptAnswers<number>((megabytes) => megabytes * megabyte);
  kept.keep('large', 65, kept.generation);
  expect(kept.find('large')).toBeUndefined();
  expect(kept.bytes).toBe(0);
});

test('an answer that is too old makes room as well', ({ onTestFinished }) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const kept = new KeptAnswers<number>((megabytes) => megabytes * megabyte);
  kept.keep('early', 1, kept.generation);
  vi.advanceTimersByTime(keptForMs - 1);
  kept.keep('late', 1, kept.generation);
  vi.advanceTimersByTime(2);
  kept.keep('later', 1, kept.generation);
  expect(kept.bytes).toBeLessThan(3 * megabyte);
  vi.advanceTimersByTime(keptForMs);
  expect(kept.bytes).toBe(0);
});

test('what an answer takes is counted by its texts: of three of 26 MB the first makes room', async () => {
  const row = JSON.stringify({ SubID: 'ab12_4_345', Keyword: 'a word of a visitor '.repeat(5) });
  const body = `{"Rows":[${new Array(200_000).fill(row).join(',')}]}`;
  const tracker = await startTracker((response) => response.end(body));
  const client = clientOf(tracker.url, { timeoutMs: 50_000 });
  const read = (campaign: number) => client.read('list_conversions', { campaign_id: campaign }, { reuse: true });
  for (const campaign of [1, 2, 3]) await read(campaign);
  const { reply } = await read(3);
  await read(2);
  expect(tracker.requests).toHaveLength(3);
  const [table] = reply.kind === 'tables' ? reply.tables : [];
  const charactersOfRow = 'ab12_4_345'.length + 'a word of a visitor '.length * 5;
  expect(table?.bytes).toBeGreaterThan(200_000 * charactersOfRow);
  await read(1);
  expect(tracker.requests).toHaveLength(4);
});
