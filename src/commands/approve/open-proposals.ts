import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../api/failure.ts';
import { ConfigurationFailure } from '../../config.ts';
import { Approvers } from '../../guard/proposals/approvers.ts';
import { Proposals } from '../../guard/proposals/proposals.ts';
import { ProposalFiles } from '../../guard/proposals/store.ts';

/** The directory of proposals and the file of approvers, if settings name them; both are the user's own otherwise. */
export interface Places {
  readonly proposals: string | undefined;
  readonly approvers: string | undefined;
}

export function openProposals({ proposals, approvers }: Places): Proposals {
  const directory = proposals ?? join(userDirectory('LOCALAPPDATA', 'XDG_STATE_HOME', '.local/state'), 'proposals');
  return new Proposals(new ProposalFiles(directory), openApprovers(approvers));
}

/** Not beside the proposals: write access there must not make an approver. */
export function openApprovers(file: string | undefined): Approvers {
  return new Approvers(file ?? join(userDirectory('APPDATA', 'XDG_CONFIG_HOME', '.config'), 'approvers.json'));
}

function userDirectory(onWindows: string, elsewhere: string, inHome: string): string {
  const base = process.env[process.platform === 'win32' ? onWindows : elsewhere];
  return join(base || join(homedir(), inHome), 'tracker-mcp');
}

/**
 * The proposals of a server.
 *
 * @param needsApprovers whether every write waits for a person, so that it is worth a warning if there is no approver yet
 * @throws ConfigurationFailure if the file of approvers is wrong: said at the start, not at the first approval
 */
export async function openForServer(places: Places, needsApprovers: boolean): Promise<Proposals> {
  const opened = openProposals(places);
  const hasApprovers = await opened.hasApprovers().catch((error: unknown) => {
    throw error instanceof Failure ? new ConfigurationFailure(error.message) : error;
  });
  if (!hasApprovers && needsApprovers) {
    console.error('tracker-mcp: nobody may approve anything yet: tracker-mcp approver add NAME makes an approver.');
  }
  return opened;
}
