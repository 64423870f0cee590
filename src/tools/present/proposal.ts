import { endpoints } from '../../api/endpoints.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { requestLine } from '../../client/request.ts';
import type { Proposal } from '../../guard/proposals/proposal.ts';
import type { KnownProposal, ProposalState } from '../../guard/proposals/proposals.ts';
import { changeInWords } from '../../guard/question.ts';
import type { JsonRecord } from '../define-tool.ts';
import { ownCurrency } from './currency.ts';

/** One write of a proposal, in words that a person can agree to. */
export interface DescribedStep {
  readonly title: string;
  /** A line for each argument: the old value where it is known, and the new one. */
  readonly values: readonly string[];
  /** The request exactly as it is sent, the key masked. */
  readonly request: string;
}

/** A proposal as it is put to people: every text clean, and whole, since what is cut could be what matters. */
export interface DescribedProposal {
  readonly id: string;
  readonly state: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly steps: readonly DescribedStep[];
  readonly effect: readonly string[];
}

const states: Readonly<Record<ProposalState, string>> = {
  waiting: 'waits for a person',
  approved: 'approved, and not sent yet',
  sending: 'approved, being sent',
  unknown: 'outcome unknown: look in the tracker',
  done: 'done',
  stale: 'stale, nothing was sent',
  stopped: 'approved, but stopped',
  rejected: 'rejected, nothing was sent',
  expired: 'expired, nothing was sent',
};

export function describeProposal({ proposal, state, decision, ending }: KnownProposal): DescribedProposal {
  const { id, tool, undoes, client, holder, created, expires, effect } = proposal;
  const facts = [
    ['tool', undoes === undefined ? tool : `${tool}, which takes back change ${undoes}`],
    ['tracker', whereOf(proposal)],
    ['proposed by', holder ? `${client} (token of ${holder.name})` : client],
    ['proposed', created],
    ...(state === 'waiting' ? [['expires', expires] as const] : []),
    ...(decision ? [['decided by', `${decision.approver}, ${decision.time}`] as const] : []),
    ...(ending?.change === undefined ? [] : [['change', ending.change] as const]),
    ...(ending ? [['came to', ending.message] as const] : []),
  ] as const;
  return {
    id,
    state: states[state],
    facts: facts.map(([name, value]) => [name, cleanText(value)]),
    steps: proposal.steps.map((step) => describe(step, proposal.currency)),
    effect: effect.map(cleanText),
  };
}

/** `https://tracker.example.com (main)`, the name where there are several trackers. */
function whereOf({ tracker, trackerName }: Proposal): string {
  const name = trackerName === undefined ? '' : ` (${trackerName})`;
  return tracker.endsWith(name) ? tracker : `${tracker}${name}`;
}

function describe(
  { tool, arguments: given, sent, before }: Proposal['steps'][number],
  currency: string | undefined,
): DescribedStep {
  const endpoint = endpoints.find(({ name }) => name === tool);
  const values = Object.entries(given)
    .filter(([name]) => endpoint !== undefined && name in endpoint.parameters)
    .map(([name, value]) => changeInWords(name, value, before, currency));
  return {
    title: endpoint?.title ?? cleanText(tool),
    values,
    request: cleanText(endpoint ? requestLine({ endpoint, shown: sent }) : JSON.stringify(sent)),
  };
}

/** The same as text, for a terminal and for an agent. */
export function proposalText(known: KnownProposal): string {
  const { id, state, facts, steps, effect } = describeProposal(known);
  return [
    `Proposal ${id}: ${state}`,
    ...facts.map(([name, value]) => `  ${name}: ${value}`),
    ...steps.flatMap(({ title, values, request }) => [
      `  ${title}`,
      ...values.map((value) => `    - ${value}`),
      `    ${request}`,
    ]),
    ...(effect.length === 0 ? [] : ['  Effect', ...effect.map((line) => `    ${line}`)]),
  ].join('\n');
}

/** Where a proposal stands, as data. */
export function proposalSummary({ proposal, state, decision, ending }: KnownProposal) {
  const { id, tool, created, expires } = proposal;
  return {
    proposal_id: id,
    state,
    tool: cleanText(tool),
    tracker: cleanText(whereOf(proposal)),
    proposed: created,
    expires,
    decided_by: decision?.approver ?? null,
    change_id: ending?.change ?? null,
    message: ending ? cleanText(ending.message) : null,
  } satisfies JsonRecord;
}

/** All of a proposal, as data. */
export function proposalData(known: KnownProposal) {
  const { steps, effect, currency } = known.proposal;
  return {
    ...proposalSummary(known),
    // What JSON brought in is JSON.
    steps: steps.map((step) => ({ ...(cleaned(step) as JsonRecord), ...ownCurrency(step.arguments, currency) })),
    effect: effect.map(cleanText),
  } satisfies JsonRecord;
}

function cleaned(data: unknown): unknown {
  if (typeof data === 'string') return cleanText(data);
  if (Array.isArray(data)) return data.map(cleaned);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [cleanText(name), cleaned(value)]));
}

/** `Proposal 4x… (edit_campaign): done, change 1a2b3c.` */
export function proposalLine({ proposal: { id, tool, trackerName }, state, decision, ending }: KnownProposal): string {
  const where = trackerName === undefined ? '' : ` on ${trackerName}`;
  const by = decision ? ` by ${decision.approver}` : '';
  const more = [
    ...(ending?.change === undefined ? [] : [`change ${ending.change}`]),
    ...(ending ? [ending.message] : []),
  ];
  const told = more.length === 0 ? '.' : `; ${more.join(': ')}`;
  return cleanText(`Proposal ${id} (${tool}${where}), decided${by}: ${states[state]}${told}`).replace(
    ', decided:',
    ':',
  );
}
