import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchFigures, benchFile, writeBench } from '../../build/bench-figures.ts';
import { loadRedirects } from './redirect-load.ts';
import { measureReports } from './report-speed.ts';

/**
 * Prints what live traffic and reports cost, as ratios. Goals are only shown: nothing fails. With --save it writes the figures that
 * docs/sandbox.md quotes.
 */

const connections = 16;
const rounds = 3;
/** Long enough for unwritten records to reach their limit, if they come faster than they are written. */
const seconds = 10;
const warmUpSeconds = 1;

interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: ReadonlyMap<string, number>;
  /** Microseconds of the server per request, all threads. */
  readonly cpu: number;
}

const folder = await mkdtemp(join(tmpdir(), 'traffic-bench-'));
const started = performance.now();
const [load = 0] = loadavg();
try {
  const redirects = await printRedirects();
  const { lines, reports } = await measureReports(folder);
  for (const line of lines) console.log(line);
  if (process.argv.includes('--save')) {
    writeBench({ node: process.versions.node, cores: availableParallelism(), load, redirects, reports });
    console.log(`${benchFile} written; npm run docs puts it into docs/sandbox.md.`);
  }
  console.log(`Took ${((performance.now() - started) / 1000).toFixed(0)} s.`);
} finally {
  await rm(folder, { recursive: true });
}

async function printRedirects(): Promise<BenchFigures['redirects']> {
  const servers = { ours: await start('tracker', join(folder, 'live.duckdb')), bare: await start('bare') };
  try {
    const link = await readLink(servers.ours.url);
    const paths = Array.from(
      { length: 500 },
      (_, index) => `${link}&keyword=word${index % 20}&ad=ad${index % 5}&match=b&cost=0.${100 + (index % 50)}`,
    );
    const measured: Record<keyof typeof servers, Round[]> = { ours: [], bare: [] };
    for (let round = 0; round <= rounds; round++) {
      for (const name of ['bare', 'ours'] as const) {
        const figures = await measure(servers[name], paths, round === 0 ? warmUpSeconds : seconds);
        if (round > 0) measured[name].push(figures);
      }
    }
    const [ours, bare] = [medians(measured.ours), medians(measured.bare)];
    console.log(
      `\nRedirects, ${connections} connections, medians of ${rounds} turns of ${seconds} s, the store in a file:`,
    );
    console.log(line('tracker', ours));
    console.log(line('web framework, no store', bare));
    console.log(`refused by the tracker: ${refusals(measured.ours)} (goal: none)`);
    console.log(
      `ratio ${(ours.perSecond / bare.perSecond).toFixed(2)} by requests a second (goal: at least 0.6), ` +
        `${(bare.cpu / ours.cpu).toFixed(2)} by CPU time`,
    );
    const cpu_of_bare_framework = ours.cpu / bare.cpu;
    return { connections, per_second: ours.perSecond, p50_ms: ours.p50, cpu_of_bare_framework };
  } finally {
    for (const { stop } of Object.values(servers)) stop();
  }
}

function line(name: string, { perSecond, p50, p99, cpu }: Figures): string {
  return `${name.padEnd(24)} ${perSecond.toFixed(0).padStart(6)}/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms  ${cpu.toFixed(0)} us of CPU a request`;
}

type Server = Awaited<ReturnType<typeof start>>;

async function start(kind: 'tracker' | 'bare', file = '') {
  const child = fork(fileURLToPath(new URL('traffic-process.js', import.meta.url)), [kind, file], { execArgv: [] });
  const [url] = (await once(child, 'message')) as [string];
  const cpu = async () => {
    child.send('cpu');
    return ((await once(child, 'message')) as [number])[0];
  };
  return { url, cpu, stop: () => child.disconnect() };
}

/** The path of a campaign link, without the parameters of the traffic source. */
async function readLink(url: string): Promise<string> {
  const body = new URLSearchParams({ key: 'bench' });
  const reply = await fetch(`${url}/api/campaign/list/`, { method: 'POST', body });
  const { Rows } = (await reply.json()) as { Rows: { CampaignUrl: string }[] };
  const { pathname, searchParams } = new URL(Rows[0]?.CampaignUrl ?? '');
  return `${pathname}?c=${searchParams.get('c')}&key=${searchParams.get('key')}`;
}

async function measure({ url, cpu }: Server, paths: readonly string[], length: number): Promise<Round> {
  const before = await cpu();
  const load = await loadRedirects(url, paths, { connections, seconds: length });
  const { requests, refused, requestsPerSecond, latencies } = load;
  const at = (part: number) => latencies[Math.floor(part * latencies.length)] ?? Number.NaN;
  const cost = ((await cpu()) - before) / requests;
  return { perSecond: requestsPerSecond, p50: at(0.5), p99: at(0.99), refused, cpu: cost };
}

/** The refused requests of all turns, by status. */
function refusals(measured: readonly Round[]): string {
  const counts = new Map<string, number>();
  for (const [status, count] of measured.flatMap(({ refused }) => [...refused])) {
    counts.set(status, (counts.get(status) ?? 0) + count);
  }
  return [...counts].map(([status, count]) => `${count} with HTTP ${status}`).join(', ') || 'none';
}

type Figures = Omit<Round, 'refused'>;

function medians(measured: readonly Round[]): Figures {
  const median = (figure: keyof Figures) =>
    measured.map((round) => round[figure]).sort((a, b) => a - b)[Math.floor(measured.length / 2)] ?? Number.NaN;
  return { perSecond: median('perSecond'), p50: median('p50'), p99: median('p99'), cpu: median('cpu') };
}
