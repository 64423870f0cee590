import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { isProxied } from '../../src/client/probe.ts';
import { runCli } from '../e2e/support/run-cli.ts';
import { listening } from '../support/listening.ts';
import { clientOf, endpoint, sendWrite, startTracker, works } from './http-tracker.ts';

const editPage = endpoint('edit_campaign_page');

afterEach(() => void vi.unstubAllEnvs());

/** A proxy that leads every host to one port of this machine, and records the requested hosts. */
async function startProxy(port: number, refuses = false) {
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(new URL(request.url ?? '').host);
    response.writeHead(501).end();
  });
  server.on('connect', (request: IncomingMessage, socket) => {
    hosts.push(request.url ?? '');
    socket.on('error', () => undefined);
    if (refuses) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const tracker = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      tracker.pipe(socket).pipe(tracker);
    });
    tracker.on('error', () => socket.destroy());
  });
  return { hosts, url: await listening(server) };
}

async function withProxy(refuses = false) {
  const tracker = await startTracker(works);
  const proxy = await startProxy(Number(new URL(tracker.url).port), refuses);
  for (const name of ['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY']) vi.stubEnv(name, undefined);
  vi.stubEnv('HTTP_PROXY', proxy.url);
  return { tracker, proxy };
}

test('a proxy from the environment is used by reads and writes', async () => {
  const { tracker, proxy } = await withProxy();
  const client = clientOf('http://tracker.test');
  await client.read('list_campaigns', {});
  await sendWrite(client, editPage, {});
  expect(tracker.requests.map(({ url }) => url)).toEqual(['/api/campaign/list/', '/api/campaign/editpage/']);
  expect(proxy.hosts).toEqual(['tracker.test:80', 'tracker.test:80']);
});

test('the built program uses it too', async () => {
  const { tracker, proxy } = await withProxy();
  const settings = { TRACKER_URL: 'http://tracker.test', TRACKER_API_KEY: 'a-key-for-the-test' };
  await runCli(['call', 'list_campaigns'], { environment: { HTTP_PROXY: proxy.url, ...settings } });
  expect(proxy.hosts).toEqual(['tracker.test:80']);
  expect(tracker.requests.map(({ url }) => url)).toEqual(['/api/campaign/list/']);
});

test('this machine itself is never asked through a proxy', async () => {
  const { tracker, proxy } = await withProxy();
  await clientOf(tracker.url).read('list_campaigns', {});
  expect(tracker.requests).toHaveLength(1);
  expect(proxy.hosts).toEqual([]);
});

const direct = ['tracker.invalid', '.invalid', '*.invalid', 'Invalid', 'a, tracker.invalid:80', 'invalid:0', '*'];

test.each(direct)('a host that NO_PROXY names is asked directly: %s', async (names) => {
  const { tracker, proxy } = await withProxy();
  vi.stubEnv('NO_PROXY', names);
  const writing = sendWrite(clientOf('http://tracker.invalid'), editPage, {});
  await expect(writing).rejects.toMatchObject({ outcome: 'not-sent' });
  expect(proxy.hosts).toEqual([]);
  expect(tracker.requests).toEqual([]);
  expect(isProxied(new URL('http://tracker.invalid'))).toBe(false);
});

test.each(['tracker.invalid:8080', 'acker.invalid', 'a.tracker.invalid', 'other,*'])(
  'a host that NO_PROXY does not name is asked through the proxy: %s',
  async (names) => {
    const { proxy } = await withProxy();
    vi.stubEnv('NO_PROXY', names);
    await clientOf('http://tracker.invalid').read('list_campaigns', {});
    expect(proxy.hosts).toEqual(['tracker.invalid:80']);
    expect(isProxied(new URL('http://tracker.invalid'))).toBe(true);
  },
);

test('the proxy for http is known to carry https too, but not calls to this machine', async () => {
  await withProxy();
  expect(
    ['https://tracker.test', 'http://tracker.test', 'https://localhost'].map((url) => isProxied(new URL(url))),
  ).toEqual([true, true, false]);
});

test('a write that a proxy refuses counts as not sent', async () => {
  const { tracker } = await withProxy(true);
  await expect(sendWrite(clientOf('http://tracker.test'), editPage, {})).rejects.toMatchObject({ outcome: 'not-sent' });
  expect(tracker.requests).toEqual([]);
});
