import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { endpoints } from '../../src/api/endpoints.ts';
import { RawClient, reportCall, type ServerCommand } from './raw-client.ts';

/** One measurement of each server, taken in turns so that other work on the machine affects both. */
export interface Pair {
  readonly ours: number;
  readonly minimal: number;
}

export type Servers = Readonly<Record<keyof Pair, ServerCommand>>;

const names = ['ours', 'minimal'] as const;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2;
}

/** Runs a measurement on both servers in turns, and takes the median of each; what it gives undefined for is left out. */
async function inTurns(times: number, measure: (name: keyof Pair) => Promise<number | undefined>): Promise<Pair> {
  const taken: Record<keyof Pair, number[]> = { ours: [], minimal: [] };
  for (let turn = 0; turn < times; turn += 1) {
    for (const name of names) {
      const value = await measure(name);
      if (value !== undefined) taken[name].push(value);
    }
  }
  return medians(taken);
}

function medians({ ours, minimal }: Record<keyof Pair, number[]>): Pair {
  return { ours: median(ours), minimal: median(minimal) };
}

async function eachOf(measure: (name: keyof Pair) => Promise<number>): Promise<Pair> {
  return { ours: await measure('ours'), minimal: await measure('minimal') };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** From the spawn of a process to its answer to `initialize`, in ms. */
export async function measureColdStart(servers: Servers, times: number): Promise<Pair> {
  const once = async (name: keyof Pair) => {
    let client: RawClient | undefined;
    const elapsed = await timed(async () => {
      client = new RawClient(servers[name]);
      await client.initialize();
    });
    await client?.close();
    return elapsed;
  };
  await inTurns(2, once);
  return inTurns(times, once);
}

/** What calls for a 10-row report take. */
export interface CallCost {
  /** One call at a time, in ms. */
  readonly latency: Pair;
  /** Calls per second with 16 in flight. */
  readonly throughput: Pair;
  /** CPU of one call by all threads of the server, in ms: other work on the machine disturbs it less than time. */
  readonly alone: Pair;
  readonly amongSixteen: Pair;
}

export async function measureCalls(servers: Servers): Promise<CallCost> {
  const clients = { ours: new RawClient(servers.ours), minimal: new RawClient(servers.minimal) };
  const call = (name: keyof Pair) => clients[name].requestLine('tools/call', reportCall(10));
  const sixteenInFlight = async (name: keyof Pair) => {
    const calls = 800;
    let left = calls;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        await call(name);
      }
    };
    const elapsed = await timed(() => Promise.all(Array.from({ length: 16 }, worker)));
    return (1000 * calls) / elapsed;
  };
  for (const name of names) await clients[name].initialize();
  const cpuOfCall = async (calls: number, run: () => Promise<Pair>) => {
    const before = await eachOf((name) => clients[name].cpu());
    const measured = await run();
    const after = await eachOf((name) => clients[name].cpu());
    const cpu = { ours: (after.ours - before.ours) / calls, minimal: (after.minimal - before.minimal) / calls };
    return { measured, cpu };
  };
  await inTurns(500, (name) => timed(() => call(name)));
  const alone = await cpuOfCall(1000, () => inTurns(1000, (name) => timed(() => call(name))));
  await inTurns(2, sixteenInFlight);
  const sixteen = await cpuOfCall(7 * 800, () => inTurns(7, sixteenInFlight));
  for (const name of names) await clients[name].close();
  return { latency: alone.measured, throughput: sixteen.measured, alone: alone.cpu, amongSixteen: sixteen.cpu };
}

/** The cost of the first report of a new process, after the client has listed its tools. */
export interface ReportCost {
  /** Until its last byte, in ms. */
  readonly wall: Pair;
  /** Until the client has parsed it too, in ms: every row that the server passes on costs the client too. */
  readonly read: Pair;
  /** The most that the process has held, in MB. */
  readonly memory: Pair;
}

export async function measureReport(servers: Servers, rows: number, times: number): Promise<ReportCost> {
  const none = (): Record<keyof Pair, number[]> => ({ ours: [], minimal: [] });
  const taken = { wall: none(), read: none() };
  const memory = await inTurns(times, async (name) => {
    const client = new RawClient(servers[name]);
    await client.initialize();
    // As every client does before a call.
    await client.request('tools/list', {});
    const start = performance.now();
    const line = await client.requestLine('tools/call', reportCall(rows));
    taken.wall[name].push(performance.now() - start);
    JSON.parse(line.toString());
    taken.read[name].push(performance.now() - start);
    const peak = await client.peakMemory();
    await client.close();
    return peak;
  });
  return { wall: medians(taken.wall), read: medians(taken.read), memory };
}

interface ToolAnswer {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
}

/** What reading costs an agent, in tokens of o200k: the listing, the instructions, and answers of some sizes. */
export interface TokenCosts {
  readonly instructions: number;
  readonly listing: number;
  /** The part of the listing that is the tools of the tracker's endpoints. */
  readonly endpointListing: number;
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
  readonly answers: readonly { readonly rows: number; readonly structured: number; readonly text: number }[];
}

const endpointNames = new Set<string>(endpoints.map(({ name }) => name));

export async function measureTokens(server: ServerCommand, rowCounts: readonly number[]): Promise<TokenCosts> {
  const client = new RawClient(server);
  const { instructions = '' } = await client.initialize();
  const { tools } = (await client.request('tools/list', {})) as { tools: readonly { readonly name: string }[] };
  const answers = [];
  for (const rows of rowCounts) {
    const { content, structuredContent } = (await client.request('tools/call', reportCall(rows))) as ToolAnswer;
    const structured = structuredContent === undefined ? 0 : countTokens(JSON.stringify(structuredContent));
    answers.push({ rows, structured, text: countTokens(content.map(({ text }) => text).join('\n')) });
  }
  await client.close();
  return {
    instructions: countTokens(instructions),
    listing: countTokens(JSON.stringify(tools)),
    endpointListing: countTokens(JSON.stringify(tools.filter(({ name }) => endpointNames.has(name)))),
    tools: tools.map((tool) => ({ name: tool.name, tokens: countTokens(JSON.stringify(tool)) })),
    answers,
  };
}
