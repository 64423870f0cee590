import type { ReportedPage } from '../../analysis/page-days.ts';
import { groupPages, type MeasuredPage, type PageGroup } from '../../analysis/page-rows.ts';
import { partsBefore } from '../../analysis/splits.ts';
import { type Move, movesIn } from '../../analysis/statistics/moved-shares.ts';
import type { ChangeOutcome } from '../../answer/outcomes.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import type { Span } from '../account/read-visits.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays, shiftDays } from '../period.ts';
import { describePage } from '../rotation/campaign-pages.ts';
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

/** The groups of a campaign, or why its visits cannot be told apart by them. */
export async function groupsOf(
  campaign: string,
  ledger: Ledger,
): Promise<readonly Group[] | 'not-read' | 'mixed-group'> {
  const report = await ledger.basis.pagesOf(campaign);
  if (!report) return 'not-read';
  if (report === 'mixed') return 'mixed-group';
  const pages = report.map((page): ListedPage => {
    const { kind, name, pageId, measures } = page;
    return { ...page, reported: { kind, name: rawCell(name) ?? pageId, views: measures.views ?? 0 } };
  });
  return groupPages(pages, false).map((group) => groupOf(campaign, group, pages, ledger));
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
  /** The visits of its pages on some days. */
  const samples = ({ start, end }: Span, isChosen = (_page: string) => true) =>
    pages
      .filter(({ pageId }) => isChosen(pageId))
      .map(({ reported }) => basis.days.sample(campaign, reported.kind, reported.name, listDays(start, end)));
  /** The logged changes of its split, oldest first. */
  const logged = steps.filter((step) => step.campaign === campaign && step.kinds.includes('shares') && has(step.page));
  const moves = movesIn(days, (day) => samples({ start: day, end: day }).map(({ visits }) => visits));
  const isLogged = ({ from, until }: Move) => logged.some(({ day }) => day >= shiftDays(from, -1) && day <= until);
  const describe = (index: number) => (pages[index] ? describePage(pages[index]) : '');
  return {
    ...{ name, kind: pages[0]?.kind ?? 'offer', has, samples, describe, steps: logged },
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
