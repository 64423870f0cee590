import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../e2e/support/run-cli.ts';
import { listening } from '../support/listening.ts';
import { startTracker, works } from './http-tracker.ts';

const certificate = (name: string) => join('test/client/certificates', name);
const [key, cert] = await Promise.all(
  ['localhost-key.pem', 'localhost.pem'].map((name) => readFile(certificate(name))),
);
const paths: (string | undefined)[] = [];
const server = createServer({ key, cert }, (request, response) => {
  paths.push(request.url);
  response.end('{"Status":"OK"}');
});
const url = (await listening(server)).replace('http://127.0.0.1', 'https://localhost');

/** Sends a write. Each needs a new process: Node reads NODE_EXTRA_CA_CERTS only when it starts. */
const edit = (environment: Readonly<Record<string, string>>) =>
  runCli(['call', 'edit_offer', '--offer_id', '4', '--payout', '3'], {
    environment: { TRACKER_URL: url, TRACKER_API_KEY: 'secret-key', ...environment },
  });

test('a private authority is trusted through NODE_EXTRA_CA_CERTS', async () => {
  expect(await edit({ NODE_EXTRA_CA_CERTS: certificate('authority.pem') })).toMatchObject({ code: 0, stderr: '' });
  expect(paths.splice(0)).toEqual(['/api/offer/edit/']);
});

test('an unknown authority is refused before anything is sent, with the setting that trusts it', async () => {
  const { code, stderr } = await edit({});
  expect(code).toBe(1);
  expect(stderr).toMatch(/ cannot be reached \(\w+\)\. .*NODE_EXTRA_CA_CERTS/);
  expect(stderr).toContain('Nothing was sent');
  expect(paths).toEqual([]);
});

test('http on an https address is explained', async () => {
  const plain = await startTracker(works);
  const { stderr } = await edit({ TRACKER_URL: plain.url.replace('http:', 'https:') });
  expect(stderr).toMatch(/does not speak TLS there: check the http:\/\/ or https:\/\/ of TRACKER_URL/);
  expect(stderr).toContain('Nothing was sent');
  expect(plain.requests).toEqual([]);
});
