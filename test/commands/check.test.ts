import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { createServer as createSocketServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { checkCertificate } from '../../src/client/probe.ts';
import { runCli, sharedSandbox } from '../e2e/support/run-cli.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { listening } from '../support/listening.ts';

const campaigns = '[{"ID":"1","Name":"One"},{"ID":"2","Name":"Two"}]';
const foreign = await startForeignTracker({ 'campaign/list': campaigns });

const certificate = 'test/commands/fixtures/localhost-certificate.pem';
const encrypted = createServer(
  { cert: await readFile(certificate), key: await readFile('test/commands/fixtures/localhost-key.pem') },
  (_, response) => response.end(campaigns),
);
const encryptedUrl = (await listening(encrypted)).replace('http://127.0.0.1', 'https://localhost');

/** Checks a foreign tracker with this answer to the campaign list. */
async function checkAnswer(answer: Parameters<typeof foreign.answer>[1]) {
  foreign.answer('campaign/list', answer);
  return check({ TRACKER_URL: foreign.url }).finally(() => foreign.answer('campaign/list', campaigns));
}

/** Runs check and reads its lines, which are sentences: state and text of each check. */
async function check(
  environment: Readonly<Record<string, string>>,
  given: readonly string[] = [],
  run: typeof runCommand = runCommand,
) {
  const { code, stdout, stderr } = await run(['check', ...given], {
    environment: { TRACKER_API_KEY: 'check-secret-key', ...environment },
  });
  expect(stdout + stderr).not.toContain('check-secret-key');
  const lines = [...stdout.matchAll(/^(ok|FAIL|-) +(\w[\w ,]*?) {2,}(.*)$/gm)];
  const [, unreached = ''] = /^- +not reached +(.*)\.$/m.exec(stdout) ?? [];
  expect(lines.filter(([, , , text = '']) => !text.endsWith('.'))).toEqual([]);
  const reached = lines.map(([, state, name]) => [name, state]).filter(([name]) => name !== 'not reached');
  return {
    code,
    states: Object.fromEntries([
      ...all.filter((name) => unreached.includes(name)).map((name) => [name, '-']),
      ...reached,
    ]),
    texts: Object.fromEntries(lines.map(([, , name, text]) => [name, text])),
  };
}

const all = ['configuration', 'host', 'TLS', 'API', 'key, API enabled', 'formats', 'speed', 'campaigns'];

test('a working tracker is ok in every line, with its formats and its number of campaigns', async () => {
  const { code, states, texts } = await check(sharedSandbox());
  expect(code).toBe(0);
  expect(texts['formats']).toBe('json and xml can be read.');
  expect(Object.keys(states)).toEqual(all);
  expect(states).toEqual({ ...Object.fromEntries(all.map((name) => [name, 'ok'])), TLS: '-' });
  expect(texts['campaigns']).toMatch(/^10 found\. .* call check_tracking\.$/);
});

test('without a configuration it names the settings and reaches nothing', async () => {
  const { code, stdout } = await runCommand(['check']);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^FAIL {2}configuration .*\n[\s\S]*TRACKER_URL/);
  expect(stdout).toMatch(/^- +not reached +host, TLS, API, .*campaigns\.$/m);
});

test('a host without a tracker fails at the host', async () => {
  const { code, states, texts } = await check({ TRACKER_URL: 'http://127.0.0.1:9' });
  expect(code).toBe(1);
  expect(states).toMatchObject({ host: 'FAIL', API: '-', campaigns: '-' });
  expect(texts['host']).toContain('Nothing listens');
});

test('a wrong key fails at the key, and not at the API', async () => {
  const { code, states, texts } = await check({ ...sharedSandbox(), TRACKER_API_KEY: 'check-secret-key' });
  expect(code).toBe(1);
  expect(states).toMatchObject({ API: 'ok', 'key, API enabled': 'FAIL', formats: '-' });
  expect(texts['key, API enabled']).toContain('TRACKER_API_KEY');
});

test.each([
  ['a page of HTML', () => ({ body: '<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>' })],
  ['a 404', () => ({ status: 404, body: 'no' })],
  ['a redirect', () => ({ status: 301, headers: { location: 'https://t.example.com/api/campaign/list/' }, body: '' })],
])('%s fails at the API and names TRACKER_URL', async (_, answer) => {
  const { code, states, texts } = await checkAnswer(answer);
  expect(code).toBe(1);
  expect(states).toMatchObject({ host: 'ok', API: 'FAIL', 'key, API enabled': '-' });
  expect(texts['API']).toContain('TRACKER_URL');
});

test.each([
  ['Basic realm="Members"', 'Basic'],
  ['digest realm="x", nonce="y"', 'Digest'],
])('a web server that asks for its own password (%s) is not a wrong key', async (challenge, name) => {
  const answer = { status: 401, headers: { 'www-authenticate': challenge }, body: '<h1>Authorization Required</h1>' };
  const { code, states, texts } = await checkAnswer(() => answer);
  expect(code).toBe(1);
  expect(states).toMatchObject({ API: 'FAIL', 'key, API enabled': '-' });
  expect(texts['API']).toContain(`asks for its own user name and password (HTTP ${name})`);
});

test('a 401 without a challenge is a wrong key', async () => {
  const { states } = await checkAnswer(() => ({ status: 401, body: '{"error":"invalid key"}' }));
  expect(states).toMatchObject({ API: 'ok', 'key, API enabled': 'FAIL' });
});

test.each([
  ['json', campaigns, 'records'],
  ['xml', '<rows><row><ID>1</ID></row><row><ID>2</ID></row></rows>', 'rows under a name > rows under a name > records'],
])('a foreign tracker that always sends %s works, and its format and shape are named', async (format, body, shape) => {
  const { code, texts } = await checkAnswer(body);
  expect(code).toBe(0);
  expect(texts['API']).toContain(`read as: ${shape}.`);
  expect(texts['formats']).toContain(`The tracker sends ${format} for either format`);
  expect(texts['campaigns']).toContain('2');
});

test('a key too short to be masked works, with a warning here and at every start', async () => {
  const short = { TRACKER_URL: foreign.url, TRACKER_API_KEY: 'k-123' };
  const { code, texts } = await check(short);
  expect(code).toBe(0);
  expect(texts['key, API enabled']).toMatch(/accepted\. The API key has fewer than 6 characters/);
  const { stderr } = await runCli([], { environment: short });
  expect(stderr).toMatch(/fewer than 6 characters.*not masked.*longer one/);
  expect(stderr).not.toContain('k-123');
  const long = await runCli([], { environment: { ...short, TRACKER_API_KEY: 'k-1234' } });
  expect(long.stderr).toBe('');
});

test('an untrusted certificate fails at TLS, before anything is sent', async () => {
  const { code, states, texts } = await check({ TRACKER_URL: encryptedUrl });
  expect(code).toBe(1);
  expect(states).toMatchObject({ TLS: 'FAIL', API: '-' });
  expect(texts['TLS']).toContain('NODE_EXTRA_CA_CERTS');
});

test('a trusted certificate is ok, with its remaining days', async () => {
  // A process, because Node reads its trusted certificates at its start.
  const trusting = { TRACKER_URL: encryptedUrl, NODE_EXTRA_CA_CERTS: certificate };
  const { code, states, texts } = await check(trusting, [], runCli);
  expect(states).toMatchObject({ TLS: 'ok', API: 'ok' });
  expect(texts['TLS']).toMatch(/valid for [\d,]+ more days/);
  expect(code).toBe(0);
});

test('an expired certificate is a problem', async () => {
  const { problem } = await checkCertificate(new URL(encryptedUrl), new Date('2200-01-01'));
  expect(problem).toMatch(/expired [\d,]+ days ago/);
  const dayAfter = await checkCertificate(new URL(encryptedUrl), new Date('2126-10-28'));
  expect(dayAfter.problem).toContain('expired 1 day ago');
});

test('https:// to a port without TLS fails at TLS', async () => {
  const key = 'never-sent-unencrypted';
  const tracker = { TRACKER_URL: foreign.url.replace('http:', 'https:'), TRACKER_API_KEY: key };
  const { states, texts } = await check(tracker);
  expect(states).toMatchObject({ host: 'ok', TLS: 'FAIL', API: '-' });
  expect(texts['TLS']).toContain(`${foreign.url} answers: set TRACKER_URL to it.`);
  expect(foreign.taken().map(({ sent }) => sent)).not.toContainEqual(expect.objectContaining({ key }));
});

describe('the lines are sentences that do not contradict each other', () => {
  test.each(['/api', '/api/stats/'])('a URL that ends in %s is named with the right one', async (path) => {
    const url = sharedSandbox()['TRACKER_URL'];
    const { code, states, texts } = await check({ ...sharedSandbox(), TRACKER_URL: url + path });
    expect(code).toBe(1);
    expect(states).toMatchObject({ host: 'ok', API: 'FAIL', 'key, API enabled': '-' });
    expect(texts['API']).toBe(
      `There is no API below ${url}${path.replace(/\/$/, '')}: each call adds /api by itself. Set TRACKER_URL to ${url}.`,
    );
  });

  test('a host that accepts connections and never answers fails at the API', async () => {
    const TRACKER_URL = await listening(createSocketServer(() => undefined));
    const { code, states, texts } = await check({ TRACKER_URL }, ['--timeout', '1500']);
    expect(code).toBe(1);
    expect(states).toMatchObject({ host: 'ok', API: 'FAIL' });
    expect(texts['host']).toMatch(/is open/);
    expect(texts['API']).toMatch(/^The connection works, but no answer came within 1\.5 s\./);
    expect(texts['API']).not.toMatch(/period|fewer reports/);
  });

  test('a redirect from http:// to https:// is named with the right URL', async () => {
    const base = foreign.url.replace('http:', 'https:');
    const headers = { location: `${base}/api/campaign/list/` };
    const { texts } = await checkAnswer(() => ({ status: 301, headers, body: '' }));
    expect(texts['API']).toBe(`It redirects every call from http:// to https://. Set TRACKER_URL to ${base}.`);
  });
});

test('a working tracker ends with the lines for a client, with the path of Node and without the key', async () => {
  const { stdout } = await runCommand(['check'], { environment: sharedSandbox() });
  const { tracker } = JSON.parse(stdout.slice(stdout.indexOf('{'))).mcpServers;
  expect(tracker.command).toBe(process.execPath);
  expect(tracker.env).toEqual({ ...sharedSandbox(), TRACKER_API_KEY: 'paste-the-key-here' });
  const unreachable = { TRACKER_URL: 'http://127.0.0.1:9', TRACKER_API_KEY: 'some-key' };
  expect((await runCommand(['check'], { environment: unreachable })).stdout).not.toContain('{');
});
