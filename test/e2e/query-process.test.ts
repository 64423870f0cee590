import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { childrenOf, isThere, untilGone } from '../support/processes.ts';
import { greeting, message, toolCall } from './support/clients.ts';
import { startCli } from './support/run-cli.ts';

const tracker = await startForeignTracker({ stats: '{"offer":[{"Name":"A","Cost":"10"},{"Name":"B","Cost":"20"}]}' });

interface Message {
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}

/** A server over stdio, and the process that runs its queries. */
async function serveQueries() {
  const server = startCli([], { environment: { TRACKER_URL: tracker.url, TRACKER_API_KEY: 'query-secret-key' } });
  const exited = once(server, 'exit');
  const answers: Message[] = [];
  // Any other output fails the test.
  createInterface(server.stdout).on('line', (line) => answers.push(JSON.parse(line) as Message));
  const call = (id: number, name: string, given: object) => server.stdin.write(toolCall(id, name, given));
  const answerTo = async (id: number) => {
    for (;;) {
      const answer = answers.find((message) => message.id === id);
      if (answer) return answer.result?.content?.[0]?.text ?? '';
      await setTimeout(10);
    }
  };
  server.stdin.write(greeting());
  call(2, 'get_stats', { campaign_id: 7, reports: ['offer'] });
  await answerTo(2);
  call(3, 'query_report', { sql: 'SELECT sum("Cost") AS cost FROM offer' });
  expect(await answerTo(3)).toContain('30');
  const [pid = 0] = await childrenOf(server.pid ?? 0);
  /** Closes its input, and waits for its end. */
  const end = async () => {
    server.stdin.end();
    expect(await exited).toEqual([0, null]);
  };
  return { server, exited, answers, call, answerTo, pid, end };
}

/** A query that no server waits for. */
const endlessQuery = { sql: `SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))` };

test('other tools answer while a query runs, and a stopped query does not block the next one', async () => {
  const { answers, call, answerTo, end } = await serveQueries();
  call(4, 'query_report', endlessQuery);
  await setTimeout(100);
  call(5, 'get_stats', { campaign_id: 7, reports: ['offer'], limit: 1 });
  await answerTo(5);
  expect(answers.map(({ id }) => id)).not.toContain(4);
  expect(await answerTo(4)).toContain(
    'The query was stopped: it ran longer than 5 s. Ask for less: filter or group earlier.',
  );
  call(6, 'query_report', { sql: 'SELECT max("Cost") AS cost FROM offer' });
  expect(await answerTo(6)).toContain('20');
  await end();
});

test('if the process dies during a query, a new one runs the query', async () => {
  const { call, answerTo, pid, end } = await serveQueries();
  call(4, 'query_report', { sql: 'SELECT sum(a.range * b.range) AS s FROM range(20000) a, range(10000) b' });
  await setTimeout(150);
  process.kill(pid, 'SIGSEGV');
  await untilGone(pid);
  // On a busy machine it may take too long; the death is not reported.
  expect(await answerTo(4)).toMatch(/9998500050000000|it ran longer than 5 s/);
  await end();
});

test('a query that its client cancels is stopped', async () => {
  const { server, answers, call, answerTo, pid, end } = await serveQueries();
  // A busy machine may cancel a query before it runs; then the next round tries again.
  for (let [id, pause] = [10, 300]; await isThere(pid); id += 1, pause *= 2) {
    call(id, 'query_report', endlessQuery);
    await setTimeout(pause);
    server.stdin.write(message({ method: 'notifications/cancelled', params: { requestId: id } }));
    await Promise.race([untilGone(pid), setTimeout(2000)]);
  }
  call(4, 'query_report', { sql: 'SELECT max("Cost") AS cost FROM offer' });
  expect(await answerTo(4)).toContain('20');
  expect(answers.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  await end();
});

test.each(['closes its input', 'is killed with the server'] as const)(
  'if a client %s during a query, the process of the query ends early',
  async (how) => {
    const { server, exited, call, answerTo, pid } = await serveQueries();
    call(4, 'query_report', endlessQuery);
    await setTimeout(300);
    // Alone it would run for minutes, and the server would report that it ran longer than 5 s.
    if (how === 'closes its input') {
      server.stdin.end();
      expect(await answerTo(4)).toContain('stopped: the server is shutting down');
    } else server.kill('SIGKILL');
    await untilGone(pid);
    await exited;
  },
);

test('a server whose client has hung up does not wait for the process of its queries', async () => {
  const { pid, end } = await serveQueries();
  await end();
  await untilGone(pid);
});
