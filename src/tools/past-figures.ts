/** What a campaign did in some days. Money is in the tracker's currency; absent is what its report does not say. */
export type Figures = Partial<Record<SummedMeasure, number>>;

/** The measures that add up over campaigns and days, and that a campaign report has. */
export const summedMeasures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'profit'] as const;
export type SummedMeasure = (typeof summedMeasures)[number];

/** How long the figures of past days serve later questions, in milliseconds. Conversions still come in for them. */
export const pastKeptForMs = 10 * 60_000;

/** How long those of days that are not over serve a call that goes on where another had no time to end. */
export const openKeptForMs = 5 * 60_000;

const maxKept = 20_000;

interface Kept {
  readonly figures: Figures;
  readonly at: number;
  readonly isPast: boolean;
}

/** The figures that were read a short time ago, so that a question about many campaigns need not ask again. */
export class PastFigures {
  readonly #kept = new Map<string, Kept>();

  find(question: string, now: number): Figures | undefined {
    const kept = this.#kept.get(question);
    return kept && now - kept.at < (kept.isPast ? pastKeptForMs : openKeptForMs) ? kept.figures : undefined;
  }

  /** @param isPast whether its days are over */
  keep(question: string, figures: Figures, now: number, isPast: boolean): void {
    this.#kept.delete(question);
    this.#kept.set(question, { figures, at: now, isPast });
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= maxKept) break;
      this.#kept.delete(oldest);
    }
  }

  /** Drops the figures of days that are not over: a call that is complete has no other to go on where it ended. */
  dropOpen(): void {
    for (const [question, { isPast }] of this.#kept) if (!isPast) this.#kept.delete(question);
  }
}
