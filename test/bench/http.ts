import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpServerProcess } from './http-client.ts';
import { type Figures, load, measureInTurns } from './http-load.ts';
import { startCannedTracker } from './raw-client.ts';
import { startRedis } from './redis-process.ts';

/** What serving over HTTP costs, compared with the SDK's stateless server with one tool; goals never fail anything. */

const connections = 16;
const calls = 800;
const turns = 5;

/** After the first count, memory holds what a minute of calls keeps; from then on nothing should grow. */
const callsForMemory = [20_000, 100_000] as const;
const callsToWarm = 4000;
const idleSessions = 1000;

const { tracker, environment } = await startCannedTracker();

const start = (given: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
  HttpServerProcess.start(given, { ...environment, ...settings }, connections);
const startOurs = (...given: readonly string[]) => start(['dist/cli.js', 'http', '--port', '0', ...given]);

/** Ours, the minimal server, and ours with Redis if there is one. */
async function measureCalls(): Promise<readonly Figures[]> {
  const redis = await startRedis();
  try {
    const servers = [await startOurs(), await start(['test/bench/minimal-server.js', '--http'])];
    if (redis) servers.push(await startOurs('--redis', redis.url));
    const figures = await measureInTurns(servers, { connections, calls, turns });
    await Promise.all(servers.map((server) => server.close()));
    return figures;
  } finally {
    redis?.end();
  }
}

/** How much more memory is held than after warming up, in MB, after as many calls. */
async function measureMemory(): Promise<readonly { readonly after: number; readonly growth: number }[]> {
  const server = await startOurs();
  await load(server, connections, callsToWarm);
  const before = await server.memory();
  const growths: { after: number; growth: number }[] = [];
  let done = 0;
  for (const after of callsForMemory) {
    await load(server, connections, after - done);
    done = after;
    growths.push({ after, growth: (await server.memory()) - before });
  }
  await server.close();
  return growths;
}

async function beginSession(server: HttpServerProcess, connection: number): Promise<string> {
  const about = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const answer = await server.post(connection, { id: 1, method: 'initialize', params: about });
  const session = String(answer['mcp-session-id']);
  await server.post(connection, { method: 'notifications/initialized' }, session);
  return session;
}

/** What unused sessions hold: as many ended before, so that the cost of requests is not counted. */
async function measureSessions(): Promise<number> {
  const server = await startOurs('--sessions');
  const begin = async () => {
    const sessions: string[] = [];
    for (let index = 0; index < idleSessions; index += 1) sessions.push(await beginSession(server, index));
    return sessions;
  };
  for (const session of await begin()) await server.endSession(session);
  await sleep(500);
  const before = await server.memory();
  await begin();
  await sleep(500);
  const held = (await server.memory()) - before;
  await server.close();
  return held;
}

const signed = (megabytes: number) => `${megabytes > 0 ? '+' : ''}${megabytes.toFixed(1)}`;
const counted = (count: number) => count.toLocaleString('en');

function compare(what: string, figures: Figures | undefined, than: Figures | undefined, goal = ''): string[] {
  if (!figures || !than) return [];
  const line = (figure: string, name: keyof Figures, decimals: number) =>
    `${figure}${what}: ${figures[name].toFixed(decimals)}, minimal ${than[name].toFixed(decimals)}, ratio ${(figures[name] / than[name]).toFixed(2)}`;
  return [line('calls/s', 'rate', 0) + goal, line('p50, ms', 'p50', 1), line('p99, ms', 'p99', 1)];
}

try {
  const started = performance.now();
  const [ours, minimal, withRedis] = await measureCalls();
  const growths = await measureMemory();
  const held = await measureSessions();
  console.log(
    [
      `HTTP, 10-row get_stats, ${connections} connections; Node ${process.versions.node}, ${availableParallelism()} cores`,
      ...compare('', ours, minimal, ' (goal: at least 0.7)'),
      ...compare(' with Redis', withRedis, minimal),
      ...(withRedis ? [] : ['with Redis: not measured, there is no redis-server (REDIS_SERVER_PATH names one)']),
      ...growths.map(({ after, growth }) => `memory after ${counted(after)} further calls, MB: ${signed(growth)}`),
      `memory of ${counted(idleSessions)} idle sessions, MB: ${signed(held)} (goal: under 50)`,
      `Took ${((performance.now() - started) / 1000).toFixed(0)} s.`,
    ].join('\n'),
  );
} finally {
  tracker.kill();
}
