import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Failure } from '../api/failure.ts';
import type { Configuration } from '../config.ts';
import { Approvers, type Verdict } from '../guard/approval.ts';
import { isOpen, Proposals } from '../guard/proposals.ts';
import { proposalLine, proposalText } from '../tools/get-proposal.ts';
import { addSetting, asUsageError, givenSetting, newCommand, reportFailures } from './command-line.ts';
import { print, printToStderr } from './process.ts';
import { askSecret } from './terminal/ask.ts';
import { ownPath } from './user-folders.ts';

/** How long to wait for the outcome of a yes. A running server looks every second. */
const maxWatchMs = 15_000;

export const approversDescription = 'the file of approvers [TRACKER_APPROVERS; in the user’s configuration directory]';

/** `tracker-mcp approve`: lists the writes that wait for a person, or decides about one. */
export function makeCommand(): Command {
  const command = newCommand('tracker-mcp approve')
    .description(
      'Lists the writes that wait for a person, or approves one. It asks for an approver’s secret without showing it, or reads it from standard input.',
    )
    .argument('[proposal]', 'its ID; without it, pending proposals are listed')
    .option('--reject', 'reject it')
    .addHelpText('after', '\nExamples:\n  tracker-mcp approve\n  tracker-mcp approve 4x7k2m9p3q5r')
    .action((id: string | undefined, { reject }: { reject?: true }) =>
      reportFailures(async () => {
        const proposals = openProposals(givenSetting(command, 'proposals'), givenSetting(command, 'approvers'));
        if (id !== undefined) return decide(proposals, id, reject ? 'no' : 'yes');
        const open = (await proposals.all()).filter(isOpen);
        print(open.map(proposalText).join('\n\n') || 'Nothing waits for a person.');
      }),
    );
  addSetting(command, 'proposals', 'the directory of proposals [TRACKER_PROPOSALS; in the user’s state directory]');
  return addSetting(command, 'approvers', approversDescription);
}

async function decide(proposals: Proposals, id: string, verdict: Verdict): Promise<void> {
  const before = await proposals.get(id);
  if (before.state === 'waiting') process.stderr.write(`${proposalText(before)}\n\n`);
  const purpose = verdict === 'yes' ? 'To have this sent to the tracker' : 'To reject it';
  const secret = await askSecret(`${purpose}, type your secret: `);
  if (secret === undefined) throw new Failure('Nothing was decided.');
  const signer = await proposals.approvers.signIn(secret);
  if (!signer) throw new Failure('No approver has this secret.', 'Nothing was decided.');
  await proposals.decide(id, signer, verdict);
  // A server has to send it first.
  const end = performance.now() + (verdict === 'yes' ? maxWatchMs : 0);
  let after = await proposals.get(id);
  while (isOpen(after) && performance.now() < end) {
    await sleep(200);
    after = await proposals.get(id);
  }
  print(proposalLine(after));
  if (after.state === 'stale' || after.state === 'stopped' || after.state === 'expired') process.exitCode = 1;
}

/** Opens the proposals in a directory and the file of approvers; by default those of the user. */
function openProposals(directory: string | undefined, approvers: string | undefined): Proposals {
  return new Proposals(directory ?? ownPath('state', 'proposals'), openApprovers(approvers));
}

/** In a different directory than the proposals, so that write access to those is not enough to become an approver. */
export function openApprovers(file: string | undefined): Approvers {
  return new Approvers(file ?? ownPath('config', 'approvers.json'));
}

/** Opens the proposals of a server. Throws a ConfigurationFailure if the file of approvers is invalid. */
export async function openForServer({ server, trackers }: Configuration): Promise<Proposals> {
  const proposals = openProposals(server.proposals, server.approvers);
  const approvers = await asUsageError(() => proposals.approvers.all());
  if (approvers.length === 0 && trackers.some(({ config }) => config.confirm === 'approve')) {
    printToStderr('there is no approver yet: tracker-mcp approver add NAME adds one.');
  }
  return proposals;
}
