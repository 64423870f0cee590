import { at, type PageDay } from './history.ts';
import type { Pair } from './wealth.ts';

/**
 * What is beforehand against luck that lasts for days, as a logarithm: one pair of pages in thirty has it. At one in twelve a lead of 30%
 * was found in 80% of campaigns by day 30 instead of 93%; at one in a hundred and fifty hardly anything was gained.
 */
const rare = Math.log(30);

/** How far the luck of two pages may be apart, as a logarithm, and how much of it is left on the next day. */
const sizes = [0.05, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6] as const;
const lengths = [0.5, 0.7, 0.9] as const;

/** Leads that are further from the one that fits best, as a logarithm, no luck of these sizes explains better. */
const maxDistance = 0.7;

/** How well some luck explains the days, by the lead that is supposed to be there. */
interface Fit {
  /** The logarithm of the likelihood at the lead that fits best, that lead, and how sharply it falls beside it. */
  readonly best: number;
  readonly lead: number;
  readonly information: number;
}

/** How much of the evidence for a lead luck may explain that lasts for days. */
export interface LastingLuck {
  /** What it takes from the logarithm of the wealth, if the leader is supposed to earn so many times what the rival does. */
  readonly lossAt: (ratio: number) => number;
}

export const noLastingLuck: LastingLuck = { lossAt: () => 0 };

/** A day as a measurement of the lead, a logarithm. */
interface Measurement {
  readonly day: number;
  readonly value: number;
  readonly variance: number;
}

/**
 * A page may do well for a week and badly for the next, for reasons nobody sees. Days alike in that look like a lead. Each day measures the
 * lead, and a lead of 0 with luck that fades from day to day (an autoregression, by Kalman's filter) may explain them as well as
 * a lead with luck of single days. By how much it does so better than luck of single days alone, less what is against it
 * beforehand, the evidence shrinks; unless there is such luck beside the lead, too.
 */
export function lastingLuckOf(pair: Pair, rates: readonly [leader: number, rival: number]): LastingLuck {
  const days = measure(pair, rates);
  if (days.length < 2) return noLastingLuck;
  const chance = fit(days, 0, 0);
  const noisy = sizes.map((size) => fit(days, size, 0));
  const single = [chance, ...noisy];
  const lasting = lengths.flatMap((length) => sizes.map((size) => fit(days, size, length)));
  const bestWith = (fits: readonly Fit[]) => Math.max(...fits.map(({ best }) => best));
  const bestAt = (fits: readonly Fit[], lead: number) =>
    Math.max(...fits.map((one) => one.best - (one.information * (lead - one.lead) ** 2) / 2));
  const fitting = single.reduce((best, one) => (one.best > best.best ? one : best));
  // Days that scatter more than chance show that there is luck; then it may as well last.
  const rarity = Math.max(rare - Math.max(bestWith(noisy) - chance.best, 0), 0);
  const gainWithLead = Math.max(bestWith(lasting) - fitting.best - rarity, 0);
  return {
    lossAt: (ratio) => {
      const lead = Math.min(Math.max(Math.log(ratio), fitting.lead - maxDistance), fitting.lead + maxDistance);
      return Math.max(Math.max(bestAt(lasting, lead) - bestAt(single, lead) - rarity, 0) - gainWithLead, 0);
    },
  };
}

/** Money counts as so many conversions as would vary as much. */
function measure({ leader, rival, scale }: Pair, rates: readonly [leader: number, rival: number]): Measurement[] {
  const worthOf = (day: PageDay) => day.conversions.reduce((sum, { value, count }) => sum + value * count, 0) * scale;
  const mean = (page: typeof leader, rate: number) =>
    page.conversions > 0 ? (rate * page.worth) / page.conversions : 0;
  const [own, other] = [mean(leader, rates[0]), mean(rival, rates[1])];
  const lead = own > 0 && other > 0 ? Math.log(own / other) : Math.log(3);
  return leader.days.flatMap((ownDay, day) => {
    const rivalDay = at(rival.days, day);
    const [ownWorth, rivalWorth] = [worthOf(ownDay), worthOf(rivalDay)];
    const worth = ownWorth + rivalWorth;
    if (!(worth > 0 && ownDay.views > 0 && rivalDay.views > 0)) return [];
    const lifted = ownDay.views * Math.exp(lead);
    const part = lifted / (lifted + rivalDay.views);
    const variance = 1 / (worth * part * (1 - part));
    return [{ day, value: lead + (ownWorth - worth * part) * variance, variance }];
  });
}

/** Kalman's filter over luck of this size of which so much lasts until the next day, for the days and for a lead of 1 at once. */
function fit(days: readonly Measurement[], size: number, length: number): Fit {
  let [luck, luckOfLead, spread] = [0, 0, size ** 2];
  let [likelihood, product, information] = [0, 0, 0];
  let last: number | undefined;
  for (const { day, value, variance } of days) {
    const kept = last === undefined ? 1 : length ** (day - last);
    luck *= kept;
    luckOfLead *= kept;
    spread = last === undefined ? spread : kept ** 2 * spread + (1 - kept ** 2) * size ** 2;
    last = day;
    const [error, errorOfLead, total] = [value - luck, 1 - luckOfLead, spread + variance];
    likelihood -= (Math.log(total) + error ** 2 / total) / 2;
    product += (error * errorOfLead) / total;
    information += errorOfLead ** 2 / total;
    const gain = spread / total;
    luck += gain * error;
    luckOfLead += gain * errorOfLead;
    spread *= 1 - gain;
  }
  return { best: likelihood + product ** 2 / information / 2, lead: product / information, information };
}
