import { expect, test } from 'vitest';

import { Deadline } from '../../src/api/deadline.ts';
import { readResponse } from '../../src/client/answer-reader.ts';
import type { Question, Reading } from '../../src/client/decode/decode.ts';
import { maxResponseBytes } from '../../src/client/http/exchange.ts';
import { SecretKey } from '../../src/client/mask-key.ts';
import { toPlainReply } from '../support/tables.ts';

const question: Question = { reply: 'rows', table: 'conversions' };
const apiKey = 'k3y-of-the-tests';

const read = (body: string, deadline = new Deadline()) =>
  readResponse({ bytes: Buffer.from(body), question, secret: new SecretKey(apiKey) }, apiKey, deadline);

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
  const plain = toPlainReply(reply);
  if (plain.kind !== 'tables') throw new Error(`not tables but ${plain.kind}`);
  const [table] = plain.tables;
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
  const plain = toPlainReply(reply);
  if (plain.kind !== 'tables') throw new Error(`not tables but ${plain.kind}`);
  expect(plain.tables[0]?.columns).toEqual(['ID', 'Text', 'Url', 'None']);
  for (const row of [0, count >> 1, count - 1]) {
    expect(plain.tables[0]?.rows[row]).toEqual([String(row), text, `https://x.example/${row}`, null]);
  }
});

/** The number of threads that some work starts. */
async function threadsOf(work: () => Promise<unknown>): Promise<number> {
  let threads = 0;
  const count = () => {
    threads += 1;
  };
  process.on('worker', count);
  try {
    await work();
  } finally {
    process.off('worker', count);
  }
  return threads;
}

const recordsInXml = (count: number, text: string) =>
  `<R>${Array.from({ length: count }, (_, index) => `<Row><ID>${index}</ID><Text>${text}</Text></Row>`).join('')}</R>`;

test.each([
  ['JSON', recordsOf],
  ['XML', recordsInXml],
])(
  'a list of records in %s is scanned, and goes to no thread, up to the size that is read at all',
  async (_, write) => {
    const text = 'word '.repeat(60);
    for (const size of [2_000_000, 60_000_000]) {
      const count = Math.ceil(size / write(1, text).length);
      const body = write(count, text);
      expect(body.length).toBeLessThan(maxResponseBytes);
      let reading: Reading | undefined;
      expect(
        await threadsOf(async () => {
          reading = await read(body);
        }),
      ).toBe(0);
      const [table] = reading?.reply.kind === 'tables' ? reading.reply.tables : [];
      expect(table?.rowCount).toBe(count);
      // The cells stay in the answer; only their positions are added.
      expect(table?.bytes).toBe(body.length + 4 * count * (table?.columns.length ?? 0));
    }
    expect(await threadsOf(() => read(rowsOf(10_000, 'word '.repeat(60))))).toBe(1);
  },
);

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
  await expect(reading).rejects.toBe(reason);
  await expect(waiting).rejects.toBe(reason);
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
