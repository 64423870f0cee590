import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { proposalText } from '../answer/proposals.ts';
import { CallCancelledError, type Deadline, within } from '../api/deadline.ts';
import { Failure } from '../api/failure.ts';
import type { Configuration } from '../config.ts';
import { Approvers, type Verdict } from '../guard/approval.ts';
import { isOpen, type ProposalStatus, Proposals } from '../guard/proposals.ts';
import { proposalLine } from '../tools/get-proposal.ts';
import { addSetting, asUsageError, givenSetting, newCommand, reportFailures } from './command-line.ts';
import { print, printToStderr } from './process.ts';
import { askSecret, maxPipeMs } from './terminal/ask.ts';
import { ownPath } from './user-folders.ts';

/** For everything after the secret is known: to check it, to decide, and to wait for the outcome. A server looks every second. */
const maxActMs = 15_000;

export const approversDescription = 'the file of approvers [TRACKER_APPROVERS; in the user’s configuration directory]';

const notes = `
A pipe has ${maxPipeMs / 1000} s to give the secret. From then on it takes at most ${maxActMs / 1000} s, including the wait for the outcome.

Examples:
  tracker-mcp approve
  tracker-mcp approve 4x7k2m9p3q5r`;

export function makeCommand(): Command {
  const command = newCommand('tracker-mcp approve')
    .description(
      'Lists the writes that wait for a person, or approves one. It asks for an approver’s secret without showing it, or reads it from standard input.',
    )
    .argument('[proposal]', 'its ID; without it, pending proposals are listed')
    .option('--reject', 'reject it')
    .addHelpText('after', notes)
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
  process.stderr.write(`${proposalText(before)}\n\n`);
  // A secret is not asked for when nothing can be decided.
  if (before.state !== 'waiting') throw new Failure(proposalLine(before), 'Nothing was decided.');
  const purpose = verdict === 'yes' ? 'To have this sent to the tracker' : 'To reject it';
  const secret = await askSecret(`${purpose}, type your secret: `);
  if (!secret) throw new Failure('Nothing was decided.');
  let isDecided = false;
  const act = async (deadline: Deadline): Promise<ProposalStatus> => {
    const signer = await proposals.approvers.signIn(secret);
    if (!signer) throw new Failure('No approver has this secret.', 'Nothing was decided.');
    if (deadline.hasEnded) throw deadline.reason;
    isDecided = true;
    await proposals.decide(id, signer, verdict);
    let after = await proposals.get(id);
    // A server has to send it first.
    while (verdict === 'yes' && isOpen(after) && deadline.leftMs > reserveMs) {
      await sleep(200);
      after = await proposals.get(id);
    }
    return after;
  };
  const after = await within(maxActMs, (deadline) => deadline.during(act(deadline))).catch((error) => {
    if (!(error instanceof CallCancelledError)) throw error;
    const what = isDecided ? 'Whether it was decided is not known' : 'Nothing was decided';
    throw new Failure(`${what}: the files of proposals or approvers did not answer within ${maxActMs / 1000} s.`);
  });
  print(proposalLine(after));
  if (after.state === 'stale' || after.state === 'stopped' || after.state === 'expired') process.exitCode = 1;
}

/** Left for reading the outcome a last time. */
const reserveMs = 1000;

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
