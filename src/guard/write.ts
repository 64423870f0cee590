import type { ReceiptReply } from '../api/table.ts';
import type { Holder } from './limits.ts';
import type { AgreedAct, Approval } from './proposals/approvers.ts';
import type { Draft } from './proposals/proposal.ts';
import type { Ask } from './question.ts';
import type { Step, ValuesBefore, WriteRequest } from './write-request.ts';

/** What a yes to an act rests on, beside the values that it changes. */
export type WriteContext = Pick<Draft, 'tracker' | 'surroundings' | 'summary' | 'effect'> & {
  /** The values before, a record for each write, fit to be kept and shown. */
  readonly before: readonly ValuesBefore[];
};

/** What one call changes, in one write or several, and what it takes to carry it out. */
export interface Write<Request extends WriteRequest> {
  /** The tool that was called. */
  readonly tool: string;
  /** In the order in which they are sent. */
  readonly steps: readonly Step<Request>[];
  /** What a person is asked; without it, what the writes say. */
  readonly question?: string;
  /** The currency that money in it is in, for the person who is asked; required, so that its absence is said on purpose. */
  readonly currency: string | undefined;
  /** What a proposal of it says beside its writes, looked up if there is to be one. */
  readonly context: () => Promise<WriteContext>;
  /** A yes that was given already, to exactly this. */
  readonly approval?: Approval | undefined;
  /** The change that it takes back. */
  readonly undoes?: string | undefined;
  readonly client: string;
  readonly ask: Ask;
  readonly signal?: AbortSignal | undefined;
  /** Sends a request that was judged, agreed to and recorded. */
  readonly send: (request: Request) => Promise<ReceiptReply>;
}

/** How far an act came. */
export interface WriteResult {
  /** The ID of the change. */
  readonly change: string;
  /** The replies to the writes that were done, in their order. */
  readonly replies: readonly ReceiptReply[];
  /** What ended it; the writes behind this one were not sent. */
  readonly failure: unknown;
}

/** What a yes is given to: the requests, who asks for them, and what the settings allowed then. */
export function agreedAct(
  { tool, undoes, steps }: Pick<Write<WriteRequest>, 'tool' | 'undoes' | 'steps'>,
  holder: Holder | undefined,
  policy: AgreedAct['policy'],
): AgreedAct {
  return {
    tool,
    undoes,
    steps: steps.map(({ request: { endpoint, arguments: given, shown: sent } }) => ({
      ...{ tool: endpoint.name, arguments: given, sent: { ...sent } },
    })),
    holder: holder ? { name: holder.name, access: holder.access, tools: holder.tools, limits: holder.limits } : null,
    policy,
  };
}
