import { setTimeout as sleep } from 'node:timers/promises';
import { HttpServerProcess } from './http-client.ts';
import { RawClient, type ServerCommand, startTracker } from './raw-client.ts';

/**
 * What questions over an account cost, as CPU of the server beside that of reading and scanning the same list once; and whether others
 * wait for them, and deadlines and cancellations are kept. All within one run; goals never fail anything.
 */

const accounts = [
  [28_000, 12],
  [99_000, 12],
  [99_000, 500],
] as const;

const turns = 3;
const [maxWaitMs, timeoutMs, maxAnswerMs, maxIdleMs, maxHeldMb] = [50, 2000, 3000, 20, 40];

const dayAt = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const fortnight = { start_date: dayAt(-13), end_date: dayAt(0) };
let asked = 0;

/** The whole list, which no cache has: each asks for another maximum. */
function reading() {
  asked += 1;
  const whole = { column_set: 'all', max_records: 1_000_000 - asked, limit: 1 };
  return { name: 'list_visitors', arguments: { ...fortnight, ...whole } };
}

const cuts = ['country', 'device', 'os'];
const questions = {
  get_breakdown: [2.4, (turn: number) => ({ by: [cuts[turn % 3]], ...fortnight })],
  explain_change: [4, (turn: number) => ({ start_date: dayAt(-6 - (turn % 2)), end_date: dayAt(-(turn % 2)) })],
  review_account: [5, (turn: number) => ({ limit: 10 + turn })],
} as const;

const asCall = ([name, [, given]]: [string, (typeof questions)[keyof typeof questions]], turn: number) => ({
  name,
  arguments: given(turn),
});

/** A server, over stdio or HTTP. */
interface Served {
  readonly cpu: () => Promise<number>;
  readonly close: () => Promise<void>;
  readonly send: (method: string, params: unknown) => Promise<unknown>;
}

async function spent(served: Pick<Served, 'cpu'>, work: () => Promise<unknown>): Promise<number> {
  const before = await served.cpu();
  await work();
  return (await served.cpu()) - before;
}

async function overStdio(server: ServerCommand): Promise<Served> {
  const client = await open(server);
  const send = (method: string, params: unknown) => client.requestLine(method, params);
  return { cpu: () => client.cpu(), close: () => client.close(), send };
}

async function overHttp({ file, environment }: ServerCommand): Promise<Served> {
  const server = await HttpServerProcess.start([file, 'http', '--port', '0'], environment, 8);
  let id = 0;
  const send = (method: string, params: unknown) => {
    id += 1;
    // A ping has a connection of its own: behind a call it would wait for its answer.
    return server.post(method === 'ping' ? 0 : 1 + (id % 7), { id, method, params });
  };
  await send('tools/call', { name: 'list_campaigns', arguments: {} });
  return { cpu: () => server.cpu(), close: () => server.close(), send };
}

async function open(server: ServerCommand): Promise<RawClient> {
  const client = new RawClient(server);
  await client.initialize();
  await client.request('tools/call', { name: 'list_campaigns', arguments: {} });
  return client;
}

/** Prints the least CPU of each question beside the least of reading. */
async function compare(server: ServerCommand): Promise<void> {
  const client = await open(server);
  const costs = new Map<string, number>();
  const take = async (name: string, call: unknown) => {
    const cost = await spent(client, () => client.requestLine('tools/call', call));
    costs.set(name, Math.min(cost, costs.get(name) ?? Number.POSITIVE_INFINITY));
  };
  await client.requestLine('tools/call', reading());
  for (let turn = 0; turn < turns; turn += 1) {
    await take('reading', reading());
    for (const question of Object.entries(questions)) await take(question[0], asCall(question, turn));
  }
  const once = costs.get('reading') ?? Number.NaN;
  for (const [name, [goal]] of Object.entries(questions)) {
    const ratio = (costs.get(name) ?? Number.NaN) / once;
    console.log(
      `  ${name.padEnd(16)} ${ratio.toFixed(1).padStart(5)}  at most ${goal}  ${ratio <= goal ? 'ok' : 'over'}`,
    );
  }
  await client.close();
}

/** The most CPU that the server spends between a ping and its answer while some calls compute. */
async function longestWait({ send, ...served }: Served, calls: readonly unknown[]): Promise<number> {
  let [isDone, longest] = [false, 0];
  const computing = Promise.all(calls.map((call) => send('tools/call', call))).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    longest = Math.max(longest, await spent(served, () => send('ping', {})));
    await sleep(5);
  }
  await computing;
  await served.close();
  return longest;
}

/** What a call holds at most beyond the start and the bytes of the list, in MB. */
async function memoryOfCall(server: ServerCommand, call: unknown): Promise<number> {
  const list = await fetch(`${server.environment['TRACKER_URL']}/api/visitorstats/`, {
    method: 'POST',
    body: 'rec=1000000',
  });
  const bytes = (await list.arrayBuffer()).byteLength;
  const client = await open(server);
  const before = (await client.memory()) ?? Number.NaN;
  await client.requestLine('tools/call', call);
  const peak = (await client.peakMemory()) ?? Number.NaN;
  await client.close();
  return peak - before - bytes / 2 ** 20;
}

/** How long a call takes whose time is short, whether it fails, and the CPU of the half second that begins 100 ms after it. */
async function inShortTime(server: ServerCommand, call: unknown) {
  const client = await open({ ...server, environment: { ...server.environment, TRACKER_TIMEOUT_MS: `${timeoutMs}` } });
  const start = performance.now();
  const failure = await client.requestLine('tools/call', call).then(
    () => '',
    (error: Error) => error.message.slice(0, 80),
  );
  const took = performance.now() - start;
  await sleep(100);
  const after = await spent(client, () => sleep(500));
  await client.close();
  return { took, failure, after };
}

/** The CPU of a second that begins 200 ms after a computing call is cancelled. */
async function afterCancelling(server: ServerCommand, call: unknown): Promise<number> {
  const client = await open(server);
  client.requestLine('tools/call', call).catch(() => undefined);
  await sleep(1500);
  client.cancel();
  await sleep(200);
  const after = await spent(client, () => sleep(1000));
  await client.close();
  return after;
}

const judged = (value: number, max: number, unit = 'ms') =>
  `${value.toFixed(0)} ${unit}, at most ${max}: ${value <= max ? 'ok' : 'over'}`;

for (const [visits, campaigns] of accounts) {
  const { tracker, environment } = await startTracker('visits-tracker.js', `${visits}`, `${campaigns}`);
  const server: ServerCommand = {
    file: 'dist/cli.js',
    environment: { ...environment, TRACKER_TIMEOUT_MS: '120000', TRACKER_PAST_DAYS_DIR: 'none' },
  };
  try {
    console.log(`\n${visits.toLocaleString('en')} visits, ${campaigns} campaigns, CPU beside reading the list once:`);
    await compare(server);
    if (campaigns > 12 || visits < 50_000) continue;
    for (const question of Object.entries(questions)) {
      const [one, four] = [[0], [0, 1, 2, 3]].map((some) => some.map((turn) => asCall(question, turn)));
      for (const [way, begin] of [
        ['stdio', overStdio],
        ['HTTP', overHttp],
      ] as const)
        for (const calls of [one, four]) {
          const waited = await longestWait(await begin(server), calls ?? []);
          console.log(`  a ping over ${way} during ${calls?.length} ${question[0]}, CPU: ${judged(waited, maxWaitMs)}`);
        }
      const held = await memoryOfCall(server, asCall(question, 0));
      console.log(`  memory beyond the list of visits: ${judged(held, maxHeldMb, 'MB')}`);
      const { took, failure, after } = await inShortTime(server, asCall(question, 0));
      console.log(`  within ${timeoutMs} ms of time: ${judged(took, maxAnswerMs)}${failure && `; fails: ${failure}`}`);
      console.log(`  CPU after that answer: ${judged(after, maxIdleMs)}`);
      console.log(
        `  CPU after it is cancelled: ${judged(await afterCancelling(server, asCall(question, 1)), maxIdleMs)}`,
      );
    }
  } finally {
    tracker.kill();
  }
}
