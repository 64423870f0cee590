import type { Command } from 'commander';
import { ConfigurationFailure } from '../config.ts';
import { TokenFile, type TokenRights } from '../mcp/http/access/token-file.ts';
import { addSetting, guarded, newCommand, settingsOf } from './command-line.ts';
import { refuseUnknownTools } from './open-trackers.ts';
import { lookOfOutput } from './terminal/look.ts';
import { renderTable } from './terminal/render-table.ts';

interface Rights {
  readonly read?: true;
  readonly propose?: true;
  readonly write?: true;
  readonly campaigns?: string;
  readonly maxBid?: string;
  readonly maxPayout?: string;
  readonly onlyTools?: string;
  readonly onlyTrackers?: string;
  readonly expires?: string;
}

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
  const list = newCommand('list')
    .description('Lists the tokens by name: what each may do, when it ends, when it was last used.')
    .action(() => guarded(() => listTokens(fileOf(command))));
  const remove = newCommand('remove')
    .description('Removes a token; a server that runs takes it no more from its next request on.')
    .argument('<name>', 'whose it is')
    .action((name: string) => guarded(() => fileOf(command).remove(name)));
  return command.addCommand(add).addCommand(list).addCommand(remove);
}

function fileOf(command: Command): TokenFile {
  const path = settingsOf(command).tokens ?? process.env['TRACKER_MCP_TOKENS']?.trim();
  if (path) return new TokenFile(path);
  throw new ConfigurationFailure('No file of tokens is named.', 'Give --tokens FILE, or set TRACKER_MCP_TOKENS.');
}

async function addToken(file: TokenFile, name: string, given: Rights): Promise<void> {
  const levels = (['read', 'propose', 'write'] as const).filter((level) => given[level]);
  const [access] = levels;
  if (access === undefined || levels.length > 1) {
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
  process.stdout.write(`${await file.add(rights)}\n`);
  const end = rights.expires === undefined ? '' : ` It ends at ${minuteOf(rights.expires)} UTC.`;
  console.error(`tracker-mcp: that is the token of ${name}; it cannot be shown again.${end}`);
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

async function listTokens(file: TokenFile): Promise<void> {
  const rows = await Promise.all(
    (await file.all()).map(async ({ name, access, created, expires, salt, hash, ...limits }) => {
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
    }),
  );
  const columns = ['name', 'access', 'created (UTC)', 'ends (UTC)', 'last used (UTC)', 'limits'];
  process.stdout.write(`${rows.length === 0 ? 'No tokens.' : renderTable(columns, rows, lookOfOutput())}\n`);
}
