import type { Endpoint, WireParameters } from '../api/endpoints.ts';
import type { ReceiptReply } from '../api/table.ts';
import type { Approval, Draft, Proposal } from './approval.ts';

/** The values before a write, by argument name. Unknown values are left out. */
export type ValuesBefore = Readonly<Record<string, unknown>>;

/** The request of a write as the guard sees it. */
export interface WriteRequest {
  readonly endpoint: Endpoint;
  /** By the argument names of the tool. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The parameters exactly as they are sent, with the key masked. */
  readonly shown: WireParameters;
}

export interface Step {
  readonly request: WriteRequest;
  readonly before?: ValuesBefore | undefined;
}

/** One write of a set. It is recorded as a change of its own. */
export interface Part {
  readonly tool: string;
  /** The ID of the change that it undoes. */
  readonly undoes?: string | undefined;
  /** How many of the steps are its own, in their order. */
  readonly steps: number;
}

/** What one call changes, with one request or several. */
export interface Write<WriteStep extends Step = Step> {
  readonly tool: string;
  readonly steps: readonly WriteStep[];
  /** The ID of the change that it undoes. */
  readonly undoes?: string | undefined;
  /** The writes of a set, each with at least one step; absent if it is no set. */
  readonly parts?: readonly Part[] | undefined;
  /** The question that a person is asked, or the approval that one gave to exactly this write. */
  readonly consent: string | Approval;
}

/** How a write is executed for one caller. */
export interface Execution<WriteStep extends Step = Step> {
  readonly client: string;
  /** The currency of amounts in a proposal; undefined if it is not configured. */
  readonly currency: string | undefined;
  readonly ask: Ask;
  readonly signal?: AbortSignal | undefined;
  /** Looks up what a proposal shows next to its requests. Called only if the write becomes a proposal. */
  readonly proposalContext: () => Promise<ProposalContext>;
  /** Sends a step that was checked, agreed to and recorded. */
  readonly send: (step: WriteStep) => Promise<ReceiptReply>;
}

export type ProposalContext = Pick<Draft, 'tracker' | 'account' | 'surroundings' | 'summary' | 'effect'> & {
  /** The values before, one record for each step, with the key masked. */
  readonly before: readonly ValuesBefore[];
};

/** The writes of a set, or the write itself, each with its own steps. */
export function partsOf<WriteStep extends Step>({ tool, undoes, steps, parts }: Omit<Write<WriteStep>, 'consent'>) {
  let start = 0;
  return (parts ?? [{ tool, undoes, steps: steps.length }]).map((part) => {
    const own = steps.slice(start, start + part.steps);
    start += part.steps;
    return { ...part, steps: own };
  });
}

/** How far a write got. */
export interface WriteResult {
  /** The ID of the change, or of the set. */
  readonly change: string;
  /** The IDs of the changes that were begun: of a set, one for each write. */
  readonly changes: readonly string[];
  /** One for each step that succeeded. */
  readonly replies: readonly ReceiptReply[];
  /** Why a step failed; the steps after it were not sent. Undefined if all succeeded. */
  readonly failure: unknown;
}

/** Nothing was sent: the write waits for a person to decide. */
export interface WaitingWrite {
  readonly waiting: Proposal;
}

/** The answer to a question. unavailable: the client cannot ask · unclear: the answer is neither yes nor no */
export type Answer = 'yes' | 'no' | 'unavailable' | 'failed' | 'unclear' | 'too-late';

/** Asks the user of the client. It may throw to end a call that is repeated with the answer; let that error through. */
export type Ask = (question: string) => Promise<Answer>;

const otherClient = 'the person who runs this server can turn the question off or use another client.';

/** Why there is no yes, and what to do. */
export const declinedMessages: Readonly<Record<Exclude<Answer, 'yes'>, string>> = {
  no: 'Ask the person what they want before you try again.',
  unavailable: `This client cannot ask its user; ${otherClient}`,
  failed: `The client failed to ask its user; if it fails again, ${otherClient}`,
  unclear: `The client’s answer to the question was neither yes nor no; if that happens again, ${otherClient}`,
  'too-late': 'No one answered the question in time; call again once the person is there.',
};

/** The question about a write: what it does, a line each. */
export function questionAbout(title: string, lines: readonly string[]): string {
  return [title, ...lines, 'This changes live traffic.'].join('\n');
}
