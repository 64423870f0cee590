import { afterEach, expect, test, vi } from 'vitest';
import { Circuit, CircuitOpen } from '../../src/client/circuit.ts';
import { CallEnded, StatusProblem } from '../../src/client/errors.ts';
import { TransportError } from '../../src/client/http.ts';
import { clientOf, endpoint, sendWrite, startTracker, works } from './http-tracker.ts';

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
  const fail = (error: unknown = new StatusProblem(500)) =>
    circuit.run(failing(error)).catch((thrown: unknown) => thrown);
  const open = async () => {
    for (let failure = 0; failure < 4; failure += 1) await fail();
  };
  return { circuit, clock, fail, open };
}

test('after four failures in a row nothing is run, and the refusal counts down', async () => {
  const { circuit, clock, open } = testCircuit();
  await open();
  const run = vi.fn(async () => 'ran');
  await expect(circuit.run(run)).rejects.toMatchObject({ retryInS: 10 });
  clock.ms += 6500;
  await expect(circuit.run(run)).rejects.toMatchObject({ retryInS: 4 });
  expect(run).not.toHaveBeenCalled();
});

test('after some seconds one call is let through alone, and its success lets all through', async () => {
  const { circuit, clock, open } = testCircuit();
  await open();
  clock.ms += 10_000;
  let finish = (_: string) => {};
  const trial = circuit.run(() => new Promise<string>((resolve) => (finish = resolve)));
  await expect(circuit.run(async () => 'other')).rejects.toThrow(CircuitOpen);
  finish('answer');
  await expect(trial).resolves.toBe('answer');
  await expect(circuit.run(async () => 'other')).resolves.toBe('other');
});

test('a trial that fails closes the way again', async () => {
  const { circuit, clock, fail, open } = testCircuit();
  await open();
  clock.ms += 10_000;
  expect(await fail()).toBeInstanceOf(StatusProblem);
  await expect(circuit.run(async () => 'ran')).rejects.toMatchObject({ retryInS: 10 });
});

test('a trial that is cancelled leaves the next one to try', async () => {
  const { circuit, clock, fail, open } = testCircuit();
  await open();
  clock.ms += 10_000;
  await fail(new CallEnded('cancelled'));
  await expect(circuit.run(async () => 'ran')).resolves.toBe('ran');
});

test('what counts as a failure of the tracker', async () => {
  const opens = async (error: unknown) => {
    const { circuit, fail } = testCircuit();
    for (let failure = 0; failure < 4; failure += 1) await fail(error);
    return circuit.run(async () => false).catch((thrown) => thrown instanceof CircuitOpen);
  };
  expect(await opens(new StatusProblem(502))).toBe(true);
  expect(await opens(new TransportError('not-sent', 'ECONNREFUSED'))).toBe(true);
  expect(await opens(new TransportError('lost', 'ECONNRESET'))).toBe(true);
  expect(await opens(new CallEnded('deadline'))).toBe(true);
  expect(await opens(new TransportError('not-sent', new CallEnded('deadline')))).toBe(true);
  expect(await opens(new CallEnded('cancelled'))).toBe(false);
  expect(await opens(new TransportError('not-sent', new CallEnded('cancelled')))).toBe(false);
  expect(await opens(new StatusProblem(429))).toBe(false);
  expect(await opens(new StatusProblem(404))).toBe(false);
  expect(await opens(new TransportError('too-large', 'x'))).toBe(false);
});

test('one success in between starts the count anew', async () => {
  const { circuit, fail } = testCircuit();
  for (const _ of [1, 2, 3]) await fail();
  await circuit.run(async () => 'ran');
  for (const _ of [1, 2, 3]) await fail();
  await expect(circuit.run(async () => 'ran')).resolves.toBe('ran');
});

test('a tracker that is down is spared: reads and writes are refused unsent, until it is tried again', async () => {
  let isDown = true;
  const tracker = await startTracker((response, request, socket) =>
    isDown ? response.writeHead(500).end() : works(response, request, socket),
  );
  const client = clientOf(tracker.url);
  vi.useFakeTimers({ toFake: ['Date'] });
  const write = () => sendWrite(client, endpoint('edit_campaign_page'), {});
  for (let failure = 0; failure < 4; failure += 1) await expect(write()).rejects.toMatchObject({ outcome: 'unknown' });
  const refusal = {
    outcome: 'not-sent',
    message: expect.stringMatching(
      /has failed several times in a row, so nothing was sent\. It is tried again in 10 s; repeat the call then\./,
    ),
  };
  await expect(write()).rejects.toMatchObject(refusal);
  await expect(client.read(endpoint('list_campaigns'), {})).rejects.toMatchObject(refusal);
  expect(tracker.requests).toHaveLength(4);
  vi.setSystemTime(Date.now() + 10_000);
  isDown = false;
  await expect(client.read(endpoint('list_campaigns'), {})).resolves.toBeDefined();
  await expect(write()).resolves.toBeDefined();
  expect(tracker.requests).toHaveLength(6);
});
