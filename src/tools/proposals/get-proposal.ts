import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import type { Proposal } from '../../guard/proposals/proposal.ts';
import type { KnownProposal } from '../../guard/proposals/proposals.ts';
import { show } from '../check-arguments.ts';
import {
  type Answer,
  type CallContext,
  defineTool,
  identityIn,
  mapAnswer,
  type Tool,
  type ToolContext,
  wholeAnswer,
} from '../define-tool.ts';
import { describeProposal, proposalData, proposalLine, proposalText } from './describe-proposal.ts';

const nullable = z.union([z.string(), z.null()]);

const output = z.object({
  proposal_id: z.string(),
  state: z.string(),
  tool: z.string(),
  tracker: z.string(),
  steps: z.array(z.record(z.string(), z.unknown())),
  effect: z.array(z.string()),
  proposed: z.string(),
  expires: z.string(),
  decided_by: nullable,
  change_id: nullable,
  message: nullable,
});

export const getProposal = defineTool({
  name: 'get_proposal',
  title: 'What became of a proposal',
  description:
    'Where a proposed write stands: waiting, approved, done with its change_id, rejected, stale (what it rests on changed), expired or stopped. ' +
    'Only a person can approve it.',
  access: 'read',
  needs: 'proposals',
  input: z.strictObject({ proposal_id: z.string().min(1).max(50).describe('From the answer to the write') }),
  output,
  run: async ({ proposal_id: id }, context) => standing(id, [context]),
  // An ID belongs to one tracker, so the caller need not name it.
  runForAll: async ({ proposal_id: id }, contexts) => standing(id, contexts),
});

async function standing(id: string, contexts: readonly CallContext[]): Promise<Answer> {
  for (const context of contexts) {
    const known = await context.guard.proposals?.find(id);
    if (known && (await isOwn(known, context))) return wholeAnswer(proposalData(known), proposalText(known));
  }
  throw new Failure(`There is no proposal ${show(id)}.`, 'list_changes shows those there are.');
}

type Own = Pick<ToolContext, 'guard' | 'client' | 'trackerIdentity'>;

/** The proposals of a tracker, the newest first: those of others, which may wait in the same place, are not a caller's business. */
export async function ownProposals(context: Own): Promise<readonly KnownProposal[]> {
  const all = (await context.guard.proposals?.all()) ?? [];
  const are = await Promise.all(all.map((known) => isOwn(known, context)));
  return all.filter((_, index) => are[index]);
}

async function isOwn({ proposal }: KnownProposal, context: Own): Promise<boolean> {
  return proposal.tracker === (await identityIn(context));
}

/** What a write answers that now waits for a person, whichever tool it was. */
export function proposedAnswer(proposal: Proposal, at: Date) {
  const known = { proposal, state: 'waiting', at } as const;
  const notices = [
    `Nothing was sent: proposal ${proposal.id} waits for a person, and ${describeProposal(known).expires}. Only who has an approver’s secret can approve it: with \`tracker-mcp approve ${proposal.id}\` on a terminal, or on the /approve page of a server over HTTP.`,
    'Tell the person. get_proposal says what became of it; do not call the tool again for the same change.',
  ];
  const structured = { done: false, change_id: null, proposal: proposalData(known), notices };
  return wholeAnswer(structured, [proposalText(known), ...notices].join('\n'));
}

/** list_changes shows more. */
const maxShown = 10;

/** The answer to a write, and behind it what became of earlier proposals of the same caller. */
export async function withEndedProposals(tool: Tool, answer: Answer, { guard }: CallContext): Promise<Answer> {
  const ended = tool.access === 'read' ? [] : ((await guard.proposals?.endedSince(guard.holderName)) ?? []);
  if (ended.length === 0) return answer;
  const lines = ended.slice(0, maxShown).map(proposalLine);
  const withLines = mapAnswer(answer, ({ structured, text, ...rest }) => {
    const { notices } = structured;
    const all = [...(Array.isArray(notices) ? notices : []), ...lines];
    return { ...rest, structured: { ...structured, notices: all }, text: [text, ...lines].join('\n') };
  });
  return { ...withLines, brief: answer.brief };
}
