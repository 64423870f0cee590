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
  const { effects, lacking, shown, check } = tryOn(group, others.length > 0 ? others : runs, parts);
  const unknownSets = lacking.map(({ index, page, ...of }) => ({
    ...{ set: at(sets, index)[0], ...of, page: page === undefined ? undefined : group.describe(page) },
    changed: isPartSet ? changed : [],
  }));
  const [first] = unknownSets;
  if (first && effects.length === 0) throw untold(sets.length > 1 ? first : { ...first, set: undefined });
  const results: readonly TriedShares[] = effects.map(({ index, effect }) => ({
    set: at(sets, index)[0],
    ...presented(effect, shown),
    ...(check?.index === index ? { checked: presented(check.effect, check.days) } : {}),
  }));
  const notices: Notice[] = [
    ...unknownSets.map((lack) => ({ code: 'tried-untold', ...lack }) as const),
    ...(changed.length > 0 ? [{ code: 'tried-between-changes', changed, isPartSet } as const] : []),
    ...(effects.length > 1 && !check ? [{ code: 'tried-unchecked' } as const] : []),
    { code: 'by-random-draw', tried: true },
    ...tried.notices,
  ];
  const structured = { query, kind, tried: results, notices };
  return wholeAnswer(structured, [...daysBlock(query), ...sayTried(results, sets.length > 1)]);
}

/** What one of the sets would have earned, by its index. */
interface Effect {
  readonly index: number;
  readonly effect: Otherwise;
}

interface Attempt {
  readonly effects: readonly Effect[];
  /** Sets whose effect is not known, and why. */
  readonly lacking: readonly (TooFew & Pick<Effect, 'index'> & { readonly days: number })[];
  /** The days of the effects. */
  readonly shown: readonly string[];
  /** The best of several on the last days, if these can tell. */
  readonly check: (Effect & { readonly days: readonly string[] }) | undefined;
}

/** What sets of shares would have earned on some days. The best of several is checked on the last of them. */
function tryOn(group: Group, runs: readonly Span[], sets: readonly (readonly number[])[]): Attempt {
  const days = runs.flatMap(({ start, end }) => listDays(start, end));
  const tried = sets.map((set, index) => ({ index, set, effect: effectOn(group, runs, days, set) }));
  const lacking = tried.flatMap(({ index, effect }) =>
    isKnown(effect) ? [] : [{ ...effect, index, days: days.length }],
  );
  const known = tried.flatMap(({ index, set, effect }) => (isKnown(effect) ? [{ index, set, effect }] : []));
  const whole = { effects: known, lacking, shown: days, check: undefined };
  if (known.length < 2) return whole;
  const from = days.length - Math.ceil(days.length * checkedPart);
  const effectsOn = (some: readonly string[]) =>
    known.flatMap(({ index, set }): Effect[] => {
      const effect = effectOn(group, runs, some, set);
      return isKnown(effect) ? [{ index, effect }] : [];
    });
  const [shown, kept] = [days.slice(0, from), days.slice(from)];
  const [ofFirst, ofKept] = [effectsOn(shown), effectsOn(kept)];
  if (Math.min(ofFirst.length, ofKept.length) < known.length) return whole;
  const best = ofFirst.reduce((one, other) => (other.effect.without > one.effect.without ? other : one));
  const check = ofKept.find(({ index }) => index === best.index);
  return { effects: ofFirst, lacking, shown, check: check && { ...check, days: kept } };
}

const isKnown = (effect: Otherwise | TooFew): effect is Otherwise => !('why' in effect);

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
