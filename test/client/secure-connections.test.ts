import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { listening } from '../support/listening.ts';
import { startTracker, works } from './http-tracker.ts';

/** Node reads NODE_EXTRA_CA_CERTS only when it starts, so each call needs its own process. */
const certificate = (name: string) => fileURLToPath(new URL(`certificates/${name}`, import.meta.url));
const source = fileURLToPath(new URL('../../src/client/tracker-client.ts', import.meta.url));
const support = fileURLToPath(new URL('../support/tables.ts', import.meta.url));

const script = `
import { TrackerClient } from ${JSON.stringify(source)};
import { toPlainReply } from ${JSON.stringify(support)};
const client = new TrackerClient({
  tracker: async () => ({ url: process.env.TEST_URL, apiKey: 'secret-key' }), method: 'post', format: 'json', timeoutMs: 20000,
});
client.read('list_campaigns', {}).then(
  ({ reply }) => console.log(JSON.stringify(toPlainReply(reply).tables)),
  (error) => console.log(error.outcome + ': ' + error.message),
);
`;

const server = createServer((request, response) => {
  request.resume();
  response.end('[{"ID":"4"}]');
});
let url = '';
let program = '';

beforeAll(async () => {
  server.setSecureContext({
    key: await readFile(certificate('localhost-key.pem')),
    cert: await readFile(certificate('localhost.pem')),
  });
  url = (await listening(server)).replace('http://127.0.0.1', 'https://localhost');
  const directory = await newFolder();
  program = join(directory, 'read.cjs');
  const stdin = { contents: script, resolveDir: directory, loader: 'ts' } as const;
  await build({ stdin, bundle: true, platform: 'node', format: 'cjs', outfile: program, logLevel: 'error' });
});

async function readIn(environment: Record<string, string>): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', TEST_URL: url, ...environment };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return (await text(child.stdout)).trim();
}

test('a private authority is trusted through NODE_EXTRA_CA_CERTS', async () => {
  const output = await readIn({ NODE_EXTRA_CA_CERTS: certificate('authority.pem') });
  expect(JSON.parse(output)).toEqual([{ name: 'campaigns', columns: ['ID'], rows: [['4']] }]);
});

test('an unknown authority is refused before anything is sent, with the setting that trusts it', async () => {
  expect(await readIn({})).toMatch(/^not-sent: .* cannot be reached \(\w+\)\. .*NODE_EXTRA_CA_CERTS/);
});

test('http on an https address is explained', async () => {
  const plain = await startTracker(works);
  const output = await readIn({ TEST_URL: plain.url.replace('http:', 'https:') });
  expect(output).toMatch(/^not-sent: .*does not speak TLS there: check the http:\/\/ or https:\/\/ of TRACKER_URL/);
});
