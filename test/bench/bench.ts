import { availableParallelism } from 'node:os';
import {
  measureCalls,
  measureColdStart,
  measureReport,
  measureTokens,
  type Pair,
  type ReportCost,
  type Servers,
  type TokenCosts,
} from './measures.ts';
import { type ServerCommand, startCannedTracker } from './raw-client.ts';

/** Prints what this server costs, compared with one that does the least; goals are shown, and never fail anything. */

interface Goal {
  readonly bound: 'at most' | 'at least';
  readonly value: number;
}

const atMost = (value: number): Goal => ({ bound: 'at most', value });
const atLeast = (value: number): Goal => ({ bound: 'at least', value });

function verdict(value: number, goal: Goal | undefined): [goal: string, verdict: string] {
  if (!goal) return ['', ''];
  const isMet = goal.bound === 'at most' ? value <= goal.value : value >= goal.value;
  return [`${goal.bound} ${goal.value}`, isMet ? 'ok' : 'over'];
}

function ratioRow(figure: string, { ours, minimal }: Pair, decimals: number, goal?: Goal): string[] {
  if (Number.isNaN(ours / minimal)) return [figure, 'n/a', 'n/a', 'n/a', ...verdict(0, undefined)];
  const ratio = ours / minimal;
  return [figure, ours.toFixed(decimals), minimal.toFixed(decimals), ratio.toFixed(2), ...verdict(ratio, goal)];
}

function reportRows(
  rows: string,
  { wall, read, memory }: ReportCost,
  goal: { time: number; memory: number },
): string[][] {
  return [
    ratioRow(`${rows} rows, wall until the last byte, ms`, wall, 0, atMost(goal.time)),
    ratioRow(`${rows} rows, wall until the client has parsed it, ms`, read, 0, atMost(goal.time)),
    ratioRow(`${rows} rows, peak memory, MB`, memory, 0, atMost(goal.memory)),
  ];
}

function tokenRows(ours: TokenCosts, minimal: TokenCosts): string[][] {
  const dearest = [...ours.tools].sort((a, b) => b.tokens - a.tokens)[0] ?? { name: 'none', tokens: 0 };
  const row = (figure: string, value: number, compared: number | undefined, goal?: Goal) => [
    ...[figure, String(value), String(compared ?? ''), ''],
    ...verdict(value, goal),
  ];
  return [
    row('listing of the endpoints’ tools, tokens', ours.endpointListing, minimal.endpointListing, atMost(6999)),
    row(`listing of all ${ours.tools.length} tools, tokens`, ours.listing, undefined),
    row(`dearest tool (${dearest.name}), tokens`, dearest.tokens, undefined, atMost(800)),
    row('instructions, tokens', ours.instructions, undefined),
    ...ours.answers.flatMap(({ rows, structured, text }, index) => [
      row(`${rows}-row answer, structured, tokens`, structured, undefined),
      row(`${rows}-row answer, text, tokens`, text, minimal.answers[index]?.text),
    ]),
  ];
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 || column > 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join('  ').trimEnd());
  }
}

const progress = (what: string) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${what}`);

const { tracker, environment } = await startCannedTracker();
const servers: Servers = {
  ours: { file: 'dist/cli.js', environment },
  minimal: { file: 'test/bench/minimal-server.js', environment },
};
const inXml: ServerCommand = { ...servers.ours, environment: { ...environment, TRACKER_FORMAT: 'xml' } };

try {
  const started = performance.now();
  progress('tokens');
  const sizes = [10, 1000, 20_000];
  const tokens = {
    ours: await measureTokens(servers.ours, sizes),
    minimal: await measureTokens(servers.minimal, sizes),
  };
  progress('cold starts');
  const coldStart = await measureColdStart(servers, 20);
  progress('calls');
  const calls = await measureCalls(servers);
  progress('20,000 rows');
  const large = await measureReport(servers, 20_000, 9);
  progress('100,000 rows');
  const huge = await measureReport(servers, 100_000, 5);
  progress('20,000 rows of XML');
  const xml = await measureReport({ ours: inXml, minimal: servers.ours }, 20_000, 5);
  progress('');
  console.log(`Node ${process.versions.node}, ${availableParallelism()} cores; medians of turns taken one by one.\n`);
  printTable([
    ['figure', 'ours', 'minimal', 'ratio', 'goal', ''],
    ratioRow('cold start to initialize, ms', coldStart, 0, atMost(0.7)),
    ratioRow('10-row get_stats, p50, ms', calls.latency, 2, atMost(2.3)),
    ratioRow('10-row get_stats, CPU a call, ms', calls.alone, 2),
    ratioRow('10-row get_stats, 16 different in flight, calls/s', calls.throughput, 0, atLeast(0.2)),
    ratioRow('10-row get_stats, 16 different in flight, CPU a call, ms', calls.amongSixteen, 2),
    ...reportRows('20,000', large, { time: 0.6, memory: 0.8 }),
    ...reportRows('100,000', huge, { time: 0.6, memory: 0.8 }),
    ...tokenRows(tokens.ours, tokens.minimal),
  ]);
  console.log();
  printTable([
    ['figure', 'XML', 'JSON', 'ratio', 'goal', ''],
    ratioRow('20,000 rows, wall until the last byte, ms', xml.wall, 0, atMost(2)),
  ]);
  console.log(`\nTokens of each tool: ${tokens.ours.tools.map(({ name, tokens }) => `${name} ${tokens}`).join(', ')}`);
  console.log(`Took ${((performance.now() - started) / 1000).toFixed(0)} s.`);
} finally {
  tracker.kill();
}
