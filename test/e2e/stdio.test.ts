import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { readAuditLog } from '../../src/guard/read-audit-log.ts';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { signals } from '../support/system.ts';
import { greeting, message, startClient, toolCall } from './support/clients.ts';
import { runCli, sharedSandbox, startCli } from './support/run-cli.ts';
import { terminals } from './support/terminal.ts';

interface Line {
  readonly jsonrpc: string;
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
}

/** Every line of stdout as a message; fails on anything else. */
function messages(stdout: string): readonly Line[] {
  expect(stdout.endsWith('\n')).toBe(true);
  const lines: Line[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines) expect(line.jsonrpc).toBe('2.0');
  return lines;
}

/** A tracker that holds each request to one path, and what lets the held ones through. */
async function startHoldingTracker(path: string) {
  const waiting: (() => void)[] = [];
  const { url } = await startForeignTracker({
    'campaign/list': '[]',
    [path]: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { body: 'OK' };
    },
  });
  return { waiting, environment: { TRACKER_URL: url, TRACKER_API_KEY: 'stdio-secret-key' } };
}

/** Starts a server, greets it, and waits for its answer. */
async function startGreeted(...given: Parameters<typeof startCli>) {
  const server = startCli(...given);
  const exited = once(server, 'exit');
  server.stdin.write(greeting());
  await once(server.stdout, 'data');
  return { server, exited };
}

test('a client over stdio reads and writes, and never gets the key', async () => {
  const key = 'foreign-secret-key';
  const foreign = await startForeignTracker({
    'campaign/list': `<b>Deprecated</b>: trim()<br />[{"campaign_id":"7","title":"Seven","k":"${key}"}]`,
    'campaign/edit': 'OK',
    'ts/list': () => ({ status: 403, body: '<html><title>Log in</title><input type="password"></html>' }),
  });
  const { call } = await startClient({ TRACKER_URL: foreign.url, TRACKER_API_KEY: key });
  const results = [
    await call('list_campaigns'),
    await call('edit_campaign', { campaign_id: 7, bid: 0.5 }),
    await call('list_traffic_sources'),
  ];
  expect(results.map(({ isError = false }) => isError)).toEqual([false, false, true]);
  expect(JSON.stringify(results)).toContain('Seven');
  expect(JSON.stringify(results)).not.toContain(key);
  for (const { method, query, sent } of foreign.taken())
    expect([method, query, sent['key']]).toEqual(['POST', '', key]);
});

test.each([
  ['its side of both pipes', true],
  ['only the pipe of the answers', false],
])(
  'the writes of a client that is gone and closed %s finish, with their outcomes in the audit trail',
  async (_, closesInput) => {
    const { waiting, environment } = await startHoldingTracker('campaign/edit');
    const log = join(await newFolder(), 'writes.jsonl');
    const { server, exited } = await startGreeted([], { environment: { ...environment, TRACKER_AUDIT_LOG: log } });
    for (const id of [2, 3, 4]) server.stdin.write(toolCall(id, 'edit_campaign', { campaign_id: id, bid: 0.5 }));
    const begun = async () => (await readAuditLog(log).catch(() => ({ writes: [] }))).writes.length;
    while (waiting.length === 0 || (await begun()) < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    server.stdout.destroy();
    if (closesInput) server.stdin.destroy();
    const letThrough = setInterval(() => waiting.shift()?.(), 10);
    expect(await exited).toEqual([0, null]);
    clearInterval(letThrough);
    const { writes } = await readAuditLog(log);
    expect(writes.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  },
);

test('many unread answers leave nothing on stderr', async () => {
  const { waiting, environment } = await startHoldingTracker('lp/add');
  const { server, exited } = await startGreeted([], { environment });
  const ended = Promise.all([exited, text(server.stderr)]);
  const page = { name: 'Page', url: 'https://example.com' };
  for (let id = 2; id < 42; id += 1) server.stdin.write(toolCall(id, 'add_landing_page', page));
  while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  server.stdout.destroy();
  const letThrough = setInterval(() => waiting.shift()?.(), 5);
  expect(await ended).toEqual([[0, null], '']);
  clearInterval(letThrough);
});

describe('the process', async () => {
  const foreign = await startForeignTracker({ 'campaign/list': '[]' });
  test('writes only messages to stdout, answers the last call after its client has hung up, and exits 0', async () => {
    const input = `${greeting()}not a message\n${toolCall(2, 'list_campaigns')}${toolCall(3, 'get_stats')}`;
    const { code, stdout } = await runCli([], { environment: sharedSandbox(), input });
    expect(code).toBe(0);
    const answers = messages(stdout);
    expect(answers.flatMap(({ id }) => id ?? []).sort()).toEqual([1, 2, 3]);
    expect(answers.find(({ id }) => id === 3)?.result?.isError).toBe(true);
  });

  test.each([
    ['its input', false],
    ['its input and output', true],
  ])('ends without the write if a client closes %s during a question', async (_, isOutputClosed) => {
    const environment = { TRACKER_URL: foreign.url, TRACKER_API_KEY: 'stdio-secret-key', TRACKER_CONFIRM: 'elicit' };
    const server = startCli([], { environment });
    const ended = Promise.all([once(server, 'exit'), text(server.stderr)]);
    server.stdin.write(greeting({ elicitation: {} }) + toolCall(2, 'edit_campaign', { campaign_id: 1, bid: 1 }));
    const answers: (Line & { readonly method?: string })[] = [];
    for await (const line of createInterface(server.stdout)) {
      const answer = JSON.parse(line) as (typeof answers)[number];
      answers.push(answer);
      if (answer.method !== 'elicitation/create') continue;
      server.stdin.end();
      if (!isOutputClosed) continue;
      server.stdout.destroy();
      break;
    }
    expect(await ended).toEqual([[0, null], '']);
    if (!isOutputClosed) expect(answers.find(({ id, result }) => id === 2 && result)?.result?.isError).toBe(true);
    expect(foreign.writes()).toEqual([]);
  });

  test.each(signals)('ends with exit code 0 on %s', async (signal) => {
    const { server, exited } = await startGreeted([], { environment: sharedSandbox() });
    server.kill(signal);
    expect(await exited).toEqual([0, null]);
  });
});

describe('the process without a tracker', () => {
  test('lists its tools, and answers each call with the two ways to set one', async () => {
    const { client, call } = await startClient({ TRACKER_CONFIRM: 'approve' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['get_overview', 'set_shares']));
    const results = [
      await call('get_overview'),
      await call('get_stats', { unknown: true }),
      await call('list_changes'),
      await call('edit_campaign', { campaign_id: 1, bid: 1 }),
    ];
    for (const { isError, content } of results) {
      expect(isError).toBe(true);
      expect(content).toMatchObject([{ text: expect.stringMatching(/TRACKER_URL[\s\S]*--sandbox[\s\S]*install/) }]);
    }
    await expect(client.readResource({ uri: 'tracker://campaigns' })).rejects.toThrow('TRACKER_URL');
    expect((await client.readResource({ uri: 'tracker://glossary' })).contents).toHaveLength(1);
  });

  test('exits 2 if its input ends before the first message, and 0 afterwards', async () => {
    const without = await runCli([]);
    expect(without).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('There are two ways') });
    const { code, stdout, stderr } = await runCli([], { input: greeting() + toolCall(2, 'list_campaigns') });
    expect(code).toBe(0);
    expect(messages(stdout)).toHaveLength(2);
    expect(stderr.match(/No tracker is set/g)).toHaveLength(1);
  });

  test('does not start with any other mistake', async () => {
    const input = greeting();
    const { code, stdout } = await runCli([], { environment: { TRACKER_MAX_BID: 'much' }, input });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test.each(terminals)('exits 2 at a terminal', async (onTerminal) => {
    const { code, shown } = await onTerminal([], {});
    expect({ code, shown }).toEqual({ code: 2, shown: expect.stringContaining('There are two ways') });
  });
});

describe('the process with --sandbox', () => {
  /** Making sample data takes long on a busy machine. */
  const patient = { TRACKER_TIMEOUT_MS: '300000' };
  const answers: Line[] = [];
  /** If the tracker blocked the thread of the server, there would only be time for a few. */
  const enoughPings = 100;
  let pings = 0;
  let readyAfterMs = 0;

  /** Its client calls at once, and pings until the call is answered or there were enough. */
  beforeAll(async () => {
    const startedAt = performance.now();
    const server = startCli(['--sandbox'], { environment: patient });
    const exited = once(server, 'exit');
    // A day that has just begun has a visit or none, perhaps without a keyword.
    server.stdin.write(greeting() + toolCall(2, 'get_stats', { campaign_id: 1, period: 'last_7_days' }));
    const ping = () => server.stdin.write(message({ id: 100 + ++pings, method: 'ping' }));
    for await (const text of createInterface(server.stdout)) {
      const line = JSON.parse(text) as Line;
      const { id = 0 } = line;
      if (id < 100) answers.push(line);
      if (id === 2) {
        readyAfterMs = performance.now() - startedAt;
        server.stdin.end();
      } else if (!server.stdin.writableEnded && pings < enoughPings && (id === 1 || id === 100 + pings)) ping();
    }
    expect(await exited).toEqual([0, null]);
  });

  test('initializes before the sample data exists, and the first call waits for it', () => {
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[1]?.result?.content?.[0]?.text).toContain('Keyword\tViews');
  });

  test('answers pings while the sample data is made', () => {
    expect(pings).toBe(enoughPings);
  });

  test('ends if its client hangs up before it has called', async () => {
    const { server, exited } = await startGreeted(['--sandbox']);
    server.stdin.end();
    const before = performance.now();
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - before).toBeLessThan(readyAfterMs);
  });

  test('answers a request that waits for the embedded tracker after its client has hung up', async () => {
    const read = message({ id: 2, method: 'resources/read', params: { uri: 'tracker://campaigns' } });
    const input = greeting() + read;
    const { code, stdout } = await runCli(['--sandbox'], { environment: patient, input });
    expect(code).toBe(0);
    expect(stdout).toContain('"id":2');
    expect(stdout).toContain('Home fitness');
  });
});
