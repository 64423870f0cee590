import { inspect } from 'node:util';
import { serialize } from 'node:v8';
import { expect, onTestFinished, test, vi } from 'vitest';
import { requestLine } from '../../src/api/endpoints.ts';
import type { TrackerClient } from '../../src/client/tracker-client.ts';
import { toPlainReply } from '../support/tables.ts';
import { apiKey, clientOf, endpoint, sendWrite, startTracker, works } from './http-tracker.ts';

const editPage = endpoint('edit_campaign_page');

test('with method get the parameters are in the query', async () => {
  const tracker = await startTracker(works);
  await clientOf(tracker.url, { method: 'get' }).read('list_campaigns', { status: 'active' });
  const [request] = tracker.requests;
  expect(request).toMatchObject({ method: 'GET', body: '', parameters: { key: apiKey, format: 'json', active: '1' } });
  expect(request?.url).toMatch(/^\/api\/campaign\/list\/\?/);
  expect(request?.headers['content-type']).toBeUndefined();
});

test('the configured format is requested', async () => {
  const xml = '<Response><Rows><Row><ID>4</ID></Row></Rows></Response>';
  const tracker = await startTracker((response) => response.end(xml));
  const { reply } = await clientOf(tracker.url, { format: 'xml' }).read('list_campaigns', {});
  expect(tracker.requests[0]?.parameters['format']).toBe('xml');
  expect(toPlainReply(reply)).toMatchObject({ tables: [{ columns: ['ID'], rows: [['4']] }] });
});

test('a tracker in a subfolder is asked there', async () => {
  const tracker = await startTracker(works);
  await clientOf(`${tracker.url}/my/tracker`).read('list_campaigns', {});
  expect(tracker.requests[0]?.url).toBe('/my/tracker/api/campaign/list/');
});

test('a request cannot be changed after it was shown', async () => {
  const client = clientOf('http://127.0.0.1:9');
  const request = client.request(editPage, { campaign_id: 4, share: 80 });
  expect(() => Object.assign(request.shown, { share: '100' })).toThrow(TypeError);
  expect(() => Object.assign(request.arguments, { share: 100 })).toThrow(TypeError);
});

test.each(['post', 'get'] as const)('a printed or stored %s request does not show the key', async (method) => {
  const tracker = await startTracker(works);
  const client = clientOf(tracker.url, { method });
  const request = client.request(editPage, { campaign_id: 4, share: 80 });
  await client.write(request);
  const shown = [
    inspect(request, { showHidden: true, depth: 20 }),
    JSON.stringify(request),
    String(request),
    requestLine(request.endpoint.path, request.shown),
    request.question,
    request.addressAt(tracker.url),
    serialize({ ...request.shown }).toString('latin1'),
  ].join();
  const inForm = new URLSearchParams({ apiKey }).toString().slice(7);
  for (const written of [apiKey, encodeURIComponent(apiKey), inForm]) expect(shown).not.toContain(written);
});

test('the tracker is started once, at the first call', async () => {
  const tracker = await startTracker(works);
  const reach = vi.fn(async () => ({ url: tracker.url, apiKey }));
  const client = clientOf('', { tracker: reach });
  expect(reach).not.toHaveBeenCalled();
  await client.read('list_campaigns', {});
  await sendWrite(client, editPage, {});
  expect(reach).toHaveBeenCalledTimes(1);
});

test('a tracker that failed to start is started again by the next call', async () => {
  const tracker = await startTracker(works);
  const reach = vi.fn(async () => ({ url: tracker.url, apiKey })).mockRejectedValueOnce(new Error('no room'));
  const client = clientOf('', { tracker: reach });
  await expect(client.read('list_campaigns', {})).rejects.toThrow('no room');
  await expect(client.read('list_campaigns', {})).resolves.toBeDefined();
});

test('a system with too little address space is reported at the start, not blamed on the tracker', () => {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: () => unknown } };
  const memory = vi.spyOn(WebAssembly, 'Memory').mockImplementation(() => {
    throw new RangeError('WebAssembly.Memory(): could not allocate memory');
  });
  onTestFinished(() => memory.mockRestore());
  const advice = /limits its address space.*ulimit -v.*NODE_OPTIONS=--disable-wasm-trap-handler/;
  expect(() => clientOf('http://127.0.0.1:9')).toThrow(advice);
});

test('a read is typed by its endpoint: argument names, required ones, and the reply', () => {
  const check = (client: TrackerClient) => {
    // @ts-expect-error camp is the wire's name
    client.read('list_visitors', { camp: 4 });
    // @ts-expect-error a report is of one campaign
    client.read('get_stats', { reports: ['offer'] });
    // @ts-expect-error there is no such report
    client.read('get_stats', { campaign_id: 4, reports: ['offers'] });
    // @ts-expect-error a write is not read
    client.read('edit_campaign', { campaign_id: 4 });
    return client.read('lookup_subid', { subid: '7' }).then(({ reply }) => reply.groups);
  };
  expect(check).toBeTypeOf('function');
});
