import { effectOverRuns, type Otherwise, type TooFew } from '../../analysis/effects.ts';
import type { PlacedPage } from '../../analysis/page-rows.ts';
import { at, groupBy, sum } from '../../analysis/statistics/history.ts';
import { isSplitAnew, type Move } from '../../analysis/statistics/moved-shares.ts';
import type { MoneyState } from '../../answer/money-notes.ts';
import type { Notice } from '../../answer/notes.ts';
import { sayTried, type Untold, whatWouldTell } from '../../answer/outcomes.ts';
import { Failure } from '../../api/failure.ts';
import { joinSome } from '../../api/rules.ts';
import type { Span } from '../account/read-visits.ts';
import { type Answer, type JsonRecord, type Query, wholeAnswer } from '../define-tool.ts';
import { type Group, groupsOf } from '../outcomes/group-visits.ts';
import { readOutcomeBasis } from '../outcomes/read-outcomes.ts';
import { daysBlock, earlier, listDays, shiftDays, today } from '../period.ts';
import { describePage } from '../rotation/campaign-pages.ts';
import type { PageQuestion } from './read-pages.ts';

export interface TriedShare {
  readonly page_id: number;
  readonly share: number;
  readonly set: number;
}

interface Tried {
  readonly question: PageQuestion;
  readonly query: Query;
  readonly span: Span;
  readonly shares: readonly TriedShare[];
  readonly money: MoneyState | undefined;
  readonly notices: readonly Notice[];
}

type TriedShares = JsonRecord &
  ReturnType<typeof presented> & { readonly set: number; readonly checked?: ReturnType<typeof presented> };

/** The part of the days that is kept for checking the best of several sets of shares. */
const checkedPart = 1 / 3;

/**
 * What other shares would have earned on some days, from what the visitors of each page brought.
 * @throws Failure if that cannot be told
 */
export async function answerTriedShares({ question, query, money, ...tried }: Tried): Promise<Answer> {
  const { campaign, kind, context } = question;
  const span = { ...tried.span, end: earlier(tried.span.end, today(context.timeZone, context.now())) };
  const basis = await readOutcomeBasis(campaign, span, context, { tool: 'compare_pages', money });
  const groups = await groupsOf(campaign, { basis, steps: [], span, context }, true);
  if (!groups) throw untold({ why: 'not-read' });
  const group = groupWith(tried.shares, groups);
  const sets = [...groupBy(tried.shares, ({ set }) => set)].sort(([one], [other]) => one - other);
  const parts = sets.map(([, shares]) => partsOf(group, shares));
  const lack = group.lack();
  if (basis.missing(campaign).length > 0) throw untold({ why: 'visits-missing' });
  if (lack?.why) throw untold({ why: lack.why, page: lack.page });
  const { moves } = group;
  const changed = moves.map(({ from }) => from);
  const runs = runsBetween(span, moves);
  const wereSet = (run: Span) => {
    const visits = group.samples(run).map((page) => page.visits);
    return parts.every((set) => !isSplitAnew(visits, set, 'shares'));
  };
  // Where these shares were set already, they would have earned the same.
  const others = runs.length > 1 ? runs.filter((run) => !wereSet(run)) : runs;
  const isPartSet = others.length < runs.length;
  const attempt = tryOn(group, others.length > 0 ? others : runs, parts);
  if ('why' in attempt) {
    const page = attempt.page === undefined ? undefined : group.describe(attempt.page);
    throw untold({ ...attempt, page, changed: isPartSet ? changed : [] });
  }
  const results: readonly TriedShares[] = attempt.effects.map((effect, index) => ({
    set: at(sets, index)[0],
    ...presented(effect, attempt.shown),
    ...(attempt.check && index === attempt.best ? { checked: presented(attempt.check, attempt.kept) } : {}),
  }));
  const notices: Notice[] = [
    ...(changed.length > 0 ? [{ code: 'tried-between-changes', changed, isPartSet } as const] : []),
    ...(sets.length > 1 && !attempt.check ? [{ code: 'tried-unchecked' } as const] : []),
    { code: 'by-random-draw', tried: true },
    ...tried.notices,
  ];
  const structured = { query, kind, tried: results, notices };
  return wholeAnswer(structured, [...daysBlock(query), ...sayTried(results)]);
}

/** What sets of shares would have earned on some days. The best of several is checked on the last of them, if these can tell. */
function tryOn(group: Group, runs: readonly Span[], sets: readonly (readonly number[])[]) {
  const days = runs.flatMap(({ start, end }) => listDays(start, end));
  const effectsOn = (some: readonly string[]) => sets.map((set) => effectOn(group, runs, some, set));
  const from = days.length - (sets.length > 1 ? Math.ceil(days.length * checkedPart) : 0);
  const [first, kept] = [days.slice(0, from), days.slice(from)];
  const [ofFirst, ofKept] = kept.length > 0 ? [effectsOn(first), effectsOn(kept)] : [];
  const checks = ofFirst?.every(isTold) && ofKept?.every(isTold) ? ofKept : undefined;
  const effects = (checks && ofFirst) ?? effectsOn(days);
  const lack = effects.find((effect): effect is TooFew => !isTold(effect));
  if (lack) return { ...lack, days: days.length };
  const told = effects.filter(isTold);
  const best = told.reduce((one, effect, index) => (effect.without > at(told, one).without ? index : one), 0);
  return { effects: told, shown: checks ? first : days, best, check: checks?.[best], kept };
}

const isTold = (effect: Otherwise | TooFew): effect is Otherwise => !('why' in effect);

/** What one set would have earned on some days. */
function effectOn(group: Group, runs: readonly Span[], days: readonly string[], set: readonly number[]) {
  const draws = runs.flatMap(({ start, end }) => {
    const own = days.filter((day) => day >= start && day <= end);
    const [first, last] = [own[0], own.at(-1)];
    return first === undefined || last === undefined ? [] : [group.draws({ start: first, end: last }, set)];
  });
  return effectOverRuns(draws, group.paidUntil(days.at(-1) ?? ''));
}

/** The days between changes of shares. */
function runsBetween({ start, end }: Span, moves: readonly Move[]): readonly Span[] {
  const starts = [start, ...moves.map(({ until }) => shiftDays(until, 1))];
  const ends = [...moves.map(({ from }) => shiftDays(from, -1)), end];
  return starts.map((first, index) => ({ start: first, end: at(ends, index) })).filter((run) => run.start <= run.end);
}

/** @throws Failure if the pages are of no group, or of several */
function groupWith(shares: readonly TriedShare[], groups: readonly Group[]): Group {
  const idOf = ({ page_id }: TriedShare) => String(page_id);
  const group = groups.find(({ has }) => shares.some((share) => has(idOf(share)))) ?? groups[0];
  const unknown = shares.find((share) => !group?.has(idOf(share)));
  if (group && !unknown) return group;
  throw new Failure(
    `compare_pages was not called: shares names page ${unknown?.page_id ?? 0}, which is not in the group.`,
    `Its pages are: ${joinSome((group?.pages ?? []).map(describePage), 20)}.`,
  );
}

/** The parts of the visitors by shares; a page that is not named keeps its own. */
function partsOf({ pages }: Group, shares: readonly TriedShare[]): readonly number[] {
  const shareOf = ({ pageId, active, share }: PlacedPage) =>
    shares.find(({ page_id: id }) => pageId === String(id))?.share ?? (active === false ? 0 : share);
  const weights = pages.map(shareOf);
  const unknown = pages.filter((_, page) => weights[page] === null);
  if (unknown.length === 0 && sum(weights.map(Number)) > 0)
    return weights.map((weight) => Number(weight) / sum(weights.map(Number)));
  throw new Failure(
    'compare_pages was not called: the shares add up to nothing that is known.',
    unknown.length > 0 ? `Name these pages, too: ${joinSome(unknown.map(describePage), 20)}.` : 'Give a page a share.',
  );
}

const untold = (lack: Untold) => new Failure(...whatWouldTell(lack));

function presented(
  { earned, without, withoutLow, withoutHigh, difference, low, high }: Otherwise,
  days: readonly string[],
) {
  const amounts = {
    ...{ earned, would_have_earned: without, would_low: withoutLow, would_high: withoutHigh },
    ...{ difference: -difference, difference_low: -high, difference_high: -low },
  };
  const rounded = Object.entries(amounts).map(([name, amount]) => [name, Math.round(amount * 100) / 100] as const);
  return { start: days[0] ?? '', end: days.at(-1) ?? '', ...(Object.fromEntries(rounded) as typeof amounts) };
}
