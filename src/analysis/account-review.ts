import type { CampaignHistory } from './review/campaign-history.ts';
import { detectors, type PartIn, type Suspicion } from './review/kinds.ts';

export { CampaignHistory, type ReviewedVisit, reviewedDays } from './review/campaign-history.ts';
export type { Kind, PartIn, Suspicion } from './review/kinds.ts';

/** At most so many findings a week are made by chance, over the whole account. */
export const falseFindingsPerWeek = 1;

/** Reviews a week, at most, that the budget is for. */
const reviewsPerWeek = 7;

/** A finding is over once chance explains it this well. */
const maxFading = 0.05;

/** A suspicion that chance does not explain. */
export interface Finding<Campaign> extends Suspicion {
  readonly campaign: Campaign;
}

/**
 * What needs a person, most money first. The looks of all campaigns share one budget of errors: each may be wrong once in so many
 * times that all together are wrong once a week at most (Bonferroni).
 * @param partIn how much of the sales of a campaign is in by now
 */
export function reviewAccount<Campaign>(
  campaigns: ReadonlyMap<Campaign, CampaignHistory>,
  partIn: PartIn,
): {
  readonly findings: readonly Finding<Campaign>[];
  readonly fading: readonly Finding<Campaign>[];
  readonly looks: number;
} {
  const suspicions = [...campaigns].flatMap(([campaign, history]) =>
    detectors.flatMap((detect) => detect(history, partIn).map((suspicion) => ({ ...suspicion, campaign }))),
  );
  const looks = suspicions.filter(({ chance }) => chance > 0).length;
  const maxChance = falseFindingsPerWeek / reviewsPerWeek / Math.max(looks, 1);
  const findings = suspicions.filter(({ chance }) => chance <= maxChance);
  // What hovers about the bound is not well again, and no finding of its own.
  const fading = suspicions.filter(({ chance }) => chance > maxChance && chance <= maxFading);
  return { findings: findings.sort((one, other) => other.moneyPerDay - one.moneyPerDay), fading, looks };
}
