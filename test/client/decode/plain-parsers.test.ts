import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { readTables } from './read.ts';

/**
 * Whole documents are read as plain parsers read them. DOCUMENTS sets how many are generated, SEED which:
 * `DOCUMENTS=200000 npx vitest run test/client/decode/plain-parsers.test.ts` before a release.
 */
const documents = Number(process.env['DOCUMENTS'] ?? 4000);

/** Numbers from 0 to 1, from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

const random = randomFrom(Number(process.env['SEED'] ?? 31));
const below = (count: number) => Math.floor(random() * count);
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
const many = <Item>(least: number, most: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: least + below(most - least + 1) }, (_, index) => make(index));

const columnNames =
  'ID,SubID,Offer,Landing Page,Views,Clicks,CTR,Conversions,Revenue,Cost,Profit,ROI,Keyword,Ad,Date,Country,Extra 1,__proto__,ns:Name,Größe,価格';
const pieces =
  'a,Solo,Gym & Co,"quoted","back\\slash",\u00fc,\u20ac,\u4fa1\u683c,\ud83d\ude00,{,},[,],{"a":[1]},:, on line 12,<b>Warning</b>,]]>,&amp;,\u00a0,\t,\n,\\u0041,\'';
const texts = pieces.split(',');

const text = () => many(1, 4, () => pick(texts)).join(pick(['', ' ', '-']));
const number = () => {
  const whole = below(pick([10, 1000, 1_000_000]));
  return pick([whole, -whole - 1, Number((random() * 1000).toFixed(1 + below(4))), 0]);
};

type Cell = string | number | boolean | null;
type Row = Record<string, Cell>;

const cell = (): Cell =>
  pick<() => Cell>([text, text, number, number, () => null, () => '', () => String(number()), () => true])();

function rows(names: readonly string[], value: () => Cell): Row[] {
  // Rows may leave out a column, but never the first two.
  return many(1, pick([2, 5, 40]), () =>
    Object.fromEntries(names.filter((_, index) => index < 2 || random() < 0.97).map((name) => [name, value()])),
  );
}

/** The cells that plain rows should give, in the order of their first appearance. */
function expected(list: readonly Readonly<Record<string, unknown>>[]) {
  const columns = [...new Set(list.flatMap(Object.keys))];
  const textOf = (value: unknown) => (value === undefined || value === null || value === '' ? null : String(value));
  return {
    columns,
    rows: list.map((row) => columns.map((column) => (Object.hasOwn(row, column) ? textOf(row[column]) : null))),
  };
}

const names = () => {
  const all = columnNames.split(',').sort(() => random() - 0.5);
  return all.slice(0, 2 + below(9));
};

const wrappers: readonly ((list: unknown) => unknown)[] = [
  (list) => ({ offer: list }),
  (list) => ({ Status: 'OK', Reports: { offer: list } }),
  (list) => ({ status: 'success', data: { Offer: list } }),
  (list) => [{ report: 'offer', rows: list }],
];

/** As text, since comparing deeply takes longer than reading. */
const expectEqual = (found: unknown, wanted: unknown, body: string) =>
  expect(JSON.stringify(found), body).toBe(JSON.stringify(wanted));

const question = { reply: 'reports', reports: ['offer'] } as const;

/** The rows in what a plain parser gives: the only list of records in it. */
function rowsIn(tree: unknown): Record<string, unknown>[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const values: unknown[] = Object.values(tree);
  const list = values.find((value) => Array.isArray(value) && value.every((one) => typeof one === 'object'));
  return Array.isArray(list) ? list : values.flatMap(rowsIn);
}

test(`${documents} whole documents of JSON are read as JSON.parse reads them`, { timeout: 3_600_000 }, async () => {
  for (let index = 0; index < documents; index += 1) {
    const body = JSON.stringify(pick(wrappers)(rows(names(), cell)), null, pick([0, 0, 1, '\t']));
    const { tables, notices } = await readTables(body, question);
    const plain = expected(rowsIn(JSON.parse(body)));
    expectEqual([tables, notices], [[{ name: 'offer', ...plain }], []], body);
  }
});

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'row',
});
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (value: Cell) => String(value ?? '').replace(/[&<>"]/g, (character) => entities[character] ?? '');
const element = (row: Row) =>
  `<row>${Object.entries(row)
    .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
    .join('')}</row>`;

test(`${documents} whole documents of XML are read as a plain parser reads them`, { timeout: 3_600_000 }, async () => {
  const xmlNames = () => names().map((name) => name.replace(/[^\p{L}\p{N}_]/gu, '').replace(/^__proto__$/, 'Proto'));
  for (let index = 0; index < documents; index += 1) {
    const list = rows(xmlNames(), cell)
      .map(element)
      .join(pick(['', '\n']));
    const body = `${pick(['', '<?xml version="1.0"?>\n'])}<stats><offer>${list}</offer></stats>`;
    const { tables, notices } = await readTables(body, question);
    const plain = expected(rowsIn((parser.parse(body) as { stats: { offer: unknown } }).stats.offer));
    expectEqual([tables, notices], [[{ name: 'offer', ...plain }], []], body);
  }
});
