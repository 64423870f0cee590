import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HttpServerProcess } from './http-client.ts';

/** What serving over HTTP costs, beside the SDK's stateless server with one tool; goals are shown, and never fail anything. */

const connections = 16;
const callsATurn = 800;
const turns = 5;

/** More would take minutes: growth with the calls shows after these. */
const callsForMemory = 20_000;
const callsToWarm = 4000;
const idleSessions = 1000;

const tracker = spawn(process.execPath, [fileURLToPath(new URL('canned-tracker.js', import.meta.url))], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [port] = (await once(tracker.stdout, 'data')) as [Buffer];
const environment = {
  TRACKER_URL: `http://127.0.0.1:${port.toString().trim()}`,
  TRACKER_API_KEY: 'key-of-the-bench-0123456789',
};

let lastId = 0;
/** No two calls ask for the same campaign, since identical reads in flight may share one request. */
function reportCall() {
  lastId += 1;
  const given = { campaign_id: lastId, reports: ['target'], quick_view_id: 10 };
  return { id: lastId, method: 'tools/call', params: { name: 'get_stats', arguments: given } };
}

/** Calls over all connections, one at a time on each; returns how long each took, in ms, and all of them together. */
async function load(server: HttpServerProcess, calls: number) {
  const latencies: number[] = [];
  let left = calls;
  const started = performance.now();
  const worker = async (_: unknown, connection: number) => {
    while (left > 0) {
      left -= 1;
      const start = performance.now();
      await server.post(connection, reportCall());
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return { latencies, perSecond: (1000 * calls) / (performance.now() - started) };
}

async function beginSession(server: HttpServerProcess, connection: number): Promise<string> {
  const about = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const answer = await server.post(connection, { id: 1, method: 'initialize', params: about });
  const session = String(answer['mcp-session-id']);
  await server.post(connection, { method: 'notifications/initialized' }, session);
  return session;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

async function measureCalls() {
  const ours = await HttpServerProcess.start(['dist/cli.js', 'http', '--port', '0'], environment, connections);
  const minimal = await HttpServerProcess.start(['test/bench/minimal-server.js', '--http'], environment, connections);
  const taken = [ours, minimal].map((server) => ({ server, latencies: [] as number[], rates: [] as number[] }));
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const { server, latencies, rates } of taken) {
      const measured = await load(server, callsATurn);
      // The first turn warms up.
      if (turn === 0) continue;
      latencies.push(...measured.latencies);
      rates.push(measured.perSecond);
    }
  }
  const [of, than] = taken.map(({ latencies, rates }) => ({
    rate: quantile(rates, 0.5),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }));
  await minimal.close();
  await load(ours, callsToWarm);
  const before = await ours.memory();
  await load(ours, callsForMemory);
  const growth = (await ours.memory()) - before;
  await ours.close();
  return { of, than, growth };
}

/** What sessions hold that nobody uses: as many came and went before, so that what requests cost is paid. */
async function measureSessions(): Promise<number> {
  const given = ['dist/cli.js', 'http', '--port', '0', '--sessions'];
  const server = await HttpServerProcess.start(given, environment, connections);
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

try {
  const { of, than, growth } = await measureCalls();
  const held = await measureSessions();
  const compared = (figure: string, name: 'rate' | 'p50' | 'p99', decimals: number, goal = '') => {
    const [ours = Number.NaN, minimal = Number.NaN] = [of?.[name], than?.[name]];
    return `${figure}: ${ours.toFixed(decimals)}, minimal ${minimal.toFixed(decimals)}, ratio ${(ours / minimal).toFixed(2)}${goal}`;
  };
  console.log(
    [
      `HTTP, 10-row get_stats, ${connections} connections; Node ${process.versions.node}, ${availableParallelism()} cores`,
      compared('calls/s', 'rate', 0, ' (goal: at least 0.7)'),
      compared('p50, ms', 'p50', 1),
      compared('p99, ms', 'p99', 1),
      `memory after ${callsForMemory.toLocaleString('en')} further calls, MB: ${growth > 0 ? '+' : ''}${growth.toFixed(1)}`,
      `memory of ${idleSessions.toLocaleString('en')} idle sessions, MB: ${held > 0 ? '+' : ''}${held.toFixed(1)} (goal: under 50)`,
    ].join('\n'),
  );
} finally {
  tracker.kill();
}
