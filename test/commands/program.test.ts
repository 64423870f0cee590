import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settings } from '../../src/config.ts';
import { runCli } from '../e2e/support/run-cli.ts';

const commands = ['call', 'tools', 'check', 'audit', 'sandbox', 'demo'];

test('--version is the version of the package, on stdout', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('--help names every command, flag and variable', async () => {
  const { code, stdout, stderr } = await runCli(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  for (const { flag, variable } of settings) {
    if (flag) expect(stdout).toContain(flag);
    expect(stdout).toContain(variable);
  }
});

test.each(commands)('%s --help shows an example and exits 0', async (command) => {
  const { code, stdout, stderr } = await runCli([command, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Examples?:\n {2}tracker-mcp /m);
});

describe('a command line that cannot work exits 2 with nothing on stdout and what there is on stderr', () => {
  test.each([
    [['nope'], 'call, tools, check, audit, sandbox, demo'],
    [['--nope'], '--help'],
    [['--url'], "'--url <URL>' argument missing"],
    [['tools', '--nope'], 'tracker-mcp tools --help'],
    [['tools', 'surplus'], 'too many arguments'],
    [['sandbox', '--port', '80x'], 'from 0 to 65535'],
    [['sandbox', '--quirks', 'bare,odd'], 'notices, html, http-errors, bare'],
    [['call'], 'get_stats, list_conversions'],
    [['call', 'get_stat'], 'get_stats, list_conversions'],
    [['call', 'get_stats', '--campaign', '1'], 'campaign_id, reports'],
    [['call', 'list_traffic_sources', 'surplus'], 'too many arguments'],
    [[], '--sandbox'],
    [['call', 'list_campaigns'], '--sandbox'],
    [['call', '--format', 'csv', 'list_campaigns', '--sandbox'], 'json, xml'],
  ])('%j', async (given, hint) => {
    const { code, stdout, stderr } = await runCli(given);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});
