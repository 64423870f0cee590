import { afterEach, expect, test, vi } from 'vitest';
import { CallCancelledError } from '../../src/api/deadline.ts';
import { Circuit, CircuitOpen, failuresToOpen } from '../../src/client/circuit.ts';
import { StatusProblem, TransportError } from '../../src/client/errors.ts';
import { QueueTimeoutError } from '../../src/client/queue.ts';
import { type Answer, apiKey, clientOf, endpoint, sendWrite, startTracker, works } from './http-tracker.ts';

afterEach(() => {
  vi.useRealTimers();
});

const failing = (error: unknown) => async () => {
  throw error;
};

/** A circuit on a clock of its own. */
function testCircuit() {
  const clock = { ms: 0 };
  const circuit = new Circuit(() => clock.ms);
  const fail = async (error: unknown = new StatusProblem(500), times = 1) => {
    const failures: unknown[] = [];
    while (failures.length < times) failures.push(await circuit.run('stats', failing(error)).catch((thrown) => thrown));
    return failures[0];
  };
  const ask = (path = 'stats') => circuit.run(path, async () => 'ran');
  return { circuit, clock, fail, ask, open: () => fail(undefined, failuresToOpen) };
}

test('after four failures in a row calls are refused, and the refusal counts down', async () => {
  const { circuit, clock, open } = testCircuit();
  await open();
  const run = vi.fn(async () => 'ran');
  await expect(circuit.run('stats', run)).rejects.toMatchObject({ retryInS: 10 });
  clock.ms += 6500;
  await expect(circuit.run('stats', run)).rejects.toMatchObject({ retryInS: 4 });
  expect(run).not.toHaveBeenCalled();
});

test('after some seconds one call is let through, and its success closes the circuit', async () => {
  const { circuit, clock, open } = testCircuit();
  await open();
  clock.ms += 10_000;
  let finish = (_: string) => {};
  const trial = circuit.run('stats', () => new Promise<string>((resolve) => (finish = resolve)));
  await expect(circuit.run('stats', async () => 'another')).rejects.toThrow(CircuitOpen);
  finish('answer');
  await expect(trial).resolves.toBe('answer');
  await expect(circuit.run('stats', async () => 'another')).resolves.toBe('another');
});

test('a trial that fails opens the circuit again', async () => {
  const { ask, clock, fail, open } = testCircuit();
  await open();
  clock.ms += 10_000;
  expect(await fail()).toBeInstanceOf(StatusProblem);
  await expect(ask()).rejects.toMatchObject({ retryInS: 10 });
});

test('after a cancelled trial the next call is the trial', async () => {
  const { ask, clock, fail, open } = testCircuit();
  await open();
  clock.ms += 10_000;
  await fail(new CallCancelledError('cancelled'));
  await expect(ask()).resolves.toBe('ran');
});

const notSent = (cause: unknown) => new TransportError('not-sent', cause);
const [timedOut, cancelled] = [new CallCancelledError('deadline'), new CallCancelledError('cancelled')];

test.each<[error: unknown, skipped: CircuitOpen['skipped'] | undefined]>([
  [new StatusProblem(502), 'endpoint'],
  [new TransportError('lost', 'ECONNRESET'), 'endpoint'],
  [timedOut, 'endpoint'],
  [notSent('ECONNREFUSED'), 'tracker'],
  [notSent(timedOut), 'tracker'],
  [new QueueTimeoutError(timedOut), undefined],
  [cancelled, undefined],
  [notSent(cancelled), undefined],
  [new StatusProblem(429), undefined],
  [new StatusProblem(404), undefined],
  [new TransportError('too-large', 'x'), undefined],
])('repeated, %s opens the circuit of: %s', async (error, skipped) => {
  const { fail, ask } = testCircuit();
  await fail(error, failuresToOpen);
  const outcomes = await Promise.allSettled([ask('stats'), ask('campaign/list')]);
  const open = { status: 'rejected', reason: { skipped } };
  const ran = { status: 'fulfilled', value: 'ran' };
  expect(outcomes).toMatchObject([skipped ? open : ran, skipped === 'tracker' ? open : ran]);
});

test('a success in between restarts the count', async () => {
  const { ask, fail } = testCircuit();
  await fail(undefined, failuresToOpen - 1);
  await ask();
  await fail(undefined, failuresToOpen - 1);
  await expect(ask()).resolves.toBe('ran');
});

test('failures to reach the tracker count whichever endpoint was asked, and any answer ends them', async () => {
  const { circuit, clock, ask } = testCircuit();
  for (const path of ['stats', 'conversions', 'campaign/list', 'campaign/edit']) {
    await expect(circuit.run(path, failing(notSent('ECONNREFUSED')))).rejects.toThrow('ECONNREFUSED');
  }
  await expect(ask('ts/list')).rejects.toMatchObject({ skipped: 'tracker' });
  clock.ms += 10_000;
  await expect(circuit.run('ts/list', failing(new StatusProblem(500)))).rejects.toThrow('HTTP 500');
  await expect(ask('stats')).resolves.toBe('ran');
});

/** A tracker that never answers reports, but answers lists. */
const slowReports: Answer = (response, request, socket) =>
  request.url.includes('stats') ? undefined : works(response, request, socket);

test('reports that time out, sent or not, are refused after a while, and other tools still work', async () => {
  const tracker = await startTracker(slowReports);
  // The first call loads modules.
  await clientOf(tracker.url).read('list_campaigns', {});
  const client = clientOf(tracker.url, { timeoutMs: 2000 });
  const ask = (camp: number) => client.read('get_stats', { campaign_id: camp });
  // More than there are turns: most of them wait until their time is over.
  const questions = Array.from({ length: 16 }, (_, camp) => ask(camp).catch(({ outcome }) => outcome));
  expect(new Set(await Promise.all(questions))).toEqual(new Set(['failed']));
  await expect(client.read('list_campaigns', {})).resolves.toBeDefined();
  // A call that waited may have been sent in the last millisecond.
  await expect(ask(17)).rejects.toMatchObject({ outcome: expect.stringMatching(/^(failed|not-sent)$/) });
  const asked = tracker.requests.length;
  await expect(ask(18)).rejects.toMatchObject({
    outcome: 'not-sent',
    message: expect.stringMatching(/stats\/ has failed several times in a row.*ask for less/),
  });
  expect(tracker.requests).toHaveLength(asked);
  await expect(client.read('list_campaigns', {})).resolves.toBeDefined();
  await expect(sendWrite(client, endpoint('edit_campaign_page'), {})).resolves.toBeDefined();
});

test('a slow start of a tracker does not open the circuit', async () => {
  const tracker = await startTracker(works);
  await clientOf(tracker.url).read('list_campaigns', {});
  let start = (_: { url: string; apiKey: string }) => {};
  const started = new Promise<{ url: string; apiKey: string }>((resolve) => (start = resolve));
  const client = clientOf('', { timeoutMs: 2000, tracker: () => started });
  const ask = (camp: number) => client.read('list_conversions', { campaign_id: camp });
  // Reads and writes wait for the start until their deadline.
  await expect(sendWrite(client, endpoint('edit_campaign_page'), {})).rejects.toMatchObject({ outcome: 'not-sent' });
  const early = Array.from({ length: 6 }, (_, camp) => ask(camp).catch(({ outcome }) => outcome));
  expect(new Set(await Promise.all(early))).toEqual(new Set(['failed']));
  start({ url: tracker.url, apiKey });
  await expect(ask(7)).resolves.toBeDefined();
});

const skipped = (problem: string) => ({
  outcome: 'not-sent',
  message: expect.stringContaining(
    `${problem} several times in a row, so nothing was sent. It is tried again in 10 s; repeat the call then.`,
  ),
});

test('an endpoint that fails is skipped until it is tried again', async () => {
  let isDown = true;
  const tracker = await startTracker((response, request, socket) =>
    isDown ? response.writeHead(500).end() : works(response, request, socket),
  );
  const client = clientOf(tracker.url);
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const write = () => sendWrite(client, endpoint('edit_campaign_page'), {});
  for (let failure = 0; failure < 4; failure += 1) await expect(write()).rejects.toMatchObject({ outcome: 'unknown' });
  await expect(write()).rejects.toMatchObject(skipped('editpage/ has failed'));
  expect(tracker.requests).toHaveLength(4);
  vi.setSystemTime(Date.now() - 5 * 3_600_000);
  vi.advanceTimersByTime(10_000);
  isDown = false;
  await expect(write()).resolves.toBeDefined();
  expect(tracker.requests).toHaveLength(5);
});

test('a tracker that cannot be reached is skipped: reads and writes are refused, until it is tried again', async () => {
  const gone = await startTracker(works);
  await gone.stop();
  const client = clientOf(gone.url);
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const write = () => sendWrite(client, endpoint('edit_campaign_page'), {});
  for (let failure = 0; failure < 4; failure += 1) await expect(write()).rejects.toMatchObject({ outcome: 'not-sent' });
  const back = await startTracker(works, { port: Number(new URL(gone.url).port) });
  await expect(write()).rejects.toMatchObject(skipped('could not be reached'));
  await expect(client.read('list_campaigns', {})).rejects.toMatchObject(skipped('could not be reached'));
  expect(back.requests).toEqual([]);
  vi.advanceTimersByTime(10_000);
  await expect(client.read('list_campaigns', {})).resolves.toBeDefined();
  await expect(write()).resolves.toBeDefined();
});
