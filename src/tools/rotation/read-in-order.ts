import { describeSubject } from '../../answer/changes.ts';
import type { WriteRequest } from '../../guard/write.ts';
import { type Before, readCurrentValues, type Snapshot } from './current-values.ts';
import { namesSet } from './read-again.ts';

/**
 * Reads what requests that are sent one after the other are about to change: what an earlier one sets, a later one finds. Call it
 * in their order. It throws a TrackerFailure.
 */
export function readerInOrder(snapshot: Snapshot): (request: WriteRequest) => Promise<Before> {
  const set = new Map<string, unknown>();
  return async (request) => {
    const { endpoint, arguments: given } = request;
    const before = await readCurrentValues(request, snapshot);
    const subject = describeSubject(endpoint.name, given);
    const values: Record<string, unknown> = { ...before.values };
    for (const name of namesSet(request)) {
      const key = `${subject} ${name}`;
      if (set.has(key)) values[name] = set.get(key);
      if (endpoint.access === 'update') set.set(key, given[name]);
    }
    return { ...before, values };
  };
}
