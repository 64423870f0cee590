import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { Reply } from '../../src/api/table.ts';
import type { TrackerClient } from '../../src/client/tracker-client.ts';
import { toPlainReply } from '../support/tables.ts';
import { type Answer, clientOf, endpoint, sendWrite, startTracker, works, worksAfter } from './http-tracker.ts';

const editPage = endpoint('edit_campaign_page');

/** Answers with a number. */
function numbered(): Answer {
  let answers = 0;
  return (response, request, socket) => {
    if (!request.url.includes('/list')) return works(response, request, socket);
    answers += 1;
    return response.end(JSON.stringify([{ Answer: answers }]));
  };
}

const answerOf = async (reading: Promise<{ reply: Reply }>) => toPlainReply((await reading).reply);
const keptAnswer = (client: TrackerClient, given = {}) =>
  answerOf(client.read('list_campaigns', given, { reuse: true }));
const answerNumber = (number: number) => ({ tables: [{ rows: [[String(number)]] }] });

test('a failure that passes is retried', async () => {
  let attempts = 0;
  const tracker = await startTracker((response, request, socket) => {
    attempts += 1;
    return attempts < 3 ? response.writeHead(503).end() : works(response, request, socket);
  });
  await expect(clientOf(tracker.url).read('list_campaigns', {})).resolves.toMatchObject({ reply: { kind: 'tables' } });
  expect(tracker.requests).toHaveLength(3);
});

test('a read waits for the seconds in Retry-After before the next attempt', async () => {
  const times: number[] = [];
  const tracker = await startTracker((response, request, socket) => {
    times.push(performance.now());
    if (times.length > 1) return works(response, request, socket);
    return response.writeHead(429, { 'retry-after': '1' }).end();
  });
  await clientOf(tracker.url).read('list_campaigns', {});
  expect(times).toHaveLength(2);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
});

test('a read understands a date in Retry-After', async () => {
  const tracker = await startTracker((response) =>
    response.writeHead(429, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }).end(),
  );
  await expect(clientOf(tracker.url).read('list_campaigns', {})).rejects.toThrow(/Try again in 3(600|5\d\d) s/);
  expect(tracker.requests).toHaveLength(1);
});

test('a stale connection does not fail a read', async () => {
  const tracker = await startTracker((response, request, socket) => {
    works(response, request, socket);
    response.once('finish', () => setTimeout(() => socket.destroy(), 5));
  });
  const client = clientOf(tracker.url);
  for (let read = 0; read < 5; read += 1) await client.read('list_visitors', { max_records: read + 1 });
  expect(tracker.requests.length).toBeGreaterThanOrEqual(5);
});

test('identical reads in flight share one request', async () => {
  const tracker = await startTracker(worksAfter(50));
  const client = clientOf(tracker.url);
  const ask = (id: number) => client.read('get_stats', { campaign_id: id, reports: ['offer'] });
  const askReordered = () => client.read('get_stats', { reports: ['offer'], campaign_id: 4 });
  const answers = await Promise.all([1, 2, 3, 4, 5].flatMap(() => [ask(4), askReordered()]));
  expect(tracker.requests).toHaveLength(1);
  expect(new Set(answers.map(({ reply }) => reply)).size).toBe(1);
  await ask(7);
  expect(tracker.requests).toHaveLength(2);
});

test('a caller that cancels a shared read does not end it, but the last caller closes the connection', async () => {
  const leaving = new AbortController();
  const controllers = [new AbortController(), new AbortController()];
  const tracker = await startTracker((...call) => {
    if (call[1].parameters['active'] === '1') return controllers.map((controller) => controller.abort());
    leaving.abort();
    return worksAfter(100)(...call);
  });
  const client = clientOf(tracker.url);
  const left = client.read('list_campaigns', {}, { signal: leaving.signal });
  const stayed = client.read('list_campaigns', {});
  await expect(left).rejects.toMatchObject({ outcome: 'cancelled', message: 'The call was cancelled.' });
  await expect(stayed).resolves.toBeDefined();
  const reads = controllers.map(({ signal }) => client.read('list_campaigns', { status: 'active' }, { signal }));
  expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await tracker.closedByClient();
  expect(tracker.requests).toHaveLength(2);
});

test('at most four requests are in flight, reads and writes together', async () => {
  const tracker = await startTracker(worksAfter(30));
  const client = clientOf(tracker.url);
  const read = (id: number) => client.read('get_stats', { campaign_id: id });
  const write = (share: number) => sendWrite(client, editPage, { share: String(share) });
  await Promise.all(Array.from({ length: 8 }, (_, index) => [write(index), read(index), read(index + 8)]).flat());
  expect(tracker.requests).toHaveLength(24);
  expect(tracker.maxAtOnce()).toBeLessThanOrEqual(4);
  expect(tracker.maxAtOnce()).toBeGreaterThan(1);
});

test('cancelling ends all reads of a caller, and leaves no listeners', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const tracker = await startTracker((response, request, socket) =>
    request.parameters['camp'] === '1' ? works(response, request, socket) : controller.abort(),
  );
  const client = clientOf(tracker.url);
  await client.read('get_stats', { campaign_id: 1 }, { signal });
  const reads = [2, 3, 4].map((id) => client.read('get_stats', { campaign_id: id }, { signal }));
  expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(reads.map(() => 'rejected'));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('cancelling ends a pause between attempts at once', async () => {
  const controller = new AbortController();
  const tracker = await startTracker((response) => {
    response.once('finish', () => setTimeout(() => controller.abort(), 100));
    response.writeHead(503, { 'retry-after': '5' }).end();
  });
  const reading = clientOf(tracker.url).read('list_campaigns', {}, { signal: controller.signal });
  await expect(reading).rejects.toMatchObject({ outcome: 'cancelled' });
  expect(tracker.requests).toHaveLength(1);
});

test('a call that is cancelled before it begins sends nothing', async () => {
  const tracker = await startTracker(works);
  const client = clientOf(tracker.url);
  const signal = AbortSignal.abort();
  await expect(client.read('list_campaigns', {}, { signal })).rejects.toMatchObject({ outcome: 'cancelled' });
  await expect(sendWrite(client, editPage, {}, { signal })).rejects.toMatchObject({
    outcome: 'cancelled',
    message: 'The call was cancelled. Nothing was sent.',
  });
  expect(tracker.requests).toHaveLength(0);
});

test.each([true, false])('a long download reports its progress, with a known length: %s', async (isKnown) => {
  const body = JSON.stringify([{ Note: 'x'.repeat(1_000_000) }]);
  const tracker = await startTracker((response) => {
    if (isKnown) response.setHeader('content-length', body.length);
    response.write(body.slice(0, 20));
    response.end(body.slice(20));
  });
  const reports: [received: number, total: number | undefined][] = [];
  const onProgress = (...report: [number, number | undefined]) => reports.push(report);
  await clientOf(tracker.url).read('list_campaigns', {}, { onProgress });
  expect(reports.length).toBeGreaterThan(2);
  expect(reports.at(-1)).toEqual([body.length, isKnown ? body.length : undefined]);
  expect(reports).toEqual(reports.toSorted(([a], [b]) => a - b));
});

test('a kept answer serves later pages, and a first page is read again', async () => {
  const tracker = await startTracker(numbered());
  const client = clientOf(tracker.url);
  const first = await client.read('list_campaigns', {});
  expect(toPlainReply(first.reply)).toMatchObject(answerNumber(1));
  const kept = await client.read('list_campaigns', {}, { reuse: true });
  expect(kept).toMatchObject({ shape: first.shape, ageMs: expect.any(Number) });
  expect(toPlainReply(kept.reply)).toEqual(toPlainReply(first.reply));
  expect(await answerOf(client.read('list_campaigns', {}))).toMatchObject(answerNumber(2));
  expect(await keptAnswer(client, { status: 'active' })).toMatchObject(answerNumber(3));
  expect(await keptAnswer(client)).toMatchObject(answerNumber(2));
});

test('an answer is kept if it has more than one page', async () => {
  const tracker = await startTracker((response) => response.end('[{"ID":"4"},{"ID":"7"}]'));
  const client = clientOf(tracker.url);
  await client.read('list_campaigns', {}, { pageSize: 2 });
  await client.read('list_campaigns', {}, { pageSize: 1, reuse: true });
  expect(tracker.requests).toHaveLength(2);
  await client.read('list_campaigns', {}, { pageSize: 1, reuse: true });
  expect(tracker.requests).toHaveLength(2);
});

test('a write drops every kept answer, with any outcome', async () => {
  let isRefusing = false;
  const answer = numbered();
  const tracker = await startTracker((response, request, socket) =>
    isRefusing && !request.url.includes('/list') ? response.end('{"error":"no"}') : answer(response, request, socket),
  );
  const client = clientOf(tracker.url);
  await client.read('list_campaigns', {});
  await sendWrite(client, editPage, {});
  expect(await keptAnswer(client)).toMatchObject(answerNumber(2));
  isRefusing = true;
  await expect(sendWrite(client, editPage, {})).rejects.toThrow();
  expect(await keptAnswer(client)).toMatchObject(answerNumber(3));
});

test('a read from before a write is neither kept nor joined after it', async () => {
  const answer = numbered();
  const waiting: (() => void)[] = [];
  const tracker = await startTracker(async (response, request, socket) => {
    if (request.url.includes('/list') && waiting.length === 0)
      await new Promise<void>((resolve) => waiting.push(resolve));
    return answer(response, request, socket);
  });
  const client = clientOf(tracker.url);
  const before = client.read('list_campaigns', {});
  await expect.poll(() => waiting).toHaveLength(1);
  await sendWrite(client, editPage, {});
  const after = await client.read('list_campaigns', {});
  waiting[0]?.();
  await before;
  expect(tracker.requests.filter(({ url }) => url.includes('/list'))).toHaveLength(2);
  expect(await keptAnswer(client)).toEqual(toPlainReply(after.reply));
});
