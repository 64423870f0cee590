import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTables } from './read.ts';
import { jsonShapes, type TestTable, xmlShapes } from './render.ts';

/** Any text of XML 1.0: well-formed, no control characters other than tab and line ends. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(' spaced ', ...'007 1e5 1.50 9007199254740993 true null ]]> <b> &amp; -0 12.5%'.split(' ')),
  )
  .map((value) => value.toWellFormed().replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''));
const cell = text.map((value) => (value === '' ? null : value));
const columnName = fc.oneof(
  fc.constantFrom(
    ...'ID Offer Views Revenue Status Message Name Value Data Rows error __proto__ toString'.split(' '),
    'Extra 1',
  ),
  text.filter((value) => /\p{L}/u.test(value)),
);

const reportName = fc.constantFrom('target', 'ad', 'landing', 'thankyou', 'offer', 'campaign');

function tableOf(name: string, minRows: number): fc.Arbitrary<TestTable> {
  return fc.uniqueArray(columnName, { minLength: 2, maxLength: 6 }).chain((columns) =>
    fc
      .array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), {
        minLength: minRows,
        maxLength: 5,
      })
      .map((rows) => ({ name, columns, rows })),
  );
}

const tables = fc
  .uniqueArray(reportName, { minLength: 1, maxLength: 3 })
  .chain((names) => fc.tuple(...names.map((name) => tableOf(name, 1))));

const shapes = [...Object.entries(jsonShapes), ...Object.entries(xmlShapes)];

test.each(shapes)('any tables are read as they were written: %s', async (_, render) => {
  await fc.assert(
    fc.asyncProperty(tables, async (given) => {
      const names = given.map(({ name }) => name);
      const reply = await readTables(render(given), { reply: 'reports', reports: names });
      expect(reply.tables).toEqual(given);
    }),
    { numRuns: 100 },
  );
});

test('empty cells with names of reports are no reports', async () => {
  const rows = { ad: [{ Keyword: null, Offer: null }] };
  const { tables } = await readTables(JSON.stringify(rows), { reply: 'reports', reports: ['ad'] });
  expect(tables).toEqual([{ name: 'ad', columns: ['Keyword', 'Offer'], rows: [[null, null]] }]);
});

/** The rows of a table as records, with a value for empty cells. */
const byName = ({ columns, rows }: TestTable, empty: '' | null = null) =>
  rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? empty])));

test('a table is read from every wrapper of its rows', async () => {
  const wrappers = [
    (rows: object[]) => JSON.stringify(rows),
    (rows: object[]) => JSON.stringify({ Status: 'OK', Rows: rows }),
    (rows: object[]) => JSON.stringify({ status: 'success', data: { conversions: rows } }, null, 2),
  ];
  await fc.assert(
    fc.asyncProperty(tableOf('conversions', 2), fc.constantFrom(...wrappers), async (table, wrap) => {
      const reply = await readTables(wrap(byName(table, '')), { reply: 'rows', table: 'conversions' });
      const [found] = reply.tables;
      expect(new Set(found?.columns)).toEqual(new Set(table.columns));
      expect(found && byName(found)).toEqual(byName(table));
    }),
    { numRuns: 100 },
  );
});

test('a nested value of any depth reads the same from JSON and XML', async () => {
  const leaf = text.filter((value) => value.trim() !== '');
  const name = fc.constantFrom('Keyword', 'Param', 'Extra1', 'Name', 'Slot');
  const { tree } = fc.letrec<{ tree: unknown; list: unknown; record: unknown }>((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, leaf, tie('list'), tie('record')),
    list: fc.array(tie('record'), { minLength: 1, maxLength: 3 }),
    record: fc
      .uniqueArray(name, { minLength: 2, maxLength: 4 })
      .chain((names) =>
        fc
          .tuple(...names.map(() => tie('tree')))
          .map((values) => Object.fromEntries(names.map((key, index) => [key, values[index]]))),
      ),
  }));
  const toXml = (value: unknown): string => {
    if (typeof value === 'string') return value.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
    if (Array.isArray(value)) return value.map((item) => `<Token>${toXml(item)}</Token>`).join('');
    return Object.entries(value as object)
      .map(([key, inner]) => `<${key}>${toXml(inner)}</${key}>`)
      .join('');
  };
  await fc.assert(
    fc.asyncProperty(tree, async (value) => {
      const question = { reply: 'rows', table: 'traffic_sources' } as const;
      const json = await readTables({ Rows: [{ ID: '1', Tokens: value }] }, question);
      const body = `<Response><Rows><Row><ID>1</ID><Tokens>${toXml(value)}</Tokens></Row></Rows></Response>`;
      expect(await readTables(body, question)).toEqual(json);
      const cellText = json.tables[0]?.rows[0]?.[1] ?? '';
      expect(typeof value === 'string' ? cellText : JSON.parse(cellText)).toEqual(value);
    }),
    { numRuns: 100 },
  );
});
