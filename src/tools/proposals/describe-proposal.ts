import { ownCurrency } from '../../analysis/columns/formats.ts';
import { endpoints } from '../../api/endpoints.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { cleanTree, fromTracker, quoted } from '../../api/text/tracker-text.ts';
import { requestLine } from '../../client/request.ts';
import type { Proposal } from '../../guard/proposals/proposal.ts';
import type { KnownProposal, ProposalState } from '../../guard/proposals/proposals.ts';
import { changesInWords } from '../../guard/question.ts';
import type { JsonRecord } from '../define-tool.ts';

/** What each state is called in a list, and how the sentence about a decision begins. */
const states: Readonly<Record<ProposalState, readonly [name: string, outcome: string]>> = {
  waiting: ['waits for a person', 'Waiting'],
  approved: ['approved, and not sent yet', 'Approved, not sent yet'],
  sending: ['approved, being sent', 'Being sent'],
  unknown: ['outcome unknown: look in the tracker', 'Outcome unknown, look in the tracker'],
  done: ['done', 'Done'],
  stale: ['stale, nothing was sent', 'Not sent'],
  stopped: ['approved, but stopped', 'Stopped'],
  rejected: ['rejected, nothing was sent', 'Rejected'],
  expired: ['expired, nothing was sent', 'Expired'],
};

/**
 * A proposal as it is put to people, on the page and on a terminal: every text clean, and whole, since what is cut could be what
 * matters. `outcome` is a sentence about what became of it; `expires` says how long it still waits.
 */
export function describeProposal(known: KnownProposal) {
  const { proposal, state, at, decision, ending } = known;
  const { id, tool, undoes, client, holder, created, expires, effect } = proposal;
  const steps = proposal.steps.map((step) => describeStep(step, proposal.currency));
  const [first] = steps;
  const summary = proposal.summary?.length ? proposal.summary : [`${first?.title}: ${first?.values.join(', ')}`];
  const ago = (time: string) => {
    const minutes = Math.floor((at.getTime() - Date.parse(time)) / 60_000);
    return minutes < 1 ? 'just now' : `${inWords(minutes)} ago`;
  };
  const takesBack = undoes === undefined ? '' : `, which takes back change ${plainWord(undoes)}`;
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['tool', plainWord(tool) + takesBack],
    ['tracker', whereOf(proposal)],
    // A client names itself, and may call itself anything.
    ['proposed by', `${quotedName(client)}${holder ? ` (token of ${plainWord(holder.name)})` : ''}, ${ago(created)}`],
    ['decided by', decision && `${decision.approver}, ${ago(decision.time)}`],
    ['change', ending?.change],
    ['came to', ending?.message],
  ];
  const isOutcome = state !== 'waiting';
  const became = ending?.change === undefined ? '' : ` It is change ${ending.change}, which undo_change takes back.`;
  const leftMs = Date.parse(expires) - at.getTime();
  return {
    ...{ id, state: states[state][0], steps, effect: effect.map(cleanText) },
    summary: summary.map((line) => cleanText(undoes === undefined ? line : `Takes back a change. ${line}`)),
    outcome: isOutcome ? cleanText(`${states[state][1]}: ${summary.join('; ')}. ${cameTo(known)}${became}`) : undefined,
    expires: isOutcome && state !== 'approved' ? undefined : `expires in ${inWords(Math.ceil(leftMs / 60_000))}`,
    facts: facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, cleanText(value)] as const])),
  };
}

/** A sentence on what came of it, or will; empty if that is open. */
function cameTo({ state, ending }: KnownProposal): string {
  const toCome = state === 'approved' ? 'A server with the settings it was proposed under sends it once it runs.' : '';
  return ending?.message ?? toCome;
}

/** `58 min`; `3 h` and `2 days` for longer. */
function inWords(minutes: number): string {
  if (minutes < 120) return minutes <= 1 ? 'a minute' : `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 60 / 24)} days`;
}

/** A name that a client or person chose, in quotation marks. */
export function quotedName(name: string): string {
  return quoted(fromTracker(name), 60);
}

/** A name or ID as it is; in quotation marks if it could be read as words of ours. */
function plainWord(text: string): string {
  return /^[\w.@|:-]+$/.test(text) ? text : quotedName(text);
}

/** `https://tracker.example.com (main)`, the name if there are several trackers. */
function whereOf({ tracker, trackerName }: Proposal): string {
  const name = trackerName === undefined ? '' : ` (${trackerName})`;
  return tracker.endsWith(name) ? tracker : `${tracker}${name}`;
}

function describeStep(
  { tool, arguments: given, sent, before }: Proposal['steps'][number],
  currency: string | undefined,
) {
  const endpoint = endpoints.find(({ name }) => name === tool);
  const values = endpoint ? changesInWords(endpoint, given, before, currency) : [];
  // The request exactly as it is sent, the key masked.
  const request = cleanText(endpoint ? requestLine({ endpoint, shown: sent }) : JSON.stringify(sent));
  return { title: endpoint?.title ?? plainWord(tool), values, request };
}

/** A proposal as text, for a terminal and for an agent. */
export function proposalText(known: KnownProposal): string {
  const { id, state, summary, expires, facts, steps, effect } = describeProposal(known);
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

/** `Proposal 4x… (edit_campaign), decided by ann: done; change 1a2b3c: …` */
export function proposalLine(known: KnownProposal): string {
  const { state, decision, ending } = known;
  const { id, tool, trackerName } = known.proposal;
  const where = trackerName === undefined ? '' : ` on ${trackerName}`;
  const by = decision ? `, decided by ${decision.approver}` : '';
  const change = ending?.change === undefined ? '' : `change ${ending.change}: `;
  const end = `${ending ? ';' : '.'} ${change}${cameTo(known)}`.trimEnd();
  return cleanText(`Proposal ${id} (${plainWord(tool)}${where})${by}: ${states[state][0]}${end}`);
}

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

export function proposalData(known: KnownProposal) {
  const { steps, effect, currency } = known.proposal;
  return {
    ...proposalSummary(known),
    // What JSON brought in is JSON.
    steps: steps.map((step) => ({ ...(cleanTree(step) as JsonRecord), ...ownCurrency(step.arguments, currency) })),
    effect: effect.map(cleanText),
  } satisfies JsonRecord;
}
