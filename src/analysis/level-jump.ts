import { at, sum } from './statistics/history.ts';

/**
 * How likely a jump of the level on one of the last days is before anything is seen: less where days of a week are not alike. The part
 * of it is left where traffic is known, and only sales of a visit may jump.
 */
export const chanceOfJump = { ofDays: 0.35, ofWeeks: 0.1, ofYoung: 0, ofRate: 0.1 } as const;

/** The deviation of its logarithm. */
const deviation = 0.6;

/** So many sales since a jump show half of what many show. */
const minShown = 10;

/** The factors that a level may have jumped by. */
const logFactors = Array.from({ length: 21 }, (_, index) => (index - 10) * 0.2);
const factors = logFactors.map(Math.exp);

/** How likely each factor is, around one of them. */
function weightsAround(middle: number, deviation: number): readonly number[] {
  const weights = factors.map((factor) => Math.exp(-((Math.log(factor / middle) / deviation) ** 2) / 2));
  const all = sum(weights);
  return weights.map((weight) => weight / all);
}

const anyFactor = weightsAround(1, deviation);

/** A jump that has a cause: on a day, or the one before or after, by about a factor. */
export interface CausedJump {
  readonly age: number;
  readonly factor: number;
}

const ofCause = { chance: 0.8, deviation: 0.25 };

/**
 * Whether a level jumped on one of the last days, as traffic does that is doubled or cut, and how far: the chance of each day and
 * factor by the counts since then, with a mixture over all of them (R. P. Adams and D. J. C. MacKay, "Bayesian online changepoint
 * detection", 2007).
 */
export class Jump {
  /** A jump before these days is part of what is usual. */
  static readonly maxDays = 10;
  readonly chanceOfNone: number;
  /** By how many days ago a jump was: its chance, and the means of its factor and of that factor's square. */
  readonly #jumps: readonly (readonly [chance: number, factor: number, square: number])[];

  /**
   * @param variance how counts of a day scatter beyond chance, relative to their square
   * @param chance of a jump on any day before anything is seen
   */
  constructor(seen: Float64Array, usual: Float64Array, variance: number, chance: number, caused?: CausedJump) {
    const causedWeights = caused && weightsAround(caused.factor, ofCause.deviation);
    const logs = factors.map(() => 0);
    const odds: number[][] = [];
    let [expected, anyChance] = [0, 0];
    // What began lately has none, and there may be hundreds of such offers.
    const days = chance > 0 || caused ? Jump.maxDays : 0;
    for (let age = 0; age < days; age += 1) {
      const [count, mean] = [seen[age] ?? 0, usual[age] ?? 0];
      const scale = 1 / variance;
      if (mean > 0)
        for (const [index, factor] of factors.entries()) {
          const scattered = (count + scale) * Math.log((mean * factor + scale) / (mean + scale));
          logs[index] = (logs[index] ?? 0) + count * at(logFactors, index) - scattered;
        }
      expected += mean;
      // What few sales could show is not assumed.
      const usualChance = (chance / Jump.maxDays) * (expected / (expected + minShown));
      const isCaused = caused !== undefined && Math.abs(age + 1 - caused.age) <= 1;
      const causedChance = isCaused ? ((1 - chance) * ofCause.chance) / 3 : 0;
      anyChance += chance / Jump.maxDays + causedChance;
      const chances = logs.map(
        (_, index) => usualChance * (anyFactor[index] ?? 0) + causedChance * (causedWeights?.[index] ?? 0),
      );
      odds.push(logs.map((log, index) => (chances[index] ?? 0) * Math.exp(log)));
    }
    const all = 1 - anyChance + sum(odds.flat());
    this.chanceOfNone = (1 - anyChance) / all;
    const meanOf = (ofDay: readonly number[], power: number) =>
      sum(ofDay.map((odd, index) => (odd / all) * at(factors, index) ** power));
    this.#jumps = odds.map((ofDay) => [meanOf(ofDay, 0), meanOf(ofDay, 1), meanOf(ofDay, 2)]);
  }

  /** The level of a day, from what it is without a jump. */
  levelOn(age: number, without: number): number {
    return this.spread(
      (until) => Number(age < until),
      (since) => (age >= since ? without : 0),
    ).mean;
  }

  /**
   * The mean and variance of a sum of days.
   * @param usualUntil what the usual level gives on the days since a jump, by how many they are
   * @param before what the days before it give
   */
  spread(usualUntil: (days: number) => number, before: (days: number) => number) {
    let mean = this.chanceOfNone * before(0);
    let squares = this.chanceOfNone * before(0) ** 2;
    for (const [age, [chance, factor, square]] of this.#jumps.entries()) {
      const [usual, older] = [usualUntil(age + 1), before(age + 1)];
      mean += factor * usual + chance * older;
      squares += square * usual ** 2 + 2 * factor * usual * older + chance * older ** 2;
    }
    return { mean, variance: Math.max(squares - mean ** 2, 0) };
  }
}
