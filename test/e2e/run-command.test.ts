import { expect, test } from 'vitest';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { type CliOptions, runCli } from './support/run-cli.ts';
import { runCommand } from './support/run-command.ts';

/** Many tests run commands in a thread that has loaded the program: its output is that of a process. */

const tracker = await startForeignTracker({
  'campaign/list': '[{"ID":"1","Name":"One"}]',
  'offer/edit': '{"Status":"Error","Message":"no such offer"}',
});
const environment = { TRACKER_URL: tracker.url, TRACKER_API_KEY: 'a-key-of-either-way' };

const commandLines: readonly (readonly [given: readonly string[], options: CliOptions])[] = [
  [['--help'], {}],
  [['nope'], {}],
  [['call', 'get_stats', '--help'], {}],
  [['call', 'get_stats'], { environment }],
  [['call', 'list_campaigns'], { environment }],
  [['call', 'list_campaigns', '--csv'], { environment: { ...environment, TRACKER_TIMEZON: 'UTC' } }],
  [['call', 'edit_offer', '--offer_id', '7', '--payout', '3'], { environment }],
  [
    ['call', 'list_campaigns', '--timeout', '900'],
    { environment: { ...environment, TRACKER_URL: 'http://127.0.0.1:9' } },
  ],
  [['check'], {}],
  [[], { environment: { ...environment, TRACKER_READ_ONLY: 'yes' } }],
  [['audit', 'no/such/file'], {}],
  [['approve', 'zzzzzzzzzzzz'], { environment: { TRACKER_PROPOSALS: 'no/such/folder' }, input: 'a secret\n' }],
];

/** The ID of a change is random. */
const withoutIds = <Ran extends { readonly stderr: string }>(ran: Ran): Ran => ({
  ...ran,
  stderr: ran.stderr.replace(/(?<=change )[0-9a-f]{12}/g, '<id>'),
});

test.each(commandLines)('a thread and a process give the same output and exit code: %j', async (given, options) => {
  expect(withoutIds(await runCommand(given, options))).toEqual(withoutIds(await runCli(given, options)));
});

test('a command passes neither exit code nor environment nor input on to the next', async () => {
  const exitCode = process.exitCode;
  const refused = await runCommand(['tools'], { environment: { TRACKER_READ_ONLY: 'yes' } });
  expect(refused.code).toBe(2);
  expect(await runCommand(['tools'])).toMatchObject({ code: 0, stderr: '' });
  const asked = ['approver', '--approvers', 'no/such/folder/approvers.json', 'list'];
  expect(await runCommand(asked, { input: 'left over\n' })).toEqual(await runCommand(asked));
  expect(process.exitCode).toBe(exitCode);
});

test('concurrent commands each get their own output', async () => {
  const [tools, version, none] = await Promise.all(
    [['tools'], ['--version'], ['nope']].map((given) => runCommand(given)),
  );
  expect(tools?.stdout).toContain('list_campaigns');
  expect(version?.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(none).toMatchObject({ code: 2, stdout: '' });
});
