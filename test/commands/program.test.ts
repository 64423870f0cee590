import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open, symlink } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { catalogue } from '../../src/tools/catalogue.ts';
import { runCli, sharedSandbox } from '../e2e/support/run-cli.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { terminals } from '../e2e/support/terminal.ts';
import { newFolder } from '../support/folders.ts';
import { fullDevices } from '../support/system.ts';

const commands = [
  ...['call', 'reconcile', 'tools', 'check', 'audit', 'http', 'token', 'install', 'uninstall'],
  ...['completion', 'sandbox', 'demo'],
];

test('--version is the version of the package, on stdout', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await runCommand(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('--help names every command, flag and variable', async () => {
  const { code, stdout, stderr } = await runCommand(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  const ofServing = await runCommand(['http', '--help']);
  for (const { flag, variable, command } of settings) {
    const help = command === 'http' ? ofServing.stdout : stdout;
    if (flag) expect(help).toContain(flag);
    expect(help).toContain(variable);
  }
});

test('help begins with what can be done: commands and tools stand before the settings', async () => {
  const root = (await runCommand(['--help'])).stdout;
  expect(root.indexOf('\nCommands:\n')).toBeGreaterThan(0);
  expect(root.indexOf('\nSettings:\n')).toBeGreaterThan(root.indexOf('\nCommands:\n'));
  const call = (await runCommand(['call', '--help'])).stdout;
  expect(call.indexOf('\nTools:\n')).toBeGreaterThan(0);
  expect(call.indexOf('\nSettings:\n')).toBeGreaterThan(call.indexOf('\nTools:\n'));
});

test('the help of a tool is its arguments, and one line about the settings', async () => {
  const { stdout } = await runCommand(['call', 'get_stats', '--help']);
  expect(stdout).toMatch(/^Arguments:\n {2}--campaign_id /m);
  expect(stdout).toMatch(/^Settings, such as --sandbox, .*: node dist\/cli\.js call --help$/m);
  for (const absent of ['--api-key', '--max-bid', 'TRACKER_API_KEY_FILE']) expect(stdout).not.toContain(absent);
});

test.each(commands)('%s --help shows an example and exits 0', async (command) => {
  const { code, stdout, stderr } = await runCommand([command, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Examples?:\n {2}node dist\/cli\.js /m);
  // `tracker-mcp` is a command only where the PATH leads to it.
  expect(stdout).not.toMatch(/^.*(Usage:| {2}|=)tracker-mcp /m);
});

test.each(catalogue.map(({ name }) => name).filter((name) => name !== 'query_report'))(
  'the example of %s is a valid call',
  async (tool) => {
    const { stdout } = await runCommand(['call', tool, '--help']);
    const [, line = ''] = /^Example:\n {2}node dist\/cli\.js (.*) --sandbox$/m.exec(stdout) ?? [];
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const { code, stderr } = await runCommand(words, { environment: sharedSandbox() });
    expect(code === 0 || /No visitor has the subID|There is no change/.test(stderr), `${line}: ${stderr}`).toBe(true);
  },
);

test('a program on the PATH is called by its name, and a path with spaces is quoted', async () => {
  const folder = await newFolder('a program ');
  const link = join(folder, 'tracker-mcp');
  await symlink(resolve('dist/cli.js'), link);
  const environment = { PATH: `${folder}${delimiter}${process.env['PATH']}` };
  const named = await runCli(['tools', '--help'], { cli: link, environment });
  expect(named.stdout).toMatch(/^Usage: tracker-mcp tools /);
  const unnamed = await runCli(['tools', '--help'], { cli: link });
  expect(unnamed.stdout).toContain(`Usage: node '${link}' tools `);
});

describe.each(terminals)('on a terminal of 60 columns', (onTerminal) => {
  test.each([[['nope']], [['call', '--help']], [['call', 'list_campaigns']], [['--help']], [['check']]])(
    'no line of %j is wider, except commands to paste',
    async (given) => {
      const { shown } = await onTerminal(given, {}, [], 60);
      const wide = shown.split('\n').filter((line) => line.length > 60 && !/^ {2}node dist/.test(line));
      expect(wide).toEqual([]);
    },
  );
});

describe('a wrong command line exits 2 with nothing on stdout and a hint on stderr', () => {
  test.each([
    [
      ['nope'],
      'call, reconcile, tools, check, review, audit, approve, approver, http, token, sandbox, install, uninstall, completion, demo, help',
    ],
    [['chekc'], 'did you mean check?'],
    [['help', 'nope'], "unknown command 'nope'"],
    [['--nope'], '--help'],
    [['--url'], "'--url <URL>' argument missing"],
    [['tools', '--nope'], 'node dist/cli.js tools --help'],
    [['tools', 'surplus'], 'too many arguments'],
    [['--read-only', 'demo'], "'--read-only' comes before a command that does not take it"],
    [['--url', 'http://127.0.0.1:9', 'sandbox'], "'--url' comes before"],
    [['--timeout', '900', 'sandbox', 'traffic', '--campaign', '1', '--visitors', '1'], "'--timeout' comes before"],
    [['--sandbox', 'audit', 'writes.jsonl'], "'--sandbox' comes before"],
    [['sandbox', '--port', '80x'], 'from 0 to 65535'],
    [['sandbox', '--api-key', ''], 'The API key is empty.'],
    [['sandbox', '--quirks', 'bare,odd'], 'notices, html, http-errors, bare'],
    [['call'], 'get_stats, list_conversions'],
    [['call', 'get_stat'], "no tool 'get_stat'; did you mean get_stats? The tools are: get_stats, list_conversions"],
    [['call', 'get_stat', '--campaign_id', '1'], "no tool 'get_stat'; did you mean get_stats?"],
    [['call', '--nope'], "unknown option '--nope'"],
    [['call', 'get_stats', '--sandbox'], 'campaign_id is missing'],
    [['completion'], 'shell'],
    [['completion', 'tcsh'], 'bash, zsh, fish'],
    [['install', 'nope'], 'claude-desktop'],
    [['call', 'query_report', '--sql', 'SELECT 1'], 'queries the answers of earlier calls'],
    [['call', 'get_stats', '--campaign', '1'], 'campaign_id, reports'],
    [['call', 'list_traffic_sources', 'surplus'], 'too many arguments'],
    [[], '--sandbox'],
    [['call', 'list_campaigns'], '--sandbox'],
    [['call', '--format', 'csv', 'list_campaigns', '--sandbox'], 'json, xml'],
  ])('%j', async (given, hint) => {
    const { code, stdout, stderr } = await runCommand(given);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});

test.each([
  [['help'], ['--help']],
  [
    ['help', 'call'],
    ['call', '--help'],
  ],
  [
    ['help', 'call', 'get_stats'],
    ['call', 'get_stats', '--help'],
  ],
])('%j shows what %j shows', async (asked, shown) => {
  const help = await runCommand(asked);
  expect(help.code).toBe(0);
  expect(help).toEqual(await runCommand(shown));
});

const printing = [['tools'], ['check'], ['call', 'list_campaigns']];

test.each(fullDevices.flatMap((device) => printing.map((given) => [given.join(' '), given, device] as const)))(
  'output that cannot be written is one line on stderr and exit 1: %s',
  async (_, given, device) => {
    const full = await open(device, 'w');
    const child = spawn(process.execPath, ['dist/cli.js', ...given], {
      env: { PATH: process.env['PATH'] ?? '', ...sharedSandbox() },
      stdio: ['ignore', full.fd, 'pipe'],
    });
    const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr as NodeJS.ReadableStream)]);
    await full.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^tracker-mcp: The output cannot be written: ENOSPC.*\n$/);
  },
);
