import { LRUCache } from 'lru-cache';
import type { MeasuredPage } from '../analysis/page-rows.ts';

/** What a campaign did in some days. Money is in the tracker's currency; absent is what its report does not say. */
export type Figures = Partial<Record<SummedMeasure, number>>;

/** What a campaign did in some days, and its pages if they were asked for. */
export interface CampaignReport {
  readonly figures: Figures;
  readonly pages: readonly MeasuredPage[];
}

export const summedMeasures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'profit'] as const;
export type SummedMeasure = (typeof summedMeasures)[number];

/** How long the figures of past days serve later questions, in milliseconds. Conversions still come in for them. */
export const pastKeptForMs = 10 * 60_000;

/** How long those of days that are not over serve a call that goes on where another had no time to end. */
export const openKeptForMs = 5 * 60_000;

const maxKept = 20_000;

/** By size, since lru-cache sets aside room for all of `max` at once, which a start would wait for. */
const bounds = {
  maxSize: maxKept,
  sizeCalculation: ({ pages }: CampaignReport) => 1 + pages.length,
  perf: { now: () => performance.now() },
};

/** The figures that were read a short time ago, so that a question about many campaigns need not ask again. */
export class PastFigures {
  readonly #past = new LRUCache<string, CampaignReport>({ ...bounds, ttl: pastKeptForMs });
  readonly #open = new LRUCache<string, CampaignReport>({ ...bounds, ttl: openKeptForMs });

  find(question: string): CampaignReport | undefined {
    return this.#past.get(question) ?? this.#open.get(question);
  }

  keep(question: string, report: CampaignReport, isPast: boolean): void {
    (isPast ? this.#past : this.#open).set(question, report);
  }

  /** Drops the figures of days that are not over: a call that is complete needs none of them any more. */
  dropOpen(): void {
    this.#open.clear();
  }
}
