import { minuteMs } from '../api/durations.ts';
import { endpoints, requestLine, type WireParameters } from '../api/endpoints.ts';
import { joinWords } from '../api/rules.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { cleanTree } from '../api/text/tracker-text.ts';
import { describeChanges } from './changes.ts';
import { nameOf, quote } from './words.ts';

/** `58 min`; `3 h` and `2 days` for longer. */
export function duration(minutes: number): string {
  if (minutes < 120) return minutes <= 1 ? 'a minute' : `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 60 / 24)} days`;
}

/** The states of a proposal and what follows from each, as in `Proposal 4x…: done`. */
const proposalStates = {
  waiting: 'waits for a person',
  approved: 'approved, and sent once a server with the settings it was proposed under runs',
  sending: 'approved, being sent',
  unknown: 'outcome unknown, look in the tracker',
  done: 'done',
  stale: 'stale, nothing was sent',
  stopped: 'approved, but stopped',
  rejected: 'rejected, nothing was sent',
  expired: 'expired, nothing was sent',
} as const;

export type EndedProposal = {
  readonly id: string;
  readonly tool: string;
  readonly tracker?: string | undefined;
  readonly approver?: string | undefined;
  readonly state: keyof typeof proposalStates;
  /** The change that it became, and how that went. */
  readonly ending?: { readonly change?: string | undefined; readonly message: string } | undefined;
};

/** `Proposal 4x… (edit_campaign), decided by ann: done; change 1a2b3c: …` */
export function sayProposal({ id, tool, tracker, approver, state, ending }: EndedProposal, withTool = true): string {
  const of = [...(withTool ? [tool] : []), ...(tracker === undefined ? [] : [`on ${tracker}`])].join(' ');
  const by = approver === undefined ? '' : `, decided by ${approver}`;
  const change = ending?.change === undefined ? '' : `change ${ending.change}: `;
  const end = ending ? `; ${change}${ending.message}` : '.';
  return cleanText(`Proposal ${id}${of === '' ? '' : ` (${of})`}${by}: ${proposalStates[state]}${end}`);
}

type Given = Readonly<Record<string, unknown>>;

/** A write that waits for a person, or waited. */
type Proposed = {
  readonly id: string;
  readonly tool: string;
  readonly tracker: string;
  readonly trackerName?: string | undefined;
  readonly client: string;
  readonly holder?: { readonly name: string } | null;
  /** Moments in ISO 8601. */
  readonly created: string;
  readonly expires: string;
  readonly effect: readonly string[];
  readonly currency?: string | undefined;
  readonly summary?: readonly string[] | undefined;
  readonly steps: readonly {
    readonly tool: string;
    readonly arguments: Given;
    readonly before: Given;
    readonly sent: WireParameters;
  }[];
  /** The change that it undoes, or that its parts undo. */
  readonly undoes?: string | undefined;
  readonly parts?: readonly { readonly undoes?: string | undefined }[] | undefined;
};

type ProposalStatus = Pick<EndedProposal, 'state' | 'ending'> & {
  readonly proposal: Proposed;
  readonly at: Date;
  readonly decision?: { readonly approver: string; readonly time: string } | undefined;
};

/**
 * A proposal as people see it on the page and on a terminal. All texts are clean, and none is shortened, because the rest could be
 * what matters. `expires` is undefined if the proposal was sent or has ended.
 */
export function describeProposal({ proposal, state, at, decision, ending }: ProposalStatus) {
  const { id, tool, client, holder, created, effect, currency } = proposal;
  const undone = undoneBy(proposal);
  const ago = (time: string) => {
    const minutes = Math.floor((at.getTime() - Date.parse(time)) / minuteMs);
    return minutes < 1 ? 'just now' : `${duration(minutes)} ago`;
  };
  const steps = proposal.steps.map(({ tool: name, arguments: given, before, sent }) => {
    const endpoint = endpoints.find((candidate) => candidate.name === name) ?? { title: name, path: name };
    // The request exactly as it is sent, with the key masked.
    const request = requestLine(endpoint.path, sent);
    return { title: endpoint.title, values: describeChanges(given, before, currency), request };
  });
  const [first] = steps;
  const summary = proposal.summary?.length ? proposal.summary : [`${first?.title}: ${first?.values.join(', ')}`];
  const token = holder ? ` (token of ${nameOf(holder.name, 60)})` : '';
  const facts = Object.entries({
    tool:
      undone.length === 0
        ? tool
        : `${tool}, which undoes change ${joinWords(
            undone.map((change) => nameOf(change, 60)),
            'and',
          )}`,
    tracker: trackerLabel(proposal),
    // A client chooses its own name.
    'proposed by': `${quote(client, 60)}${token}, ${ago(created)}`,
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
function undoneBy({ undoes, parts = [] }: Proposed): string[] {
  return [undoes, ...parts.map((part) => part.undoes)].filter((change) => change !== undefined);
}

export const minutesLeft = ({ expires }: Pick<Proposed, 'expires'>, at: Date): number =>
  Math.ceil((Date.parse(expires) - at.getTime()) / minuteMs);

/** `https://tracker.example.com (main)`; the name is there if there are several trackers. */
export function trackerLabel({ tracker, trackerName }: Pick<Proposed, 'tracker' | 'trackerName'>): string {
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
