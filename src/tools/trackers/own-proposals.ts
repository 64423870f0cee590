import type { KnownProposal } from '../../guard/proposals/proposals.ts';
import type { ToolContext } from '../define-tool.ts';
import { identityIn } from './identity-in.ts';

type Context = Pick<ToolContext, 'guard' | 'client' | 'trackerIdentity'>;

/** The proposals of a tracker, the newest first: those of others, which may wait in the same place, are not a caller's business. */
export async function ownProposals(context: Context): Promise<readonly KnownProposal[]> {
  return ofTracker((await context.guard.proposals?.all()) ?? [], context);
}

/** The proposal of a tracker with an ID, as an agent gave it. */
export async function findOwnProposal(id: string, context: Context): Promise<KnownProposal | undefined> {
  const known = await context.guard.proposals?.find(id);
  return known && (await ofTracker([known], context))[0];
}

async function ofTracker(known: readonly KnownProposal[], context: Context): Promise<readonly KnownProposal[]> {
  if (known.length === 0) return [];
  const identity = await identityIn(context);
  return known.filter(({ proposal }) => proposal.tracker === identity);
}
