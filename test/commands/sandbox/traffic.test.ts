import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { copySampleData, startCli } from '../../e2e/support/run-cli.ts';
import { runCommand } from '../../e2e/support/run-command.ts';
import { newFolder } from '../../support/folders.ts';
import { signals } from '../../support/system.ts';

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  folder = await newFolder();
  sandbox = await startSandbox({ apiKey: 'rehearsal', file: await copySampleData(join(folder, 'tracker.duckdb')) });
});
afterAll(() => sandbox.close());

const environment = () => ({ TRACKER_URL: sandbox.url, TRACKER_API_KEY: sandbox.apiKey });
const command = (...given: string[]) => ['sandbox', 'traffic', ...given];
const send = (...given: string[]) => runCommand(command(...given), { environment: environment() });

async function profile(content: string): Promise<string> {
  const file = join(folder, 'profile.json');
  await writeFile(file, content);
  return file;
}

/** The figures of a page, from all parts of a wide table, each of which names the page. */
function figuresOf(stdout: string, page: number): number[] {
  const [, name = ''] = new RegExp(`^ +${page} +\\w+ +(\\S.*?) {2}`, 'm').exec(stdout) ?? [];
  const isRowOfPage = (line: string) => new RegExp(`^ +${page} `).test(line) || line.startsWith(`${name} `);
  const rows = stdout.split('\n').filter(isRowOfPage);
  const figures = rows.flatMap((row) => row.replace(/^ +\d+ /, '').match(/(?<= {2})[\d.,]+(?= |$)/g) ?? []);
  return figures.map((figure) => Number(figure.replaceAll(',', '')));
}

describe('visitors of a campaign', () => {
  // A sequence with two levels and option groups, paths, options, a direct link, and a lead capture.
  test.each([7, 8, 4, 5, 6])('of campaign %i are in the reports as they were sent', async (campaign) => {
    const { code, stdout, stderr } = await send('--campaign', `${campaign}`, '--visitors', '120', '--rate', '2000/s');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^120 visitors in /);
    expect(stdout).toMatch(/The reports match what was sent\.\n$/);
  });

  test('click, convert and pay by the profile, page by page', async () => {
    const rates = { pages: { 3: { convert: 1, payout: [7, 7] } }, default: { click: 1, convert: 0 } };
    const file = await profile(JSON.stringify(rates));
    const { stdout } = await send('--campaign', '1', '--visitors', '60', '--rate', '2000', '--profile', file);
    const [sent = 0, ...others] = figuresOf(stdout, 3);
    expect(sent).toBeGreaterThan(0);
    expect(others).toEqual([sent, sent, sent, sent, sent, 7 * sent, 7 * sent]);
    expect(figuresOf(stdout, 4)[4]).toBe(0);
  });

  test.each([
    ['the program', (url: string, key: string) => ['--url', url, '--api-key', key, 'sandbox', 'traffic']],
    ['sandbox and traffic', (url: string, key: string) => ['--url', url, 'sandbox', '--api-key', key, 'traffic']],
  ])('are sent with settings before %s', async (_, words) => {
    const given = [...words(sandbox.url, sandbox.apiKey), '--campaign', '1', '--visitors', '5', '--rate', '2000'];
    const { code, stdout } = await runCommand(given);
    expect(code).toBe(0);
    expect(stdout).toMatch(/The reports match what was sent\.\n$/);
  });

  test.each(signals)('stop on %s, and the reports are compared with those sent', async (signal) => {
    const given = command('--campaign', '1', '--visitors', '100000', '--rate', '200');
    const child = startCli(given, { environment: environment() });
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    await waitForVisitors();
    child.kill(signal);
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(await stdout).toMatch(/The reports match what was sent\.\nStopped before all 100000 had come\.\n$/);
    expect(await stderr).toBe('');
  });
});

/** Waits until the reports count 20 more visitors of campaign 1. */
async function waitForVisitors(): Promise<void> {
  const count = async () => {
    const body = new URLSearchParams({ key: sandbox.apiKey, camp: '1', report: 'campaign' });
    const reply = await fetch(`${sandbox.url}/api/stats/`, { method: 'POST', body });
    const { Reports } = (await reply.json()) as { Reports: { campaign: { Views: string }[] } };
    return Number(Reports.campaign[0]?.Views);
  };
  const before = await count();
  while ((await count()) < before + 20) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('no visitor is sent', () => {
  test.each(['https://tracker.example.com', 'http://192.0.2.7:8080', 'https://127.0.0.1'])('to %s', async (url) => {
    const given = command('--campaign', '1', '--visitors', '1', '--url', url);
    const { code, stderr } = await runCommand(given, { environment: { TRACKER_API_KEY: 'k' } });
    expect(code).toBe(2);
    expect(stderr).toContain('visitors are sent nowhere else');
  });

  test.each([
    ['a profile that is not JSON', '{', 'The profile is not JSON'],
    ['a rate over 1', '{"pages": {"3": {"convert": 5}}}', 'pages.3.convert'],
    ['an unknown word', '{"default": {"clicks": 0.5}}', 'clicks'],
    ['a page that is not an ID', '{"pages": {"offer": {}}}', 'pages.offer: is not a page ID'],
    ['payouts the wrong way round', '{"default": {"payout": [30, 20]}}', 'must be [lowest, highest]'],
  ])('with %s', async (_, content, message) => {
    const { code, stderr } = await send('--campaign', '1', '--visitors', '1', '--profile', await profile(content));
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  test('without a sandbox, or with a wrong command line, and the error names the remedy', async () => {
    const given = command('--campaign', '1', '--visitors', '1');
    const unnamed = await runCommand(given, { environment: { TRACKER_API_KEY: 'k' } });
    expect(unnamed.code).toBe(2);
    expect(unnamed.stderr).toMatch(/^tracker-mcp: Visitors need a running sandbox\. .*--url or TRACKER_URL/);
    expect(unnamed.stderr).not.toContain('--sandbox');
    const wrong = await runCommand(command('--nope'));
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('(node dist/cli.js sandbox traffic --help shows the options)');
  });

  test('with a profile of pages that the campaign does not have, and the error lists its pages', async () => {
    const file = await profile('{"pages": {"3": {"convert": 1}, "777": {"convert": 1}}}');
    const { code, stderr } = await send('--campaign', '1', '--visitors', '1', '--profile', file);
    expect(code).toBe(1);
    expect(stderr).toContain('the campaign does not have: 777.');
    expect(stderr).toMatch(/The campaign's pages are: .*\b3 \(offer, /);
  });

  test('to a campaign that is inactive or does not exist', async () => {
    expect((await send('--campaign', '9', '--visitors', '1')).stderr).toContain('Campaign 9 is inactive');
    expect((await send('--campaign', '99', '--visitors', '1')).stderr).toContain('There is no campaign 99.');
  });

  test('if the number of visitors is out of bounds', async () => {
    const { code, stderr } = await send('--campaign', '1', '--visitors', '1000001');
    expect(code).toBe(2);
    expect(stderr).toContain('from 1 to 1000000');
  });
});
