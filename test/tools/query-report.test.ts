import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { RecentTables, SharedRoom } from '../../src/tools/recent-tables.ts';
import type { Tables } from '../support/answers.ts';
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

/** Tables with a process of their own for queries, until the test ends. */
function openTables(room?: SharedRoom): RecentTables {
  const recent = new RecentTables(room);
  onTestFinished(() => recent.close());
  return recent;
}

/** Tables with one process for the queries of several tests, until all tests of the file have ended. */
function openSharedTables(): RecentTables {
  const recent = new RecentTables();
  afterAll(() => recent.close());
  return recent;
}

const ask = async (recent: RecentTables, sql: string) => toPlainTable((await recent.query(sql, undefined)).table).rows;
/** Keeps tables as those of one answer, and returns their numbers. */
function keep(recent: RecentTables, ...tables: PlainTable[]) {
  const named = recent.name(tables.map(toTable), undefined);
  recent.keep(named);
  return named.map(({ name }) => name);
}

/** A server after get_stats showed this offer report. */
async function serverWith(offer: readonly object[], columns?: readonly string[]) {
  const tracker = await startForeignTracker({ stats: JSON.stringify({ offer }) });
  const { data, refusal } = await connect({ url: tracker.url, timeoutMs: 30_000 });
  const given = { campaign_id: 7, reports: ['offer'], ...(columns && { columns }) };
  const { notices } = await data<Tables>('get_stats', given);
  return { notices: notices.join(), refusal, query: (sql: string) => data<Tables>('query_report', { sql }) };
}

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

  it('treats the text of visitors as values', async () => {
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
    const ask = queriesOf(openTables(), wide('first'), wide('second'));
    await expect(ask('SELECT x FROM r1')).rejects.toThrow(/"c24" and 65 more/);
    await expect(ask('SELECT x FROM r1, r2')).rejects.toThrow(/r1 \(first\): .*"c12" and 77 more; r2 \(second\): /);
  });

  it('shows only the database error for a query that cannot be parsed', async () => {
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

  it('does not read texts as dates if one is not a day of the calendar', async () => {
    const odd = queriesOf(openTables(), { name: 'odd', columns: ['Day'], rows: [['2026-02-30'], ['2026-02-28']] });
    expect(await odd('SELECT "Day" FROM r1 ORDER BY 1')).toEqual([['2026-02-28'], ['2026-02-30']]);
  });

  it('reuses no name and drops the oldest tables', async () => {
    const recent = openTables();
    const add = (cell: string) => keep(recent, { name: 't', columns: ['a'], rows: [[cell]] });
    const first = add('first');
    expect(await ask(recent, 'SELECT a FROM r1')).toEqual([['first']]);
    const later = Array.from({ length: 40 }, (_, index) => add(String(index)));
    expect(new Set([first, ...later].flat()).size).toBe(41);
    expect(await ask(recent, 'SELECT a FROM r41')).toEqual([['39']]);
    await expect(ask(recent, 'SELECT a FROM r1')).rejects.toThrow(
      /^r1 was dropped: only the newest tables are kept, 30 at most. Ask the tracker again.* The tables are: r12 \(t\), .*r41/,
    );
  });

  it('keeps no table of an answer that was not shown', async () => {
    const recent = openTables();
    recent.name([toTable({ name: 't', columns: ['a'], rows: [['x']] })], undefined);
    expect(recent.isEmpty).toBe(true);
  });
});

describe('a table in queries', () => {
  it('has the name of its kind while it is the latest, and always its number', async () => {
    const recent = openTables();
    keep(recent, visitors);
    expect(await ask(recent, 'SELECT count(*) FROM visitors')).toEqual([['3']]);
    keep(recent, { ...visitors, rows: visitors.rows.slice(2) }, conversions);
    expect(await ask(recent, 'SELECT count(*) FROM visitors')).toEqual([['1']]);
    expect(await ask(recent, 'SELECT count(*) FROM r1')).toEqual([['3']]);
    expect(await ask(recent, 'SELECT v."SubID" FROM "Visitors" v JOIN conversions USING ("SubID")')).toEqual([]);
  });

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
    const [number] = keep(numbered, { ...conversions, name });
    await expect(ask(numbered, `SELECT * FROM "${name}"`)).rejects.toThrow('query failed');
    expect(await ask(numbered, `SELECT "Revenue" FROM ${number}`)).toEqual([['12.5']]);
  });

  it('makes room for newer ones above 32 MB of text', async () => {
    const recent = openTables();
    for (const name of ['x', 'y', 'z']) keep(recent, { name, columns: ['a'], rows: [[name.repeat(12 * 1024 ** 2)]] });
    expect(await ask(recent, 'SELECT left(y.a, 1), left(z.a, 1) FROM y, z')).toEqual([['y', 'z']]);
    await expect(ask(recent, 'SELECT count(*) FROM r1')).rejects.toThrow('r1 was dropped');
  });

  it('makes room for tables of other callers; the caller that was idle longest loses first', async () => {
    const room = new SharedRoom();
    const large = { name: 'x', columns: ['a'], rows: [['x'.repeat(15 * 1024 ** 2)]] };
    const [idle, busy, newest] = [openTables(room), openTables(room), openTables(room)];
    const megabytes = (...callers: RecentTables[]) => callers.map(({ text }) => Math.round(text / 1024 ** 2));
    for (const tables of [idle, idle, busy, busy]) keep(tables, large);
    expect(megabytes(idle, busy)).toEqual([30, 30]);
    keep(newest, large);
    expect(megabytes(idle, busy, newest)).toEqual([15, 30, 15]);
    await expect(ask(idle, 'SELECT count(*) FROM r1')).rejects.toThrow('r1 was dropped');
    newest.close();
    // Tables of a closed caller take no room from others.
    for (const tables of [newest, newest]) keep(tables, large);
    keep(busy, { ...large, name: 'y' });
    expect(megabytes(idle, busy)).toEqual([15, 30]);
  });

  it('larger than that is not kept, with a notice', async () => {
    const offer = Array.from({ length: 40 }, (_, index) => ({ Name: 'x'.repeat(1024 ** 2), Cost: String(index) }));
    const { notices, refusal } = await serverWith(offer);
    expect(notices).toContain('offer is too large for query_report, which keeps 32 MB of text.');
    expect(await refusal('query_report', { sql: 'SELECT 1' })).toContain('There is nothing to query yet');
  });

  it('has all columns, even those that the answer did not show, and a result has no totals', async () => {
    const offer = [
      { Name: 'A', Cost: '10', Views: '7' },
      { Name: 'B', Cost: '20', Views: '8' },
    ];
    const { notices, query } = await serverWith(offer, ['Name']);
    expect(notices).toContain('offer is r1 (all 3 columns)');
    // An average called cost does not add up.
    const sql = 'SELECT "Name", avg("Cost") AS cost, sum("Views") AS views FROM offer GROUP BY 1 ORDER BY 1';
    const { tables } = await query(sql);
    expect(tables[0]?.rows).toEqual([
      ['A', 10, 7],
      ['B', 20, 8],
    ]);
    expect(tables[0]?.totals).toBeUndefined();
  });
});

it('a UNION by position of tables with different columns is refused, and one by name is answered', async () => {
  const query = queriesOf(openSharedTables(), visitors, conversions);
  await expect(query('SELECT * FROM r1 UNION ALL SELECT * FROM r2')).rejects.toThrow(/Set operations/);
  expect(await query('SELECT * FROM r1 UNION ALL BY NAME SELECT * FROM r2')).toHaveLength(4);
});

describe('a table that is not whole', () => {
  const gap = 'counts and sums are too low.';
  const query = async ({ data }: Awaited<ReturnType<typeof connect>>, sql: string) =>
    (await data<Tables>('query_report', { sql })).notices.filter((notice) => notice.includes(gap));

  it('is named in each answer of a query that reads it: a visitor list that the tracker cuts off', async () => {
    const rows = Array.from({ length: 1000 }, (_, row) => ({ SubID: `ab_1_${row}`, Country: 'DE' }));
    const tracker = await startForeignTracker({
      visitorstats: JSON.stringify(rows),
      conversions: JSON.stringify([{ SubID: 'ab_1_1', Revenue: '5.00' }]),
    });
    const connection = await connect({ url: tracker.url, timeoutMs: 30_000 });
    await connection.data('list_visitors', { limit: 1 });
    await connection.data('list_conversions');
    expect(await query(connection, 'SELECT count(*) AS n FROM visitors')).toContain(
      `visitors (r1) probably has only the newest 1000 rows of its days: ${gap}`,
    );
    expect(await query(connection, 'SELECT count(*) AS n FROM conversions')).toEqual([]);
    tracker.answer('visitorstats', JSON.stringify(rows.slice(1)));
    await connection.data('list_visitors', { limit: 1 });
    expect(await query(connection, 'SELECT count(*) AS n FROM visitors')).toEqual([]);
    expect((await query(connection, 'SELECT count(*) AS n FROM r1')).join()).toMatch(/^r1 probably has only/);
  });

  it('may be an overview without some campaigns, or a breakdown of some visits', async () => {
    const visit = (row: number) => ({ Date: '2026-06-10 10:00:00', Device: row % 2 === 0 ? 'Mobile' : 'Desktop' });
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify([1, 2, 3].map((id) => ({ ID: String(id), Name: `C${id}` }))),
      stats: ({ camp }) => ({
        body: camp === '2' ? '{"Status":"Error","Message":"Busy"}' : '{"campaign":[{"Views":"200","Cost":"1.00"}]}',
      }),
      visitorstats: JSON.stringify(Array.from({ length: 100 }, (_, row) => visit(row))),
      conversions: '[]',
    });
    const connection = await connect({ url: tracker.url, timeoutMs: 30_000 });
    const day = { start_date: '2026-06-10', end_date: '2026-06-10' };
    await connection.data('get_overview', { ...day, compare_to: 'none' });
    await connection.data('get_breakdown', { ...day, campaign_id: 1, by: ['device'] });
    expect(await query(connection, 'SELECT * FROM overview, breakdown')).toEqual([
      `overview (r1) lacks campaigns that were not read: ${gap}`,
      `breakdown (r2) has only a part of the visits: ${gap}`,
    ]);
    await connection.data('get_breakdown', { ...day, campaign_id: 1, by: ['day'] });
    expect(await query(connection, 'SELECT * FROM breakdown')).toEqual([]);
  });
});
