import * as z from 'zod';
import { currencyField } from '../analysis/columns/formats.ts';
import { type Note, type NoteOf, sayNotice } from '../answer/notes.ts';
import { duration, proposalStates } from '../answer/write-notes.ts';
import { endpoints } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { joinWords } from '../api/rules.ts';
import { cleanTree, fromTracker, mention, quoted, show } from '../api/text/tracker-text.ts';
import { requestLine } from '../client/request.ts';
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
import { describeChanges } from './present/change-steps.ts';

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

/**
 * A proposal as people see it on the page and on a terminal. All texts are clean, and none is shortened, because the rest could be
 * what matters. `expires` is undefined if the proposal was sent or has ended.
 */
export function describeProposal({ proposal, state, at, decision, ending }: ProposalStatus) {
  const { id, tool, client, holder, created, effect, currency } = proposal;
  const undone = undoneBy(proposal);
  const ago = (time: string) => {
    const minutes = Math.floor((at.getTime() - Date.parse(time)) / 60_000);
    return minutes < 1 ? 'just now' : `${duration(minutes)} ago`;
  };
  const steps = proposal.steps.map(({ tool: name, arguments: given, before, sent }) => {
    const endpoint = endpoints.find((candidate) => candidate.name === name) ?? { title: name, path: name };
    // The request exactly as it is sent, with the key masked.
    const request = requestLine({ endpoint, shown: sent });
    return { title: endpoint.title, values: describeChanges(given, before, currency), request };
  });
  const [first] = steps;
  const summary = proposal.summary?.length ? proposal.summary : [`${first?.title}: ${first?.values.join(', ')}`];
  const token = holder ? ` (token of ${mention(fromTracker(holder.name), 60)})` : '';
  const facts = Object.entries({
    tool:
      undone.length === 0
        ? tool
        : `${tool}, which undoes change ${joinWords(
            undone.map((change) => mention(fromTracker(change), 60)),
            'and',
          )}`,
    tracker: trackerLabel(proposal),
    // A client chooses its own name.
    'proposed by': `${quotedName(client)}${token}, ${ago(created)}`,
    'decided by': decision && `${decision.approver}, ${ago(decision.time)}`,
    change: ending?.change,
    outcome: ending?.message,
  });
  const canExpire = state === 'waiting' || state === 'approved';
  return cleanTree({
    ...{ id, state: proposalStates[state], message: ending?.message ?? '', steps, effect },
    summary: undone.length === 0 ? summary : summary.map((line) => `Undoes a change. ${line}`),
    expires: canExpire ? `expires in ${duration(minutesLeft(proposal, at))}` : undefined,
    facts: facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  });
}

/** The changes that a proposal undoes. */
function undoneBy({ undoes, parts = [] }: Proposal): string[] {
  return [undoes, ...parts.map((part) => part.undoes)].filter((change) => change !== undefined);
}

const minutesLeft = ({ expires }: Proposal, at: Date): number =>
  Math.ceil((Date.parse(expires) - at.getTime()) / 60_000);

/** A name that a client or a person chose, in quotation marks. */
export function quotedName(name: string): string {
  return quoted(fromTracker(name), 60);
}

/** `https://tracker.example.com (main)`; the name is there if there are several trackers. */
function trackerLabel({ tracker, trackerName }: Proposal): string {
  const name = trackerName === undefined ? '' : ` (${trackerName})`;
  return tracker.endsWith(name) ? tracker : `${tracker}${name}`;
}

/** A proposal as text, for a terminal and for an agent. */
export function proposalText(status: ProposalStatus): string {
  const { id, state, summary, expires, facts, steps, effect } = describeProposal(status);
  return [
    `Proposal ${id}: ${state}${expires === undefined ? '' : `, ${expires}`}`,
    ...summary.map((line) => `  ${line}`),
    ...facts.map(([name, value]) => `  ${name}: ${value}`),
    ...steps.flatMap(({ title, values, request }) => [
      `  ${title}`,
      ...values.map((value) => `    - ${value}`),
      `    ${request}`,
    ]),
    ...(effect.length === 0 ? [] : ['  Effect', ...effect.map((line) => `    ${line}`)]),
  ].join('\n');
}

/** Where a proposal stands. */
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
