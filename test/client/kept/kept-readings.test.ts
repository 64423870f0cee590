import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { readNumberColumns } from '../../../src/analysis/columns/columns.ts';
import { readAnswer } from '../../../src/client/decode/decode.ts';
import { KeptReadings } from '../../../src/client/kept/kept-readings.ts';
import { toPlainReply } from '../../support/tables.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What lives in this process, in bytes. */
function living(): number {
  // What is found dead in one pass may have held what is found in the next.
  for (let pass = 0; pass < 3; pass += 1) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A report as a call reads it and works with it; no cell of it is that of another one. */
async function reportOf(index: number, rowCount: number) {
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const views = 1000 * index + row;
    const figures = Object.fromEntries(['Views', 'Clicks', 'Conversions'].map((name, at) => [name, `${views + at}`]));
    const rates = Object.fromEntries(['CTR', 'CR', 'Cost', 'EPV'].map((name, at) => [name, `${views + at}.25`]));
    return { Keyword: `shoes ${index} ${row} für alle`, ...figures, ...rates };
  });
  const bytes = Buffer.from(JSON.stringify({ Status: 'OK', Reports: { target: rows } }));
  const reading = await readAnswer(bytes, 'application/json', { reply: 'reports', reports: ['target'] });
  if (reading.reply.kind === 'tables') for (const table of reading.reply.tables) readNumberColumns(table);
  return reading;
}

it.each([
  ['thousands of small answers', 2000, 10],
  ['the largest that are kept as text', 40, 500],
  ['the smallest that are not', 40, 600],
  ['a few large answers', 3, 20_000],
])('%s take what they are counted as, with all that was worked out of them', async (_, count, rows) => {
  const kept = new KeptReadings();
  await reportOf(0, rows);
  const before = living();
  for (let index = 1; index <= count; index += 1) {
    kept.keep(`stats ${index}`, await reportOf(index, rows), kept.generation);
  }
  const taken = living() - before;
  expect(kept.bytes).toBeGreaterThan(1_000_000);
  expect(taken).toBeLessThan(1.6 * kept.bytes);
  expect(taken).toBeGreaterThan(0.3 * kept.bytes);
  expect(kept.find(`stats ${count}`)).toBeDefined();
});

it.each([1, 10, 2000])('an answer of %i rows is found again as it was kept', async (rows) => {
  const kept = new KeptReadings();
  const reading = await reportOf(7, rows);
  const at = kept.keep('stats', reading, kept.generation);
  const found = kept.find('stats');
  expect(found?.at).toBe(at);
  expect(found?.answer.shape).toBe(reading.shape);
  expect(found && toPlainReply(found.answer.reply)).toEqual(toPlainReply(reading.reply));
});
