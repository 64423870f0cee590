import type { Command } from 'commander';
import { ConfigurationFailure } from '../config.ts';
import type { Approver } from '../guard/approval.ts';
import type { SecretsFile } from '../guard/secrets-file.ts';
import { type TokenEntry, TokenFile, type TokenRights } from '../mcp/http/access/token-file.ts';
import { aboutApprovers, openApprovers } from './approve.ts';
import { addSetting, givenSetting, guarded, newCommand } from './command-line.ts';
import { refuseUnknownTools } from './open-trackers.ts';
import { say } from './process.ts';
import { lookOfOutput } from './terminal/look.ts';
import { renderTable, type TableCell } from './terminal/render-table.ts';

/** The commands for the two files of named secrets: who may call a server over HTTP, and who may approve writes. */

const levels = ['read', 'propose', 'write'] as const;

/** The options of a token: switches, and texts. */
type Rights = Partial<
  Record<(typeof levels)[number], true> &
    Record<'campaigns' | 'maxBid' | 'maxPayout' | 'onlyTools' | 'onlyTrackers' | 'expires', string>
>;

/** `tracker-mcp token`: who may call a server over HTTP. */
export function tokenCommand(): Command {
  const command = newCommand('tracker-mcp token')
    .description('Makes, lists and removes the bearer tokens that tracker-mcp http takes.')
    .addHelpText('after', '\nExample:\n  tracker-mcp token --tokens tokens.json add ann --read');
  addSetting(command, 'tokens', 'the file of the tokens [TRACKER_MCP_TOKENS]');
  const add = newCommand('add')
    .description('Makes a token and prints it, once: the file holds only its hash.')
    .argument('<name>', 'whose it is, as the audit trail names them')
    .option('--read', 'it sees and reaches reading tools alone')
    .option('--propose', 'it writes only what a person agrees to, at once or later')
    .option('--write', 'it writes')
    .option('--campaigns <LIST>', 'campaigns that it may change, IDs by comma')
    .option('--max-bid <AMOUNT>', 'highest bid that it may set')
    .option('--max-payout <AMOUNT>', 'highest payout that it may set')
    .option('--only-tools <LIST>', 'only these tools, by comma')
    .option('--only-trackers <LIST>', 'only these trackers of a configuration file, by comma')
    .option('--expires <WHEN>', 'when it ends: 12h, 30d, 8w or a day such as 2027-01-31; without it, never')
    .action((name: string, rights: Rights) => guarded(() => addToken(fileOf(command), name, rights)));
  return addListAndRemove(command.addCommand(add), () => fileOf(command), {
    ...{ kind: 'token', columns: ['name', 'access', 'created (UTC)', 'ends (UTC)', 'last used (UTC)', 'limits'] },
    row: (entry) => rowOf(entry, fileOf(command)),
    list: 'Lists the tokens by name: what each may do, when it ends, when it was last used.',
    remove: 'Removes a token; a server that runs takes it no more from its next request on.',
  });
}

/** `tracker-mcp approver`: who may decide about writes that wait for a person. */
export function approverCommand(): Command {
  const command = newCommand('tracker-mcp approver')
    .description('Makes, lists and removes those who may approve what an agent proposes.')
    .addHelpText('after', '\nExample:\n  tracker-mcp approver add ann');
  addSetting(command, 'approvers', aboutApprovers);
  const add = newCommand('add')
    .description('Makes an approver and prints their secret, once: the file holds only what checks it.')
    .argument('<name>', 'who it is, as the audit trail names them')
    .action((name: string) =>
      guarded(async () => {
        const secret = await openApprovers(givenSetting(command, 'approvers')).add(name);
        const keep = ' Keep it where no agent reads it, such as a password manager.';
        printOnce(secret, `the secret of ${name}`, keep);
      }),
    );
  return addListAndRemove<Approver>(command.addCommand(add), () => openApprovers(givenSetting(command, 'approvers')), {
    ...{ kind: 'approver', columns: ['name', 'created (UTC)'], row: ({ name, created }) => [name, created] },
    list: 'Lists the approvers by name.',
    remove: 'Removes an approver: what they approved and was not sent yet is approved no more.',
  });
}

interface Listed<Entry> {
  readonly kind: string;
  readonly columns: readonly string[];
  readonly row: (entry: Entry) => readonly TableCell[] | Promise<readonly TableCell[]>;
  /** The descriptions of the commands. */
  readonly list: string;
  readonly remove: string;
}

function addListAndRemove<Entry extends { readonly name: string }>(
  command: Command,
  open: () => SecretsFile<Entry>,
  { kind, columns, row, ...descriptions }: Listed<Entry>,
): Command {
  const list = async () => {
    const rows = await Promise.all((await open().all()).map(row));
    say(rows.length === 0 ? `No ${kind}s.` : renderTable(columns, rows, lookOfOutput()));
  };
  const listing = newCommand('list').description(descriptions.list);
  const removing = newCommand('remove')
    .description(descriptions.remove)
    .argument('<name>', 'the name it was made with');
  return command
    .addCommand(listing.action(() => guarded(list)))
    .addCommand(removing.action((name: string) => guarded(() => open().remove(name))));
}

function printOnce(secret: string, what: string, more: string): void {
  say(secret);
  console.error(`tracker-mcp: that is ${what}; it cannot be shown again.${more}`);
}

function fileOf(command: Command): TokenFile {
  const path = givenSetting(command, 'tokens');
  if (path) return new TokenFile(path);
  throw new ConfigurationFailure('No file of tokens is named.', 'Give --tokens FILE, or set TRACKER_MCP_TOKENS.');
}

async function addToken(file: TokenFile, name: string, given: Rights): Promise<void> {
  const [access, ...others] = levels.filter((level) => given[level]);
  if (access === undefined || others.length > 0) {
    throw new ConfigurationFailure('A token is for one of three.', 'Give --read, --propose or --write.');
  }
  const tools = given.onlyTools?.split(',').map((tool) => tool.trim());
  refuseUnknownTools(tools);
  const rights: TokenRights = {
    name,
    access,
    tools,
    trackers: given.onlyTrackers?.split(',').map((tracker) => tracker.trim()),
    campaigns: given.campaigns?.split(',').map(Number),
    max_bid: given.maxBid === undefined ? undefined : Number(given.maxBid),
    max_payout: given.maxPayout === undefined ? undefined : Number(given.maxPayout),
    expires: given.expires === undefined ? undefined : endOf(given.expires.trim()),
  };
  const end = rights.expires === undefined ? '' : ` It ends at ${minuteOf(rights.expires)} UTC.`;
  printOnce(await file.add(rights), `the token of ${name}`, end);
}

const hours: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };

/** When a token ends that is to last so long, or through so many days. */
function endOf(given: string): string {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(given) ?? [];
  const isDay = /^\d{4}-\d\d-\d\d$/.test(given);
  const end = isDay ? Date.parse(`${given}T23:59:59Z`) : Date.now() + Number(count) * (hours[unit] ?? 0) * 3_600_000;
  if (end > Date.now()) return new Date(end).toISOString();
  throw new ConfigurationFailure(
    `--expires ${JSON.stringify(given)} is no time to come.`,
    'Give hours, days or weeks, such as 12h, 30d or 8w, or a day such as 2027-01-31.',
  );
}

/** `2026-11-23 09:30`, of a time in UTC. */
function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

async function rowOf(
  { name, access, created, expires, salt, hash, ...limits }: TokenEntry,
  file: TokenFile,
): Promise<readonly TableCell[]> {
  const used = await file.lastUse(name);
  const isOver = expires !== undefined && Date.parse(expires) <= Date.now();
  return [
    name,
    access,
    created === undefined ? null : minuteOf(created),
    expires === undefined ? 'never' : `${minuteOf(expires)}${isOver ? ' (over)' : ''}`,
    used === undefined ? 'not seen' : minuteOf(used.toISOString()),
    Object.entries(limits)
      .map(([limit, value]) => `${limit.replace('_', ' ')}: ${value}`)
      .join('; '),
  ];
}
