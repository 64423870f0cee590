import pMap from 'p-map';
import { type Deadline, within } from '../api/deadline.ts';
import { Failure } from '../api/failure.ts';
import { type Pace, yieldIfBusy } from '../api/running-call.ts';
import type { CallContext } from './define-tool.ts';

/** The number of requests that the client sends to a tracker at once. */
export const maxAtOnce = 4;

/** The part of a call's time that is reserved for making its answer. */
const reserve = 0.1;

/** The part of a call's time that side questions may take. */
const maxPart = 1 / 3;

export type Outcome<Result> =
  | { readonly kind: 'answer'; readonly value: Result }
  | { readonly kind: 'failure'; readonly failure: Failure }
  /** Time ran out before it was asked or answered. */
  | { readonly kind: 'not-asked' };

/**
 * Asks many questions for one call, four at a time, with progress and within its deadline, and returns the outcome of each.
 * A failure does not affect the others. Throws a Failure if the caller cancelled the call.
 * @param what the unit of the progress
 * @param deadline by performance.now, if some of the time is used up
 */
export async function askMany<Item, Result>(
  items: readonly Item[],
  ask: (item: Item, context: CallContext) => Promise<Result>,
  context: CallContext,
  what: string,
  deadline = performance.now() + context.client.leftMs,
): Promise<Outcome<Result>[]> {
  const reserveMs = context.client.timeoutMs * reserve;
  let done = 0;
  const outcomeOf = async (item: Item, limit: Deadline): Promise<Outcome<Result>> => {
    if (performance.now() > deadline - reserveMs) return { kind: 'not-asked' };
    try {
      const value = await ask(item, { ...context, signal: limit.signal });
      done += 1;
      context.onProgress?.(done, items.length, what);
      return { kind: 'answer', value };
    } catch (error) {
      if (!(error instanceof Failure) || context.signal?.aborted) throw error;
      return limit.hasTimedOut ? { kind: 'not-asked' } : { kind: 'failure', failure: error };
    }
  };
  return within(
    deadline - reserveMs / 2 - performance.now(),
    (limit) => pMap(items, (item) => outcomeOf(item, limit), { concurrency: maxAtOnce }),
    context.signal,
  );
}

/** Asks a side question in a part of the call's time. Throws a Failure if it took too long, or what `ask` throws. */
export async function askQuickly<Answer>(
  context: CallContext,
  ask: (context: CallContext) => Promise<Answer>,
  part = maxPart,
): Promise<Answer> {
  return askWithin(Math.min(context.client.timeoutMs * part, context.client.leftMs), context, ask);
}

/** The same with a limit in milliseconds. */
export async function askWithin<Answer>(
  maxMs: number,
  context: CallContext,
  ask: (context: CallContext) => Promise<Answer>,
): Promise<Answer> {
  const askInTime = async (limit: Deadline): Promise<Answer> => {
    try {
      return await ask({ ...context, signal: limit.signal });
    } catch (error) {
      if (!limit.hasTimedOut || !(error instanceof Failure)) throw error;
      throw new Failure(`the tracker did not answer within ${Math.round(maxMs / 100) / 10} s.`);
    } finally {
      // Ends requests that are still open because another one failed.
      limit.cancel();
    }
  };
  return within(maxMs, askInTime, context.signal);
}

/**
 * Reads something anew, but once in a write, so that all of it sees the same. A failure is not kept.
 *
 * @param key what is read
 */
export function onceInCall<Result>(key: string, { reads }: CallContext, read: () => Promise<Result>): Promise<Result> {
  // A key stands for one kind of result.
  const earlier = reads?.get(key) as Promise<Result> | undefined;
  if (earlier) return earlier;
  const reading = read();
  reads?.set(key, reading);
  reading.catch(() => reads?.delete(key));
  return reading;
}

/** A class, since V8 compiles what reads a getter of an object literal again for each such object. */
class PaceOfCall implements Pace {
  readonly #context: Pick<CallContext, 'client' | 'signal'>;

  constructor(context: Pick<CallContext, 'client' | 'signal'>) {
    this.#context = context;
  }

  readonly rest = async (): Promise<void> => {
    await yieldIfBusy();
    if (this.#context.signal?.aborted) throw new Failure('The call was cancelled.');
  };

  get isOver(): boolean {
    return this.#context.client.leftMs <= 0;
  }
}

export const paceOf = (context: CallContext): Pace => new PaceOfCall(context);

/** The answer to a question that the call can do without; undefined if it fails. */
export async function optional<Result>(ask: () => Promise<Result>, context: CallContext): Promise<Result | undefined> {
  return (await attempt(ask, context)).answer;
}

/** The same with the failure. Throws a Failure if the caller cancelled the call. */
export async function attempt<Result>(
  ask: () => Promise<Result>,
  { signal }: CallContext,
): Promise<{ readonly answer?: Result; readonly failure?: Failure }> {
  try {
    return { answer: await ask() };
  } catch (error) {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    return { failure: error };
  }
}
