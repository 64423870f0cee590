import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { countIn, mostDeviating, type Range, ratioByFactor } from './days-of-change.ts';
import type { Factor } from './factors.ts';
import { type Dimension, readerOf, type Value, type VisitColumns, type Visits } from './visit-columns.ts';

/** Hours of the day, 0 to 23. */
const quarters: readonly Range[] = [0, 6, 12, 18].map((first) => [first, first + 5]);

const areHours = ({ values }: Dimension) =>
  values.every((value) => value === null || (Number(value) >= 0 && Number(value) < 24));

const quartersByHour = new WeakMap<Dimension, Dimension>();

/** The quarters of the day: what is capped sells nothing for the rest of each day. Undefined if the dimension is not hours. */
export function quartersOf(hour: Dimension): Dimension | undefined {
  if (!areHours(hour)) return undefined;
  // They are asked for in each campaign, and have a code for each visit of all.
  const known = quartersByHour.get(hour) ?? inRanges(hour, quarters);
  quartersByHour.set(hour, known);
  return known;
}

/** `12-23` */
export const nameOfHours = (hours: Range): string => hours.map((one) => String(one).padStart(2, '0')).join('-');

function inRanges(hour: Dimension, ranges: readonly Range[]): Dimension {
  const rangeOf = hour.values.map((value) =>
    value === null ? 0 : 1 + ranges.findIndex(([first, last]) => Number(value) >= first && Number(value) <= last),
  );
  const codes = new Uint8Array(hour.codes.length);
  for (let row = 0; row < codes.length; row += 1) codes[row] = rangeOf[hour.codes[row] ?? 0] ?? 0;
  return { name: hour.name, values: [null, ...ranges.map(nameOfHours)], codes };
}

/** Of all ranges of hours, chance makes one as far off as this in 1 of 20 cases. */
const minDeviance = 2 * Math.log((24 * 23) / 2 / 0.05);

/** The rate of an hour counts as if it had so many more at the rate of all hours. */
const shrinking = 10;

/**
 * The hours in which a rate moved, if it did not in the others.
 * @param rows visits of all hours
 */
export function hoursOfChange(rows: Visits, factor: Factor | undefined, columns: VisitColumns): Value | undefined {
  const hour = columns.dimensions.find(({ name }) => name === 'hour');
  const [measure, per] = factor ? ratioByFactor[factor] : [];
  if (!hour || !areHours(hour) || !measure || !per) return undefined;
  const sumByHour = (summed: keyof GroupFigures, isAfter: boolean) => {
    const read = readerOf(columns, summed);
    const sums = new Array<number>(24).fill(0);
    for (const row of rows) {
      const value = hour.values[hour.codes[row] ?? 0];
      if (value == null || (columns.stretches[row] ?? 0) > 0 !== isAfter) continue;
      sums[Number(value)] = at(sums, Number(value)) + read(row);
    }
    return sums;
  };
  const hours = hoursThatMoved({
    ...{ parts: sumByHour(measure, true), wholes: sumByHour(per, true) },
    ...{ earlier: sumByHour(measure, false), earlierWholes: sumByHour(per, false) },
  });
  return hours && { dimension: inRanges(hour, [hours]), code: 1 };
}

/** By hour of the day: what is counted and of what, and the same before. */
export type HourlySums = Readonly<Record<'parts' | 'wholes' | 'earlier' | 'earlierWholes', readonly number[]>>;

/** What is expected in each hour. A single hour shows its rate less well than all hours do. */
export function expectedByHours({ wholes, earlier, earlierWholes }: HourlySums): readonly number[] {
  const usual = sum(earlier) / sum(earlierWholes);
  return wholes.map(
    (whole, index) => (whole * (at(earlier, index) + shrinking)) / (at(earlierWholes, index) + shrinking / usual),
  );
}

/** The hours in which a rate moved, if it did not in the others. */
export function hoursThatMoved(sums: HourlySums): Range | undefined {
  const { parts, earlier } = sums;
  if (!(sum(earlier) > 0)) return undefined;
  const expectedByHour = expectedByHours(sums);
  const isFall = sum(parts) < sum(expectedByHour);
  const deviatesAlike = (range: Range) =>
    countIn(parts, range) / sum(parts) < countIn(expectedByHour, range) / sum(expectedByHour) === isFall;
  return mostDeviating(parts, expectedByHour, ranges.filter(deviatesAlike), minDeviance);
}

/** All hours of the day in a row. */
const ranges: readonly Range[] = Array.from({ length: 24 * 24 }, (_, index) => {
  return [Math.floor(index / 24), index % 24] as const;
}).filter(([first, last]) => first <= last);
