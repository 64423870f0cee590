import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { bearer, clientHeaders, toolCall } from '../support/messages.ts';
import { plainAnswers } from '../support/specified.ts';
import { runCli, startCli } from './support/run-cli.ts';
import { runCommand } from './support/run-command.ts';

const tracker = await startForeignTracker(plainAnswers);
const folder = await newFolder();
const people = { TRACKER_PROPOSALS: join(folder, 'proposals'), TRACKER_APPROVERS: join(folder, 'approvers.json') };
const tokens = join(folder, 'tokens.json');
const environment = {
  ...people,
  ...{ TRACKER_URL: tracker.url, TRACKER_API_KEY: 'json-log-secret-key', TRACKER_MAX_BID: '1' },
  ...{ TRACKER_MCP_PORT: '0', TRACKER_MCP_TOKENS: tokens, TRACKER_MCP_LOG_FORMAT: 'json' },
};

interface Line {
  readonly event?: string;
  readonly message: string;
  readonly time: string;
  readonly [field: string]: unknown;
}

test('a server’s day is a JSON object per line: start, a proposal, a refused write, what was sent, and stop', async () => {
  const secret = (await runCommand(['approver', 'add', 'ann'], { environment: people })).stdout;
  const token = (await runCommand(['token', '--tokens', tokens, 'add', 'bob', '--propose'])).stdout.trim();
  // A warning of Node itself is a line, too.
  const warning = 'data:text/javascript,setTimeout(()=>process.emitWarning(`look`),2000)';
  const server = startCli(['http'], { environment: { ...environment, NODE_OPTIONS: `--import ${warning}` } });
  const lines: Line[] = [];
  createInterface(server.stderr).on('line', (line) => lines.push(JSON.parse(line)));
  const of = (event: string) => lines.filter((line) => line.event === event);
  await expect.poll(() => of('start')).toHaveLength(1);
  const edit = async (bid: number) => {
    const headers = { ...clientHeaders, ...bearer(token), 'x-request-id': `bid-${bid}` };
    const body = JSON.stringify(toolCall('edit_campaign', { campaign_id: 7, bid }));
    return fetch(String(of('start')[0]?.['url']), { method: 'POST', headers, body });
  };
  await edit(0.5);
  const [proposed] = of('proposed');
  expect(proposed).toMatchObject({ tool: 'edit_campaign', token: 'bob', request_id: 'bid-0.5' });
  await edit(2);
  expect(of('call')).toMatchObject([{ outcome: 'ok' }, { outcome: 'error', token: 'bob', request_id: 'bid-2' }]);
  const proposal = String(proposed?.['proposal']);
  expect((await runCommand(['approve', proposal], { environment: people, input: secret })).code).toBe(0);
  await expect.poll(() => of('sent')).toMatchObject([{ proposal, approver: 'ann', token: 'bob', outcome: 'done' }]);
  expect(tracker.writes()).toHaveLength(1);
  await expect.poll(() => of('message').map(({ message }) => message)).toContainEqual(expect.stringContaining('look'));
  server.kill('SIGTERM');
  await once(server, 'close');
  expect(lines.at(-1)?.event).toBe('stop');
  for (const { time } of lines) expect(Date.parse(time)).not.toBeNaN();
});

test.each([
  ['a flag that does not exist', ['--prot', '1']],
  ['a port that is none', ['--port', '70000']],
])('a start that fails for %s writes JSON lines alone', async (_, given) => {
  const { code, stderr } = await runCli(['http', '--log-format', 'json', ...given], { environment });
  expect(code).toBe(2);
  for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ event: 'message' });
});
