import { expect, test } from 'vitest';
import { problemWith } from './read.ts';

const question = { reply: 'rows', table: 'conversions' } as const;

const numbered = (length: number, write: (index: number) => string) =>
  Array.from({ length }, (_, index) => write(index)).join();

const excessive: Record<string, [body: () => string, problem: RegExp]> = {
  'three million numbers': [() => `[${'1,'.repeat(3_000_000)}1]`, /^too-many$/],
  'more rows than are read': [() => `[${'[],'.repeat(1_000_001)}[]]`, /^too-many$/],
  'a column for every row': [() => `[${numbered(20_000, (index) => `{"k${index}":1}`)}]`, /^too-many$/],
  'a column for every one of a few thousand rows': [
    () => `[${numbered(4000, (index) => `{"k${index}":1}`)}]`,
    /^too-many$/,
  ],
  'an element for every one of a few thousand rows': [
    () => `<r>${numbered(4000, (index) => `<row><k${index}>1</k${index}></row>`).replaceAll(',', '')}</r>`,
    /^too-many$/,
  ],
  'a few of many columns in each row': [
    () => `[${numbered(20_000, (index) => `{"k${index % 500}":1}`)}]`,
    /^too-many$/,
  ],
  'records by keys, each with a column of its own': [
    () => `{${numbered(4000, (index) => `"a${index}":{"k${index}":1,"b":2}`)}}`,
    /^too-many$/,
  ],
  'one row of very many columns': [() => `[{${numbered(100_000, (index) => `"k${index}":1`)}}]`, /^too-many$/],
  'one list of very many cells': [
    () => `[[${numbered(100_000, String)}],[${numbered(100_000, String)}]]`,
    /^too-many$/,
  ],
  'a heading of very many columns': [
    () =>
      `{"columns":[${numbered(40_000, (index) => `"k${index}"`)}],"rows":[{${numbered(40_000, (index) => `"k${index}":1`)}}]}`,
    /^too-many$/,
  ],
  'one row with too many fields': [() => `{${numbered(250_001, (index) => `"k${index}":1`)}}`, /^too-many$/],
  'a million elements': [() => `<r>${'<a/>'.repeat(1_000_000)}</r>`, /^too-many$/],
  'a tag with a million attributes': [() => `<r ${'a="1" '.repeat(1_000_000)}/>`, /^(too-deep|too-many|unreadable)$/],
  'a million line breaks of HTML': [() => '<br />'.repeat(1_000_000), /^page$/],
  'a million small answers': [() => `x${'[ "a"]'.repeat(1_000_000)}{"a`, /^(refused|cut-off)/],
  'a million words': [() => 'error '.repeat(1_000_000), /^refused: error/],
  'a million beginnings': [() => `x${'{"'.repeat(1_000_000)}`, /^cut-off$/],
};

test.each(Object.entries(excessive))('%s are rejected in time', async (_, [body, problem]) => {
  expect((await problemWith(body(), question)).slice(0, 100)).toMatch(problem);
});

test('rows that leave out some of their columns are read', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({
    SubID: String(index),
    Revenue: '1',
    [`Rare ${index % 20}`]: 'x',
  }));
  expect(await problemWith(rows, question)).toMatch(/^read as .*"Rare 19"/);
});

test('the start of a long complaint is quoted', async () => {
  const problem = await problemWith(`{"error":"${'no '.repeat(100_000)}"}`, question);
  expect(problem.length).toBeLessThan(3000);
});
