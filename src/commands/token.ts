import type { Command } from 'commander';
import { ConfigurationFailure } from '../config.ts';
import { addToken, readTokens, removeToken, type TokenRights } from '../mcp/http/access/token-file.ts';
import { addSetting, guarded, newCommand, settingsOf } from './command-line.ts';
import { refuseUnknownTools } from './refuse-unknown-tools.ts';
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
}

/** `tracker-mcp token`: who may call a server over HTTP. */
export function tokenCommand(): Command {
  const command = newCommand('tracker-mcp token')
    .description('Makes, lists and removes the bearer tokens that tracker-mcp http takes.')
    .addHelpText('after', '\nExample:\n  tracker-mcp token --tokens tokens.json add ann --read');
  addSetting(command, 'tokens', 'the file of the tokens [TRACKER_MCP_TOKENS]');
  command.addCommand(
    newCommand('add')
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
      .action((name: string, rights: Rights) => guarded(() => add(fileOf(command), name, rights))),
  );
  command.addCommand(
    newCommand('list')
      .description('Lists the tokens by name, and what each may do.')
      .action(() => guarded(() => list(fileOf(command)))),
  );
  command.addCommand(
    newCommand('remove')
      .description('Removes a token; a server that runs takes it no more from its next request on.')
      .argument('<name>', 'whose it is')
      .action((name: string) => guarded(() => removeToken(fileOf(command), name))),
  );
  return command;
}

function fileOf(command: Command): string {
  const path = settingsOf(command).tokens ?? process.env['TRACKER_MCP_TOKENS']?.trim();
  if (path) return path;
  throw new ConfigurationFailure('No file of tokens is named.', 'Give --tokens FILE, or set TRACKER_MCP_TOKENS.');
}

async function add(path: string, name: string, given: Rights): Promise<void> {
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
  };
  process.stdout.write(`${await addToken(path, rights)}\n`);
  console.error(`tracker-mcp: that is the token of ${name}; it cannot be shown again.`);
}

async function list(path: string): Promise<void> {
  const rows = (await readTokens(path)).map(
    ({ name, access, created, campaigns, max_bid, max_payout, tools, trackers }) => [
      name,
      access,
      created ?? null,
      Object.entries({ campaigns, max_bid, max_payout, tools, trackers })
        .flatMap(([limit, value]) => (value === undefined ? [] : [`${limit.replace('_', ' ')}: ${value}`]))
        .join('; '),
    ],
  );
  const table = renderTable(['name', 'access', 'created (UTC)', 'limits'], rows, lookOfOutput());
  process.stdout.write(`${rows.length === 0 ? 'No tokens.' : table}\n`);
}
