import { groupBy } from '../../analysis/statistics/history.ts';
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

/** Older changes than are searched for are read apart, if they are of so few campaigns. */
const maxApart = 4;

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
  const [oldest, searched] = [toldDays, searchedDays].map((count) => shiftDays(yesterday, -count)) as [string, string];
  const recent = earlier(since !== undefined && since > searched ? since : searched, yesterday);
  const older = isAlone || campaign !== undefined ? [] : own.filter(({ day }) => day >= oldest && day < recent);
  const byCampaign = groupBy(older, (step) => step.campaign);
  if (byCampaign.size > 0 && byCampaign.size <= maxApart && !older.some(({ kinds }) => kinds.includes('bid'))) {
    // The account is read for the days of all the others.
    const apart = new Set(older.map(({ change }) => change));
    const rest = { ...asked, changes: changes.filter((change) => !apart.has(change)) };
    const parts = [
      rest,
      ...[...byCampaign.values()].map((some) => ({
        ...asked,
        isAlone: true,
        changes: [...new Set(some.map(({ change }) => change))],
      })),
    ];
    const told = await Promise.all(parts.map((part) => tellOutcomes(part, known, context)));
    return { outcomes: new Map(told.flatMap(({ outcomes }) => [...outcomes])), elsewhere: told[0]?.elsewhere ?? [] };
  }
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
  const busy = isAlone ? [] : only === undefined ? basis.busiest(maxSearched) : [only];
  const found = await Promise.all(busy.map((id) => madeElsewhere(id, since ?? recent, ledger)));
  const elsewhere = found.flat().sort((one, other) => (one.day < other.day ? 1 : -1));
  return { outcomes, elsewhere };
}

/** The changes whose days are over, one for each set and campaign, oldest first. */
export function changesWithOutcome(known: readonly Change[], context: CallContext): readonly Change[] {
  const now = today(context.timeZone, context.now());
  const over = loggedSteps(known, context).filter(
    ({ kinds, day }) => kinds.length > 0 && day > shiftDays(now, -toldDays) && day < shiftDays(now, -comparedDays),
  );
  const byAct = groupBy(over, ({ change, campaign }) => `${change.set?.id ?? change.id} ${campaign}`);
  return [...new Set([...byAct.values()].flatMap(([first]) => first?.change ?? []))];
}
