import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNumberColumns } from '../../../src/analysis/columns/columns.ts';
import { type Cells, ListedCells } from '../../../src/api/cells.ts';
import { atOnce } from '../../../src/api/steps.ts';
import type { Reply, Table } from '../../../src/api/table.ts';
import { rawCell } from '../../../src/api/text/tracker-text.ts';
import { AnswerProblem } from '../../../src/client/decode/answer-problem.ts';
import { parseAnswer, type Question, type Reading, scanAnswer } from '../../../src/client/decode/decode.ts';
import { toPlainReply } from '../../support/tables.ts';

const campaigns: Question = { reply: 'rows', table: 'campaigns' };
const reports: Question = { reply: 'reports', reports: ['all'] };
const questions: readonly Question[] = [campaigns, { reply: 'reports', reports: ['offer'] }, reports];

const bytesOf = (body: string) => new TextEncoder().encode(body);

/** A reply and its columns, without the notice about messages around the body. */
function foundIn(reply: Reply): unknown {
  const notices = reply.notices.filter((notice) => notice.code !== 'messages-left-out');
  const columns = reply.kind === 'tables' ? reply.tables.map((table) => [...readNumberColumns(table)]) : [];
  if (reply.kind === 'tables') for (const table of reply.tables) expectColumns(table);
  return { ...toPlainReply(reply), notices, columns };
}

/** A column as codes is the column as texts, each once; its numbers and times are those of the texts. So it is in some of its rows. */
function expectColumns(table: Table): void {
  for (const part of [table, table.firstRows(3), table.withoutRows([0, 2])]) {
    const texts = part.columns.map((_, column) => part.column(column).map(rawCell));
    const plain = new ListedCells(texts, part.rowCount);
    const all = atOnce(part.cells.coding([...part.columns.keys()]));
    for (const [column, { codes, values }] of all.entries()) {
      expect(Array.from(codes, (code) => values[code])).toEqual(texts[column]);
      expect(new Set(values).size).toBe(values.length);
      expect(part.coded(column).values).toEqual(values);
      expect(part.numbers(column)).toEqual(plain.numbers(column));
      const timesOf = (cells: Cells) => texts[column]?.map((_, row) => cells.plainTimes(column)(row));
      expect(timesOf(part.cells)).toEqual(timesOf(plain));
    }
  }
}

/** The reply in a body, or its problem. */
async function outcomeOf(read: () => Promise<Reading | undefined>): Promise<unknown> {
  try {
    const reading = await read();
    return reading && foundIn(reading.reply);
  } catch (error) {
    return error instanceof AnswerProblem ? `${error.kind}: ${rawCell(error.reason)}` : error;
  }
}

const whole = (body: string, question: Question) => outcomeOf(() => parseAnswer({ bytes: bytesOf(body), question }));

/** The reply by scanning; undefined if that does not settle it. */
const byScan = (body: string, question: Question) => outcomeOf(() => scanAnswer({ bytes: bytesOf(body), question }));

const value = fc.oneof(
  fc.constantFrom('', ' ', '1.50', '0', 'Keto', 'ab12_4_345', 'https://x.example/?a=1&b=2', 'é€😀', 'a "b" \\ c', 'OK'),
  fc.constantFrom('No access', 'Error', 'a\tb\nc', 'offer', '&amp;', '<b>', 'Name', '12.5%', '007', 'null', 'true'),
  fc.constantFrom('2026-08-02 10:00:00', '2026-02-30 10:00:00', '2026-08-02T10:00:00', '2026-08-02 24:00:00', '2026\\'),
);
const leaf = fc.oneof(
  { weight: 6, arbitrary: value },
  fc.constantFrom(null, true, false, 0, 1.5, -3, 9007199254740991, '1e5'),
);
const name = fc.constantFrom(
  ...'ID Name Views Status Message error Offer Value Data Rows title Extra_1 key 7'.split(' '),
);

/** Cells of a column of numbers, and some that make it a column of text. */
const numeric = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom('0', '12', '1.50', '-3', '-0.25', '', null, 0, 7, -2.5) },
  fc.constantFrom('007', '1e5', '.5', '5.', '1234567890123456', '$3', '12.5%', '1,000', '-', '1.2.3', ' 4'),
);

type Row = Readonly<Record<string, unknown>>;

/** Rows with the same fields; some lists have a row that differs. */
const rows = fc
  .record({
    columns: fc.uniqueArray(name, { minLength: 1, maxLength: 5 }),
    cells: fc
      .tuple(fc.constantFrom(leaf, numeric), fc.constantFrom(leaf, numeric))
      .chain(([a, b]) => fc.array(fc.tuple(leaf, a, b, a, b), { minLength: 15, maxLength: 40 })),
    odd: fc.option(
      fc.record({ at: fc.nat(39), name, value: fc.oneof(leaf, fc.constant([1]), fc.constant({ a: '' })) }),
      { freq: 4 },
    ),
  })
  .map(({ columns, cells, odd }): Row[] =>
    cells.map((row, index) => ({
      ...Object.fromEntries(columns.map((column, place) => [column, row[place]])),
      ...(odd?.at === index ? { [odd.name]: odd.value } : {}),
    })),
  );

const wrappers: readonly ((list: readonly Row[], second: readonly Row[]) => unknown)[] = [
  (list) => list,
  (list) => ({ Status: 'OK', Rows: list, total: list.length }),
  (list) => ({ data: { campaigns: list } }),
  (list, second) => ({ Reports: { offer: list, landing: second } }),
  (list, second) => [
    { report: 'offer', rows: list },
    { report: 'landing', rows: second },
  ],
  (list, second) => ({ active: list, inactive: second }),
  (list) => ({ errors: list }),
  (list, second) => ({ columns: second, rows: list }),
  (list, second) => ({ Rows: [{ ID: '1', Tokens: list }, ...second] }),
  (list, second) => ({ Status: 'Error', Message: 'late', Rows: list, extra: second }),
];

const wrapped = fc.tuple(rows, rows, fc.constantFrom(...wrappers)).map(([list, second, wrap]) => wrap(list, second));

/** Random changes of the text. */
const changes = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    lost: fc.nat(6),
    put: fc.constantFrom(
      ...['', ' ', '\n', '\r\n'],
      ...'" \\ \\/ \\u00e9 , { } [ ] 1.50 1e5 -0 007 null < > & / &amp; <a/> <![CDATA[x]]> <!--x--> €'.split(' '),
    ),
  }),
  { maxLength: 3 },
);

function changed(body: string, made: readonly { at: number; lost: number; put: string }[]): string {
  return made.reduce((text, { at, lost, put }) => {
    const index = Math.floor(at * text.length);
    return text.slice(0, index) + put + text.slice(index + lost);
  }, body);
}

async function expectAgreement(body: string): Promise<void> {
  for (const question of questions) {
    const found = await byScan(body, question);
    if (found !== undefined) expect(found).toEqual(await whole(body, question));
  }
}

test('scanning and parsing JSON give the same reply', async () => {
  const indent = fc.constantFrom(0, 1);
  await fc.assert(
    fc.asyncProperty(wrapped, indent, changes, async (data, spaces, made) => {
      await expectAgreement(changed(JSON.stringify(data, null, spaces), made));
    }),
    { numRuns: 400 },
  );
});

test('scanning and parsing XML give the same reply', async () => {
  const escaped = (text: string) => text.replace(/[&<]/g, (character) => (character === '&' ? '&amp;' : '&lt;'));
  const write = (data: unknown, tag: string, layout: string): string => {
    const element = /^\d/.test(tag) ? 'n' : tag;
    if (data === null || data === '') return `<${element}/>`;
    const inside = Array.isArray(data)
      ? data.map((item) => layout + write(item, 'Row', layout)).join('')
      : typeof data === 'object'
        ? Object.entries(data)
            .map(([key, inner]) => layout + write(inner, key, layout))
            .join('')
        : escaped(String(data));
    return `<${element}>${inside}</${element}>`;
  };
  await fc.assert(
    fc.asyncProperty(wrapped, fc.constantFrom('', '\n  '), changes, async (data, layout, made) => {
      await expectAgreement(changed(write(data, 'Response', layout), made));
    }),
    { numRuns: 250 },
  );
});

const flat = Array.from({ length: 50 }, (_, index) => ({
  ID: String(index),
  Name: index % 2 === 0 ? `https://x.example/${index}` : 'Müller € "b"',
  Views: index,
}));

const scanned: Readonly<Record<string, string>> = {
  'JSON of equal records': JSON.stringify({ Status: 'OK', Rows: flat }),
  'JSON with slashes escaped': JSON.stringify({ Status: 'OK', Rows: flat }).replaceAll('/', '\\/'),
  'JSON with a number such as 1.50': JSON.stringify({ Rows: flat }).replaceAll('"Views":7', '"Views":7.50'),
  'JSON that is laid out': JSON.stringify({ Rows: flat }, null, 2),
  'JSON with a long cell': JSON.stringify({
    Rows: flat.map((row, index) => (index === 30 ? { ...row, Name: 'long "text" '.repeat(50_000) } : row)),
  }),
  'JSON with a long first row after a list of no rows': JSON.stringify({
    other: flat.map((row, index) => (index === 25 ? { ...row, more: [1] } : row)).slice(0, 26),
    Rows: flat.map((row, index) => (index === 0 ? { ...row, Name: 'long text '.repeat(50_000) } : row)),
  }),
  'XML with a long text': `<R>${flat.map(({ ID }) => `<Row><ID>${ID}</ID><Name>${ID === '30' ? 'long &amp; text '.repeat(50_000) : ''}</Name></Row>`).join('')}</R>`,
  'XML with an end shorter than the text between two cells': `<R>${flat.map(({ ID }) => (ID === '49' ? '<Row><NameOfTheCampaign/><ID/></Row>' : `<Row><NameOfTheCampaign>x</NameOfTheCampaign><ID>${ID}</ID></Row>`)).join('')}</R>`,
  'XML of equal elements': `<R>${flat.map(({ ID, Views }) => `<Row><ID>${ID}</ID><Name>a &amp; b</Name><Views>${Views}</Views></Row>`).join('')}</R>`,
};

test.each(Object.entries(scanned))('%s are scanned', async (_, body) => {
  expect(await byScan(body, campaigns)).toEqual(await whole(body, campaigns));
});

test('a long report after many short ones is scanned', async () => {
  const report = (name: string, count: number) =>
    `<${name}>${flat
      .slice(0, count)
      .map(({ ID, Views }) => `<row><Name>n${ID}</Name><Views>${Views}</Views></row>`)
      .join('')}</${name}>`;
  const short = Array.from({ length: 19 }, (_, index) => report(`short${index}`, 15));
  const body = `<response><Reports>${short.join('')}${report('target', 50)}</Reports></response>`;
  expect(await byScan(body, reports)).toEqual(await whole(body, reports));
});

test('of a column with a text for each row only plain texts share codes, and the first thousand do not', async () => {
  const texts = Array.from({ length: 3000 }, (_, row) => (row % 100 === 99 ? `{macro ${row}}` : `id${row}`));
  const reading = await scanAnswer({
    bytes: bytesOf(JSON.stringify(texts.map((ID) => ({ ID, Name: 'x' })))),
    question: campaigns,
  });
  const [table] = reading?.reply.kind === 'tables' ? reading.reply.tables : [];
  const isPlain = (bytes: Uint8Array, start: number) => bytes[start] === 'i'.charCodeAt(0);
  const { codes, values } = (await table?.codeButPlain(0, isPlain, async () => undefined)) ?? { codes: [], values: [] };
  const read = Array.from(codes, (code) => rawCell(values[code] ?? null));
  expect(read.filter((text) => text?.startsWith('{'))).toEqual(texts.filter((text) => text.startsWith('{')));
  expect(read.slice(0, 1000)).toEqual(texts.slice(0, 1000));
  expect(new Set(read.slice(1000).filter((text) => text?.startsWith('i'))).size).toBe(8);
  expect(new Set(table?.coded(0).values).size).toBe(3000);
});

test.each([256, 257, 65_536, 65_537])('a column of %i values is coded as its texts are', async (count) => {
  const texts = Array.from({ length: count + 20 }, (_, row) => `${row % count}${(row % count) % 7 === 0 ? '"' : ''}`);
  const body = JSON.stringify(texts.map((ID) => ({ ID, Name: 'x' })));
  const reading = await scanAnswer({ bytes: bytesOf(body), question: campaigns });
  const tables = reading?.reply.kind === 'tables' ? reading.reply.tables : [];
  const [scanned, listed] = [...tables.map(({ cells }) => cells), new ListedCells([texts], texts.length)].map((cells) =>
    atOnce(cells.coding([0])),
  );
  // As one value: comparing each code takes seconds.
  expect(isDeepStrictEqual(scanned, listed)).toBe(true);
  expect(tables).toHaveLength(1);
});
