import type { Command } from 'commander';
import type { Approvers } from '../../guard/proposals/approvers.ts';
import { addSetting, guarded, newCommand, settingsOf } from '../command-line.ts';
import { lookOfOutput } from '../terminal/look.ts';
import { renderTable } from '../terminal/render-table.ts';
import { openApprovers } from './open-proposals.ts';

/** `tracker-mcp approver`: who may decide about writes that wait for a person. */
export function approverCommand(): Command {
  const command = newCommand('tracker-mcp approver')
    .description('Makes, lists and removes those who may approve what an agent proposes.')
    .addHelpText('after', '\nExample:\n  tracker-mcp approver add ann');
  addSetting(command, 'approvers', 'the file of approvers [TRACKER_APPROVERS; in the user’s configuration directory]');
  command.addCommand(
    newCommand('add')
      .description('Makes an approver and prints their secret, once: the file holds only what checks it.')
      .argument('<name>', 'who it is, as the audit trail names them')
      .action((name: string) => guarded(() => add(approversOf(command), name))),
  );
  command.addCommand(
    newCommand('list')
      .description('Lists the approvers by name.')
      .action(() => guarded(() => list(approversOf(command)))),
  );
  command.addCommand(
    newCommand('remove')
      .description('Removes an approver: what they approved and was not sent yet is approved no more.')
      .argument('<name>', 'who it is')
      .action((name: string) => guarded(() => approversOf(command).remove(name))),
  );
  return command;
}

function approversOf(command: Command): Approvers {
  return openApprovers(settingsOf(command).approvers ?? (process.env['TRACKER_APPROVERS']?.trim() || undefined));
}

async function add(approvers: Approvers, name: string): Promise<void> {
  process.stdout.write(`${await approvers.add(name)}\n`);
  console.error(
    `tracker-mcp: that is the secret of ${name}; it cannot be shown again. Keep it where no agent reads it, such as a password manager.`,
  );
}

async function list(approvers: Approvers): Promise<void> {
  const rows = (await approvers.all()).map(({ name, created }) => [name, created]);
  const table = renderTable(['name', 'created (UTC)'], rows, lookOfOutput());
  process.stdout.write(`${rows.length === 0 ? 'No approvers.' : table}\n`);
}
