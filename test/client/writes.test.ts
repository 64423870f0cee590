import { expect, test } from 'vitest';
import { CallClock } from '../../src/api/deadline.ts';
import { failuresToOpen } from '../../src/client/circuit.ts';
import { apiKey, clientOf, endpoint, sendWrite, startTracker, works, worksAfter } from './http-tracker.ts';

const addOffer = endpoint('add_offer');
const editPage = endpoint('edit_campaign_page');
const nothingSent = { outcome: 'not-sent', message: expect.stringMatching(/Nothing was sent/) };

test('identical writes are separate requests', async () => {
  const tracker = await startTracker(works);
  const client = clientOf(tracker.url);
  await Promise.all([sendWrite(client, addOffer, { name: 'x' }), sendWrite(client, addOffer, { name: 'x' })]);
  expect(tracker.requests).toHaveLength(2);
});

test('every write has a new connection, which cannot be stale', async () => {
  const ports = new Set<number | undefined>();
  const tracker = await startTracker((response, request, socket) => {
    ports.add(socket.remotePort);
    works(response, request, socket);
    // The tracker closes the idle connection at the worst moment.
    response.once('finish', () => setImmediate(() => socket.destroy()));
  });
  const client = clientOf(tracker.url);
  for (let write = 0; write < 5; write += 1) await sendWrite(client, editPage, { share: String(write) });
  expect(tracker.requests).toHaveLength(5);
  expect(ports.size).toBe(5);
});

test('a tracker that vanishes and comes back is found again', async () => {
  const tracker = await startTracker(works);
  const client = clientOf(tracker.url);
  await client.read('list_campaigns', {});
  await tracker.stop();
  await expect(client.read('list_campaigns', {})).rejects.toMatchObject({ outcome: 'not-sent' });
  await expect(sendWrite(client, editPage, {})).rejects.toMatchObject({
    outcome: 'not-sent',
    message: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)\. Nothing was sent, so it is safe to repeat\./),
  });
  const again = await startTracker(works, { port: Number(new URL(tracker.url).port) });
  await expect(sendWrite(client, editPage, {})).resolves.toBeDefined();
  await expect(client.read('list_campaigns', {})).resolves.toBeDefined();
  expect(again.requests).toHaveLength(2);
});

test('a write that is cancelled after it was sent is unknown, and its connection is closed', async () => {
  const controller = new AbortController();
  const tracker = await startTracker(() => controller.abort());
  await expect(sendWrite(clientOf(tracker.url), editPage, {}, { signal: controller.signal })).rejects.toMatchObject({
    outcome: 'unknown',
    message: expect.stringMatching(/The call was cancelled\. It was not sent again\. Look with get_stats first/),
  });
  await tracker.closedByClient();
});

test('a failure with an unknown outcome shows the request, short and without the key, and says where to look', async () => {
  const tracker = await startTracker((response) => response.writeHead(500).end());
  const failure = await sendWrite(clientOf(tracker.url), addOffer, { name: 'Gym', notes: 'n'.repeat(9000) }).catch(
    (error: Error) => error.message,
  );
  expect(failure).toContain('(api/offer/add: key=*** format=json name=Gym notes=nnn');
  expect(failure).toMatch(/look in the tracker itself first, and repeat it only if the change is not there/);
  expect(failure).not.toContain(apiKey);
  expect(String(failure).length).toBeLessThan(1000);
});

test('a write with too little time for its answer is not sent', async () => {
  const tracker = await startTracker(works);
  const client = clientOf(tracker.url, { timeoutMs: 20_000 });
  // Enough to open the circuit if these counted as failures.
  for (let write = 0; write < failuresToOpen; write += 1) {
    const late = client.forCall(new CallClock(19_100));
    await expect(sendWrite(late, editPage, { share: '1' })).rejects.toMatchObject(nothingSent);
  }
  expect(tracker.requests).toHaveLength(0);
  await sendWrite(client.forCall(new CallClock(5000)), editPage, { share: '2' });
  expect(tracker.requests).toHaveLength(1);
});

test('a write whose time is over while it waits for another is not sent', async () => {
  const tracker = await startTracker(worksAfter(4000));
  const client = clientOf(tracker.url, { timeoutMs: 1500 });
  const first = sendWrite(client, editPage, { share: '1' });
  const second = sendWrite(client, editPage, { share: '2' });
  await expect(first).rejects.toMatchObject({ outcome: 'unknown' });
  await expect(second).rejects.toMatchObject(nothingSent);
  expect(tracker.requests.map(({ parameters }) => parameters['share'])).toEqual(['1']);
});

test('a write that is cancelled while it waits for another is not sent', async () => {
  const controller = new AbortController();
  const tracker = await startTracker((...call) => {
    controller.abort();
    return worksAfter(150)(...call);
  });
  const client = clientOf(tracker.url);
  const first = sendWrite(client, editPage, { share: '1' });
  const second = sendWrite(client, editPage, { share: '2' }, { signal: controller.signal });
  const message = 'The call was cancelled. Nothing was sent.';
  await expect(second).rejects.toMatchObject({ outcome: 'cancelled', message });
  await expect(first).resolves.toBeDefined();
  expect(tracker.requests).toHaveLength(1);
});
