import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type CallToolResult, CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Call, type Setup, setups } from './calls.ts';

/**
 * What every answer is, beside another commit: `npm run record -- [COMMIT]`. The same calls go to both builds, through their own
 * programs, so that no name inside src matters. One embedded tracker serves both, that of this checkout, with one seed and one
 * clock. Each answer becomes two files, its data and its text, and git shows where they differ. Exits with 1 if any does.
 */

/** The commit before the answers were first recorded. */
const baseline = '656e05f5';
const moment = '2026-06-15T18:00:00Z';
const apiKey = '0123456789abcdef0123456789abcdef';
/** Two trackers never share a key. */
const secondKey = apiKey.replaceAll('0', 'f');

const [commit = baseline] = process.argv.slice(2);
const root = resolve();
const work = mkdtempSync(join(tmpdir(), 'record-'));
const records = join(root, 'node_modules/.cache/tracker-mcp/record');
const clock = ['--import', `${pathToFileURL(join(root, 'test/support/fixed-clock.js')).href}?${moment}`];
const system = { PATH: process.env['PATH'] ?? '', HOME: join(work, 'home') };

interface Side {
  readonly name: 'before' | 'now';
  readonly program: string;
}

interface Tracker {
  readonly url: string;
  end(): Promise<void>;
}

/** Starts the embedded tracker of this checkout on a file. */
async function startTracker(
  file: string,
  { key = apiKey, quirks }: { key?: string; quirks?: string | undefined } = {},
): Promise<Tracker> {
  const given = ['sandbox', '--json', '--data', file, '--api-key', key, ...(quirks ? ['--quirks', quirks] : [])];
  const child = spawn(process.execPath, [...clock, join(root, 'dist/cli.js'), ...given], {
    env: system,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const { url } = JSON.parse(line) as { url: string };
    const end = async () => {
      child.kill('SIGTERM');
      await exited;
    };
    return { url, end };
  }
  throw new Error('The embedded tracker did not start.');
}

/** Replaces what differs from run to run. */
function makeEqual(text: string, ids: Map<string, string>): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(work, 'FOLDER')
    .replaceAll(/\b[\da-f]{12}\b/g, (id) => {
      if (id === '0'.repeat(12)) return id;
      const known = ids.get(id) ?? `<id ${ids.size + 1}>`;
      ids.set(id, known);
      return known;
    });
}

type Given = Record<string, unknown>;

/** Fills in `$Column` and `$field` from the answer before. */
function fillIn(given: Given, previous: Given): Given {
  const [table] = (previous['tables'] ?? []) as { columns: string[]; rows: unknown[][] }[];
  const cellOf = (name: string) => String(previous[name] ?? table?.rows[0]?.[table.columns.indexOf(name)] ?? 'none');
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll(/\$([A-Za-z_]+)/g, (_, named: string) => cellOf(named)) : value,
    ]),
  );
}

/** The trackers of a setup on copies of the sample data, and the settings that name them to a server. */
async function openTrackers(folder: string, sampleData: string, { quirks, twoTrackers }: Setup) {
  const openOne = (name: string, key: string) => {
    const file = join(folder, `${name}.duckdb`);
    copyFileSync(sampleData, file);
    return startTracker(file, { key, quirks });
  };
  const first = await openOne('first', apiKey);
  if (!twoTrackers) return { running: [first], settings: { TRACKER_URL: first.url, TRACKER_API_KEY: apiKey } };
  const second = await openOne('second', secondKey);
  const trackers = {
    first: { url: first.url, api_key: apiKey },
    second: { url: second.url, api_key: secondKey, read_only: true },
  };
  const config = join(folder, 'trackers.json');
  writeFileSync(config, JSON.stringify({ trackers }), { mode: 0o600 });
  return { running: [first, second], settings: { TRACKER_CONFIG: config } };
}

/** A client of a side's server, and the questions that were put to its person since it was last looked at. */
async function openClient(side: Side, settings: Readonly<Record<string, string>>, person: Setup['person']) {
  const client = new Client({ name: 'record', version: '1' }, { capabilities: person ? { elicitation: {} } : {} });
  const questions: string[] = [];
  if (person) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return { action: person, ...(person === 'accept' && { content: { agree: true } }) };
    });
  }
  const server = { command: process.execPath, args: [...clock, side.program], env: { ...system, ...settings } };
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  return { client, questions };
}

async function recordSetup(side: Side, setup: Setup, sampleData: string, index: number): Promise<void> {
  const folder = join(work, `${side.name}-${index}`);
  mkdirSync(folder);
  const { running, settings } = await openTrackers(folder, sampleData, setup);
  const own = { HOME: join(folder, 'home'), TRACKER_TIMEOUT_MS: '60000' };
  const { client, questions } = await openClient(side, { ...own, ...settings, ...setup.settings }, setup.person);
  const ids = new Map<string, string>();
  let count = 0;
  const write = (called: string, call: unknown, data: unknown, text: string) => {
    count += 1;
    const names = [String(index + 1).padStart(2, '0'), setup.name, String(count).padStart(3, '0'), called];
    const file = `${names.join(' ').replaceAll(/[ ,/]+/g, '-')}.txt`;
    const kinds = { data: JSON.stringify(data, null, 1), text };
    for (const [kind, content] of Object.entries(kinds)) {
      writeFileSync(join(records, kind, side.name, file), makeEqual(`${JSON.stringify(call)}\n\n${content}\n`, ids));
    }
  };
  write('tools', 'tools/list', await client.listTools(), client.getInstructions() ?? '');
  write('prompts', 'prompts/list', await client.listPrompts(), '');
  write('resources', 'resources/list', await client.listResources(), '');
  let previous: Given = {};
  for (const call of setup.calls) {
    const [tool, given = {}] = call;
    const result = await answerOf(client, tool, fillIn(given, previous));
    previous = (result.structuredContent as Given | undefined) ?? {};
    const { isError = false, structuredContent = null, _meta = null, content } = result;
    const texts = content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part)));
    write(tool, call, { isError, structuredContent, _meta }, [...questions.splice(0), ...texts].join('\n---\n'));
  }
  await client.close();
  for (const { end } of running) await end();
}

/** An error of the protocol is an answer too. */
async function answerOf(client: Client, name: string, given: Given): Promise<CallToolResult> {
  try {
    const request = { method: 'tools/call', params: { name, arguments: given } } as const;
    return await client.request(request, CallToolResultSchema, { timeout: 120_000 });
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: String(error) }] };
  }
}

/** A commit, built in a folder of its own. */
function buildCommit(folder: string): string {
  execFileSync('git', ['worktree', 'add', '--detach', folder, commit], { stdio: 'ignore' });
  const isSame = spawnSync('git', ['diff', '--quiet', commit, '--', 'package-lock.json']).status === 0;
  if (isSame) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'ignore' });
  execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'ignore' });
  return join(folder, 'dist/cli.js');
}

const folder = join(work, 'before');
try {
  rmSync(records, { recursive: true, force: true });
  for (const kind of ['data', 'text'])
    for (const side of ['before', 'now']) mkdirSync(join(records, kind, side), { recursive: true });
  const sides: readonly Side[] = [
    { name: 'before', program: buildCommit(folder) },
    { name: 'now', program: join(root, 'dist/cli.js') },
  ];
  const data = join(work, 'sample.duckdb');
  await (await startTracker(data)).end();
  await Promise.all(
    sides.map(async (side) => {
      for (const [index, setup] of setups.entries()) await recordSetup(side, setup, data, index);
    }),
  );
} finally {
  spawnSync('git', ['worktree', 'remove', '--force', folder]);
  rmSync(work, { recursive: true, force: true });
}
const count = setups.reduce((sum, { calls }: { calls: readonly Call[] }) => sum + calls.length, 0);
console.log(`${count} calls, beside ${commit}; the answers are in node_modules/.cache/tracker-mcp/record`);
for (const kind of ['data', 'text']) {
  const compare = ['diff', '--no-index', '--patch-with-stat', '--stat-width=150', 'before', 'now'];
  const { status } = spawnSync('git', compare, { cwd: join(records, kind), stdio: 'inherit' });
  if (status === 0) console.log(`The ${kind} of all answers are equal.`);
  else process.exitCode = 1;
}
