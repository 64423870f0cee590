import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCli } from '../e2e/support/run-cli.ts';
import { freePort } from '../support/free-port.ts';
import { until } from './support/call.ts';
import { askRedis, startRedis } from './support/redis-server.ts';
import { startReplica } from './support/replicas.ts';
import { openReplica } from './support/two-replicas.ts';

const certificate = (name: string) => fileURLToPath(new URL(`../client/certificates/${name}`, import.meta.url));
const settings = { TRACKER_URL: 'http://127.0.0.1:9' };

describe('over TLS', async () => {
  const port = await freePort();
  const files = ['--tls-cert-file', certificate('localhost.pem'), '--tls-key-file', certificate('localhost-key.pem')];
  const noClients = ['--tls-ca-cert-file', certificate('authority.pem'), '--tls-auth-clients', 'no'];
  await startRedis('--tls-port', String(port), ...files, ...noClients);
  const secure = { ...settings, TRACKER_MCP_REDIS: `rediss://localhost:${port}` };

  it('Redis is reached if its certificate is trusted', async () => {
    const replica = await startReplica({ ...secure, NODE_EXTRA_CA_CERTS: certificate('authority.pem') });
    expect(await replica.readiness()).toEqual({ code: 200, status: 'ready' });
  });

  it('an untrusted certificate is logged', async () => {
    const replica = await startReplica(secure);
    const redis = expect.stringMatching(/CERT|VERIFY/);
    expect(await replica.readiness()).toMatchObject({ status: 'degraded', redis });
    expect(replica.log.join()).toMatch(/Redis.*cannot be used now.*(CERT|VERIFY).*writes are refused/);
  });
});

describe('with a password', async () => {
  const redis = await startRedis('--requirepass', 'a pass/word');
  const urlWith = (password: string) => redis.url.replace('//', `//:${encodeURIComponent(password)}@`);

  it('Redis is reached', async () => {
    expect((await openReplica([urlWith('a pass/word')])).away()).toBeUndefined();
  });

  it('a wrong password is not in the log, but the reason is', async () => {
    const replica = await startReplica({ ...settings, TRACKER_MCP_REDIS: urlWith('wrong-word') });
    const reason = expect.stringContaining('WRONGPASS');
    expect(await replica.readiness()).toMatchObject({ status: 'degraded', redis: reason });
    expect(replica.log.join()).not.toContain('wrong-word');
  });
});

describe('a cluster of three', async () => {
  const busPorts = [await freePort(), await freePort(), await freePort()];
  const nodes = await Promise.all(
    busPorts.map((port) => startRedis('--cluster-enabled', 'yes', '--cluster-port', String(port))),
  );
  for (const [index, node] of nodes.entries()) {
    const [from, to] = [index, index + 1].map((part) => Math.floor((16_384 * part) / nodes.length));
    await askRedis(node.port, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1));
    const greeting = ['CLUSTER', 'MEET', '127.0.0.1', String(node.port), String(busPorts[index])];
    if (index > 0) await askRedis(nodes[0]?.port ?? 0, ...greeting);
  }
  const isWhole = async (port: number) => {
    const about = await askRedis(port, 'CLUSTER', 'INFO');
    return about.includes('cluster_state:ok') && about.includes('cluster_known_nodes:3');
  };
  for (const { port } of nodes) await until(() => isWhole(port));
  const urls = nodes.slice(0, 2).map(({ url }) => url);

  it('serves replicas of several trackers, whose keys are on different nodes', async () => {
    for (const tracker of [1, 2, 3, 4, 5].map((number) => `http://tracker-${number}.example`)) {
      const [first, second] = await Promise.all([openReplica(urls, { tracker }), openReplica(urls, { tracker })]);
      (await first.take('writes'))();
      (await second.take('writes'))();
      expect(await first.questions.take('id', Date.now() + 1000)).toBe(true);
      expect(await second.questions.take('id', Date.now() + 1000)).toBe(false);
      expect(await second.changes.read()).toEqual([]);
      const giveFree = await first.changes.reserve('abc');
      expect(await second.changes.reserve('abc')).toBeUndefined();
      giveFree?.();
      expect([first.away(), second.away()]).toEqual([undefined, undefined]);
    }
    const counts = await Promise.all(nodes.map(({ port }) => askRedis(port, 'DBSIZE')));
    expect(counts.filter((count) => count !== ':0\r\n').length).toBeGreaterThan(1);
  });
});

describe('a server exits 2', () => {
  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['with an invalid address', { TRACKER_MCP_REDIS: 'localhost:6379' }, /TRACKER_MCP_REDIS.*redis:\/\//],
    ['with nodes of both kinds', { TRACKER_MCP_REDIS: 'redis://a,rediss://b' }, /all redis:\/\/ or all rediss:\/\//],
    ['with an embedded tracker', { TRACKER_SANDBOX: '1', TRACKER_MCP_REDIS: 'redis://a' }, /embedded tracker of its/],
  ])('%s', async (_, more, message) => {
    const tracker = more['TRACKER_SANDBOX'] ? {} : { ...settings, TRACKER_API_KEY: 'some-key-of-a-tracker' };
    const { code, stderr } = await runCli(['http'], { environment: { ...tracker, ...more } });
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
