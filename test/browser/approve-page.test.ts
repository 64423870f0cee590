import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, test } from 'vitest';
import { startHttpServer } from '../e2e/support/clients.ts';
import { runCli } from '../e2e/support/run-cli.ts';
import { closeAfterTests } from '../support/closing.ts';
import { newFolder } from '../support/folders.ts';
import { launch } from './browser-host.ts';

/** The built server on the embedded tracker, with an agent and a person at a browser. */

const folder = await newFolder();
const environment = {
  ...{ TRACKER_SANDBOX: '1', TRACKER_CONFIRM: 'approve' },
  ...{ TRACKER_PROPOSALS: join(folder, 'proposals'), TRACKER_APPROVERS: join(folder, 'approvers.json') },
};
const browser = await launch();
closeAfterTests(() => browser.close());
const { server, url } = await startHttpServer([], environment);
closeAfterTests(() => server.kill('SIGTERM'));
const agent = new Client({ name: 'agent', version: '1' });
await agent.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
closeAfterTests(() => agent.close());

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

  const made = await runCli(['approver', 'add', 'ann'], { environment });
  const [approved, rejected] = [await propose(0.11), await propose(0.12)];
  await page.reload();
  // The browser says so if another field has the focus before this one.
  await page.locator('#secret:focus').waitFor();
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
