import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { keepCompiled } from '../../build/compiled/keep-compiled.js';

/** What V8 writes to stderr about a flag of another version. */
const unknownFlag = 'unrecognized flag';

const isRejected = `
  const [source, cachedData] = [fs.readFileSync('dist/program.cjs', 'latin1'), fs.readFileSync(process.argv[1])];
  console.log(new vm.Script(source, { filename: 'dist/program.cjs', cachedData }).cachedDataRejected);
`;

test('V8 takes what the build keeps, so that a start compiles nothing anew', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compiled-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // The Node that runs the tests need not be the one that built.
  await keepCompiled(join(folder, 'compiled'));
  const compiled = await readFile(join(folder, 'compiled'));
  // Functions that ran are in it with what is inside them; where none did, it is a third.
  // Half of that is there without a run.
  expect(compiled.length).toBeGreaterThan(1_000_000);
  // V8's flags have to be those of a start, which they are no longer where a client has connected.
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', isRejected, join(folder, 'compiled')]);
  expect(stdout.trim()).toBe('false');
});

test('the script is ASCII, which is read as one byte a character, and imports nothing, which it could not', async () => {
  const bytes = await readFile('dist/program.cjs');
  expect(bytes.findIndex((byte) => byte > 0x7f)).toBe(-1);
  expect(bytes.toString('latin1').match(/\bimport\(/g)).toBeNull();
});

test('V8 knows the flags it is given, and makes faster code of the loop over rows, not of the parser of HTTP', async () => {
  const tracker = createServer(async (request, response) => {
    const sent = Buffer.concat(await request.toArray()).toString();
    const count = Number(new URLSearchParams(sent).get('camp'));
    const rows = Array.from({ length: count }, (_, index) => ({
      ID: String(index),
      Name: `page ${index}`,
      Views: '7',
    }));
    response.end(JSON.stringify({ Reports: { target: rows } }));
  });
  await once(tracker.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void tracker.close());
  const server = spawn(process.execPath, ['--trace-wasm-compilation-times', 'dist/cli.js'], {
    env: {
      ...process.env,
      TRACKER_URL: `http://127.0.0.1:${(tracker.address() as AddressInfo).port}`,
      TRACKER_API_KEY: 'a-key-for-the-test',
    },
    stdio: 'pipe',
  });
  onTestFinished(() => void server.kill());
  const ended = Promise.all([text(server.stdout), text(server.stderr)]);
  // More than a server answers before it counts as busy.
  const calls = [...Array.from({ length: 400 }, (_, index) => index + 1), 40_000, 50_000];
  const messages = [
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }],
    ...calls.map((rows) => [
      'tools/call',
      { name: 'get_stats', arguments: { campaign_id: rows, reports: ['target'] } },
    ]),
  ].map(([method, params], id) => JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  server.stdin.end(messages.map((message) => `${message}\n`).join(''));

  const [written, complaints] = await ended;
  expect(complaints).not.toContain(unknownFlag);
  // V8 writes where the answers go.
  const lines = written.split('\n');
  expect(lines.filter((line) => line.includes('structuredContent'))).toHaveLength(calls.length);
  const sizes = lines.map((line) =>
    Number(/^Compiled function .* using TurboFan.* bodysize (\d+)/.exec(line)?.[1] ?? 0),
  );
  // More than the loop has in its largest function, and far less than the parser.
  const maxSize = 5000;
  expect(sizes.filter((size) => size > maxSize)).toEqual([]);
  expect(sizes.filter((size) => size > 0)).not.toEqual([]);
});

test('what a server for one client never loads stands in a script beside, and can be loaded', async () => {
  const parts: Readonly<Record<string, () => object>> = createRequire(import.meta.url)('../../dist/program-seldom.cjs');
  const redis = parts['@redis/client']?.();
  expect(redis).toHaveProperty('createCluster');
  for (const load of Object.values(parts)) expect(Object.keys(load())).not.toEqual([]);
  const program = await readFile('dist/program.cjs', 'latin1');
  expect(Object.keys(parts).filter((name) => !program.includes(`["${name}"]()`))).toEqual([]);
  expect(program).not.toContain('SUNIONSTORE');
  expect(await readFile('dist/program-seldom.cjs', 'latin1')).toContain('SUNIONSTORE');
});

test('V8 says so where it does not know a flag', async () => {
  const script = "v8.setFlagsFromString('--no-such-flag')";
  const { stderr } = await promisify(execFile)(process.execPath, ['--eval', script]);
  expect(stderr).toContain(unknownFlag);
});
