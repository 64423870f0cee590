import { LRUCache } from 'lru-cache';
import type { MeasuredPage } from '../analysis/page-rows.ts';
import type { HeldMoney } from '../analysis/sale-status.ts';
import type { Origin } from '../api/table.ts';

/** The sums of a campaign over some days, as far as its report has them; what is held, from lists. Money is in the tracker's currency. */
export type Figures = Partial<Record<SummedMeasure | keyof HeldMoney, number>>;

/** The figures of a campaign, and its pages if they were asked for. */
export interface CampaignReport {
  readonly figures: Figures;
  readonly pages: readonly MeasuredPage[];
  /** The currency that is written next to its money. */
  readonly unit?: string | undefined;
  /** How its numbers were written, where each call that tells them says so. */
  readonly uses?: Origin['uses'] | undefined;
  /** Whether a number such as 1.234 was read with a decimal point though no cell shows one: other answers may show a comma. */
  readonly isAssumed?: boolean;
}

export const summedMeasures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'profit'] as const;
export type SummedMeasure = (typeof summedMeasures)[number];

/** The sums of several figures; a missing measure counts as 0 if another one has it. */
export function addFigures(all: readonly Figures[]): Figures {
  const sum: Figures = {};
  for (const figures of all) {
    for (const measure of Object.keys(figures) as (keyof Figures)[]) {
      const value = figures[measure];
      if (value !== undefined) sum[measure] = (sum[measure] ?? 0) + value;
    }
  }
  return sum;
}

/** How long figures of past days are cached, in milliseconds. Conversions still come in for them. */
export const pastKeptForMs = 10 * 60_000;

/** How long figures of days that are not over are cached, for a call that continues one that ran out of time. */
export const openKeptForMs = 5 * 60_000;

/** Limited by size, because lru-cache would allocate all entries of a `max` at once. */
const bounds = {
  maxSize: 20_000,
  sizeCalculation: ({ pages }: CampaignReport) => 1 + pages.length,
  perf: { now: () => performance.now() },
};

/** The first and last day of a campaign's figures, YYYY-MM-DD. */
export interface PastSpan {
  readonly campaignId: string;
  readonly start: string;
  readonly end: string;
  /** Undefined if it is the tracker's own. */
  readonly timezone: string | undefined;
  /** Today in that zone. */
  readonly asOf: string;
}

/** What is kept of a report beyond the end of the process. */
export type KeptReport = Pick<CampaignReport, 'figures' | 'uses'>;

/** Stores figures of past days beyond the end of the process. It never fails. */
export interface PastDays {
  find(span: PastSpan): Promise<KeptReport | undefined>;
  keep(span: PastSpan, report: KeptReport): void;
}

/** A cache of figures, so that a question about many campaigns does not ask again. */
export class PastFigures {
  readonly #past = new LRUCache<string, CampaignReport>({ ...bounds, ttl: pastKeptForMs });
  readonly #open = new LRUCache<string, CampaignReport>({ ...bounds, ttl: openKeptForMs });
  readonly #days: PastDays | undefined;

  /** @param days a store that outlives the process */
  constructor(days?: PastDays) {
    this.#days = days;
  }

  /** @param span the span of the question, if its days are over */
  async find(question: string, span: PastSpan | undefined): Promise<CampaignReport | undefined> {
    const cached = this.#past.get(question) ?? this.#open.get(question);
    if (cached || !span) return cached;
    const kept = await this.#days?.find(span);
    return kept && { ...kept, pages: [] };
  }

  keep(question: string, report: CampaignReport, span: PastSpan | undefined): void {
    (span ? this.#past : this.#open).set(question, report);
    if (span) this.#days?.keep(span, report);
  }

  /** Drops the figures of days that are not over, once a call is complete. */
  dropOpen(): void {
    this.#open.clear();
  }
}
