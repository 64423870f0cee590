import type { HttpServerProcess } from './http-client.ts';
import { reportCall } from './raw-client.ts';

/** What a server did under load: how long each call took, in ms, and how many it answered a second. */
export interface Load {
  readonly latencies: readonly number[];
  readonly perSecond: number;
}

let lastId = 0;
/** Calls for reports of 10 rows over all connections, one at a time on each. */
export async function load(server: HttpServerProcess, connections: number, calls: number): Promise<Load> {
  const latencies: number[] = [];
  let left = calls;
  const started = performance.now();
  const worker = async (_: unknown, connection: number) => {
    while (left > 0) {
      left -= 1;
      const start = performance.now();
      lastId += 1;
      await server.post(connection, { id: lastId, method: 'tools/call', params: reportCall(10) });
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return { latencies, perSecond: (1000 * calls) / (performance.now() - started) };
}

/** The figures of several turns. */
export interface Figures {
  /** Calls a second, the median of the turns. */
  readonly rate: number;
  /** In ms, over the calls of all turns. */
  readonly p50: number;
  readonly p99: number;
}

/** Measures servers in turns, so that other work on the machine affects all of them. The first turn warms up. */
export async function measureInTurns(
  servers: readonly HttpServerProcess[],
  { connections, calls, turns }: { readonly connections: number; readonly calls: number; readonly turns: number },
): Promise<readonly Figures[]> {
  const taken = servers.map((server) => ({ server, loads: [] as Load[] }));
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const { server, loads } of taken) {
      const measured = await load(server, connections, calls);
      if (turn > 0) loads.push(measured);
    }
  }
  return taken.map(({ loads }) => {
    const latencies = loads.flatMap((measured) => measured.latencies);
    const rates = loads.map(({ perSecond }) => perSecond);
    return { rate: quantile(rates, 0.5), p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
  });
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
