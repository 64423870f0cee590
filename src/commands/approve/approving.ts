import { Failure } from '../../api/failure.ts';
import { ConfigurationFailure, type SharedSettings } from '../../config.ts';
import type { Proposals } from '../../guard/proposals/proposals.ts';
import type { ApprovedWrites } from '../../tools/proposals/approved-writes.ts';

/** Where the writes of a server wait for people, and what sends those that they approve, whichever tracker they are for. */
export interface Approving {
  readonly proposals: Proposals;
  readonly writes: Pick<ApprovedWrites, 'look' | 'stop'>;
}

type Waiting = Pick<SharedSettings, 'confirm' | 'tokens' | 'oauthIssuer'>;

/** Whether any write can come to wait for a person: all of them, or those of tokens that may only propose. */
export function waits({ confirm, tokens, oauthIssuer }: Waiting): boolean {
  return confirm === 'approve' || tokens !== undefined || oauthIssuer !== undefined;
}

/**
 * Where writes wait for people, one place for all trackers. It is loaded only where it is used: most servers have no write wait
 * for anybody.
 *
 * @returns undefined where no write can come to wait
 */
export async function proposalsOf({
  server,
  trackers,
}: {
  readonly server: SharedSettings;
  readonly trackers: readonly { readonly config: Waiting }[];
}): Promise<Proposals | undefined> {
  if (!trackers.some(({ config }) => waits(config))) return undefined;
  const { openProposals } = await import('./open-proposals.ts');
  const opened = openProposals(server.proposals, server.approvers);
  // What is wrong with the file is said at the start, not to the first who approves.
  const hasApprovers = await opened.hasApprovers().catch((error: unknown) => {
    throw error instanceof Failure ? new ConfigurationFailure(error.message) : error;
  });
  if (!hasApprovers && trackers.some(({ config }) => config.confirm === 'approve')) {
    console.error('tracker-mcp: nobody may approve anything yet: tracker-mcp approver add NAME makes an approver.');
  }
  return opened;
}

/** @param trackers each with what sends to it what was approved, where its writes wait */
export function approvingOf(
  proposals: Proposals,
  trackers: readonly { readonly writes?: ApprovedWrites | undefined }[],
): Approving {
  const all = trackers.flatMap(({ writes }) => writes ?? []);
  return {
    proposals,
    writes: {
      look: async () => {
        await Promise.all(all.map((writes) => writes.look()));
      },
      stop: async () => {
        await Promise.all(all.map((writes) => writes.stop()));
      },
    },
  };
}
