import { addSamples } from '../../analysis/effects.ts';
import { type ReportedPage, type SeenKind, through } from '../../analysis/page-days.ts';
import { groupPages, type MeasuredPage, type PageGroup } from '../../analysis/page-rows.ts';
import { partsBefore } from '../../analysis/splits.ts';
import { at, sum } from '../../analysis/statistics/history.ts';
import { type Move, movesIn } from '../../analysis/statistics/moved-shares.ts';
import type { ChangeOutcome } from '../../answer/outcomes.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import type { Span } from '../account/read-visits.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays, shiftDays } from '../period.ts';
import { describePage } from '../rotation/campaign-pages.ts';
import { isOnePool } from '../rotation/pool.ts';
import type { LoggedStep } from './logged-changes.ts';
import type { OutcomeBasis } from './read-outcomes.ts';

/** What is needed to tell the outcome of changes. */
export interface Ledger {
  readonly basis: OutcomeBasis;
  /** All that was sent, oldest first. */
  readonly steps: readonly LoggedStep[];
  /** The days that were read. */
  readonly span: Span;
  readonly context: CallContext;
}

type ListedPage = MeasuredPage & { readonly reported: ReportedPage };

/**
 * The groups of a campaign; undefined if they could not be read.
 * @param byDraw whether those are wanted whose visitors are drawn: landing pages and offers may be one group
 */
export async function groupsOf(
  campaign: string,
  ledger: Ledger,
  byDraw: boolean,
): Promise<readonly Group[] | undefined> {
  const { basis } = ledger;
  const report = await basis.pagesOf(campaign);
  if (!report) return undefined;
  const pages = report.map((page): ListedPage => {
    const { kind, name, pageId, measures } = page;
    return { ...page, reported: { kind, name: rawCell(name) ?? pageId, views: measures.views ?? 0 } };
  });
  const arrivals = basis.days.arrivals(campaign, listDays(ledger.span.start, ledger.span.end));
  const areTogether = byDraw && isOnePool(basis.campaigns.get(campaign), arrivals);
  return groupPages(pages, areTogether).map((group) => groupOf(campaign, group, pages, ledger));
}

/** Pages that compete for the same visitors: what their visits earned, and how these were split. */
export type Group = ReturnType<typeof groupOf>;

function groupOf(
  campaign: string,
  { name, pages }: PageGroup<ListedPage>,
  all: readonly ListedPage[],
  { basis, steps, span }: Ledger,
) {
  const days = listDays(span.start, span.end);
  const has = (pageId: string) => pages.some((page) => page.pageId === pageId);
  const [landings, offers] = (['landing', 'offer'] as const).map((kind) => pages.filter((page) => page.kind === kind));
  const isMixed = landings && offers && landings.length > 0 && offers.length > 0;
  const sample = (kind: SeenKind, page: string, { start, end }: Span) =>
    basis.days.sample(campaign, kind, page, listDays(start, end));
  /** The visits of its pages on some days: of an offer that landing pages compete with, those that came directly. */
  const samples = (days: Span, isChosen = (_page: string) => true) =>
    pages
      .filter(({ pageId }) => isChosen(pageId))
      .map(({ kind, reported: { name } }) =>
        isMixed && kind === 'offer' ? sample('through', through(null, name), days) : sample(kind, name, days),
      );
  /**
   * What is drawn for visitors, with other parts of the pages: after a landing page, an offer of the same group. A landing page is
   * one for each offer then, with as many of its visitors as the offer gets of all.
   */
  const draws = (days: Span, parts: readonly number[]) => {
    const drawn = samples(days).map((own, page) => ({ page, own, part: at(parts, page) }));
    if (!isMixed) return drawn;
    const reached = offers.map(({ reported }) => sample('offer', reported.name, days).visits);
    const wanted = offers.map((offer) => at(parts, pages.indexOf(offer)));
    const ofAll = (some: readonly number[], index: number) => at(some, index) / sum(some) || 0;
    return drawn.flatMap(({ page, own, part }) =>
      pages[page]?.kind === 'offer'
        ? [{ page, own, part }]
        : offers.map(({ reported }, index) => ({
            page,
            own: {
              ...sample('through', through(pages[page]?.reported.name ?? null, reported.name), days),
              visits: own.visits * ofAll(reached, index),
            },
            part: part * ofAll(wanted, index),
          })),
    );
  };
  /** What its sales paid up to a day, by the list that has more of them: what comes later changes no outcome. */
  const paidUntil = (end: string) => {
    const names = new Set(offers?.map(({ reported }) => reported.name));
    const seen = addSamples(samples({ start: span.start, end }));
    const listed = basis.soldBefore(end, campaign, landings?.length ? undefined : names);
    return listed.sales > seen.sales ? listed : seen;
  };
  /** The logged changes of its split, oldest first. */
  const logged = steps.filter((step) => step.campaign === campaign && step.kinds.includes('shares') && has(step.page));
  const moves = movesIn(days, (day) => samples({ start: day, end: day }).map(({ visits }) => visits));
  const isLogged = ({ from, until }: Move) => logged.some(({ day }) => day >= shiftDays(from, -1) && day <= until);
  const describe = (index: number) => (pages[index] ? describePage(pages[index]) : '');
  return {
    ...{ name, kind: pages[0]?.kind ?? 'offer', pages, has, samples, draws, paidUntil, describe, steps: logged },
    /** The days on which visits were split anew. */
    moves,
    /** Those that no logged change explains: the day of one, or the day after it. */
    movesElsewhere: moves.filter((move) => !isLogged(move)),
    /** The parts of the visitors that its pages should have had before some changes, and after another; undefined if unknown. */
    partsBefore: (later: readonly LoggedStep[], done: readonly LoggedStep[] = []) =>
      partsBefore(pages, later.toReversed(), done),
    /** Why its visits are not all in the list; undefined if they are. */
    lack: (): ChangeOutcome | undefined => {
      const reported = pages.map((page) => page.reported);
      const lack = basis.days.lacking(
        campaign,
        reported,
        all.map((page) => page.reported),
        days,
      );
      return lack && { state: 'unknown', why: lack.why, page: describe(reported.indexOf(lack.page)) };
    },
  };
}
