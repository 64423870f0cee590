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

/** The sum of several figures; a measure that one of them lacks is in the sum of the others. */
export function addFigures(all: readonly Figures[]): Figures {
  const sum: Figures = {};
  for (const figures of all) {
    for (const measure of summedMeasures) {
      const value = figures[measure];
      if (value !== undefined) sum[measure] = (sum[measure] ?? 0) + value;
    }
  }
  return sum;
}

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

/** The days of a campaign, both included, as YYYY-MM-DD. */
export interface PastSpan {
  readonly campaignId: string;
  readonly start: string;
  readonly end: string;
  /** The zone that the days are cut in; undefined if it is the tracker's own. */
  readonly timezone: string | undefined;
  /** Today in that zone. */
  readonly asOf: string;
}

/** Keeps what past days were found to be beyond the end of the process. It never fails. */
export interface PastDays {
  find(span: PastSpan): Promise<Figures | undefined>;
  keep(span: PastSpan, figures: Figures): void;
}

/** The figures that were read a short time ago, so that a question about many campaigns need not ask again. */
export class PastFigures {
  readonly #past = new LRUCache<string, CampaignReport>({ ...bounds, ttl: pastKeptForMs });
  readonly #open = new LRUCache<string, CampaignReport>({ ...bounds, ttl: openKeptForMs });
  readonly #days: PastDays | undefined;

  /** @param days what outlives the process; absent if nothing does */
  constructor(days?: PastDays) {
    this.#days = days;
  }

  /** @param span what the question is about, if its days are over */
  async find(question: string, span: PastSpan | undefined): Promise<CampaignReport | undefined> {
    const known = this.#past.get(question) ?? this.#open.get(question);
    if (known || !span) return known;
    const figures = await this.#days?.find(span);
    return figures && { figures, pages: [] };
  }

  keep(question: string, report: CampaignReport, span: PastSpan | undefined): void {
    (span ? this.#past : this.#open).set(question, report);
    if (span) this.#days?.keep(span, report.figures);
  }

  /** Drops the figures of days that are not over: a call that is complete needs none of them any more. */
  dropOpen(): void {
    this.#open.clear();
  }
}
