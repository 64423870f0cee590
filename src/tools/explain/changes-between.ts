import type { CallContext } from '../define-tool.ts';
import { describeStep, presentStep } from '../present/change-steps.ts';
import type { Spans } from './spans.ts';

const maxChanges = 5;

/** What this server changed from the first day of two spans to the last, the newest first, a line each. */
export async function changesBetween(
  campaignId: number,
  { before, after }: Spans,
  { guard, currency }: CallContext,
): Promise<string[]> {
  const { changes } = await guard.changes.read();
  const lines = changes.toReversed().flatMap(({ id, time, steps }) => {
    const day = time.slice(0, 10);
    if (day < before.start || day > after.end) return [];
    const own = steps.filter(
      ({ arguments: given, outcome }) =>
        outcome !== 'waiting' && (campaignId === 0 || Number(given['campaign_id'] ?? campaignId) === campaignId),
    );
    return own.map((step) => `${time} ${describeStep(presentStep(step, currency))}, change ${id}`);
  });
  const more = lines.length - maxChanges;
  return [...lines.slice(0, maxChanges), ...(more > 0 ? [`and ${more} more writes: list_changes has them`] : [])];
}
