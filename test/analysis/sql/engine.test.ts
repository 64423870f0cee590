import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { QueryEngine } from '../../../src/analysis/sql/engine.ts';
import type { NamedTable } from '../../../src/analysis/sql/named-table.ts';
import { Table } from '../../../src/api/table.ts';
import { childrenOf, untilGone } from '../../support/processes.ts';
import { processFolders } from '../../support/system.ts';
import { toPlainTable } from '../../support/tables.ts';
import { visitors } from './reports.ts';

const engines: QueryEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) engine.close();
  // A killed process may exist a moment longer, and the next test would see it.
  while ((await childrenOf(process.pid)).length > 0) await setTimeout(20);
});

/** An engine whose clock stops nothing. */
function start(times: ConstructorParameters<typeof QueryEngine>[0] = { maxQuery: 60_000, maxLoad: 60_000 }) {
  const engine = new QueryEngine(times);
  engines.push(engine);
  return engine;
}

const tables: readonly NamedTable[] = [{ name: 'r1', alias: 'visitors', table: visitors }];
const run = async (engine: QueryEngine, sql: string, signal?: AbortSignal, over = tables) =>
  toPlainTable((await engine.run({ sql, tables: over, wasDropped: () => false, signal })).table).rows;

const endless = 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b';
/** It ignores an interrupt. */
const deaf = `SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))`;
const count = 'SELECT count(*) FROM visitors';
/** Takes about three times as many megabytes of memory. */
const joined = (megabytes: number) => `SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(${megabytes})`;

/** The only process of an engine. */
async function processOf(): Promise<number> {
  const [pid, ...others] = await childrenOf(process.pid);
  if (pid === undefined || others.length > 0) throw new Error(`${others.length} other processes`);
  return pid;
}

test('a query that is cancelled before it runs starts nothing', async () => {
  await expect(run(start(), count, AbortSignal.abort())).rejects.toThrow('stopped: the call was cancelled');
  expect(await childrenOf(process.pid)).toEqual([]);
});

test.each([endless, deaf])('a cancelled query ends its process, and the next query runs: %s', async (sql) => {
  const engine = start();
  expect(await run(engine, count)).toEqual([['3']]);
  const pid = await processOf();
  const cancellation = new AbortController();
  const query = run(engine, sql, cancellation.signal);
  await setTimeout(200);
  cancellation.abort();
  await expect(query).rejects.toThrow('stopped: the call was cancelled');
  await untilGone(pid);
  expect(await run(engine, count)).toEqual([['3']]);
});

test('a query that needs more than the available memory ends its process, and the next query runs', async () => {
  const engine = start();
  expect(await run(engine, count)).toEqual([['3']]);
  const pid = await processOf();
  await expect(run(engine, joined(3000))).rejects.toThrow('more than the available 512 MB of memory');
  await untilGone(pid);
  expect(await run(engine, count)).toEqual([['3']]);
});

test('a query runs if the tables of earlier queries have left too little memory for it', async () => {
  const engine = start();
  const rows = Array.from({ length: 75_000 }, (_, index) => [`${index}${'x'.repeat(2000)}`]);
  const large: NamedTable = { name: 'r2', table: Table.fromRows('large', ['text'], rows) };
  const over = [...tables, large];
  expect(await run(engine, 'SELECT count(text) FROM r2', undefined, over)).toEqual([['75000']]);
  expect(await run(engine, joined(130), undefined, over)).toEqual([['130000000']]);
});

test('the process ends above 1 GB of memory, and the next query runs', async () => {
  const engine = start();
  const greedy = `SELECT damerau_levenshtein(repeat('a', 60000), repeat('b', 60000))`;
  await expect(run(engine, greedy)).rejects.toThrow('stopped: it took more than 1 GB of memory');
  expect(await run(engine, count)).toEqual([['3']]);
});

test('a process that was killed from outside is started again', async () => {
  const engine = start();
  await run(engine, count);
  const pid = await processOf();
  process.kill(pid, 'SIGKILL');
  await untilGone(pid);
  expect(await run(engine, count)).toEqual([['3']]);
});

test('queries run in turn, at most eight wait, and cancelled ones leave the queue', async () => {
  const engine = start();
  const first = new AbortController();
  const others = new AbortController();
  const running = run(engine, endless, first.signal);
  const waiting = Array.from({ length: 7 }, () => run(engine, count, others.signal));
  const last = run(engine, count);
  await expect(run(engine, count)).rejects.toThrow('8 others are already waiting');
  others.abort();
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected');
  first.abort();
  await expect(running).rejects.toThrow('cancelled');
  expect(await last).toEqual([['3']]);
});

test('many queries at once cause no warning', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const engine = start();
  const queries = Array.from({ length: 30 }, () => run(engine, count, new AbortController().signal));
  const outcomes = await Promise.allSettled(queries);
  await setTimeout(0);
  process.off('warning', onWarning);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  expect(warnings).toEqual([]);
});

test('an idle process ends, and the next query starts one', async () => {
  const engine = start({ idle: 100 });
  await run(engine, count);
  const [pid = 0] = await childrenOf(process.pid);
  await untilGone(pid);
  expect(await run(engine, count)).toEqual([['3']]);
});

test('a closed engine ends its process and its query, and runs no more', async () => {
  const engine = start();
  await run(engine, count);
  const pid = await processOf();
  const query = run(engine, deaf);
  const stopped = expect(query).rejects.toThrow('stopped: the server is shutting down');
  await setTimeout(100);
  engine.close();
  await stopped;
  await untilGone(pid);
  await expect(run(engine, count)).rejects.toThrow('stopped: the server is shutting down');
});

test.each(processFolders)('the process gets none of the server’s settings: %s', async (processes) => {
  process.env['TRACKER_API_KEY'] = 'a-key-for-this-test';
  await run(start(), count);
  const environment = await readFile(`${processes}/${await processOf()}/environ`, 'utf8');
  delete process.env['TRACKER_API_KEY'];
  const names = environment.split('\0').flatMap((variable) => variable.split('=')[0] || []);
  expect(names.filter((name) => !/^(NODE_CHANNEL_\w+|PWD|OLDPWD|SHLVL|_)$/.test(name))).toEqual([]);
});

test('a long table is loaded completely, and dropped when it is no longer kept', async () => {
  const engine = start();
  const keyword = (index: number) => (index % 2 ? null : `k${index}`);
  const rows = Array.from({ length: 5000 }, (_, index) => [String(index), keyword(index), '2026-11-01']);
  const long: NamedTable = { name: 'r2', table: Table.fromRows('long', ['n', 'Keyword', 'day'], rows) };
  const sql = 'SELECT count(*), sum(n), count("Keyword"), max("Keyword"), max(day) + 1 FROM r2';
  const expected = ['5000', '12497500', '2500', 'k998', '2026-11-02'];
  expect(await run(engine, sql, undefined, [...tables, long])).toEqual([expected]);
  await expect(run(engine, 'SELECT count(*) FROM r2')).rejects.toThrow('there is no table r2');
  expect(await run(engine, sql, undefined, [...tables, long])).toHaveLength(1);
});

test('the name of a kind means its latest table', async () => {
  const engine = start();
  const later: NamedTable = { name: 'r2', alias: 'visitors', table: visitors.withoutRows([0]) };
  expect(await run(engine, count)).toEqual([['3']]);
  expect(await run(engine, count, undefined, [{ name: 'r1', table: visitors }, later])).toEqual([['2']]);
  const both = 'SELECT (SELECT count(*) FROM r1), (SELECT count(*) FROM "VISITORS")';
  expect(await run(engine, both, undefined, [{ name: 'r1', table: visitors }, later])).toEqual([['3', '2']]);
});
