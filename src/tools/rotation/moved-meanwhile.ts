import { showArgument } from '../../answer/changes.ts';
import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { isSameData } from '../../api/text/json.ts';
import type { Step } from '../../guard/write.ts';
import { optional } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { openSnapshot } from './current-values.ts';
import { readerInOrder } from './read-in-order.ts';

/**
 * Reads the old values again that a person was shown: an answer may take minutes. If they cannot be read now, the person’s yes counts.
 * @throws Failure if some are not what they were, or no longer there
 */
export async function refuseMoved(tool: string, steps: readonly Step[], context: CallContext): Promise<void> {
  const fresh = { ...context, reads: new Map() };
  const readNext = readerInOrder(openSnapshot(fresh, true));
  const moved: string[] = [];
  for (const { request, before = {} } of steps) {
    if (request.endpoint.access === 'create' || Object.keys(before).length === 0) continue;
    const now = (await optional(() => readNext(request), fresh))?.values;
    if (!now) continue;
    const showValue = (name: string, value: unknown) => showArgument(name, value, context.currency);
    for (const [name, old] of Object.entries(before)) {
      if (isSameData(now[name], old)) continue;
      const is = name in now ? showValue(name, now[name]) : 'not shown now';
      moved.push(`${name} was ${showValue(name, old)} in the question and is ${is}`);
    }
  }
  if (moved.length === 0) return;
  throw new Failure(
    `${tool} was not sent: ${joinWords(moved, 'and')}. Somebody changed it before the answer came.`,
    'Nothing was changed by this call. Call again, and the person is asked about what is there now.',
  );
}
