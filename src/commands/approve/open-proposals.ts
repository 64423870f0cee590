import { homedir } from 'node:os';
import { join } from 'node:path';
import { Approvers } from '../../guard/proposals/approvers.ts';
import { Proposals } from '../../guard/proposals/proposals.ts';
import { ProposalFiles } from '../../guard/proposals/store.ts';

/**
 * Where proposals are, and who may decide; both are the user's own where no setting names them.
 *
 * @param proposals a directory
 * @param approvers a file
 */
export function openProposals(proposals: string | undefined, approvers: string | undefined): Proposals {
  return new Proposals(new ProposalFiles(proposals ?? stateDirectory()), openApprovers(approvers));
}

export function openApprovers(file: string | undefined): Approvers {
  return new Approvers(file ?? join(configurationDirectory(), 'approvers.json'));
}

function stateDirectory(): string {
  const { LOCALAPPDATA, XDG_STATE_HOME } = process.env;
  const base = process.platform === 'win32' ? LOCALAPPDATA : XDG_STATE_HOME;
  return join(base || join(homedir(), '.local', 'state'), 'tracker-mcp', 'proposals');
}

/** Not beside the proposals: who may write there must not become an approver by it. */
function configurationDirectory(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  const base = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME;
  return join(base || join(homedir(), '.config'), 'tracker-mcp');
}
