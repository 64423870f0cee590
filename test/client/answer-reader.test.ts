import { expect, test } from 'vitest';
import { Deadline } from '../../src/api/deadline.ts';
import type { Reply } from '../../src/api/table.ts';
import { readResponse } from '../../src/client/answer-reader.ts';
import type { Question } from '../../src/client/decode/decode.ts';
import { maxResponseBytes } from '../../src/client/http/exchange.ts';
import { SecretKey } from '../../src/client/mask-key.ts';
import { toPlainReply } from '../support/tables.ts';

const question: Question = { reply: 'rows', table: 'conversions' };
const apiKey = 'k3y-of-the-tests';

const read = (body: string, deadline = new Deadline()) =>
  readResponse({ bytes: Buffer.from(body), question, secret: new SecretKey(apiKey) }, apiKey, deadline);

function tableIn(reply: Reply) {
  const plain = toPlainReply(reply);
  if (plain.kind !== 'tables') throw new Error(`not tables but ${plain.kind}`);
  return plain.tables[0];
}

/** Rows with every kind of cell, as lists, which are not scanned. */
const rowsOf = (count: number, text: string) =>
  `{"Status":"OK","Rows":[["ID","Text","None"],${Array.from({ length: count }, (_, index) => `["${index}",${JSON.stringify(text)},null]`).join(',')}]}`;

const texts: Readonly<Record<string, string>> = {
  'plain text': 'word '.repeat(40),
  'Latin letters': 'Müller '.repeat(40),
  'any letters': '€ 😀 Ω '.repeat(40),
};

test.each(Object.entries(texts))('a large answer is read in a thread without loss: %s', async (_, text) => {
  const { reply, shape } = await read(rowsOf(10_000, text));
  expect(shape).toBe('rows under a name > lists of cells');
  const table = tableIn(reply);
  expect(table?.columns).toEqual(['ID', 'Text', 'None']);
  expect(table?.rows).toHaveLength(10_000);
  expect(table?.rows.at(-1)).toEqual(['9999', text, null]);
});

/** Records that are scanned, with an escaped cell. */
const recordsOf = (count: number, text: string) =>
  `{"Rows":[${Array.from({ length: count }, (_, index) => `{"ID":${index},"Text":${JSON.stringify(text)},"Url":"https:\\/\\/x.example\\/${index}","None":null}`).join(',')}]}`;

test.each(Object.entries(texts))('records are scanned without loss: %s', async (_, text) => {
  const count = Math.ceil(9_000_000 / text.length);
  const { reply } = await read(recordsOf(count, text));
  const table = tableIn(reply);
  expect(table?.columns).toEqual(['ID', 'Text', 'Url', 'None']);
  for (const row of [0, count >> 1, count - 1]) {
    expect(table?.rows[row]).toEqual([String(row), text, `https://x.example/${row}`, null]);
  }
});

/** The result of some work, and the number of threads that it starts. */
async function threadsOf<Result>(work: () => Promise<Result>) {
  const started: unknown[] = [];
  const count = (worker: unknown) => started.push(worker);
  process.on('worker', count);
  const result = await work().finally(() => process.off('worker', count));
  return { result, threads: started.length };
}

const recordsInXml = (count: number, text: string) =>
  `<R>${Array.from({ length: count }, (_, index) => `<Row><ID>${index}</ID><Text>${text}</Text></Row>`).join('')}</R>`;

test.each([
  ['JSON', recordsOf],
  ['XML', recordsInXml],
])('a list of records in %s of any size that is read is scanned, and goes to no thread', async (_, write) => {
  const text = 'word '.repeat(60);
  for (const size of [2_000_000, 60_000_000]) {
    const count = Math.ceil(size / write(1, text).length);
    const body = write(count, text);
    expect(body.length).toBeLessThan(maxResponseBytes);
    const { threads, result } = await threadsOf(() => read(body));
    expect(threads).toBe(0);
    const [table] = result.reply.kind === 'tables' ? result.reply.tables : [];
    expect(table?.rowCount).toBe(count);
    // The cells stay in the answer; their positions are added, and the numbers of the IDs.
    const isNumbers = table?.columns.map((_, column) => table.cells.numbers(column) !== undefined) ?? [];
    expect(isNumbers.filter(Boolean).length).toBeGreaterThan(0);
    expect(table?.bytes).toBe(body.length + count * (4 * isNumbers.length + 8 * isNumbers.filter(Boolean).length));
  }
  expect((await threadsOf(() => read(rowsOf(10_000, text)))).threads).toBe(1);
});

test('the error in a large answer is found, and the key is masked', async () => {
  const refused = read(
    `{"Status":"Error","Message":"Invalid campaign of ${apiKey}","Trace":"${'x'.repeat(2_000_000)}"}`,
  );
  await expect(refused).rejects.toMatchObject({ kind: 'refused', reason: 'Invalid campaign of ***' });
});

test('the end of a call stops the reading of its answer, and the next large answer is read', async () => {
  const deadline = new Deadline();
  const reason = new Error('the call has ended');
  const endless = `{${Array.from({ length: 500_000 }, (_, index) => `"k${index}":{"a":[${index}]}`).join()}}`;
  const reading = read(endless, deadline);
  const waiting = read(endless, deadline);
  setTimeout(() => deadline.cancel(reason), 50);
  const rejected = { status: 'rejected', reason };
  expect(await Promise.allSettled([reading, waiting])).toEqual([rejected, rejected]);
  const { reply } = await read(rowsOf(50_000, 'a word of many'));
  expect(reply.kind).toBe('tables');
});

test('a large answer is not read after its call has ended', async () => {
  const reason = new Error('ended before');
  const deadline = new Deadline();
  deadline.cancel(reason);
  await expect(read(rowsOf(50_000, 'a word of many'), deadline)).rejects.toBe(reason);
});

test('scanning lets other work run, and stops when its call ends', async () => {
  const deadline = new Deadline();
  const reason = new Error('the call has ended');
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
    if (turns === 3) deadline.cancel(reason);
  }, 0);
  await expect(read(recordsOf(100_000, 'word '.repeat(20)), deadline)).rejects.toBe(reason);
  clearInterval(others);
  expect(turns).toBe(3);
});
