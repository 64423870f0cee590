import { type ComparedDay, type Effect, effectByOthers, effectOverRuns, type TooFew } from '../../analysis/effects.ts';
import { sum } from '../../analysis/statistics/history.ts';
import { isSplitAnew } from '../../analysis/statistics/moved-shares.ts';
import type { ChangeOutcome, WhyNoOutcome } from '../../answer/outcomes.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import type { Change } from '../../guard/changes.ts';
import { expectLateSales } from '../account/late-sales.ts';
import { isWithin, type Span } from '../account/read-visits.ts';
import { earlier, listDays, shiftDays, today } from '../period.ts';
import { type Group, groupsOf, type Ledger } from './group-visits.ts';
import type { LoggedStep } from './logged-changes.ts';

/** Max days after a change, and before it, that are compared. */
export const comparedDays = 14;

/** If it is not known how late sales come, they are waited for so long. */
const waitedDays = 14;

/** If it is not known how visitors should have been split, so many show it. */
const minCounted = 100;

/** A smaller part of the visitors that goes to other pages has no outcome. */
const minMoved = 0.005;

const unknown = (why: WhyNoOutcome, page?: string): ChangeOutcome => ({
  ...{ state: 'unknown', why },
  ...(page === undefined ? {} : { page }),
});

/** The outcome of a logged change, together with its set; undefined if it changed nothing that has one. */
export async function outcomeOf(change: Change, ledger: Ledger): Promise<ChangeOutcome | undefined> {
  const first = ledger.steps.find((step) => step.change === change && step.kinds.length > 0);
  if (!first) return undefined;
  const { campaign, day } = first;
  const isOfSet = (other: Change) => other === change || (other.set !== undefined && other.set.id === change.set?.id);
  const own = ledger.steps.filter(
    (step) => step.campaign === campaign && step.kinds.length > 0 && isOfSet(step.change),
  );
  const [kind, ...others] = new Set(own.flatMap((step) => step.kinds));
  if (others.length > 0) return unknown('changed-with-it');
  if (kind === 'record') return unknown('predefined-record');
  if (own.some(({ isSure }) => !isSure)) return unknown('not-known-done');
  // The days before it are needed, too.
  if (day < shiftDays(ledger.span.start, comparedDays)) return unknown('long-ago');
  if (kind === 'bid') return outcomeOfBid(own, campaign, ledger);
  const groups = await groupsOf(campaign, ledger, kind === 'shares');
  if (!groups) return unknown('not-read');
  const changed = groups.filter((group) => own.some(({ page }) => group.has(page)));
  if (own.some(({ page }) => !changed.some((group) => group.has(page)))) return unknown('page-gone');
  const [group] = changed;
  if (!group || changed.length > 1) return unknown('other-groups');
  return kind === 'shares' ? outcomeOfShares(own, group, ledger) : outcomeOfPages(own, group, groups, ledger);
}

/** The days after a day until one of the cuts, at most 14. */
function daysAfter(day: string, cuts: readonly string[]): Span {
  const next = cuts.filter((cut) => cut > day).sort()[0];
  const last = shiftDays(day, comparedDays);
  return { start: shiftDays(day, 1), end: next === undefined ? last : earlier(last, shiftDays(next, -1)) };
}

/** The days before a day since the last of the cuts, at most 14. */
function daysBefore(day: string, cuts: readonly string[]): Span {
  const last = cuts
    .filter((cut) => cut < day)
    .sort()
    .at(-1);
  const first = shiftDays(day, -comparedDays);
  return { start: last !== undefined && last >= first ? shiftDays(last, 1) : first, end: shiftDays(day, -1) };
}

/** Why the days after a change cannot be told yet, or at all. */
function whyNotYet(campaign: string, { start, end }: Span, { basis, context }: Ledger): ChangeOutcome | undefined {
  const now = today(context.timeZone, context.now());
  if (end < start) return unknown('overtaken');
  if (end >= now) return { state: 'open', why: 'days-to-come', start, end };
  if (basis.missing(campaign).some((day) => isWithin(day, { start, end }))) return unknown('visits-missing');
  const name = rawCell(basis.campaigns.get(campaign)?.name ?? null) ?? '';
  const isOwn = (one: string) => ['', campaign, name].includes(one);
  const isWaiting = basis.late.late
    ? expectLateSales(basis.late, { start, end }, isOwn) !== undefined
    : end >= shiftDays(now, -waitedDays);
  return isWaiting ? { state: 'open', why: 'sales-to-come', start, end } : undefined;
}

/**
 * The outcome of the days after a change. Until they are over and their sales are in, it is open, with the figures so far.
 * @param tell what some of these days say
 */
function toldWhenOver(
  campaign: string,
  span: Span,
  ledger: Ledger,
  tell: (days: Span) => ChangeOutcome,
): ChangeOutcome {
  const open = whyNotYet(campaign, span, ledger);
  if (open?.state !== 'open') return open ?? tell(span);
  const seen = { start: span.start, end: earlier(span.end, ledger.span.end) };
  if (seen.end < seen.start || ledger.basis.missing(campaign).some((day) => isWithin(day, seen))) return open;
  const soFar = tell(seen);
  return soFar.why === undefined
    ? { ...soFar, ...open, so_far: seen.end }
    : { ...open, so_far: seen.end, lacks: soFar.why };
}

function told(effect: Effect | TooFew, { start, end }: Span, more: Partial<ChangeOutcome> = {}): ChangeOutcome {
  if ('why' in effect) return { ...unknown(effect.why), start, end, ...more };
  const { earned, without: without_it, difference, low, high } = effect;
  const amounts = Object.entries({ earned, without_it, difference, low, high });
  const rounded = Object.fromEntries(amounts.map(([name, amount]) => [name, Math.round(amount * 100) / 100]));
  return { state: low > 0 ? 'paid' : high < 0 ? 'cost' : 'unclear', start, end, ...rounded, ...more };
}

function toldOfShares(group: Group, span: Span, parts: readonly number[], counted?: number): ChangeOutcome {
  const effect = effectOverRuns([group.draws(span, parts)], group.paidUntil(span.end), counted);
  const page = 'why' in effect && effect.page !== undefined ? group.describe(effect.page) : undefined;
  return told(effect, span, page === undefined ? {} : { page });
}

function outcomeOfShares(own: readonly LoggedStep[], group: Group, ledger: Ledger): ChangeOutcome {
  const [first] = own as [LoggedStep];
  const since = group.steps.slice(group.steps.indexOf(first));
  const later = since.filter((step) => !own.includes(step));
  if (later.some(({ day }) => day === first.day)) return unknown('overtaken');
  const moves = group.movesElsewhere.map(({ from }) => from);
  const span = daysAfter(first.day, [...later.map(({ day }) => day), ...moves]);
  return toldWhenOver(first.campaign, span, ledger, (days) => {
    const lack = group.lack();
    if (lack) return lack;
    const [before, after] = [group.partsBefore(since), group.partsBefore(later, own)];
    const visits = group.samples(days).map((page) => page.visits);
    const isAsSet = after === undefined || !isSplitAnew(visits, after, 'shares');
    // After a change that the log does not have, the shares of today say nothing about those before.
    if (!isAsSet && !moves.some((day) => day > first.day)) return unknown('off-shares');
    const moved = before && after && sum(before.map((part, page) => Math.abs(part - (after[page] ?? 0)))) / 2;
    if (isAsSet && moved !== undefined && moved < minMoved) return unknown('same-split');
    if (isAsSet && before) return toldOfShares(group, days, before);
    const seen = countedBefore(group, first.day);
    return seen ? toldOfShares(group, days, seen.parts, seen.counted) : unknown('few-days');
  });
}

/** How the visitors were split before a day, if it is not known how they should have been. */
function countedBefore(group: Group, day: string) {
  const cuts = [...group.steps.map((step) => step.day), ...group.moves.map(({ until }) => until)];
  const visits = group.samples(daysBefore(day, cuts)).map((page) => page.visits);
  const counted = sum(visits);
  return counted >= minCounted ? { parts: visits.map((count) => count / counted), counted } : undefined;
}

/** Changed payouts or URLs, compared with the other pages of their kind over the same days. */
function outcomeOfPages(
  own: readonly LoggedStep[],
  { kind }: Group,
  groups: readonly Group[],
  ledger: Ledger,
): ChangeOutcome {
  const [{ campaign }] = own as [LoggedStep];
  const sameKind = groups.filter((group) => group.kind === kind);
  const lack = sameKind.map((group) => group.lack()).find((one) => one !== undefined);
  if (lack) return lack;
  const isOwn = (page: string) => own.some((step) => step.page === page);
  const measured = (day: string, isChosen: (page: string) => boolean) =>
    sameKind
      .flatMap((group) => group.samples({ start: day, end: day }, isChosen))
      .map(({ visits, sales, revenue }) => ({ size: visits, sales, money: revenue }));
  const compared = (day: string) => ({ own: measured(day, isOwn), others: measured(day, (page) => !isOwn(page)) });
  const isSame = (step: LoggedStep) => step.campaign === campaign && step.kinds.includes('page');
  return toldByOthers(own, isSame, compared, 'other pages', ledger);
}

/** A changed bid: the profit of the campaign, compared with the revenue of the other campaigns. */
function outcomeOfBid(own: readonly LoggedStep[], campaign: string, ledger: Ledger): ChangeOutcome {
  const { days, campaigns, missing } = ledger.basis;
  const others = [...campaigns.keys()].filter((id) => id !== campaign && missing(id).length === 0);
  const all = listDays(ledger.span.start, ledger.span.end);
  if (sum(all.map((day) => days.on(campaign, 'all', '', day).cost)) === 0) return unknown('no-cost');
  const compared = (day: string): ComparedDay => {
    const { sales, revenue, cost } = days.on(campaign, 'all', '', day);
    const rest = others.map((id) => days.on(id, 'all', '', day));
    return {
      own: [{ size: 1, sales, money: revenue - cost }],
      others: rest.map((one) => ({ size: 1, sales: one.sales, money: one.revenue })),
    };
  };
  const isSame = (step: LoggedStep) => step.campaign === campaign && step.kinds.length > 0;
  return toldByOthers(own, isSame, compared, 'other campaigns', ledger);
}

function toldByOthers(
  own: readonly LoggedStep[],
  isSame: (step: LoggedStep) => boolean,
  compared: (day: string) => ComparedDay,
  by: NonNullable<ChangeOutcome['estimate_by']>,
  ledger: Ledger,
): ChangeOutcome {
  const [{ campaign, day }] = own as [LoggedStep];
  const cuts = ledger.steps.filter((step) => isSame(step) && !own.includes(step)).map((step) => step.day);
  if (cuts.includes(day)) return unknown('changed-with-it');
  return toldWhenOver(campaign, daysAfter(day, cuts), ledger, (after) => {
    if (ledger.basis.missing(campaign).length > 0) return unknown('visits-missing');
    const [before, since] = [daysBefore(day, cuts), after].map(({ start, end }) =>
      listDays(start, end)
        .map(compared)
        .filter(({ own: [page] }) => (page?.size ?? 0) > 0),
    );
    return told(effectByOthers(before ?? [], since ?? []), after, { estimate_by: by });
  });
}

/** A change of shares that the visits show and the log does not have. */
export type MadeElsewhere = Readonly<{
  campaign_id: number;
  group: string;
  day: string;
  /** The parts of the visitors before and after, in percent. */
  pages: readonly Readonly<{ page: string; before: number; after: number }>[];
  outcome: ChangeOutcome;
}>;

/** The changes of shares in a campaign that were made elsewhere, oldest first, and whether the visits of all its pages show them. */
export async function madeElsewhere(campaign: string, since: string, ledger: Ledger) {
  const groups = await groupsOf(campaign, ledger, true);
  const seen = (groups ?? []).filter((group) => !group.lack());
  return {
    made: seen.flatMap((group) => madeIn(group, campaign, since, ledger)),
    isWhole: seen.length === groups?.length,
  };
}

function madeIn(group: Group, campaign: string, since: string, ledger: Ledger): MadeElsewhere[] {
  const moves = group.movesElsewhere.filter(({ from }) => from >= since);
  const cuts = [...group.moves.map(({ from }) => from), ...group.steps.map(({ day }) => day)];
  return moves.flatMap(({ from, until }): MadeElsewhere[] => {
    const seen = countedBefore(group, from);
    const span = daysAfter(until, cuts);
    const visits = group.samples(span).map((page) => page.visits);
    if (!seen || sum(visits) === 0) return [];
    const outcome = toldWhenOver(campaign, span, ledger, (some) => toldOfShares(group, some, seen.parts, seen.counted));
    const percent = (part: number | undefined) => Math.round((part ?? 0) * 1000) / 10;
    const pages = visits.map((count, page) => ({
      page: group.describe(page),
      before: percent(seen.parts[page]),
      after: percent(count / sum(visits)),
    }));
    return [{ campaign_id: Number(campaign), group: group.name, day: from, pages, outcome }];
  });
}
