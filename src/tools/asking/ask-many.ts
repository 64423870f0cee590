import pMap from 'p-map';
import { Failure } from '../../api/failure.ts';
import type { CallContext } from '../define-tool.ts';

/** As many questions of one call as may be with the tracker at a time. */
const maxAtOnce = 4;

/** The part of a call's time that is left to make the answer of what came in time. */
const reserve = 0.1;

/** What became of one question of many. */
export type Outcome<Result> =
  | { readonly kind: 'answer'; readonly value: Result }
  | { readonly kind: 'failure'; readonly failure: Failure }
  /** There was no time left to ask it. */
  | { readonly kind: 'not-asked' };

/**
 * Asks the tracker many questions for one call: four at a time, with progress, within the deadline of the call. A question
 * that fails costs the others nothing.
 *
 * @param what is counted, for whoever watches the progress
 * @returns what became of each, in the order of the items
 * @throws Failure where the caller cancelled the call
 */
export async function askMany<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
  { client, signal, onProgress }: CallContext,
  what: string,
): Promise<Outcome<Result>[]> {
  const lastStart = Date.now() + client.timeoutMs * (1 - reserve);
  let done = 0;
  return pMap(
    items,
    async (item): Promise<Outcome<Result>> => {
      if (Date.now() > lastStart) return { kind: 'not-asked' };
      try {
        const value = await ask(item);
        done += 1;
        onProgress?.(done, items.length, what);
        return { kind: 'answer', value };
      } catch (error) {
        if (!(error instanceof Failure) || signal?.aborted) throw error;
        return { kind: 'failure', failure: error };
      }
    },
    { concurrency: maxAtOnce },
  );
}
