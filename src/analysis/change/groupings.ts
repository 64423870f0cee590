import { restsOfDay } from './hours.ts';
import { countCodes, type Dimension, type Value, type VisitColumns, type Visits } from './visit-columns.ts';

/** The order in which dimensions with alike groups are named, the most telling first. Tokens follow keywords. */
const dimensionOrder = [
  'campaign',
  'landing_page',
  'offer',
  'network',
  'traffic_source',
  'path',
  'placement',
  'keyword',
  'ad',
  'country',
  'device',
  'os',
  'browser',
  'isp',
  'user_agent',
  'region',
  'city',
  'hour',
];

export function rankOf(dimension: string): number {
  const rank = dimensionOrder.indexOf(dimension);
  return rank < 0 ? dimensionOrder.indexOf('keyword') + 0.5 : rank;
}

/** Whether a source fills a dimension in: tokens, and what they are known as. */
export const isOfSource = (dimension: string): boolean =>
  ['placement', 'keyword', 'ad'].includes(dimension) || !dimensionOrder.includes(dimension);

/** With fewer visits, any change is within chance. */
export const minVisits = 8;

/** Values of different campaigns with one name are one thing in these dimensions alone. */
const dimensionsOfAccount: ReadonlySet<string> = new Set(['network', 'offer', 'traffic_source', 'country']);

/** Dimensions that are tested together, also where neither alone stands out. */
const pairedDimensions: readonly (readonly [first: string, second: readonly string[]])[] = [
  ['landing_page', ['offer', 'traffic_source', 'placement', 'country', 'device', 'os', 'browser', 'isp']],
  ['offer', ['traffic_source', 'placement', 'country', 'device', 'os', 'browser', 'isp', 'hour']],
  ['placement', ['country', 'device', 'os', 'browser']],
  ['keyword', ['country', 'device']],
  ['ad', ['country', 'device']],
  ['country', ['device', 'os', 'browser']],
];

/** A dimension whose values are tested, or two whose pairs of values are. */
export type Grouping = readonly [Dimension, Dimension?];

/** The campaigns, if there are several. */
export function campaignsIn({ dimensions }: VisitColumns): Dimension | undefined {
  const campaign = dimensions.find(({ name }) => name === 'campaign');
  return campaign && campaign.values.filter((value) => value !== null).length > 1 ? campaign : undefined;
}

/** An account is its campaigns first: a value of several campaigns is tested within each, unless it is one thing in all. */
export function outerGroupings(dimensions: readonly Dimension[], campaign: Dimension | undefined): Grouping[] {
  if (!campaign) return alone(dimensions);
  const others = dimensions.filter((dimension) => dimension !== campaign && dimension.name !== 'hour');
  return [
    ...alone([campaign, ...others.filter(({ name }) => dimensionsOfAccount.has(name))]),
    ...others.map((other) => [campaign, other] as const),
  ];
}

export const alone = (dimensions: readonly Dimension[]): Grouping[] => dimensions.map((dimension) => [dimension]);

export function pairsAmong(dimensions: readonly Dimension[], { placement }: VisitColumns): Grouping[] {
  const named = (wanted: string) => {
    const some = dimensions.filter(({ name }) => name === (wanted === 'placement' ? placement : wanted));
    return wanted === 'hour' ? some.flatMap((hour) => restsOfDay(hour, true)) : some;
  };
  return pairedDimensions.flatMap(([first, second]) =>
    named(first).flatMap((one) => second.flatMap(named).map((other) => [one, other] as const)),
  );
}

/** Some visits that share a value, which the pairs with it are sought among. */
export interface Part {
  readonly value: Value;
  readonly rows: Visits;
}

/** The visits of each value that enough have. */
export function partsBy(dimension: Dimension, rows: Visits): Part[] {
  const { codes, values } = dimension;
  const counts = new Uint32Array(values.length);
  countCodes(rows, codes, counts);
  const parts = values.map((value, code) => {
    const count = counts[code] ?? 0;
    return value === null || count < minVisits
      ? undefined
      : { value: { dimension, code }, rows: new Uint32Array(count) };
  });
  counts.fill(0);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    const code = codes[row] ?? 0;
    const part = parts[code];
    if (!part) continue;
    const count = counts[code] ?? 0;
    part.rows[count] = row;
    counts[code] = count + 1;
  }
  return parts.filter((part) => part !== undefined);
}

/** Whether a group has enough visits to be tested. */
export function hasTested([one, other]: Grouping, rows: Visits): boolean {
  if (!other && one.values.length < 2) return false;
  const counts = new Map<number, number>();
  const width = other?.values.length ?? 1;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    const first = one.codes[row] ?? 0;
    const second = other?.codes[row] ?? 0;
    if (one.values[first] === null || other?.values[second] === null) continue;
    const key = first * width + second;
    const count = (counts.get(key) ?? 0) + 1;
    if (count === minVisits) return true;
    counts.set(key, count);
  }
  return false;
}
