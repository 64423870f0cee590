import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { QueryEngine } from '../../../src/analysis/sql/engine.ts';
import { toPlainTable, toTable } from '../../support/tables.ts';
import { conversions, visitors } from './reports.ts';

const tables = [
  { name: 'r1', alias: 'visitors', table: visitors },
  { name: 'r2', alias: 'conversions', table: conversions },
];

/** Shorter than in service, so that many attacks fit into a test. */
const engine = new QueryEngine({ maxQuery: 1200 });
afterAll(() => engine.close());

const run = (sql: string, by: QueryEngine = engine) => by.run({ sql, tables, wasDropped: () => false });

/** The error of a query; throws if it succeeds. */
async function failureOf(sql: string, by?: QueryEngine): Promise<string> {
  const outcome = await run(sql, by).then(
    ({ table }) => new Error(`it ran: ${table.rowCount} rows`),
    (error: Error) => error.message,
  );
  if (typeof outcome !== 'string') throw outcome;
  return outcome;
}

const selfJoin = `SELECT count(*) FROM ${Array.from({ length: 200 }, (_, index) => `range(10) t${index}`).join(', ')}`;
const nested = Array.from(
  { length: 30 },
  (_, index) => `c${index + 1} AS NOT MATERIALIZED (SELECT a.x FROM c${index} a JOIN c${index} b ON a.x >= b.x)`,
);
const notMaterialized = `WITH c0 AS NOT MATERIALIZED (SELECT range AS x FROM range(10)), ${nested.join(', ')} SELECT count(*) FROM c30`;

/** Each ends by the clock, by the memory limit, or by an error of DuckDB. */
const costly: readonly string[] = [
  `SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))`,
  `SELECT damerau_levenshtein(repeat('a', 60000), repeat('b', 60000))`,
  `SELECT printf('%2000000000d', 1)`,
  `SELECT format('{:>2000000000}', 1)`,
  `SELECT length(lpad('x', 2000000000, 'y'))`,
  `SELECT md5(repeat('x', 2000000000))`,
  `SELECT repeat(repeat('x', 100000000), 100)`,
  `SELECT repeat('x', 10000000) FROM range(10001)`,
  `SELECT repeat('x', 400000000)`,
  `SELECT repeat('9', 300000)::BIGNUM * repeat('9', 300000)::BIGNUM`,
  `SELECT string_agg(repeat('x', 1000000), '') FROM range(3000)`,
  `SELECT list_transform(range(1000000000), lambda x: x + 1)`,
  `SELECT list_resize([1], 2000000000)`,
  `SELECT bitstring('1', 2000000000)`,
  `SELECT array_to_string(range(500000000), ',')`,
  `SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b`,
  'WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t',
  `WITH RECURSIVE t(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM t) SELECT max(length(x)) FROM t`,
  'SELECT approx_quantile(range, 0.5) FROM range(1000000000000)',
  selfJoin,
  notMaterialized,
];

/** Titles that can be read. */
const titled = (queries: readonly string[]) => queries.map((sql) => [sql.slice(0, 80), sql] as const);

test.each(titled(costly))('a query that takes too much is stopped, and the next query runs: %s', async (_, sql) => {
  const failure = await failureOf(sql);
  expect(failure).toMatch(/^The query (?:was stopped: it (?:ran longer than|took more)|failed: )/);
  expect(failure.length).toBeLessThan(500);
  // Its process is new, and a busy machine may not start DuckDB within the short limit of these tests.
  const next = await vi.waitFor(() => run('SELECT count(*) FROM visitors'), { timeout: 15_000 });
  expect(toPlainTable(next.table).rows).toEqual([['3']]);
});

describe('a result', () => {
  const patient = new QueryEngine({ maxQuery: 60_000, maxLoad: 60_000 });
  afterAll(() => patient.close());

  test('is read no further than 10,000 rows', async () => {
    const { table, isWhole } = await run('SELECT * FROM range(9223372036854775807)', patient);
    expect([table.rowCount, isWhole]).toEqual([10_000, false]);
    expect((await run('SELECT * FROM range(10000)', patient)).isWhole).toBe(true);
  });

  test('is read no further than 16 million characters', async () => {
    const { table, isWhole } = await run(`SELECT repeat('x', 1000000) FROM range(20)`, patient);
    expect([table.rowCount, isWhole]).toEqual([15, false]);
    const failure = await failureOf(`SELECT repeat('x', 20000000)`, patient);
    expect(failure).toMatch(/longer than 16 million characters.*left\(/);
  });
});

/** Each is parsed by recursion, so that DuckDB or this project would run out of stack. */
const deep: readonly string[] = [
  `SELECT ${'['.repeat(4900)}1${']'.repeat(4900)}`,
  `SELECT ${'('.repeat(4900)}1${')'.repeat(4900)}`,
  `SELECT ${'('.repeat(9900)}`,
  `SELECT ${'{a:'.repeat(2400)}1${'}'.repeat(2400)}`,
  `SELECT ${'CASE WHEN true THEN '.repeat(410)}1${' END'.repeat(410)}`,
  `SELECT ${'abs('.repeat(1900)}1${')'.repeat(1900)}`,
  `SELECT ${'list_transform([1], lambda x: '.repeat(300)}1${')'.repeat(300)}`,
  `SELECT * FROM ${'(SELECT * FROM '.repeat(600)}range(1)${')'.repeat(600)}`,
  `SELECT NULL::${'STRUCT(a '.repeat(900)}INT${')'.repeat(900)}`,
  `SELECT json_transform('{}', '${'{"a":'.repeat(1600)}"INT"${'}'.repeat(1600)}')`,
  `SELECT json_transform('{}', '${'['.repeat(4800)}"INT"${']'.repeat(4800)}')`,
  `SELECT from_json('null', repeat('[', 9000) || '"INT"' || repeat(']', 9000))`,
  `SELECT json_transform_strict('{}', repeat('{"a":', 9000) || '"INT"' || repeat('}', 9000))`,
  `SELECT json_structure(repeat('[', 1000000) || repeat(']', 1000000))`,
  `SELECT json_group_structure(repeat('[', 1000000) || repeat(']', 1000000))`,
  `SELECT json_merge_patch(repeat('{"a":', 1000000) || '1' || repeat('}', 1000000), '{}')`,
  `SELECT json_contains(repeat('[', 1000000) || repeat(']', 1000000), '1')`,
  `SELECT (repeat('[', 1000000) || repeat(']', 1000000))::JSON::VARIANT`,
  `SELECT ${'1+'.repeat(10000)}1`,
];

test.each(titled(deep))('a deep query is refused before it can crash the process: %s', async (_, sql) => {
  expect(await failureOf(sql)).toMatch(
    /^The query (?:was not run: .*(?:deeper|longer) than|failed: .* (?:is not available here|must be written in the query))/,
  );
});

test('a query as deep as people write runs', async () => {
  const sum = `${'('.repeat(60)}1${' + 1)'.repeat(60)}`;
  const choice = `${'CASE WHEN true THEN '.repeat(20)}1${' END'.repeat(20)}`;
  const { table } = await run(`SELECT ${sum}, ${choice}, json_transform('{"a": [1]}', '{"a": ["INTEGER"]}')`);
  expect(toPlainTable(table).rows).toEqual([['61', '1', '{"a":[1]}']]);
});

const onlySelect = 'Only one SELECT statement can be run';
const nothingElse = 'A query reads only the tables of recent answers.';

/** Queries that are refused before they run, and part of the error. */
const refused: readonly (readonly [sql: string, message: string])[] = [
  [`CALL enable_logging(storage='stdout')`, onlySelect],
  [`SELECT * FROM enable_logging(storage='stdout')`, 'enable_logging() is not available here'],
  [`SELECT * FROM enable_logging(storage='file', storage_path='.')`, nothingElse],
  ['FROM enable_profiling()', nothingElse],
  ['PRAGMA enable_profiling', onlySelect],
  ['PRAGMA database_list', onlySelect],
  ['SET threads = 8', onlySelect],
  [`SET memory_limit = '1TB'`, onlySelect],
  ['SET VARIABLE x = 1', onlySelect],
  ['RESET memory_limit', onlySelect],
  [`COPY r1 TO 'x.csv'`, onlySelect],
  [`COPY (SELECT 1) TO '.tmp/x.csv'`, onlySelect],
  [`ATTACH 'x.db'`, onlySelect],
  [`EXPORT DATABASE 'x'`, onlySelect],
  ['INSTALL httpfs', onlySelect],
  ['LOAD json', onlySelect],
  ['CREATE MACRO f(x) AS x + 1', onlySelect],
  ['CREATE TABLE t AS SELECT 1', onlySelect],
  ['DROP TABLE r1', onlySelect],
  ['DELETE FROM r1', onlySelect],
  ['EXPLAIN ANALYZE SELECT 1', onlySelect],
  ['SELECT 1; SELECT 2', onlySelect],
  ['SELECT 1; PRAGMA version', onlySelect],
  ['', onlySelect],
  ['WITH x AS (DELETE FROM r1 RETURNING *) SELECT * FROM x', 'A CTE needs a SELECT'],
  [`SELECT * FROM read_csv('x.csv')`, nothingElse],
  [`SELECT * FROM read_csv('http://127.0.0.1:1/x')`, nothingElse],
  [`SELECT * FROM read_text('/etc/hostname')`, nothingElse],
  [`SELECT * FROM read_blob('.tmp/x')`, nothingElse],
  [`SELECT * FROM read_duckdb('x.db')`, nothingElse],
  [`SELECT * FROM glob('*')`, nothingElse],
  [`SELECT CASE WHEN EXISTS (FROM glob('/*')) THEN 1 END`, nothingElse],
  [`SELECT * FROM r1, LATERAL (SELECT * FROM read_text("SubID"))`, nothingElse],
  [`SELECT * FROM 'file.csv'`, nothingElse],
  ['SELECT * FROM "package.json"', nothingElse],
  [`SELECT * FROM '.tmp/x.csv'`, nothingElse],
  [`SELECT * FROM 's3://bucket/x.parquet'`, nothingElse],
  [`SELECT * FROM 'http://127.0.0.1:1/x.csv'`, nothingElse],
  ['WITH "x.csv" AS (SELECT 1) SELECT * FROM "x.csv"', 'x.csv is not a valid name for WITH'],
  [`WITH "/etc/passwd" AS (SELECT 1) SELECT (SELECT count(*) FROM '/etc/passwd')`, 'is not a valid name for WITH'],
  ['WITH duckdb_settings AS (SELECT 1) SELECT 1', 'is not a valid name for WITH'],
  ['SELECT * FROM duckdb_settings()', 'Use DESCRIBE r1'],
  ['SELECT * FROM duckdb_tables', 'Use DESCRIBE r1'],
  ['SELECT (SELECT max(value) FROM duckdb_settings())', 'Use DESCRIBE r1'],
  ['SELECT * FROM r1 LIMIT (SELECT count(*) FROM duckdb_functions())', 'Use DESCRIBE r1'],
  ['SELECT * FROM pg_class', 'Use DESCRIBE r1'],
  ['SELECT * FROM pg_catalog.pg_class', 'Use DESCRIBE r1'],
  ['SELECT * FROM sqlite_master', 'Use DESCRIBE r1'],
  ['SELECT * FROM pragma_version()', 'Use DESCRIBE r1'],
  ['SELECT * FROM information_schema.tables', 'Use DESCRIBE r1'],
  ['SELECT * FROM main.r1', 'Use the name of the table alone'],
  ['SELECT * FROM memory.main.r1', 'Use the name of the table alone'],
  ['SELECT * FROM temp.loading', 'Use the name of the table alone'],
  ['SELECT * FROM loading', 'there is no table loading'],
  ['SHOW TABLES', 'Use DESCRIBE r1'],
  ['SELECT * FROM (SHOW ALL TABLES)', 'Use DESCRIBE r1'],
  [`SELECT getenv('HOME')`, 'Use WITH'],
  [`SELECT current_setting('temp_directory')`, 'Use WITH'],
  [`SELECT getvariable('x')`, 'Use WITH'],
  ['SELECT "Cost".getvariable() FROM r1', 'Use WITH'],
  [`SELECT list_transform([1], lambda x: getvariable('a'))`, 'Use WITH'],
  [`SELECT count(*) OVER (PARTITION BY getvariable('x')) FROM r1`, 'Use WITH'],
  [`SELECT "GetVariable"('x')`, 'Use WITH'],
  ['SELECT sleep_ms(10000)', 'sleep_ms() is not available here'],
  ['SELECT pg_sleep(10)', 'pg_sleep() is not available here'],
  ['SELECT pg_catalog.pg_sleep(10)', 'pg_sleep() is not available here'],
  ['SELECT pg_typeof(1)', 'Use typeof(x)'],
  [`SELECT * FROM query('SELECT 1')`, 'Use the table itself in FROM'],
  [`SELECT * FROM query_table('r1')`, 'Use the table itself in FROM'],
  ['SELECT * FROM histogram_values(r1, "Cost")', 'Use histogram(x)'],
  [`SELECT write_log('x')`, 'write_log() is not available here'],
  [`SELECT nextval('s')`, 'nextval() is not available here'],
  [`SELECT json_serialize_sql('SELECT 1')`, 'is not available here'],
  [`SELECT * FROM json_execute_serialized_sql('{}')`, nothingElse],
  [`SELECT * FROM seq_scan('r1')`, nothingElse],
  ['SELECT * FROM r1 AT (VERSION => 1)', 'no versions'],
  ['SELECT $1', 'Write the values into it'],
  ['SELECT ?', 'Write the values into it'],
  ['SELECT DEFAULT', 'DEFAULT is not available here'],
  ['PIVOT r1 ON "Device" USING count(*)', `Name them: PIVOT r1 ON "Device" IN ('Mobile', 'Desktop')`],
  [`SELECT date_format("Date", '%Y') FROM r1`, 'Use strftime'],
  ['SELECT conut(*) FROM r1', 'conut() is not available here. Only DuckDB’s functions'],
];

test.each(refused)('refused, with what to use instead: %s', async (sql, message) => {
  const failure = await failureOf(sql);
  expect(failure).toContain(message);
  expect(failure).not.toMatch(/was stopped/);
});

test('refused queries leave no file, and the next query runs', async () => {
  expect(existsSync('.tmp')).toBe(false);
  expect(toPlainTable((await run('SELECT count(*) FROM visitors')).table).rows).toEqual([['3']]);
});

describe('an error', () => {
  const long = 'x'.repeat(9000);
  const columns = Array.from({ length: 90 }, (_, index) => `${index}${long}`);
  const wide = toTable({ name: long, columns, rows: [columns.map(() => '1')] });
  const narrow = toTable({ name: long, columns: columns.slice(0, 3), rows: [['1', '2', '3']] });
  const many = Array.from({ length: 30 }, (_, index) => ({
    name: `r${index + 1}`,
    table: index === 0 ? wide : narrow,
  }));

  test.each(
    titled([
      `SELECT "${long}" FROM r1`,
      `SELECT count(*) FROM r1 WHERE "1${'x'.repeat(100)}" = "${long}"`,
      `SELECT * FROM "${long}"`,
      `SELECT * FROM '${long}.csv'`,
      `WITH "${long}.csv" AS (SELECT 1) SELECT 1`,
      `SELECT ${long}(1)`,
      `SELECT '${long}'::INTEGER`,
      `SELECT ${'('.repeat(9000)}`,
      `SELECT ${'1+'.repeat(4900)}1`,
      `SELECT ${' '.repeat(9900)} FROM FROM`,
      `SELECT ${'a '.repeat(4900)}`,
      `SELECT count(*) FROM r1 WHERE a IN (${' '.repeat(9000)}"x"`,
      `SELECT x FROM ${many.map(({ name }) => name).join(', ')}`,
      `SELECT [31m FROM r1`,
    ]),
  )('has a few hundred visible characters: %s', async (_, sql) => {
    const running = engine.run({ sql, tables: many, wasDropped: () => false });
    const failure = await running.catch((error: Error) => error.message);
    expect(failure).toMatch(/^The query (?:failed|was not run): [\x20-\x7e…“”’]*$/);
    expect(String(failure).length).toBeLessThan(1000);
  });
});
