import type { Command } from 'commander';
import type { ShownCell } from '../answer/blocks.ts';
import { hourMs } from '../api/durations.ts';
import { isCalendarDay } from '../api/parameters.ts';
import { parseText, type Settings, schema } from '../config/settings.ts';
import { ConfigurationFailure } from '../config.ts';
import type { Approver } from '../guard/approval.ts';
import type { SecretsFile } from '../guard/secrets-file.ts';
import { type TokenEntry, TokenFile, type TokenRights } from '../mcp/http/token-file.ts';
import { approversDescription, openApprovers } from './approve.ts';
import { addSetting, givenSetting, newCommand, reportFailures } from './command-line.ts';
import { refuseUnknownTools } from './open-trackers.ts';
import { pasteable, print } from './process.ts';
import { lookOfOutput } from './terminal/look.ts';
import { renderTable } from './terminal/render-table.ts';

const accessLevels = ['read', 'propose', 'write'] as const;

type TokenOptions = Partial<
  Record<(typeof accessLevels)[number], true> &
    Record<'campaigns' | 'maxBid' | 'maxPayout' | 'onlyTools' | 'onlyTrackers' | 'expires', string>
>;

export function tokenCommand(): Command {
  const command = newCommand('tracker-mcp token')
    .description('Adds, lists and removes the bearer tokens of tracker-mcp http.')
    .addHelpText('after', '\nExample:\n  tracker-mcp token --tokens tokens.json add ann --read');
  addSetting(command, 'tokens', 'the file of the tokens [TRACKER_MCP_TOKENS]');
  const add = newCommand('add')
    .description('Creates a token and prints it once: the file stores only its hash.')
    .argument('<name>', 'the owner, as shown in the audit trail')
    .option('--read', 'only reading tools')
    .option('--propose', 'writes only after a person confirms, immediately or later')
    .option('--write', 'reads and writes')
    .option('--campaigns <LIST>', 'IDs of campaigns that it may change, separated by commas')
    .option('--max-bid <AMOUNT>', 'maximum bid')
    .option('--max-payout <AMOUNT>', 'maximum payout')
    .option('--only-tools <LIST>', 'only these tools, separated by commas')
    .option('--only-trackers <LIST>', 'only these trackers of a configuration file, separated by commas')
    .option('--expires <WHEN>', 'when it expires: 12h, 30d, 8w or a day such as 2027-01-31; by default never')
    .action((name: string, options: TokenOptions) => reportFailures(() => addToken(tokenFile(command), name, options)));
  return addListAndRemove(command.addCommand(add), () => tokenFile(command), {
    kind: 'token',
    columns: ['name', 'access', 'created (UTC)', 'ends (UTC)', 'last used (UTC)', 'limits'],
    row: (entry) => tokenRow(entry, tokenFile(command)),
    list: 'Lists the tokens: name, access, expiry and last use.',
    remove: 'Removes a token; a running server refuses it from its next request on.',
  });
}

export function approverCommand(): Command {
  const command = newCommand('tracker-mcp approver')
    .description('Adds, lists and removes the people who may approve proposals of agents.')
    .addHelpText('after', '\nExample:\n  tracker-mcp approver add ann');
  addSetting(command, 'approvers', approversDescription);
  const open = () => openApprovers(givenSetting(command, 'approvers'));
  const add = newCommand('add')
    .description('Adds an approver and prints the secret once: the file stores only the public half.')
    .argument('<name>', 'the name, as shown in the audit trail')
    .action((name: string) =>
      reportFailures(async () => {
        const advice = ' Keep it where no agent reads it, such as a password manager.';
        printSecret(await open().add(name), `the secret of ${name}`, advice);
      }),
    );
  return addListAndRemove<Approver>(command.addCommand(add), open, {
    kind: 'approver',
    columns: ['name', 'created (UTC)'],
    row: ({ name, created }) => [name, created],
    list: 'Lists the approvers by name.',
    remove: 'Removes an approver, and revokes approvals that were not sent yet.',
  });
}

interface Listing<Entry> {
  readonly kind: string;
  readonly columns: readonly string[];
  readonly row: (entry: Entry) => readonly ShownCell[] | Promise<readonly ShownCell[]>;
  readonly list: string;
  readonly remove: string;
}

function addListAndRemove<Entry extends { readonly name: string }>(
  command: Command,
  open: () => SecretsFile<Entry>,
  { kind, columns, row, ...descriptions }: Listing<Entry>,
): Command {
  const list = async () => {
    const rows = await Promise.all((await open().all()).map(row));
    print(rows.length === 0 ? `No ${kind}s.` : renderTable(columns, rows, lookOfOutput()));
  };
  const listCommand = newCommand('list')
    .description(descriptions.list)
    .action(() => reportFailures(list));
  const removeCommand = newCommand('remove')
    .description(descriptions.remove)
    .argument('<name>', 'the name')
    .action((name: string) => reportFailures(() => open().remove(name)));
  return command.addCommand(listCommand).addCommand(removeCommand);
}

function printSecret(secret: string, description: string, advice: string): void {
  print(secret);
  console.error(`tracker-mcp: that is ${description}; it cannot be shown again.${advice}`);
}

function tokenFile(command: Command): TokenFile {
  const path = givenSetting(command, 'tokens');
  if (path) return new TokenFile(path);
  throw new ConfigurationFailure('No token file is named.', 'Give --tokens FILE, or set TRACKER_MCP_TOKENS.');
}

async function addToken(file: TokenFile, name: string, given: TokenOptions): Promise<void> {
  const [access, ...others] = accessLevels.filter((level) => given[level]);
  if (access === undefined || others.length > 0) {
    throw new ConfigurationFailure('A token needs one kind of access.', 'Give --read, --propose or --write.');
  }
  const list = (text: string | undefined) => text?.split(',').map((item) => item.trim());
  const tools = list(given.onlyTools);
  refuseUnknownTools(tools);
  const rights: TokenRights = {
    name,
    access,
    tools,
    trackers: list(given.onlyTrackers),
    campaigns: limit('allowCampaigns', '--campaigns', given.campaigns),
    max_bid: limit('maxBid', '--max-bid', given.maxBid),
    max_payout: limit('maxPayout', '--max-payout', given.maxPayout),
    expires: given.expires === undefined ? undefined : expiryOf(given.expires.trim()),
  };
  const end = rights.expires === undefined ? '' : ` It ends at ${minuteOf(rights.expires)} UTC.`;
  const next = access === 'propose' ? ` Its writes wait for a person with a secret: ${pasteable(addApprover)}.` : '';
  printSecret(await file.add(rights), `the token of ${name}`, end + next);
}

/** A limit of a token, read as the setting that limits the whole server. */
function limit<Key extends 'allowCampaigns' | 'maxBid' | 'maxPayout'>(key: Key, flag: string, text?: string) {
  if (text === undefined) return undefined;
  const { data, error } = schema.shape[key].safeParse(parseText(text.trim(), schema.shape[key]));
  if (error) throw new ConfigurationFailure(`${flag} ${error.issues[0]?.message}; got ${JSON.stringify(text)}.`);
  return data as Settings[Key];
}

const addApprover = 'tracker-mcp approver add NAME makes one';

const hours: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };

/** The time, in UTC, at which a duration or a day ends. */
function expiryOf(given: string): string {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(given) ?? [];
  const isDay = /^\d{4}-\d\d-\d\d$/.test(given) && isCalendarDay(given);
  const end = isDay ? Date.parse(`${given}T23:59:59Z`) : Date.now() + Number(count) * (hours[unit] ?? 0) * hourMs;
  if (end > Date.now()) return new Date(end).toISOString();
  throw new ConfigurationFailure(
    `--expires ${JSON.stringify(given)} is not a time in the future.`,
    'Give hours, days or weeks, such as 12h, 30d or 8w, or a day such as 2027-01-31.',
  );
}

/** `2026-11-23 09:30` */
function minuteOf(timeInUtc: string): string {
  return timeInUtc.slice(0, 16).replace('T', ' ');
}

async function tokenRow(
  { name, access, created, expires, salt, hash, ...limits }: TokenEntry,
  file: TokenFile,
): Promise<readonly ShownCell[]> {
  const used = await file.lastUse(name);
  const isExpired = expires !== undefined && Date.parse(expires) <= Date.now();
  return [
    name,
    access,
    created === undefined ? null : minuteOf(created),
    expires === undefined ? 'never' : `${minuteOf(expires)}${isExpired ? ' (expired)' : ''}`,
    used === undefined ? 'not seen' : minuteOf(used.toISOString()),
    Object.entries(limits)
      .map(([limit, value]) => `${limit.replace('_', ' ')}: ${value}`)
      .join('; '),
  ];
}
