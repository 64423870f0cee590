import type { SplitStep } from '../../analysis/splits.ts';
import type { Change, ChangeStep } from '../../guard/changes.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { today } from '../period.ts';
import { argumentsOf } from '../rotation/campaign-pages.ts';

/** What a request changes that has an outcome. */
type ChangedKind = 'shares' | 'page' | 'bid' | 'record';

/** A request of a change that was sent, on the tracker's clock. */
export interface LoggedStep extends SplitStep {
  readonly change: Change;
  readonly campaign: string;
  readonly kinds: readonly ChangedKind[];
  readonly day: string;
  /** Whether it is known to be done. */
  readonly isSure: boolean;
}

/** The requests of changes that were sent, or may have been, oldest first. */
export function loggedSteps(changes: readonly Change[], { timeZone }: Pick<CallContext, 'timeZone'>): LoggedStep[] {
  const inOrder = changes.toSorted((one, other) => Date.parse(one.time) - Date.parse(other.time));
  return inOrder.flatMap((change) => {
    const day = today(timeZone, new Date(change.time));
    return change.steps.flatMap((step) => {
      if (step.outcome !== 'ok' && step.outcome !== 'unknown') return [];
      const { campaign_id, page_id } = argumentsOf(step.arguments);
      const isAdded = step.tool.startsWith('add_');
      return {
        change,
        day,
        campaign: String(campaign_id ?? ''),
        page: String(page_id ?? step.id ?? ''),
        kinds: kindsOf(step),
        set: isAdded ? { active: true } : trafficIn(step.arguments),
        before: isAdded ? { active: false } : trafficIn(step.before),
        isSure: step.outcome === 'ok',
      };
    });
  });
}

function kindsOf({ tool, arguments: given }: ChangeStep): ChangedKind[] {
  const sets = (...names: string[]) => names.some((name) => given[name] !== undefined);
  if (tool === 'edit_offer' || tool === 'edit_landing_page') return sets('url', 'payout', 'active') ? ['record'] : [];
  if (tool === 'edit_campaign') return sets('bid') ? ['bid'] : [];
  if (tool.endsWith('_to_campaign')) return ['shares'];
  return [...(sets('share', 'active') ? ['shares' as const] : []), ...(sets('url', 'payout') ? ['page' as const] : [])];
}

function trafficIn(given: Given): SplitStep['set'] {
  const { share, active } = argumentsOf(given);
  return { share, active };
}
