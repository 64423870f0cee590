import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Failure } from '../../api/failure.ts';
import type { Approvers, Verdict } from '../../guard/proposals/approvers.ts';
import { isOpen, type KnownProposal, type Proposals } from '../../guard/proposals/proposals.ts';
import { proposalLine, proposalText } from '../../tools/present/proposal.ts';
import { addSetting, guarded, newCommand, settingsOf } from '../command-line.ts';
import { askSecret } from '../terminal/ask.ts';
import { lookOfOutput } from '../terminal/look.ts';
import { renderTable } from '../terminal/render-table.ts';
import { openApprovers, openProposals, type Places } from './open-proposals.ts';

/** How long the outcome of a yes is waited for; a running server looks every second. */
const maxWatchMs = 15_000;

const aboutApprovers = 'the file of approvers [TRACKER_APPROVERS; in the user’s configuration directory]';

/** `tracker-mcp approve`: the writes that wait for a person, and the person's decision. */
export function approveCommand(): Command {
  const command = newCommand('tracker-mcp approve')
    .description(
      'Lists the writes that wait for a person, or approves one. The secret is that of an approver: typed here, unseen, or read from standard input.',
    )
    .argument('[proposal]', 'its ID; without it those that wait are listed')
    .option('--reject', 'say no to it')
    .addHelpText('after', '\nExamples:\n  tracker-mcp approve\n  tracker-mcp approve 4x7k2m9p3q5r')
    .action((id: string | undefined, { reject }: { reject?: true }) =>
      guarded(() => {
        const proposals = openProposals(placesOf(command));
        return id === undefined ? list(proposals) : decide(proposals, id, reject ? 'no' : 'yes');
      }),
    );
  addSetting(command, 'proposals', 'the directory of proposals [TRACKER_PROPOSALS; in the user’s state directory]');
  return addSetting(command, 'approvers', aboutApprovers);
}

function placesOf(command: Command): Places {
  const { proposals, approvers } = settingsOf(command);
  const inEnvironment = (name: string) => process.env[name]?.trim() || undefined;
  return {
    proposals: proposals ?? inEnvironment('TRACKER_PROPOSALS'),
    approvers: approvers ?? inEnvironment('TRACKER_APPROVERS'),
  };
}

async function list(proposals: Proposals): Promise<void> {
  const waiting = (await proposals.all()).filter(isOpen);
  process.stdout.write(`${waiting.map(proposalText).join('\n\n') || 'Nothing waits for a person.'}\n`);
}

async function decide(proposals: Proposals, id: string, verdict: Verdict): Promise<void> {
  const known = await find(proposals, id);
  if (known.state === 'waiting') process.stderr.write(`${proposalText(known)}\n\n`);
  const question = `${verdict === 'yes' ? 'To have this sent to the tracker' : 'To reject it'}, type your secret: `;
  const secret = await askSecret(question);
  if (secret === undefined) throw new Failure('Nothing was decided.');
  const signer = await proposals.signIn(secret);
  if (!signer) throw new Failure('Nobody who may approve has this secret.', 'Nothing was decided.');
  await proposals.decide(id, signer, verdict);
  const after = verdict === 'yes' ? await watch(proposals, id) : await find(proposals, id);
  const later =
    after.state === 'approved' ? ' A server with the settings it was proposed under sends it once it runs.' : '';
  process.stdout.write(`${proposalLine(after)}${later}\n`);
  if (after.state === 'stale' || after.state === 'stopped' || after.state === 'expired') process.exitCode = 1;
}

async function find(proposals: Proposals, id: string): Promise<KnownProposal> {
  const known = await proposals.find(id);
  if (!known) throw new Failure('There is no such proposal.', 'Without an ID those that wait are listed.');
  return known;
}

/** Waits until a server has sent it, or for so long. */
async function watch(proposals: Proposals, id: string): Promise<KnownProposal> {
  const end = performance.now() + maxWatchMs;
  let known = await find(proposals, id);
  while (isOpen(known) && performance.now() < end) {
    await sleep(200);
    known = await find(proposals, id);
  }
  return known;
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
    .action((name: string) => guarded(() => addApprover(openApprovers(placesOf(command).approvers), name)));
  const list = newCommand('list')
    .description('Lists the approvers by name.')
    .action(() => guarded(() => listApprovers(openApprovers(placesOf(command).approvers))));
  const remove = newCommand('remove')
    .description('Removes an approver: what they approved and was not sent yet is approved no more.')
    .argument('<name>', 'who it is')
    .action((name: string) => guarded(() => openApprovers(placesOf(command).approvers).remove(name)));
  return command.addCommand(add).addCommand(list).addCommand(remove);
}

async function addApprover(approvers: Approvers, name: string): Promise<void> {
  process.stdout.write(`${await approvers.add(name)}\n`);
  console.error(
    `tracker-mcp: that is the secret of ${name}; it cannot be shown again. Keep it where no agent reads it, such as a password manager.`,
  );
}

async function listApprovers(approvers: Approvers): Promise<void> {
  const rows = (await approvers.all()).map(({ name, created }) => [name, created]);
  const table = renderTable(['name', 'created (UTC)'], rows, lookOfOutput());
  process.stdout.write(`${rows.length === 0 ? 'No approvers.' : table}\n`);
}
