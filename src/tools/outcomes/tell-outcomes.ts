import { groupBy } from '../../analysis/statistics/history.ts';
import type { ChangeOutcome, Search } from '../../answer/outcomes.ts';
import type { Change } from '../../guard/changes.ts';
import type { Span } from '../account/read-visits.ts';
import { attempt, paceOf } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { earlier, listDays, shiftDays, today } from '../period.ts';
import { comparedDays, type MadeElsewhere, madeElsewhere, outcomeOf } from './change-outcomes.ts';
import type { Ledger } from './group-visits.ts';
import { type LoggedStep, loggedSteps } from './logged-changes.ts';
import { readOutcomeBasis } from './read-outcomes.ts';

/** Changes of so many last days are told together, and an older one alone; those made elsewhere are looked for in fewer days. */
const [toldDays, searchedDays] = [60, 31];

/** Older changes than are searched for are read apart, if they are of so few campaigns. */
const maxApart = 4;

/** So many campaigns with most visits are searched for changes made elsewhere by their groups of pages; as many others where visits show one. */
const maxSearched = 20;

export interface ToldOutcomes {
  readonly outcomes: ReadonlyMap<Change, ChangeOutcome>;
  readonly elsewhere: readonly MadeElsewhere[];
  /** Where changes made elsewhere were looked for; empty if they were not to be. */
  readonly searches: readonly Search[];
}

interface OutcomesAsked {
  readonly changes: readonly Change[];
  /** Whether they are one change or set, which may be old. */
  readonly isAlone: boolean;
  readonly campaign: string | undefined;
  /** The first day of changes made elsewhere, YYYY-MM-DD. */
  readonly since: string | undefined;
}

/**
 * Tells whether changes paid, and finds changes of shares that were made elsewhere.
 * @param known all changes in the log
 */
export async function tellOutcomes(
  asked: OutcomesAsked,
  known: readonly Change[],
  context: CallContext,
): Promise<ToldOutcomes> {
  const steps = loggedSteps(known, context);
  const told = await Promise.all(partsOf(asked, steps, context).map((part) => tellPart(part, steps, context)));
  return {
    outcomes: new Map(told.flatMap(({ outcomes }) => [...outcomes])),
    elsewhere: told.flatMap(({ elsewhere }) => elsewhere),
    searches: told.flatMap(({ searches }) => searches),
  };
}

/** Changes that are told together, by the visits of some days. */
interface Part {
  readonly own: readonly LoggedStep[];
  readonly span: Span;
  /** Undefined is all. */
  readonly campaign: string | undefined;
  /** The first day of changes made elsewhere; undefined if these are not looked for. */
  readonly since?: string;
}

/** Older changes of few campaigns are read apart, so that the account is read only for the days of all the others. */
function partsOf(
  { changes, isAlone, campaign, since }: OutcomesAsked,
  steps: readonly LoggedStep[],
  { timeZone, now }: CallContext,
): readonly Part[] {
  const yesterday = shiftDays(today(timeZone, now()), -1);
  const [oldest, searched] = [toldDays, searchedDays].map((count) => shiftDays(yesterday, -count)) as [string, string];
  const recent = earlier(since !== undefined && since > searched ? since : searched, yesterday);
  const own = steps.filter(({ change, kinds }) => changes.includes(change) && kinds.length > 0);
  const alone = (some: readonly LoggedStep[]): readonly Part[] => {
    const days = some.map(({ day }) => day).sort();
    const [[first], last] = [days, days.at(-1)];
    if (first === undefined || last === undefined) return [];
    const [only, ...others] = new Set(some.map((step) => step.campaign));
    const span = { start: shiftDays(first, -comparedDays), end: earlier(shiftDays(last, comparedDays), yesterday) };
    return [{ own: some, span, campaign: campaign ?? (others.length === 0 ? only : undefined) }];
  };
  if (isAlone) return alone(own);
  const older = campaign === undefined ? own.filter(({ day }) => day >= oldest && day < recent) : [];
  const byCampaign = [...groupBy(older, (step) => step.campaign).values()];
  const areApart = byCampaign.length <= maxApart && !older.some(({ kinds }) => kinds.includes('bid'));
  const apart = (areApart ? byCampaign : []).map((some) => new Set(some.map(({ change }) => change)));
  const rest = own.filter(({ change }) => !apart.some((some) => some.has(change)));
  const days = rest.map(({ day }) => day).filter((day) => day >= oldest);
  const span = { start: shiftDays([...days, recent].sort()[0] ?? recent, -comparedDays), end: yesterday };
  return [
    { own: rest, span, campaign, since: since ?? recent },
    ...apart.flatMap((some) => alone(own.filter(({ change }) => some.has(change)))),
  ];
}

async function tellPart(
  { own, span, campaign, since }: Part,
  steps: readonly LoggedStep[],
  context: CallContext,
): Promise<ToldOutcomes> {
  const needsAll = own.some(({ kinds }) => kinds.includes('bid'));
  const read = () => readOutcomeBasis(needsAll ? undefined : campaign, span, context);
  const { answer: basis } = await attempt(read, context);
  if (!basis) {
    const unread: ChangeOutcome = { state: 'unknown', why: 'not-read' };
    const searches = since === undefined ? [] : [{ since, searched: 0, unread: 1, of: 1, found: 0 }];
    return { outcomes: new Map(own.map(({ change }) => [change, unread])), elsewhere: [], searches };
  }
  const ledger: Ledger = { basis, steps, span, context };
  const outcomes = new Map<Change, ChangeOutcome>();
  for (const change of new Set(own.map((step) => step.change))) {
    const outcome = await outcomeOf(change, ledger);
    if (outcome) outcomes.set(change, outcome);
  }
  if (since === undefined) return { outcomes, elsewhere: [], searches: [] };
  const visited = campaign === undefined ? basis.busiest() : [campaign];
  const ruledOut = new Set<string>();
  for (const id of visited.slice(maxSearched)) {
    await paceOf(context).rest();
    const isWhole = basis.missing(id).length === 0;
    if (isWhole && !basis.days.hasMoved(id, listDays(span.start, span.end), since)) ruledOut.add(id);
  }
  const likely = visited.filter((id) => !ruledOut.has(id)).slice(0, 2 * maxSearched);
  const found = await Promise.all(likely.map((id) => madeElsewhere(id, since, ledger)));
  const elsewhere = found.flatMap(({ made }) => made).sort((one, other) => (one.day < other.day ? 1 : -1));
  const unread = found.filter(({ isWhole }) => !isWhole).length;
  const searched = ruledOut.size + found.length - unread;
  const search = { since, searched, unread, of: visited.length, found: elsewhere.length };
  return { outcomes, elsewhere, searches: [search] };
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
