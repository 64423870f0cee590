import type { History, Worth } from './history.ts';

/** The leads that are bet on, as parts of what the rival earns. */
const lifts = [0.1, 0.2, 0.4, 0.8, 1.6] as const;

/** The part of the wealth that is bet on each: most on leads that are common, some on those that take weeks or are plain. */
export const liftWeights: readonly number[] = [0.1, 0.3, 0.3, 0.25, 0.05];

/** A single payout may take at most this part of the wealth, or multiply it by at most 1 + maxGain. */
const maxLoss = 0.9;
const maxGain = 2;

/** A bet on one of two equal pages ever reaches this wealth with a chance of at most 1 in 40. */
export const sufficientLogWealth = Math.log(40);

/** A bet that the leader earns more than the rival. */
export interface Pair {
  readonly leader: History;
  readonly rival: History;
  /** A payout that the rival has not had yet but may have; 0 if none is expected. */
  readonly unseenPayout: number;
  /** Turns a lift into a stake per unit paid: smaller if payouts vary more, 0 without payouts. */
  readonly scale: number;
  readonly minPayout: number;
  readonly maxPayout: number;
}

export function pairUp(leader: History, rival: History, unseenPayout: number): Pair {
  const worth = leader.worth + rival.worth;
  const ends = [leader, rival].flatMap(({ worths }) => [worths[0]?.value ?? 0, worths.at(-1)?.value ?? 0]);
  return {
    leader,
    rival,
    unseenPayout,
    scale: worth > 0 ? worth / (leader.squares + rival.squares) : 0,
    minPayout: Math.min(0, ...ends),
    maxPayout: Math.max(unseenPayout, ...ends),
  };
}

/**
 * The wealth that 1 becomes by betting each day that the leader earns more per view than the rival: for each lift the product over
 * days of prod(1 + a x) over the leader's payouts and prod(1 - b x) over the rival's. The stakes of a day balance the views
 * (a v = b w), so that good and bad days and changed shares cancel. If both earn the same, the wealth summed over the lifts exceeds
 * 40 with a chance of at most 1 in 40, however often one looks (Ville's inequality; Shafer, "Testing by betting", JRSS A 184, 2021).
 *
 * @param ratio the leader's assumed earnings per unit of the rival's, 1 without a lead
 * @returns the log wealth by lift
 */
export function betOn(pair: Pair, ratio = 1): readonly number[] {
  return lifts.map((lift) => {
    let sum = 0;
    let maxStake = 0;
    for (const [day, { views, conversions }] of pair.leader.days.entries()) {
      const other = pair.rival.days[day];
      if (!other || !(views > 0 && other.views > 0)) continue;
      const { onLeader, onRival } = stakesOf(lift, views, other.views / ratio, pair);
      sum += logGrowth(conversions, onLeader) + logGrowth(other.conversions, -onRival);
      maxStake = Math.max(maxStake, onRival);
    }
    return sum + Math.log1p(-maxStake * pair.unseenPayout);
  });
}

/**
 * The expected growth of the log wealth per further view of either page, by lift.
 *
 * @param ratio the leader's true earnings per unit of the rival's
 */
export function expectedGrowth(pair: Pair, ratio: number): readonly number[] {
  const { leader, rival } = pair;
  const views = leader.views + rival.views;
  const part = leader.views / views;
  const count = leader.conversions + rival.conversions;
  if (count === 0) return lifts.map(() => 0);
  const rivalRate = count / views / (part * ratio + 1 - part);
  return lifts.map((lift) => {
    const { onLeader, onRival } = stakesOf(lift, part, 1 - part, pair);
    const growthAt = (stake: number) => logGrowth(leader.worths, stake) + logGrowth(rival.worths, stake);
    return (rivalRate * (part * ratio * growthAt(onLeader) + (1 - part) * growthAt(-onRival))) / count;
  });
}

function stakesOf(lift: number, views: number, rivalViews: number, { scale, minPayout, maxPayout }: Pair) {
  const onRival = ((lift * views) / (views * (1 + lift) + rivalViews)) * scale;
  const onLeader = (onRival * rivalViews) / views;
  // Chargebacks are negative payouts, so each bound applies to both sides.
  const excess = Math.max(
    1,
    (onRival * maxPayout) / maxLoss,
    (onLeader * -minPayout) / maxLoss,
    (onLeader * maxPayout) / maxGain,
    (onRival * -minPayout) / maxGain,
  );
  return { onRival: onRival / excess, onLeader: onLeader / excess };
}

function logGrowth(worths: readonly Worth[], stake: number): number {
  let sum = 0;
  let product = 1;
  for (const { value, count } of worths) {
    // Of planned days, a part of a sale.
    if (count !== 1) sum += count * Math.log1p(stake * value);
    else product *= 1 + stake * value;
    // One logarithm for many factors; taken before the product leaves the range of a number.
    if (product < 1e-200 || product > 1e200) {
      sum += Math.log(product);
      product = 1;
    }
  }
  return sum + Math.log(product);
}

/** Kolmogorov-Smirnov: 5 in 100 pairs of samples of one distribution exceed this bound. */
const bound = 1.36;

/** The payout still to be expected if two pages' payouts differ in shape, as a multiple of the largest seen. */
const unseenFactor = 3;

/**
 * The phantom payout that the rival gets if the payouts of two pages differ in shape: a page of rare, large payouts looks poor
 * until the first one comes.
 *
 * @returns 0 if both seem to have the same shape
 */
export function unseenPayoutOf(one: History, other: History): number {
  const [count, otherCount] = [one.conversions, other.conversions];
  if (count === 0 || otherCount === 0) return 0;
  const critical = bound * Math.sqrt((count + otherCount) / (count * otherCount));
  if (maxDistance(one, other) <= critical) return 0;
  return unseenFactor * Math.max(0, ...[one, other].map(({ worths }) => worths.at(-1)?.value ?? 0));
}

/** The largest distance between the distribution functions of two pages' payouts, each divided by its median. */
function maxDistance(one: History, other: History): number {
  const stepsOf = ({ worths, conversions }: History, sign: number) => {
    const median = Math.abs(medianOf(worths, conversions)) || 1;
    return worths.map(({ value, count }) => ({ value: value / median, rise: (sign * count) / conversions }));
  };
  const steps = [...stepsOf(one, 1), ...stepsOf(other, -1)].sort((a, b) => a.value - b.value);
  let [distance, max] = [0, 0];
  for (const [index, { value, rise }] of steps.entries()) {
    distance += rise;
    // Equal values of both pages are one step.
    if (steps[index + 1]?.value !== value) max = Math.max(max, Math.abs(distance));
  }
  return max;
}

function medianOf(worths: readonly Worth[], conversions: number): number {
  let passed = 0;
  for (const { value, count } of worths) {
    passed += count;
    if (passed >= conversions / 2) return value;
  }
  return 0;
}
