import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { RecentTables, SharedRoom } from '../../src/tools/recent-tables.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { type PlainTable, toPlainTable, toTable } from '../support/tables.ts';

const visitors: PlainTable = {
  name: 'visitors',
  columns: ['Date', 'SubID', 'Keyword', 'Cost', 'Device'],
  rows: [
    ['2026-11-01 10:15:00', 'ab_1_001', "'; DROP TABLE r1; --", '$0.10', 'Mobile'],
    ['2026-11-01 10:45:00', 'ab_1_002', 'shoes', '$0.20', 'Mobile'],
    ['2026-11-01 23:00:00', 'ab_1_003', null, '$0.30', 'Desktop'],
  ],
};
const conversions: PlainTable = { name: 'conversions', columns: ['SubID', 'Revenue'], rows: [['ab_1_002', '12.50']] };

/** Tables whose queries have a process of their own, until the test ends. */
function openTables(room?: SharedRoom): RecentTables {
  const recent = new RecentTables(room);
  onTestFinished(() => recent.close());
  return recent;
}

/** Tables whose queries share a process, until all tests of the file have ended. */
function openSharedTables(): RecentTables {
  const recent = new RecentTables();
  afterAll(() => recent.close());
  return recent;
}

const ask = async (recent: RecentTables, sql: string) => toPlainTable((await recent.query(sql, undefined)).table).rows;
const keep = (recent: RecentTables, ...tables: PlainTable[]) => recent.keep(recent.name(tables.map(toTable)));

function queriesOf(recent: RecentTables, ...tables: PlainTable[]) {
  keep(recent, ...tables);
  return (sql: string) => ask(recent, sql);
}

describe('query_report', () => {
  const query = queriesOf(openSharedTables(), visitors, conversions);

  it('groups visitors by the hour of a date column', async () => {
    const sql = 'SELECT hour("Date") AS h, count(*) AS n, sum("Cost") AS cost FROM r1 GROUP BY 1 ORDER BY 1';
    expect(await query(sql)).toEqual([
      ['10', '2', '0.3'],
      ['23', '1', '0.3'],
    ]);
  });

  it('joins the tables of two answers', async () => {
    const sql = 'SELECT v."Keyword", c."Revenue" FROM r1 v JOIN r2 c USING ("SubID")';
    expect(await query(sql)).toEqual([['shoes', '12.5']]);
  });

  it('keeps what visitors typed as values', async () => {
    expect(await query('SELECT "Keyword" FROM r1 WHERE "SubID" = \'ab_1_001\'')).toEqual([["'; DROP TABLE r1; --"]]);
    expect(await query('SELECT count(*) FROM r1')).toEqual([['3']]);
  });

  it('lists tables and columns if a query is wrong', async () => {
    await expect(query('SELECT "Kost" FROM r1')).rejects.toThrow(
      /The columns are: r1 \(visitors\): "Date", "SubID", "Keyword", "Cost", "Device". Other tables: r2\./,
    );
  });

  it('lists only the first columns of wide tables', async () => {
    const columns = Array.from({ length: 90 }, (_, index) => `c${index}`);
    const wide = (name: string): PlainTable => ({ name, columns, rows: [columns] });
    const ask = queriesOf(openTables(), wide('one'), wide('other'));
    await expect(ask('SELECT x FROM r1')).rejects.toThrow(/"c24" and 65 more/);
    await expect(ask('SELECT x FROM r1, r2')).rejects.toThrow(/r1 \(one\): .*"c12" and 77 more; r2 \(other\): /);
  });

  it('asks for single quotes if a text is compared in double quotes', async () => {
    for (const condition of ['= "shoes"', 'LIKE "shoes"', 'IN (\'x\', "shoes")']) {
      await expect(query(`SELECT count(*) FROM r1 WHERE "Keyword" ${condition}`)).rejects.toThrow(
        /use single quotes for text: 'shoes'/,
      );
    }
    await expect(query('SELECT "shoes" FROM r1')).rejects.not.toThrow(/single quotes/);
  });

  it.each(['end', 'cost', 'group', 'order', 'limit', 'desc'])('asks for AS if %s is used as a name', async (word) => {
    for (const sql of [`SELECT count(*) ${word} FROM r1`, `SELECT "Device" ${word}, count(*) FROM r1 GROUP BY 1`]) {
      await expect(query(sql)).rejects.toThrow(`write AS before it: AS "${word}".`);
    }
    expect(await query(`SELECT count(*) AS "${word}" FROM r1`)).toEqual([['3']]);
  });

  it('names no mistake if none is obvious', async () => {
    await expect(query('SELECT hour("Date" FROM r1')).rejects.toThrow(/^The query failed: “Parser Error[^.”]*”\.$/);
  });

  it('returns small numbers as numbers, and intervals as text', async () => {
    expect(await query('SELECT 1/110::DOUBLE, 1.5e-9::DOUBLE')).toEqual([['0.00909090909091', '0.0000000015']]);
    const between = 'max("Date") - min("Date")';
    expect(await query(`SELECT ${between}, [${between}], INTERVAL 3 DAY + INTERVAL 2 HOUR FROM r1`)).toEqual([
      ['12:45:00', '["12:45:00"]', '3 days 02:00:00'],
    ]);
  });

  it('returns nothing for a division by zero', async () => {
    expect(await query('SELECT "Cost" / 0, 0 / ("Cost" - "Cost") FROM r1 LIMIT 1')).toEqual([[null, null]]);
  });

  it('keeps texts that look like dates as text if one is not a day of the calendar', async () => {
    const odd = queriesOf(openTables(), { name: 'odd', columns: ['Day'], rows: [['2026-02-30'], ['2026-02-28']] });
    expect(await odd('SELECT "Day" FROM r1 ORDER BY 1')).toEqual([['2026-02-28'], ['2026-02-30']]);
  });

  it('reuses no name and drops the oldest tables', async () => {
    const recent = openTables();
    const add = (cell: string) => {
      const named = recent.name([toTable({ name: 't', columns: ['a'], rows: [[cell]] })]);
      recent.keep(named);
      return named;
    };
    const first = add('first');
    expect(await ask(recent, 'SELECT a FROM r1')).toEqual([['first']]);
    const named = Array.from({ length: 40 }, (_, index) => add(String(index)));
    expect(new Set([first, ...named].flat().map(({ name }) => name)).size).toBe(41);
    expect(await ask(recent, 'SELECT a FROM r41')).toEqual([['39']]);
    await expect(ask(recent, 'SELECT a FROM r1')).rejects.toThrow(
      /^r1 was dropped: only the newest tables are kept, 30 at most. Ask the tracker again.* The tables are: r12 \(t\), .*r41/,
    );
  });

  it('keeps no table whose answer was not shown', async () => {
    const recent = openTables();
    recent.name([toTable({ name: 't', columns: ['a'], rows: [['x']] })]);
    expect(recent.isEmpty).toBe(true);
  });
});

describe('a table in queries', () => {
  it('has the name of its kind while it is the latest, and its number always', async () => {
    const recent = openTables();
    keep(recent, visitors);
    expect(await ask(recent, 'SELECT count(*) FROM visitors')).toEqual([['3']]);
    keep(recent, { ...visitors, rows: visitors.rows.slice(2) }, conversions);
    expect(await ask(recent, 'SELECT count(*) FROM visitors')).toEqual([['1']]);
    expect(await ask(recent, 'SELECT count(*) FROM r1')).toEqual([['3']]);
    expect(await ask(recent, 'SELECT v."SubID" FROM "Visitors" v JOIN conversions USING ("SubID")')).toEqual([]);
  });

  /** Each has a process for its queries, which starts with the first one. */
  const [named, numbered] = [openSharedTables(), openSharedTables()];

  it.each([
    ['Offer Performance', 'offer_performance'],
    ['Länder (alle)', 'l_nder_alle'],
    ['x"; DROP TABLE r1; --', 'x_drop_table_r1'],
  ])('called %s gets the name %s', async (name, alias) => {
    keep(named, { ...conversions, name });
    expect(await ask(named, `SELECT "Revenue" FROM ${alias}`)).toEqual([['12.5']]);
  });

  it.each(['r7', 'duckdb_settings', 'sqlite_master', '2026', '…'])('called %s has only its number', async (name) => {
    const kept = numbered.name([toTable({ ...conversions, name })]);
    numbered.keep(kept);
    await expect(ask(numbered, `SELECT * FROM "${name}"`)).rejects.toThrow('query failed');
    expect(await ask(numbered, `SELECT "Revenue" FROM ${kept[0]?.name}`)).toEqual([['12.5']]);
  });

  it('makes room for newer ones above 32 MB of text', async () => {
    const recent = openTables();
    const large = (letter: string): PlainTable => ({
      name: letter,
      columns: ['a'],
      rows: [[letter.repeat(12 * 1024 ** 2)]],
    });
    for (const letter of ['x', 'y', 'z']) keep(recent, large(letter));
    const found = await ask(recent, 'SELECT left(y.a, 1), left(z.a, 1) FROM y, z');
    expect(found).toEqual([['y', 'z']]);
    await expect(ask(recent, 'SELECT count(*) FROM r1')).rejects.toThrow('r1 was dropped');
  });

  it('makes room for those of other callers; the caller that was idle for the longest time goes first', async () => {
    const room = new SharedRoom();
    const large = { name: 'x', columns: ['a'], rows: [['x'.repeat(15 * 1024 ** 2)]] };
    const [idle, busy, newest] = [openTables(room), openTables(room), openTables(room)];
    for (const tables of [idle, idle, busy, busy]) keep(tables, large);
    expect([idle.text, busy.text].map((text) => Math.round(text / 1024 ** 2))).toEqual([30, 30]);
    keep(newest, large);
    expect([idle, busy, newest].map(({ text }) => Math.round(text / 1024 ** 2))).toEqual([15, 30, 15]);
    await expect(ask(idle, 'SELECT count(*) FROM r1')).rejects.toThrow('r1 was dropped');
    newest.close();
    // Tables of a closed caller take no room from others.
    for (const tables of [newest, newest]) keep(tables, large);
    keep(busy, { ...large, name: 'y' });
    expect([idle, busy].map(({ text }) => Math.round(text / 1024 ** 2))).toEqual([15, 30]);
  });

  it('larger than that is not kept, and the answer says so', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => ({ Name: 'x'.repeat(1024 ** 2), Cost: String(index) }));
    const tracker = await startForeignTracker({ stats: JSON.stringify({ offer: rows }) });
    const { data, refusal } = await connect({ url: tracker.url, timeoutMs: 30_000 });
    const { notices } = await data<{ notices: string[] }>('get_stats', { campaign_id: 7, reports: ['offer'] });
    expect(notices.join()).toContain('offer is too large for query_report, which keeps 32 MB of text.');
    expect(await refusal('query_report', { sql: 'SELECT 1' })).toContain('There is nothing to query yet');
  });

  it('has all columns, whatever was asked for', async () => {
    const offer = [
      { Name: 'A', Cost: '10', Views: '7' },
      { Name: 'B', Cost: '20', Views: '8' },
    ];
    const tracker = await startForeignTracker({ stats: JSON.stringify({ offer }) });
    const { data } = await connect({ url: tracker.url });
    const given = { campaign_id: 7, reports: ['offer'], columns: ['Name'] };
    const { notices } = await data<{ notices: string[] }>('get_stats', given);
    expect(notices.join()).toContain('offer is r1 (all 3 columns)');
    const sql = 'SELECT sum("Views") AS views FROM offer';
    const { tables } = await data<{ tables: { rows: unknown[] }[] }>('query_report', { sql });
    expect(tables[0]?.rows).toEqual([[15]]);
  });
});

const querySeveral = queriesOf(openSharedTables(), visitors, conversions);

it.each([
  'SELECT * FROM r1 UNION ALL SELECT * FROM r2',
  'SELECT "SubID", "Cost" FROM visitors UNION SELECT "SubID" FROM conversions',
])('a UNION of tables with different columns asks for BY NAME: %s', async (sql) => {
  await expect(querySeveral(sql)).rejects.toThrow(/UNION ALL BY NAME takes them by name/);
  expect(await querySeveral('SELECT * FROM r1 UNION ALL BY NAME SELECT * FROM r2')).toHaveLength(4);
});

describe('the result of a query', () => {
  it('has no totals: an average called cost does not add up', async () => {
    const tracker = await startForeignTracker({
      stats: JSON.stringify({
        offer: [
          { Name: 'A', Cost: '10' },
          { Name: 'B', Cost: '20' },
        ],
      }),
    });
    const { data } = await connect({ url: tracker.url });
    await data('get_stats', { campaign_id: 7, reports: ['offer'] });
    const sql = 'SELECT "Name", avg("Cost") AS cost, count(*) AS views FROM r1 GROUP BY 1 ORDER BY 1';
    const { tables } = await data<{ tables: { rows: unknown[]; totals?: object }[] }>('query_report', { sql });
    expect(tables[0]?.rows).toEqual([
      ['A', 10, 1],
      ['B', 20, 1],
    ]);
    expect(tables[0]?.totals).toBeUndefined();
  });
});
