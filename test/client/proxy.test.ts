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
  for (const name of ['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'no_proxy', 'NO_PROXY'])
    vi.stubEnv(name, undefined);
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

test.each(['ALL_PROXY', 'all_proxy'])('the proxy for all schemes is used too: %s', async (name) => {
  const { proxy } = await withProxy();
  vi.stubEnv('HTTP_PROXY', undefined);
  vi.stubEnv(name, proxy.url);
  await clientOf('http://tracker.test').read('list_campaigns', {});
  expect(proxy.hosts).toEqual(['tracker.test:80']);
  expect(isProxied(new URL('https://tracker.test'))).toBe(true);
});

test('a variable in small letters beats the same one in capital letters, unless it is empty', async () => {
  const { proxy } = await withProxy();
  const isAsked = async () => {
    const answer = clientOf('http://tracker.test').read('list_campaigns', {});
    await answer.catch(() => undefined);
    return proxy.hosts.splice(0).length > 0;
  };
  vi.stubEnv('http_proxy', '');
  expect(await isAsked()).toBe(true);
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', 'tracker.test');
  expect(await isAsked()).toBe(false);
  vi.stubEnv('NO_PROXY', 'tracker.test');
  vi.stubEnv('no_proxy', 'other.test');
  expect(await isAsked()).toBe(true);
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
  expect(await isAsked()).toBe(false);
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

const forms: readonly ((proxy: string) => string)[] = [
  (proxy) => proxy,
  (proxy) => `//${proxy}`,
  (proxy) => `HTTP://${proxy}/`,
  (proxy) => `http://${proxy}/proxy.pac?x=1`,
  (proxy) => `"http://${proxy}"`,
  (proxy) => `' ${proxy} '`,
  (proxy) => ` ${proxy}\n`,
  (proxy) => proxy.replace('127.0.0.1', 'localhost'),
  (proxy) => `user:p%40ss@${proxy}`,
  (proxy) => `http://user:50%off@${proxy}`,
];

test.each(forms)('a proxy is read with and without a scheme and quotes: %s', async (form) => {
  const { proxy } = await withProxy();
  const value = form(new URL(proxy.url).host);
  vi.stubEnv('HTTP_PROXY', value);
  await clientOf('http://tracker.test').read('list_campaigns', {});
  vi.stubEnv('HTTP_PROXY', undefined);
  vi.stubEnv('http_proxy', value);
  await sendWrite(clientOf('http://tracker.test'), editPage, {});
  expect(proxy.hosts).toEqual(['tracker.test:80', 'tracker.test:80']);
});

test('quotes around NO_PROXY do not count', async () => {
  const { proxy } = await withProxy();
  vi.stubEnv('NO_PROXY', '"tracker.invalid"');
  await expect(clientOf('http://tracker.invalid').read('list_campaigns', {}, { once: true })).rejects.toThrow();
  expect(proxy.hosts).toEqual([]);
});

test('a proxy for the other scheme is not used, whatever it is', async () => {
  const { tracker, proxy } = await withProxy();
  vi.stubEnv('HTTP_PROXY', undefined);
  for (const other of [proxy.url, 'not a proxy', 'http//x', 'socks4://127.0.0.1:1080', '""']) {
    vi.stubEnv('HTTPS_PROXY', other);
    await clientOf(tracker.url.replace('127.0.0.1', '127.0.0.2'))
      .read('list_campaigns', {}, { once: true })
      .catch(() => undefined);
    expect(proxy.hosts).toEqual([]);
  }
});

const secretParts = /p4ss|0815/;
const wrong =
  /^The variable HTTP_PROXY does not hold the address of a proxy\. Give it .*unset it, or add tracker\.test to NO_PROXY\.$/;

test.each([
  ['http://user:p4ss@proxy:0815x', wrong],
  ['http://', wrong],
  ['user:p4ss@', wrong],
  ['http:user:p4ss@127.0.0.1:3128', wrong],
  ['http://user:%ffp4ss@127.0.0.1:3128', wrong],
  ['http://127.0.0.1:99999', wrong],
  ['$HTTP_PROXY', wrong],
  ['{proxy}', wrong],
  ['not a proxy', wrong],
  ['http//127.0.0.1:3128', wrong],
  [
    'socks4://user:p4ss@127.0.0.1:1080',
    /^The variable HTTP_PROXY names a proxy by socks4:\/\/, which is not supported\./,
  ],
  ['ftp://127.0.0.1', /names a proxy by ftp:\/\/, which/],
])('a proxy that cannot be used is named, without its password: %s', async (value, message) => {
  await withProxy();
  vi.stubEnv('HTTP_PROXY', value);
  const failure = await sendWrite(clientOf('http://tracker.test'), editPage, {}).catch((error) => error);
  expect(failure).toMatchObject({ outcome: 'not-sent', message: expect.stringMatching(message) });
  expect(failure.message).not.toMatch(secretParts);
});

test.each(['call', 'check', 'serve', 'review'])(
  '%s does not start with such a proxy, and prints no stack',
  async (command) => {
    const settings = { TRACKER_URL: 'https://tracker.test', TRACKER_API_KEY: 'a-key-for-the-test' };
    const given = command === 'call' ? [command, 'list_campaigns'] : command === 'serve' ? [] : [command];
    const environment = { https_proxy: 'http://user:p4ss@proxy:x', ...settings };
    const { code, stdout, stderr } = await runCli(given, { environment });
    const said = stdout + stderr;
    expect(said).toMatch(/The variable https_proxy does not hold the address of a proxy\./);
    expect(said).not.toMatch(/p4ss|\n\s+at |defect/);
    expect(code).toBe(2);
  },
);

test('the embedded tracker needs no proxy', async () => {
  const { stdout } = await runCli(['call', 'list_campaigns'], {
    environment: { HTTP_PROXY: 'not a proxy', TRACKER_SANDBOX: '1' },
  });
  expect(stdout).toContain('Campaign');
});

test('a proxy that cannot be reached is what to check first', async () => {
  await withProxy();
  vi.stubEnv('HTTP_PROXY', '127.0.0.1:1');
  await expect(sendWrite(clientOf('http://tracker.test'), editPage, {})).rejects.toMatchObject({
    message: expect.stringMatching(/cannot be reached.*through the proxy that HTTP_PROXY names: check that first/),
  });
});

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
