import * as z from 'zod';
import { currencyField } from '../analysis/columns/formats.ts';
import { type Note, type NoteOf, sayNotice } from '../answer/notes.ts';
import { minutesLeft, proposalText, trackerLabel } from '../answer/proposals.ts';
import { Failure } from '../api/failure.ts';
import { cleanTree, show } from '../api/text/tracker-text.ts';
import type { Proposal } from '../guard/approval.ts';
import type { ProposalStatus } from '../guard/proposals.ts';
import {
  type Answer,
  type CallContext,
  defineTool,
  identityIn,
  type JsonRecord,
  type Tool,
  type ToolContext,
  wholeAnswer,
  withNotices,
} from './define-tool.ts';

const nullable = z.union([z.string(), z.null()]);

const output = () =>
  z.object({
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
  input: () => z.strictObject({ proposal_id: z.string().min(1).max(50).describe('From the answer to the write') }),
  output,
  run: async ({ proposal_id: id }, context) => answerAbout(id, [context]),
  // An ID belongs to one tracker, so the caller need not name it.
  runForAll: async ({ proposal_id: id }, contexts) => answerAbout(id, contexts),
});

async function answerAbout(id: string, contexts: readonly CallContext[]): Promise<Answer> {
  for (const context of contexts) {
    const status = await context.guard.proposals?.find(id);
    if (status && status.proposal.tracker === (await identityIn(context))) {
      return wholeAnswer(proposalData(status), [proposalText(status)]);
    }
  }
  throw new Failure(`There is no proposal ${show(id)}.`, 'list_changes lists proposals.');
}

/** The proposals for a tracker, newest first. The directory may also contain those for other trackers. */
export async function proposalsFor(context: ToolContext): Promise<readonly ProposalStatus[]> {
  const all = (await context.guard.proposals?.all()) ?? [];
  if (all.length === 0) return [];
  const tracker = await identityIn(context);
  return all.filter(({ proposal }) => proposal.tracker === tracker);
}

/** The answer of any tool whose write now waits for a person. */
export function proposedAnswer(
  proposal: Proposal,
  { now, endsWithCall, approvePage }: Pick<CallContext, 'now' | 'endsWithCall' | 'approvePage'>,
): Answer {
  const at = now();
  const status = { proposal, state: 'waiting', at } as const;
  const notices: Note[] = [
    { code: 'waits-for-approval', id: proposal.id, minutes: minutesLeft(proposal, at), page: approvePage },
    ...(endsWithCall ? [{ code: 'sent-by-a-server' } as const] : []),
    { code: 'tell-the-person' },
  ];
  const structured = { done: false, change_id: null, proposal: proposalData(status), notices };
  return wholeAnswer(structured, [proposalText(status)]);
}

/** list_changes shows more. */
const maxEnded = 10;

/** The answer of a writing tool, plus how earlier proposals of the same caller ended. */
export async function withEndedProposals(tool: Tool, answer: Answer, { guard }: CallContext): Promise<Answer> {
  const ended = tool.access === 'read' ? [] : ((await guard.proposals?.endedSince(guard.holderName)) ?? []);
  const after = ended.slice(0, maxEnded).map(proposalNote);
  if (after.length === 0) return answer;
  return { ...answer, render: (counts) => withNotices(answer.render(counts), { after }) };
}

export const proposalNote = ({ proposal, state, decision, ending }: ProposalStatus): NoteOf<'proposal'> => ({
  ...{ code: 'proposal', id: proposal.id, tool: proposal.tool, tracker: proposal.trackerName, state },
  ...{ approver: decision?.approver, ending: ending && { change: ending.change, message: ending.message } },
});

export const proposalLine = (status: ProposalStatus): string => sayNotice(proposalNote(status));

/** A proposal as data, in a list. */
export function proposalSummary({ proposal, state, decision, ending }: ProposalStatus) {
  return cleanTree({
    proposal_id: proposal.id,
    state,
    tool: proposal.tool,
    tracker: trackerLabel(proposal),
    proposed: proposal.created,
    expires: proposal.expires,
    decided_by: decision?.approver ?? null,
    change_id: ending?.change ?? null,
    message: ending?.message ?? null,
  }) satisfies JsonRecord;
}

function proposalData(status: ProposalStatus) {
  const { steps, effect, currency } = status.proposal;
  return {
    ...proposalSummary(status),
    // It was read from JSON.
    steps: steps.map((step) => ({ ...(cleanTree(step) as JsonRecord), ...currencyField(step.arguments, currency) })),
    effect: cleanTree(effect),
  } satisfies JsonRecord;
}
