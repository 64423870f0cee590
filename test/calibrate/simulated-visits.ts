import { normal, poisson, type Random, seeded } from './simulated-campaigns.ts';

/** The dimensions of visits, with the weight of each value. */
const usualWeights = {
  landing_page: { Quiz: 40, Story: 30, Video: 30 },
  offer: { Cash: 50, Gift: 50 },
  keyword: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`site${index}`, 10 - index * 0.4])),
  isp: { Comcast: 40, ATT: 25, Vodafone: 15, Orange: 10, Amazon: 10 },
  device: { Phone: 60, Desktop: 40 },
  browser: { 'Chrome 131': 45, 'Safari 18': 25, 'Chrome 130': 20, 'Samsung 27': 10 },
  country: { US: 50, GB: 20, DE: 15, FR: 15 },
} as const satisfies Record<string, Readonly<Record<string, number>>>;

export type Dimension = keyof typeof usualWeights;
export const dimensions = Object.keys(usualWeights) as Dimension[];

/** Its values, in the order of the dimensions. */
export type Traits = Readonly<Record<Dimension, string>>;

/** What decides about the visits of a campaign. */
export interface Rates {
  /** On a usual day. */
  readonly visits: number;
  readonly weights: Readonly<Record<Dimension, Readonly<Record<string, number>>>>;
  /** What a visit has in place of the values by these weights. */
  readonly remake?: (visit: Traits, random: Random) => Traits;
  readonly cost: (visit: Traits) => number;
  readonly clickRate: (visit: Traits) => number;
  /** Of the clicks. */
  readonly saleRate: (visit: Traits) => number;
  readonly payout: (visit: Traits, random: Random) => number;
  /** How often each sale is counted. */
  readonly salesOf: (visit: Traits) => number;
  /** The traffic of a weekend day as a part of that of other days. */
  readonly weekend: number;
}

export interface Visit {
  /** Hours since the simulation began, on a Monday at midnight. */
  readonly at: number;
  readonly values: readonly string[];
  readonly clicks: number;
  readonly cost: number;
  readonly sales: number;
  /** Of its sales. */
  readonly revenue: number;
  /** The hour of its sale; infinite without one. */
  readonly soldAt: number;
}

export const usual: Rates = {
  visits: 2000,
  weights: usualWeights,
  cost: () => 0.03,
  clickRate: () => 0.3,
  saleRate: () => 0.06,
  payout: ({ offer }) => (offer === 'Cash' ? 3 : 2.5),
  salesOf: () => 1,
  weekend: 0.75,
};

/** Nights are quiet, evenings busy: each hour as a part of the mean one. */
const hourWeights = [
  0.5, 0.3, 0.25, 0.2, 0.2, 0.3, 0.5, 0.8, 1.1, 1.2, 1.3, 1.3, 1.4, 1.3, 1.2, 1.2, 1.3, 1.3, 1.5, 1.7, 1.8, 1.7, 1.3,
  0.85,
];

/** How days differ beyond chance, as standard deviations of logarithms. */
const unrest = { visits: 0.15, hour: 0.2, clickRate: 0.05, saleRate: 0.1, keyword: 0.25, isp: 0.1 };

/** Six of seven sales come within hours, the others within three days. */
const delayOf = (random: Random) => (random() < 0.85 ? -Math.log(random()) : Math.min(-24 * Math.log(random()), 72));

/** How much of the sales of visits so many days old is in, for `PartByAge`. */
export const partIn: (days: number) => number = (() => {
  const random = seeded(1);
  const delays = Array.from({ length: 20_000 }, () => (random() * 24 + delayOf(random)) / 24);
  const parts = Array.from({ length: 5 }, (_, age) => delays.filter((days) => days < age + 1).length / delays.length);
  return (days) => parts[days] ?? 1;
})();

const scattered = (by: number, random: Random) => Math.exp(by * normal(random) - by ** 2 / 2);

const known = new Map<string, readonly string[]>();

/** One list for all visits that are alike, since there are millions. */
function valuesOf(traits: Traits): readonly string[] {
  const values = dimensions.map((name) => traits[name]);
  const key = values.join();
  const same = known.get(key) ?? values;
  known.set(key, same);
  return same;
}

/** The visits of whole days, in their order; `ratesAt` gives the rates of an hour. */
export function simulateDays(first: number, count: number, ratesAt: (hour: number) => Rates, random: Random): Visit[] {
  const visits: Visit[] = [];
  for (let day = first; day < first + count; day += 1) {
    const of = { visits: scattered(unrest.visits, random), click: scattered(unrest.clickRate, random) };
    const sale = scattered(unrest.saleRate, random);
    const luck = new Map<string, number>();
    let current: { rates: Rates; pick: Record<Dimension, () => string> } | undefined;
    for (let hour = day * 24; hour < day * 24 + 24; hour += 1) {
      const rates = ratesAt(hour);
      if (current?.rates !== rates) current = { rates, pick: pickers(rates, luck, random) };
      const { pick } = current;
      const weekday = day % 7 > 4 ? rates.weekend : 1;
      const mean = (rates.visits / 24) * (hourWeights[hour % 24] ?? 1) * weekday * of.visits;
      const count = poisson(mean * scattered(unrest.hour, random), random);
      const hours = Array.from({ length: count }, () => hour + random());
      for (const at of hours.sort((a, b) => a - b)) {
        const picked = Object.fromEntries(dimensions.map((name) => [name, pick[name]()])) as Record<Dimension, string>;
        const traits = rates.remake?.(picked, random) ?? picked;
        const hasClicked = random() < rates.clickRate(traits) * of.click;
        const hasSold = hasClicked && random() < rates.saleRate(traits) * sale;
        const sales = hasSold ? rates.salesOf(traits) : 0;
        visits.push({
          at,
          values: valuesOf(hasClicked ? traits : { ...traits, offer: '' }),
          clicks: Number(hasClicked),
          cost: rates.cost(traits),
          sales,
          revenue: hasSold ? rates.payout(traits, random) * sales : 0,
          soldAt: hasSold ? at + delayOf(random) : Number.POSITIVE_INFINITY,
        });
      }
    }
  }
  return visits;
}

/** Keywords and providers bring more of the visits on some days than on others. */
function pickers(rates: Rates, luck: Map<string, number>, random: Random): Record<Dimension, () => string> {
  const pickerOf = (name: Dimension) => {
    const scatter = name === 'keyword' || name === 'isp' ? unrest[name] : 0;
    const values = Object.entries(rates.weights[name]).map(([value, weight]) => {
      const factor = luck.get(value) ?? scattered(scatter, random);
      luck.set(value, factor);
      return { value, weight: weight * factor };
    });
    const total = values.reduce((sum, { weight }) => sum + weight, 0);
    return () => {
      let left = random() * total;
      for (const { value, weight } of values) {
        left -= weight;
        if (left < 0) return value;
      }
      return '';
    };
  };
  return Object.fromEntries(dimensions.map((name) => [name, pickerOf(name)])) as Record<Dimension, () => string>;
}

/** The day of a time in hours. */
export const dayOf = (at: number): string => `2026-11-${String(Math.floor(at / 24) + 2).padStart(2, '0')}`;

const spanOf = (first: number) => Array.from({ length: 7 }, (_, day) => dayOf((first + day) * 24));

/** The question whose last day ends with an hour of the clock; of every second seed, with the day. */
export function askedAt(seed: number) {
  const untilHour = seed % 2 === 0 ? undefined : 6 + ((seed * 5) % 17);
  const now = 13 * 24 + (untilHour ?? 24);
  const isLast = (at: number) => Math.floor(at / 24) % 7 === 6;
  return {
    now,
    /** Two weeks that are compared. */
    spans: { before: spanOf(0), after: spanOf(7), untilHour },
    isCompared: ({ at }: Visit) => untilHour === undefined || !isLast(at) || at % 24 < untilHour,
  };
}
