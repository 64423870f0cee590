import { readFile, writeFile } from 'node:fs/promises';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, expect, it } from 'vitest';
import { copySampleData, sampleNow as now } from '../sandbox/support/sample-data.ts';
import { apiKey, startTracker } from '../sandbox/support/tracker.ts';
import { connect } from '../support/connect.ts';
import { type Answer, type Question, questions, truthOf } from './questions.ts';

/**
 * Questions of a media buyer: each gets its right answer, in as few calls and tokens as the baseline has. A run with
 * QUESTIONS_BASELINE=1 writes a new baseline.
 */

interface Cost {
  calls: number;
  tokens: number;
}

const file = new URL('baseline.json', import.meta.url);
const baseline = JSON.parse(await readFile(file, 'utf8')) as Record<string, Cost>;

const tracker = await startTracker([], { file: await copySampleData(), now: () => now });
const { call } = await connect({ url: tracker.url, apiKey, now: () => now, timeoutMs: 30_000 });
const measured: Record<string, Cost> = {};
afterAll(async () => {
  if (process.env['QUESTIONS_BASELINE']) await writeFile(file, `${JSON.stringify(measured, null, 2)}\n`);
});

/** `$SubID` is the cell of that column in the first row of the previous answer. */
function filledIn(given: Readonly<Record<string, unknown>>, previous: Answer | undefined): Record<string, unknown> {
  const [table] = previous?.tables ?? [];
  const entries = Object.entries(given).map(([name, value]) => {
    const column = typeof value === 'string' && value.startsWith('$') ? value.slice(1) : undefined;
    return [name, column === undefined ? value : table?.rows[0]?.[table.columns.indexOf(column)]] as const;
  });
  return Object.fromEntries(entries);
}

async function ask({ calls }: Question): Promise<{ data: Answer; tokens: number }> {
  let data: Answer | undefined;
  let tokens = 0;
  for (const [tool, given] of calls) {
    const result = await call(tool, filledIn(given, data));
    expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
    data = result.structuredContent as Answer;
    tokens += encode(JSON.stringify(data)).length;
  }
  return { data: data ?? {}, tokens };
}

it.each(questions.map((question) => [question.ask, question] as const))('%s', async (name, question) => {
  const rows = await tracker.stored(truthOf(question.truth));
  const truth = rows.flatMap((row) => Object.values(row));
  const { data, tokens } = await ask(question);
  measured[name] = { calls: question.calls.length, tokens };
  const found = question.answer(data);
  expect(found.length, 'as many values as the truth has').toBe(truth.length);
  expect(truth.length).toBeGreaterThan(0);
  for (const [index, value] of truth.entries()) {
    expect(value).not.toBeNull();
    if (typeof value !== 'number') expect(found[index]).toBe(value);
    else expect(Math.abs(Number(found[index]) - value)).toBeLessThanOrEqual(0.501 / 10 ** (question.digits ?? 2));
  }
  if (process.env['QUESTIONS_BASELINE']) return;
  expect(question.calls.length).toBe(baseline[name]?.calls);
  expect(tokens, `baseline ${baseline[name]?.tokens}`).toBeLessThanOrEqual((baseline[name]?.tokens ?? 0) * 1.1);
});

it('forty-five questions take at most 50 calls, and half of them one', () => {
  const calls = questions.map((question) => question.calls.length).sort((left, right) => left - right);
  expect(questions).toHaveLength(45);
  expect(calls.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(50);
  expect(calls[20]).toBe(1);
  expect(Object.keys(baseline)).toEqual(questions.map((question) => question.ask));
});
