import type { PageSample } from '../../analysis/effects.ts';
import type { ReportedPage } from '../../analysis/page-days.ts';
import { groupPages, type MeasuredPage, type PageGroup, type PlacedPage } from '../../analysis/page-rows.ts';
import { type Move, movesIn, partsBefore } from '../../analysis/splits.ts';
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
  return groupPages(pages, false).map((group) => new Group(campaign, group, pages, ledger));
}

/** Pages that compete for the same visitors: what their visits earned, and how these were split. */
export class Group {
  readonly name: string;
  readonly kind: PlacedPage['kind'];
  /** The logged changes of its split, oldest first. */
  readonly steps: readonly LoggedStep[];
  /** The days on which visits were split anew. */
  readonly moves: readonly Move[];
  /** Those that no logged change explains: the day of one, or the day after it. */
  readonly movesElsewhere: readonly Move[];
  readonly #campaign: string;
  readonly #pages: readonly ListedPage[];
  readonly #all: readonly ListedPage[];
  readonly #ledger: Ledger;

  constructor(campaign: string, { name, pages }: PageGroup<ListedPage>, all: readonly ListedPage[], ledger: Ledger) {
    this.name = name;
    this.kind = pages[0]?.kind ?? 'offer';
    this.#campaign = campaign;
    this.#pages = pages;
    this.#all = all;
    this.#ledger = ledger;
    const { steps, span } = ledger;
    const isOwn = ({ page, kinds }: LoggedStep) => kinds.includes('shares') && this.has(page);
    this.steps = steps.filter((step) => step.campaign === campaign && isOwn(step));
    this.moves = movesIn(listDays(span.start, span.end), (day) =>
      this.samples({ start: day, end: day }).map(({ visits }) => visits),
    );
    this.movesElsewhere = this.moves.filter(
      ({ from, until }) => !this.steps.some(({ day }) => day >= shiftDays(from, -1) && day <= until),
    );
  }

  has(pageId: string): boolean {
    return this.#pages.some((page) => page.pageId === pageId);
  }

  describe(index: number): string {
    const page = this.#pages[index];
    return page ? describePage(page) : '';
  }

  /** The visits of its pages on some days. */
  samples({ start, end }: Span, isChosen = (_page: string) => true): readonly PageSample[] {
    const { days } = this.#ledger.basis;
    const dates = listDays(start, end);
    return this.#pages
      .filter(({ pageId }) => isChosen(pageId))
      .map(({ reported: { kind, name } }) => days.sample(this.#campaign, kind, name, dates));
  }

  /** The parts of the visitors that its pages should have had before some changes, and after another; undefined if unknown. */
  partsBefore(steps: readonly LoggedStep[], done: readonly LoggedStep[] = []): readonly number[] | undefined {
    return partsBefore(this.#pages, steps.toReversed(), done);
  }

  /** The index of a page whose visits the list does not have, and why; undefined if it has all. */
  lack(): { readonly page: number; readonly why: 'one-name' | 'visits-missing' } | undefined {
    const { basis, span } = this.#ledger;
    const [pages, all] = [this.#pages, this.#all].map((some) => some.map(({ reported }) => reported));
    const lack = basis.days.lacking(this.#campaign, pages ?? [], all ?? [], listDays(span.start, span.end));
    return lack && { page: pages?.indexOf(lack.page) ?? -1, why: lack.why };
  }
}
