import { Failure } from '../../api/failure.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Act, Carried, Standing } from '../../guard/act.ts';
import { askQuickly } from '../asking/ask-quickly.ts';
import type { CallContext } from '../define-tool.ts';
import { identityIn } from '../trackers/identity-in.ts';
import { type Surroundings, surroundingsOf } from './surroundings.ts';
import { presentOf } from './values-before.ts';

/** What a tool wants to have sent, without what every call of it has. */
export type ToolAct = Omit<Act<TrackerRequest>, 'client' | 'ask' | 'signal' | 'standing' | 'currency'> & {
  /** What it does to the traffic and what to think about, a line each: a person who decides later reads it. */
  readonly effect: readonly string[];
};

/**
 * Has the guard carry out what a tool wants to have sent.
 *
 * @throws Failure where it is not allowed or not agreed to, and ProposalMade where it waits for a person: then nothing was sent
 */
export function carryOut({ effect, ...act }: ToolAct, context: CallContext): Promise<Carried> {
  const { guard, caller, ask, signal, currency } = context;
  const standing = async () => standingOf(act.steps, effect, context);
  return guard.carryOut({ ...act, currency, client: caller, ask, signal, standing });
}

async function standingOf(steps: ToolAct['steps'], effect: readonly string[], context: CallContext): Promise<Standing> {
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
): Promise<{ readonly surroundings: Surroundings; readonly notices: readonly string[] }> {
  try {
    const look = (quick: CallContext) => surroundingsOf(requests, presentOf(quick, { once: true }));
    return { surroundings: await askQuickly(context, look), notices: [] };
  } catch (error) {
    if (!(error instanceof Failure) || context.signal?.aborted) throw error;
    return { surroundings: {}, notices: [`What is around it is not known, and not looked at again: ${error.message}`] };
  }
}
