import { setTimeout as sleep } from 'node:timers/promises';
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
const [maxWaitMs, timeoutMs, maxAnswerMs, maxIdleMs] = [50, 2000, 3000, 20];

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

async function spent(client: RawClient, work: () => Promise<unknown>): Promise<number> {
  const before = await client.cpu();
  await work();
  return (await client.cpu()) - before;
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
async function longestWait(server: ServerCommand, calls: readonly unknown[]): Promise<number> {
  const client = await open(server);
  let [isDone, longest] = [false, 0];
  const computing = Promise.all(calls.map((call) => client.requestLine('tools/call', call))).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    longest = Math.max(longest, await spent(client, () => client.requestLine('ping', {})));
    await sleep(5);
  }
  await computing;
  await client.close();
  return longest;
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

const judged = (value: number, max: number) =>
  `${value.toFixed(0)} ms, at most ${max}: ${value <= max ? 'ok' : 'over'}`;

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
      console.log(`  a ping during ${question[0]}, CPU: ${judged(await longestWait(server, one ?? []), maxWaitMs)}`);
      console.log(`  a ping during four, CPU: ${judged(await longestWait(server, four ?? []), maxWaitMs)}`);
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
