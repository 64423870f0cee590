import type { ChangeOutcome } from '../../answer/outcomes.ts';
import type { Change } from '../../guard/changes.ts';
import { attempt } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { earlier, shiftDays, today } from '../period.ts';
import { comparedDays, type MadeElsewhere, madeElsewhere, outcomeOf } from './change-outcomes.ts';
import type { Ledger } from './group-visits.ts';
import { loggedSteps } from './logged-changes.ts';
import { readOutcomeBasis } from './read-outcomes.ts';

/** Changes of so many last days are told together, and an older one alone; those made elsewhere are looked for in fewer days. */
const [toldDays, searchedDays] = [60, 31];

/** Max campaigns that are searched for changes made elsewhere: those with most visits. */
const maxSearched = 20;

export interface ToldOutcomes {
  readonly outcomes: ReadonlyMap<Change, ChangeOutcome>;
  readonly elsewhere: readonly MadeElsewhere[];
}

/**
 * Tells whether changes paid, and finds changes of shares that were made elsewhere.
 * @param asked.isAlone whether they are one change or set, which may be old
 * @param asked.since the first day of changes made elsewhere, YYYY-MM-DD
 * @param known all changes in the log
 */
export async function tellOutcomes(
  asked: {
    readonly changes: readonly Change[];
    readonly isAlone: boolean;
    readonly campaign: string | undefined;
    readonly since: string | undefined;
  },
  known: readonly Change[],
  context: CallContext,
): Promise<ToldOutcomes> {
  const { changes, isAlone, campaign, since } = asked;
  const yesterday = shiftDays(today(context.timeZone, context.now()), -1);
  const steps = loggedSteps(known, context);
  const own = steps.filter(({ change, kinds }) => changes.includes(change) && kinds.length > 0);
  const days = own.map(({ day }) => day).sort();
  const [oldest, recent] = [toldDays, searchedDays].map((count) => shiftDays(yesterday, -count)) as [string, string];
  const first = isAlone ? (days[0] ?? recent) : earlier(days.find((day) => day >= oldest) ?? recent, recent);
  const last = isAlone ? shiftDays(days.at(-1) ?? yesterday, comparedDays) : yesterday;
  const span = { start: shiftDays(first, -comparedDays), end: earlier(last, yesterday) };
  if (isAlone && own.length === 0) return { outcomes: new Map(), elsewhere: [] };
  const campaigns = new Set(own.map((step) => step.campaign));
  const needsAll = own.some(({ kinds }) => kinds.includes('bid'));
  const only = campaign ?? (isAlone && campaigns.size === 1 ? [...campaigns][0] : undefined);
  const read = () => readOutcomeBasis(needsAll ? undefined : only, span, context);
  const { answer: basis } = await attempt(read, context);
  if (!basis) {
    const unread: ChangeOutcome = { state: 'unknown', why: 'not-read' };
    return { outcomes: new Map(own.map(({ change }) => [change, unread])), elsewhere: [] };
  }
  const ledger: Ledger = { basis, steps, span, context };
  const outcomes = new Map<Change, ChangeOutcome>();
  for (const change of new Set(own.map((step) => step.change))) {
    const outcome = await outcomeOf(change, ledger);
    if (outcome) outcomes.set(change, outcome);
  }
  const searched = isAlone ? [] : only === undefined ? basis.busiest(maxSearched) : [only];
  const found = await Promise.all(searched.map((id) => madeElsewhere(id, since ?? recent, ledger)));
  const elsewhere = found.flat().sort((one, other) => (one.day < other.day ? 1 : -1));
  return { outcomes, elsewhere };
}
