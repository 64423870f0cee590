import { Failure } from '../../api/failure.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Write, WriteContext, WriteResult } from '../../guard/write.ts';
import { askQuickly } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { identityIn } from '../trackers/identity-in.ts';
import { presentOf, surroundingsOf } from './current-values.ts';

/** What a tool wants to have sent, without what every call of it has. */
export type ToolWrite = Omit<Write<TrackerRequest>, 'client' | 'ask' | 'signal' | 'standing' | 'currency'> & {
  /** What it does to the traffic and what to think about, a line each: a person who decides later reads it. */
  readonly effect: readonly string[];
};

/**
 * Has the guard carry out what a tool wants to have sent.
 *
 * @throws Failure where it is not allowed or not agreed to, and ProposalMade where it waits for a person: then nothing was sent
 */
export function execute({ effect, ...act }: ToolWrite, context: CallContext): Promise<WriteResult> {
  const { guard, caller, ask, signal, currency } = context;
  const standing = async () => writeContextOf(act.steps, effect, context);
  return guard.execute({ ...act, currency, client: caller, ask, signal, standing });
}

async function writeContextOf(
  steps: ToolWrite['steps'],
  effect: readonly string[],
  context: CallContext,
): Promise<WriteContext> {
  const { client } = context;
  const requests = steps.map(({ request }) => request);
  const { surroundings, notices } = await lookAround(requests, context);
  return {
    tracker: await identityIn(context),
    before: client.withoutKey(steps.map(({ before }) => ({ ...before }))),
    surroundings: client.withoutKey({ ...surroundings }),
    effect: client.withoutKey([...effect, ...notices].flatMap((text) => text.split('\n')).map(cleanText)),
  };
}

/** A tracker that cannot be asked now does not keep the proposal away, as it does not keep a write away. */
async function lookAround(
  requests: readonly TrackerRequest[],
  context: CallContext,
): Promise<{ readonly surroundings: Readonly<Record<string, string>>; readonly notices: readonly string[] }> {
  try {
    const look = (quick: CallContext) => surroundingsOf(requests, presentOf(quick, { once: true }));
    return { surroundings: await askQuickly(context, look), notices: [] };
  } catch (error) {
    if (!(error instanceof Failure) || context.signal?.aborted) throw error;
    return { surroundings: {}, notices: [`What is around it is not known, and not looked at again: ${error.message}`] };
  }
}
