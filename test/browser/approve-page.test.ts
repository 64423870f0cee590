import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch } from './browser-host.ts';

/** The built server on the embedded tracker, with an agent and a person at a browser. */

let folder: string;
let environment: NodeJS.ProcessEnv;
let server: ChildProcess;
let browser: Browser;
let url: URL;
let agent: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'approve-page-'));
  environment = {
    ...{ PATH: process.env['PATH'] ?? '', TRACKER_SANDBOX: '1', TRACKER_CONFIRM: 'approve' },
    ...{ TRACKER_PROPOSALS: join(folder, 'proposals'), TRACKER_APPROVERS: join(folder, 'approvers.json') },
  };
  browser = await launch();
  server = spawn(process.execPath, ['dist/cli.js', 'http', '--port', '0'], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  url = await addressOf(server);
  agent = new Client({ name: 'agent', version: '1' });
  await agent.connect(new StreamableHTTPClientTransport(url) as Transport);
});
afterAll(async () => {
  await agent.close();
  await browser.close();
  server.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

async function addressOf({ stderr }: ChildProcess): Promise<URL> {
  if (!stderr) throw new Error('stderr is not a pipe');
  return new Promise((resolve) => {
    createInterface(stderr).on('line', (line) => {
      const address = /serving MCP at (\S+?\/mcp)/.exec(line)?.[1];
      if (address !== undefined) resolve(new URL(address));
    });
  });
}

async function propose(bid: number): Promise<string> {
  const { structuredContent } = await agent.callTool({ name: 'edit_campaign', arguments: { campaign_id: 1, bid } });
  return (structuredContent as { proposal: { proposal_id: string } }).proposal.proposal_id;
}

test('a person signs in with a browser, approves one write, rejects another, and signs out', {
  timeout: 180_000,
}, async () => {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(new URL('/approve', url).href);
  expect(await page.textContent('main')).toContain('tracker-mcp approver add');

  const made = await promisify(execFile)(process.execPath, ['dist/cli.js', 'approver', 'add', 'ann'], {
    env: environment,
  });
  const [approved, rejected] = [await propose(0.11), await propose(0.12)];
  await page.reload();
  await page.getByLabel('secret').fill(made.stdout.trim());
  await page.getByRole('button', { name: 'Sign in' }).click();
  const proposal = (id: string) => page.locator(`article:has-text("${id}")`);
  await proposal(approved).getByRole('button', { name: 'Approve' }).click();
  await page.getByText(`Proposal ${approved} (edit_campaign), decided by ann: done`).waitFor();
  await proposal(rejected).getByRole('button', { name: 'Reject' }).click();
  await page.getByText(`Proposal ${rejected} (edit_campaign), decided by ann: rejected`).waitFor();
  const { structuredContent } = await agent.callTool({ name: 'list_changes', arguments: {} });
  expect(structuredContent).toMatchObject({ changes: [{ tool: 'edit_campaign', state: 'done, approved by ann' }] });

  // The page's policy allows its style sheet, which may load after the text.
  await page.waitForLoadState();
  expect(await page.locator('main').evaluate((main) => getComputedStyle(main).maxWidth)).toBe('768px');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('secret').waitFor();
  expect(problems).toEqual([]);
  await page.close();
});
