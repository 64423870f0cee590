import type { Endpoint, WireParameters } from '../api/endpoints.ts';
import type { ReceiptReply } from '../api/table.ts';
import type { Approval } from './proposals/approvers.ts';
import type { Draft } from './proposals/proposal.ts';

/** What was there before a write, by the names of its tool's arguments; an argument whose value was not known is left out. */
export type ValuesBefore = Readonly<Record<string, unknown>>;

/** The request of a write as the guard sees it: all that is sent, and nothing else. */
export interface WriteRequest {
  readonly endpoint: Endpoint;
  /** What was given, by the names of the tool's arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The parameters exactly as they are sent, with the key masked. */
  readonly shown: WireParameters;
}

/** One request of a write. */
export interface Step<Request extends WriteRequest> {
  readonly request: Request;
  readonly before?: ValuesBefore | undefined;
}

/** What became of a question to a person. unavailable: the client cannot ask · unclear: it answered neither yes nor no */
export type Answer = 'yes' | 'no' | 'unavailable' | 'failed' | 'unclear' | 'too-late';

/** Asks the person behind the client. It may throw to end a call that is made again with the answer; that must pass. */
export type Ask = (question: string) => Promise<Answer>;

/** What a yes to an act rests on, beside the values that it changes. */
export type WriteContext = Pick<Draft, 'tracker' | 'surroundings' | 'summary' | 'effect'> & {
  /** The values before, a record for each write, fit to be kept and shown. */
  readonly before: readonly ValuesBefore[];
};

/** What one call changes, in one write or several, and what it takes to carry it out. */
export interface Write<Request extends WriteRequest> {
  readonly tool: string;
  readonly steps: readonly Step<Request>[];
  /** What a person is asked; without it, what the writes say. */
  readonly question?: string;
  /** The currency that money in it is in, for the person who is asked; required, so that its absence is said on purpose. */
  readonly currency: string | undefined;
  /** What a proposal of it says beside its writes, looked up if there is to be one. */
  readonly context: () => Promise<WriteContext>;
  /** A yes that was given already, to exactly this. */
  readonly approval?: Approval | undefined;
  readonly undoes?: string | undefined;
  readonly client: string;
  readonly ask: Ask;
  readonly signal?: AbortSignal | undefined;
  /** Sends a request that was judged, agreed to and recorded. */
  readonly send: (request: Request) => Promise<ReceiptReply>;
}

/** How far an act came. */
export interface WriteResult {
  readonly change: string;
  readonly replies: readonly ReceiptReply[];
  /** What ended it; the writes behind this one were not sent. */
  readonly failure: unknown;
}
