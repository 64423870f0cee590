import { type ComparedDay, type Effect, effectByOthers, effectOfShares, type TooFew } from '../../analysis/effects.ts';
import { groupPages, type MeasuredPage, type PageGroup } from '../../analysis/page-rows.ts';
import { type Move, movesIn, weightsBefore } from '../../analysis/splits.ts';
import { sum } from '../../analysis/statistics/history.ts';
import { fitShares } from '../../analysis/statistics/usable-days.ts';
import type { ChangeOutcome, WhyNoOutcome } from '../../answer/outcomes.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import type { Change } from '../../guard/changes.ts';
import { expectLateSales } from '../account/late-sales.ts';
import type { Span } from '../account/read-visits.ts';
import type { CallContext } from '../define-tool.ts';
import { earlier, listDays, shiftDays, today } from '../period.ts';
import { describePage } from '../rotation/campaign-pages.ts';
import type { LoggedStep } from './logged-changes.ts';
import type { CampaignReport, OutcomeBasis } from './read-outcomes.ts';

/** Max days after a change, and before it, that are compared. */
export const comparedDays = 14;

/** If it is not known how late sales come, they are waited for so long. */
const waitedDays = 14;

/** Visitor lists may lack this part of a report's views. */
const maxUnlisted = 0.1;

/** What is needed to tell the outcome of changes. */
export interface Ledger {
  readonly basis: OutcomeBasis;
  /** All that was sent, oldest first. */
  readonly steps: readonly LoggedStep[];
  /** The days that were read. */
  readonly span: Span;
  readonly context: CallContext;
}

const not = (why: WhyNoOutcome, more: Partial<ChangeOutcome> = {}): ChangeOutcome => ({
  state: 'unknown',
  ...more,
  why,
});

/** The outcome of a logged change; undefined if it changed nothing that has one. */
export async function outcomeOf(change: Change, ledger: Ledger): Promise<ChangeOutcome | undefined> {
  const own = ledger.steps.filter((step) => step.change === change && step.kinds.length > 0);
  const [first] = own;
  if (!first) return undefined;
  const kinds = [...new Set(own.flatMap((step) => step.kinds))];
  const [kind] = kinds;
  if (kinds.length > 1) return not('changed-with-it');
  if (kind === 'record') return not('predefined-record');
  if (change.steps.some(({ outcome }) => outcome === 'unknown')) return not('not-known-done');
  if (first.day < ledger.span.start) return not('long-ago');
  if (kind === 'bid') return outcomeOfBid(own, ledger);
  const report = await ledger.basis.pagesOf(first.campaign);
  if (!report) return not('not-read');
  if (report.isMixed) return not('mixed-group');
  const pages = own.map(({ page }) => report.pages.find(({ pageId }) => pageId === page));
  if (pages.includes(undefined)) return not('page-gone');
  const groups = groupPages(report.pages, false).filter((group) => group.pages.some((page) => pages.includes(page)));
  const [group] = groups;
  if (!group || groups.length > 1) return not('other-groups');
  return kind === 'shares' ? outcomeOfShares(own, group, report, ledger) : outcomeOfPage(own, group, report, ledger);
}

/** The days after a day that have an outcome: until others change the same, at most 14. */
function daysAfter(day: string, cuts: readonly string[], { context }: Ledger): Span & { readonly isOver: boolean } {
  const next = cuts.filter((cut) => cut > day).sort()[0];
  const last = shiftDays(day, comparedDays);
  const end = next === undefined ? last : earlier(last, shiftDays(next, -1));
  return { start: shiftDays(day, 1), end, isOver: end < today(context.timeZone, context.now()) };
}

/** Why the days of a change cannot be compared yet, or at all. */
function whyNotYet(
  campaign: string,
  span: Span & { readonly isOver: boolean },
  { basis, context }: Ledger,
): ChangeOutcome | undefined {
  const { start, end } = span;
  if (end < start) return not('overtaken');
  if (!span.isOver) return { state: 'open', why: 'days-to-come', start, end };
  if (basis.missing(campaign).some((day) => day >= start && day <= end)) return not('visits-missing');
  const { late } = basis.late;
  const name = rawCell(basis.campaigns.get(campaign)?.name ?? null) ?? '';
  const isOwn = (one: string) => ['', campaign, name].includes(one);
  const isWaiting = late
    ? expectLateSales(basis.late, { start, end }, isOwn) !== undefined
    : end >= shiftDays(today(context.timeZone, context.now()), -waitedDays);
  return isWaiting ? { state: 'open', why: 'sales-to-come', start, end } : undefined;
}

const nameOf = ({ name, pageId }: MeasuredPage) => rawCell(name) ?? pageId;

/** Why the visits of a campaign's pages are not those of the list; undefined if they are. */
function whyUnlisted(
  pages: readonly MeasuredPage[],
  { pages: all }: CampaignReport,
  { basis, span }: Ledger,
  campaign: string,
): ChangeOutcome | undefined {
  const days = listDays(span.start, span.end);
  for (const page of pages) {
    const sameName = all.filter((other) => other.kind === page.kind && nameOf(other) === nameOf(page));
    if (sameName.length > 1) return not('one-name', { page: describePage(page) });
    const { views = 0 } = page.measures;
    const listed = basis.days.sample(campaign, page.kind, nameOf(page), days).visits;
    if (listed < views * (1 - maxUnlisted)) return not('visits-missing', { page: describePage(page) });
  }
  return undefined;
}

function samplesOf(group: PageGroup<MeasuredPage>, campaign: string, { start, end }: Span, { basis }: Ledger) {
  return group.pages.map((page) => basis.days.sample(campaign, page.kind, nameOf(page), listDays(start, end)));
}

/** The days on which the traffic of a group was split anew, by the log and by its visits. */
function movesOf(group: PageGroup<MeasuredPage>, campaign: string, { basis, span }: Ledger): readonly Move[] {
  return movesIn(listDays(span.start, span.end), (day) =>
    group.pages.map((page) => basis.days.on(campaign, page.kind, nameOf(page), day).visits),
  );
}

function stepsOn(group: PageGroup<MeasuredPage>, campaign: string, { steps }: Ledger): readonly LoggedStep[] {
  const ids = new Set(group.pages.map(({ pageId }) => pageId));
  return steps.filter((step) => step.campaign === campaign && step.kinds.includes('shares') && ids.has(step.page));
}

/** Moves that no logged change explains: the day of a change, or the day after it. */
function movesElsewhere(group: PageGroup<MeasuredPage>, campaign: string, ledger: Ledger): readonly Move[] {
  const logged = stepsOn(group, campaign, ledger).map(({ day }) => day);
  return movesOf(group, campaign, ledger).filter(
    ({ from, until }) => !logged.some((day) => day >= shiftDays(from, -1) && day <= until),
  );
}

function outcomeOfShares(
  own: readonly LoggedStep[],
  group: PageGroup<MeasuredPage>,
  report: CampaignReport,
  ledger: Ledger,
): ChangeOutcome {
  const [{ campaign, day }] = own as [LoggedStep];
  const steps = stepsOn(group, campaign, ledger);
  const since = steps.slice(steps.indexOf(own[0] as LoggedStep));
  const later = since.filter((step) => !own.includes(step));
  if (later.some((step) => step.day === day)) return not('overtaken');
  const moves = movesElsewhere(group, campaign, ledger);
  const span = daysAfter(day, [...later.map((step) => step.day), ...moves.map(({ from }) => from)], ledger);
  const problem = whyNotYet(campaign, span, ledger) ?? whyUnlisted(group.pages, report, ledger, campaign);
  if (problem) return problem;
  const samples = samplesOf(group, campaign, span, ledger);
  const now = weightsBefore(group.pages, later.toReversed());
  if (
    now?.every((weight) => !Number.isNaN(weight)) &&
    !fitShares(
      samples.map(({ visits }) => visits),
      now,
    )
  )
    return not('off-shares');
  const before = weightsBefore(group.pages, since.toReversed());
  const known = before?.every((weight) => !Number.isNaN(weight)) ? before : undefined;
  const seen = known ? undefined : seenBefore(group, campaign, day, steps, ledger);
  if (!known && !seen) return not('few-days');
  const effect = effectOfShares(samples, known ?? seen?.parts ?? [], seen?.counted);
  return toldBy(effect, span, group.pages);
}

/** How the visitors of the days before a day were split, if it is not known how they should have been. */
function seenBefore(
  group: PageGroup<MeasuredPage>,
  campaign: string,
  day: string,
  steps: readonly LoggedStep[],
  ledger: Ledger,
) {
  const cuts = [...steps.map((step) => step.day), ...movesOf(group, campaign, ledger).map(({ until }) => until)];
  const last =
    cuts
      .filter((cut) => cut < day)
      .sort()
      .at(-1) ?? '';
  const start = [shiftDays(day, -comparedDays), shiftDays(last || day, last ? 1 : -comparedDays)].sort().at(-1) ?? day;
  const visits = samplesOf(group, campaign, { start, end: shiftDays(day, -1) }, ledger).map((page) => page.visits);
  const counted = sum(visits);
  return counted >= minCounted ? { parts: visits.map((count) => count / counted), counted } : undefined;
}

const minCounted = 100;

function toldBy(
  effect: Effect | TooFew,
  { start, end }: Span,
  pages: readonly MeasuredPage[] = [],
  by?: ChangeOutcome['estimate_by'],
): ChangeOutcome {
  if ('why' in effect) {
    const page = pages[effect.page ?? -1];
    return not(effect.why, { start, end, ...(page ? { page: describePage(page) } : {}) });
  }
  const { earned, without, difference, low, high } = effect;
  const [all, rest, more, from, to] = [earned, without, difference, low, high].map(
    (amount) => Math.round(amount * 100) / 100,
  ) as [number, number, number, number, number];
  const state = low > 0 ? 'paid' : high < 0 ? 'cost' : 'unclear';
  const amounts = { earned: all, without_it: rest, difference: more, low: from, high: to };
  return { state, start, end, ...amounts, ...(by ? { estimate_by: by } : {}) };
}

/** A changed payout or URL, compared with the other pages of its kind over the same days. */
function outcomeOfPage(
  own: readonly LoggedStep[],
  group: PageGroup<MeasuredPage>,
  report: CampaignReport,
  ledger: Ledger,
): ChangeOutcome {
  const [{ campaign }] = own as [LoggedStep];
  const kind = group.pages[0]?.kind ?? 'offer';
  const pages = report.pages.filter((page) => page.kind === kind);
  const changed = new Set(own.map(({ page }) => page));
  const isSame = (step: LoggedStep) => step.campaign === campaign && step.kinds.includes('page');
  const measured = (some: readonly MeasuredPage[], day: string) => {
    const days = some.map((page) => ledger.basis.days.on(campaign, kind, nameOf(page), day));
    const of = (name: 'visits' | 'sales' | 'revenue') => sum(days.map((one) => one[name]));
    return { size: of('visits'), sales: of('sales'), money: of('revenue') };
  };
  const compared = (day: string): ComparedDay => ({
    own: measured(
      pages.filter(({ pageId }) => changed.has(pageId)),
      day,
    ),
    others: measured(
      pages.filter(({ pageId }) => !changed.has(pageId)),
      day,
    ),
  });
  const unlisted = whyUnlisted(pages, report, ledger, campaign);
  return unlisted ?? byOthers(own, isSame, compared, 'other pages', ledger);
}

/** A changed bid: the profit of the campaign, compared with the revenue of the other campaigns. */
function outcomeOfBid(own: readonly LoggedStep[], ledger: Ledger): ChangeOutcome {
  const [{ campaign }] = own as [LoggedStep];
  const { days, campaigns } = ledger.basis;
  const others = [...campaigns.keys()].filter((id) => id !== campaign);
  const isSame = (step: LoggedStep) => step.campaign === campaign && step.kinds.length > 0;
  const compared = (day: string): ComparedDay => {
    const { sales, revenue, cost } = days.on(campaign, 'all', '', day);
    const rest = others.map((id) => days.on(id, 'all', '', day));
    return {
      own: { size: 1, sales, money: revenue - cost },
      others: { size: 1, sales: sum(rest.map((one) => one.sales)), money: sum(rest.map((one) => one.revenue)) },
    };
  };
  return byOthers(own, isSame, compared, 'other campaigns', ledger);
}

function byOthers(
  own: readonly LoggedStep[],
  isSame: (step: LoggedStep) => boolean,
  compared: (day: string) => ComparedDay,
  by: NonNullable<ChangeOutcome['estimate_by']>,
  ledger: Ledger,
): ChangeOutcome {
  const [{ campaign, day }] = own as [LoggedStep];
  const cuts = ledger.steps.filter((step) => isSame(step) && !own.includes(step)).map((step) => step.day);
  if (cuts.includes(day)) return not('changed-with-it');
  const span = daysAfter(day, cuts, ledger);
  const problem = whyNotYet(campaign, span, ledger);
  if (problem) return problem;
  const last = cuts
    .filter((cut) => cut < day)
    .sort()
    .at(-1);
  const first = shiftDays(day, -comparedDays);
  const start = last !== undefined && last >= first ? shiftDays(last, 1) : first;
  const before = listDays(start, shiftDays(day, -1)).map(compared);
  const seen = ({ own: { size }, others }: ComparedDay) => size > 0 && others.size > 0;
  const after = listDays(span.start, span.end).map(compared);
  return toldBy(effectByOthers(before.filter(seen), after.filter(seen)), span, [], by);
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

/** The changes of shares in a campaign that were made elsewhere, oldest first. */
export async function madeElsewhere(campaign: string, since: string, ledger: Ledger): Promise<MadeElsewhere[]> {
  const report = await ledger.basis.pagesOf(campaign);
  if (!report || report.isMixed) return [];
  return groupPages(report.pages, false).flatMap((group) =>
    group.pages.length < 2
      ? []
      : movesElsewhere(group, campaign, ledger)
          .filter(({ from }) => from >= since)
          .flatMap((move) => elsewhere(move, group, campaign, report, ledger) ?? []),
  );
}

function elsewhere(
  { from, until }: Move,
  group: PageGroup<MeasuredPage>,
  campaign: string,
  report: CampaignReport,
  ledger: Ledger,
): MadeElsewhere | undefined {
  if (whyUnlisted(group.pages, report, ledger, campaign)) return undefined;
  const steps = stepsOn(group, campaign, ledger);
  const before = seenBefore(group, campaign, from, steps, ledger);
  if (!before) return undefined;
  const others = movesOf(group, campaign, ledger).map((move) => move.from);
  const span = daysAfter(until, [...others, ...steps.map(({ day }) => day)], ledger);
  const samples = samplesOf(group, campaign, span, ledger);
  const all = sum(samples.map(({ visits }) => visits));
  if (all === 0) return undefined;
  const outcome =
    whyNotYet(campaign, span, ledger) ??
    toldBy(effectOfShares(samples, before.parts, before.counted), span, group.pages);
  const percent = (part: number) => Math.round(part * 1000) / 10;
  const pages = group.pages.map((page, index) => ({
    page: describePage(page),
    before: percent(before.parts[index] ?? 0),
    after: percent((samples[index]?.visits ?? 0) / all),
  }));
  return { campaign_id: Number(campaign), group: group.name, day: from, pages, outcome };
}
