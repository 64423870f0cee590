import { sameInAll } from '../../analysis/coded.ts';
import { effectOfShares, type Otherwise, type PageSample } from '../../analysis/effects.ts';
import { PageDays } from '../../analysis/page-days.ts';
import type { PageRow } from '../../analysis/page-rows.ts';
import type { Money } from '../../analysis/sale-status.ts';
import { at, groupBy, sum } from '../../analysis/statistics/history.ts';
import { isSplitAnew, type Move, movesIn } from '../../analysis/statistics/moved-shares.ts';
import type { Notice } from '../../answer/notes.ts';
import { reasonInWords, sayTried, type WhyNoOutcome } from '../../answer/outcomes.ts';
import { Failure } from '../../api/failure.ts';
import { joinSome } from '../../api/rules.ts';
import { quoted, rawText } from '../../api/text/tracker-text.ts';
import { missingIn, readVisitsInSlices, type Span } from '../account/read-visits.ts';
import { paceOf } from '../asking.ts';
import { type Answer, type JsonRecord, type Query, wholeAnswer } from '../define-tool.ts';
import { daysBlock, earlier, listDays, shiftDays, today } from '../period.ts';
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
  /** All pages of the report, and the group whose shares are tried. */
  readonly rows: readonly PageRow[];
  readonly group: string | undefined;
  readonly shares: readonly TriedShare[];
  readonly money: Money;
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
  const pages = tried.rows.filter(({ group }) => group === tried.group);
  const span = { ...tried.span, end: earlier(tried.span.end, today(context.timeZone, context.now())) };
  const sets = [...groupBy(tried.shares, ({ set }) => set)].sort(([one], [other]) => one - other);
  const parts = sets.map(([, shares]) => partsOf(pages, shares));
  const visits = new PageDays();
  const read = await readVisitsInSlices(campaign, span, undefined, context, (table) =>
    visits.add(table, sameInAll(table.rowCount, campaign), paceOf(context), money),
  );
  const days = listDays(span.start, span.end);
  const all = tried.rows.map((page) => ({ kind, name: rawText(page.name), views: page.views, page }));
  const reported = all.filter(({ page }) => pages.includes(page));
  const lack = visits.lacking(campaign, reported, all, days);
  if (missingIn(read).length > 0 || visits.isCut) throw untold('visits-missing', 'Ask for fewer days.');
  if (lack) throw untold(lack.why, `It is ${describe(lack.page.page)}.`);
  const samplesOn = (some: readonly string[]) => reported.map(({ name }) => visits.sample(campaign, kind, name, some));
  const moves = movesIn(days, (day) => samplesOn([day]).map((page) => page.visits));
  const changed = moves.map(({ from }) => from);
  const runs = runsBetween(span, moves);
  const wereSet = (run: readonly string[]) =>
    parts.every((set) => !isSplitAnew(visitsOf(samplesOn(run)), set, 'shares'));
  // Where these shares were set already, they would have earned the same.
  const others = runs.length > 1 ? runs.filter((run) => !wereSet(run)) : runs;
  const attempts = (others.length > 0 ? others : runs).map((run) => tryOn(run, samplesOn, parts));
  const [first] = attempts;
  const told = attempts.find((one) => 'effects' in one);
  if (!told) {
    const { why = 'few-sales', page } = first && 'why' in first ? first : {};
    const next = [
      ...(page === undefined ? [] : [`It is ${describe(at(pages, page))}.`]),
      ...(changed.length > 0
        ? [
            `Shares changed on ${joinSome(changed, maxChanges)}${others.length < runs.length ? ', and before these were set already: ask later, or what the shares of today would have earned before' : ': ask later'}.`,
          ]
        : why === 'few-sales'
          ? ['Ask for more days.']
          : []),
    ];
    throw untold(why, next.join(' '));
  }
  const results: readonly TriedShares[] = told.effects.map((effect, index) => ({
    set: at(sets, index)[0],
    ...presented(effect, told.shown),
    ...(told.check && index === told.best ? { checked: presented(told.check, told.kept) } : {}),
  }));
  const notices: Notice[] = [
    ...(changed.length > 0 ? [{ code: 'tried-between-changes', changed } as const] : []),
    { code: 'by-random-draw', tried: true },
    ...tried.notices,
  ];
  const structured = { query, kind, tried: results, notices };
  return wholeAnswer(structured, [...daysBlock(query), ...sayTried(results)]);
}

const maxChanges = 3;

const visitsOf = (samples: readonly PageSample[]) => samples.map(({ visits }) => visits);

/** What sets of shares would have earned on some days. The best of several is checked on the last of them. */
function tryOn(
  days: readonly string[],
  samplesOn: (days: readonly string[]) => readonly PageSample[],
  sets: readonly (readonly number[])[],
) {
  const from = days.length - (sets.length > 1 ? Math.ceil(days.length * checkedPart) : 0);
  const [shown, kept] = [days.slice(0, from), days.slice(from)];
  const effects: Otherwise[] = [];
  for (const set of sets) {
    const effect = effectOfShares(samplesOn(shown), set);
    if ('why' in effect) return effect;
    effects.push(effect);
  }
  const best = effects.reduce((one, effect, index) => (effect.without > at(effects, one).without ? index : one), 0);
  const check = kept.length > 0 ? effectOfShares(samplesOn(kept), at(sets, best)) : undefined;
  return check && 'why' in check ? check : { effects, shown, best, check, kept };
}

/** The days between changes of shares, the latest first. */
function runsBetween({ start, end }: Span, moves: readonly Move[]): readonly (readonly string[])[] {
  const starts = [start, ...moves.map(({ until }) => shiftDays(until, 1))];
  const ends = [...moves.map(({ from }) => shiftDays(from, -1)), end];
  return starts.map((first, index) => (first > at(ends, index) ? [] : listDays(first, at(ends, index)))).reverse();
}

/** The parts of the visitors by shares; a page that is not named keeps its own. */
function partsOf(pages: readonly PageRow[], shares: readonly TriedShare[]): readonly number[] {
  const unknown = shares.find(({ page_id: id }) => !pages.some(({ pageId }) => pageId === String(id)));
  if (unknown) {
    throw new Failure(
      `compare_pages was not called: shares names page ${unknown.page_id}, which is not in the group.`,
      `Its pages are: ${joinSome(pages.map(describe), 20)}.`,
    );
  }
  const weights = pages.map(({ pageId, isActive, share }) => {
    const named = shares.find(({ page_id: id }) => pageId === String(id));
    return named?.share ?? (isActive ? (share ?? Number.NaN) : 0);
  });
  if (!(sum(weights) > 0))
    throw new Failure('compare_pages was not called: the shares add up to nothing that is known.');
  return weights.map((weight) => weight / sum(weights));
}

const describe = ({ pageId, name }: PageRow) => `${pageId ?? ''} ${quoted(name, 60)}`.trim();

const untold = (why: WhyNoOutcome, next: string) =>
  new Failure(`What these shares would have earned cannot be told: ${reasonInWords(why)}.`, next);

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
