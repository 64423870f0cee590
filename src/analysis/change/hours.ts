import { at, sum } from '../statistics/history.ts';
import { countIn, devianceIn, mostDeviating, type Range } from './days-of-change.ts';
import { type Factor, ratioByFactor } from './factors.ts';
import { type Dimension, readerOf, type Value, type VisitColumns, type Visits } from './visit-columns.ts';

/** Hours from which on the rest of the day is compared with the hours before: a cap lasts until midnight. */
const firstHours = Array.from({ length: 11 }, (_, index) => index + 10);

/** The same within an offer: few, since they are many pairs. */
const firstOfPairs = [12, 15, 18];

const areHours = ({ values }: Dimension) =>
  values.every((value) => value === null || (Number(value) >= 0 && Number(value) < 24));

const restsByHour = new WeakMap<Dimension, ReadonlyMap<number, Dimension>>();

/** The rest of the day from some hours on, each as the one value of a dimension; none if the dimension is not hours. */
export function restsOfDay(hour: Dimension, isInPairs = false): readonly Dimension[] {
  if (!areHours(hour)) return [];
  // They are asked for in each campaign, and have a code for each visit of all.
  const known = restsByHour.get(hour) ?? new Map(firstHours.map((first) => [first, inRange(hour, [first, 23])]));
  restsByHour.set(hour, known);
  return [...known].flatMap(([first, rest]) => (isInPairs && !firstOfPairs.includes(first) ? [] : rest));
}

/** `12-23` */
export const nameOfHours = (hours: Range): string => hours.map((one) => String(one).padStart(2, '0')).join('-');

/** The ranges with one hour more at either end. */
export const longerBy1 = ([first, last]: Range): readonly Range[] =>
  (
    [
      [first - 1, last],
      [first, last + 1],
    ] as const
  ).filter(([from, to]) => from >= 0 && to < 24);

/** A range of hours, as the one value of a dimension. Of many visits, the codes of all ranges would take long in one piece. */
export function inRange(hour: Dimension, hours: Range): Dimension {
  let codes: Dimension['codes'] | undefined;
  return {
    name: hour.name,
    values: [null, nameOfHours(hours)],
    get codes() {
      codes ??= codesIn(hour, hours);
      return codes;
    },
  };
}

function codesIn(hour: Dimension, [first, last]: Range): Dimension['codes'] {
  const isIn = hour.values.map((value) => Number(value !== null && Number(value) >= first && Number(value) <= last));
  const codes = new Uint16Array(hour.codes.length);
  for (let row = 0; row < codes.length; row += 1) codes[row] = isIn[hour.codes[row] ?? 0] ?? 0;
  return codes;
}

/** Of all hours of the day, chance makes the rest from one of them on as far off as this in 1 of 20 cases. */
const minDeviance = 2 * Math.log(23 / 0.05);

/** The rate of an hour counts as if it had so many more at the rate of all hours. */
const shrinking = 10;

/** What is counted on a day by its hours, and of what: sales of clicks, or clicks of visits. */
export type HoursOfDay = Readonly<Record<'parts' | 'wholes', ArrayLike<number>>>;

/**
 * The hours in which other parts of clicks sold, if not in the others: those until midnight from some hour on, since some day.
 * @param rows visits of all hours
 */
export function hoursOfSales(rows: Visits, columns: VisitColumns): Value | undefined {
  const hour = columns.dimensions.find(({ name }) => name === 'hour');
  if (!hour || !areHours(hour)) return undefined;
  const { days, dayCodes, stretches } = columns;
  const [clicks, sales] = [readerOf(columns, 'clicks'), readerOf(columns, 'conversions')];
  const byDay = days.map(() => ({ parts: new Array<number>(24).fill(0), wholes: new Array<number>(24).fill(0) }));
  const later = new Set<number>();
  for (const row of rows) {
    const value = hour.values[hour.codes[row] ?? 0];
    const [day, index] = [dayCodes[row] ?? 0, Number(value)];
    if (value == null) continue;
    if ((stretches[row] ?? 0) > 0) later.add(day);
    const counts = at(byDay, day);
    counts.wholes[index] = at(counts.wholes, index) + clicks(row);
    counts.parts[index] = at(counts.parts, index) + sales(row);
  }
  const sums = sumsAroundEach(byDay);
  const [best] = [...later]
    .flatMap((day) => {
      const moved = hoursThatMoved(at(sums, day));
      return moved ? { day, ...moved } : [];
    })
    .sort((one, other) => other.deviance - one.deviance);
  return best && isSoAfter(best.day, best.hours, byDay) ? { dimension: inRange(hour, best.hours), code: 1 } : undefined;
}

/** Chance makes some hours of the days after the first as far off as this in 1 of 20 cases. */
const minDevianceAfter = 3.84;

/** Whether a rate moved in some hours of the days after one as well: what fell for good at noon of that day looks like a cap on it alone. */
function isSoAfter(day: number, hours: Range, days: readonly HoursOfDay[]): boolean {
  if (day === days.length - 1) return true;
  const sums = at(sumsAroundEach(days.toSpliced(day, 1)), day);
  return devianceIn(sums.parts, expectedByHours(sums), hours) > minDevianceAfter;
}

/** What is counted on the days from each of some on, and on those before it. */
export function sumsAroundEach(days: readonly HoursOfDay[]): readonly HourlySums[] {
  const [before, since] = [runningSums(days), runningSums(days.toReversed()).reverse()];
  return before.map(({ parts: earlier, wholes: earlierWholes }, day) => ({
    ...at(since, day),
    earlier,
    earlierWholes,
  }));
}

/** The sums of no day, of the first, of the first two, and so on. */
function runningSums(days: readonly HoursOfDay[]) {
  const all = [{ parts: new Array<number>(24).fill(0), wholes: new Array<number>(24).fill(0) }];
  for (const [index, { parts, wholes }] of days.entries()) {
    const known = at(all, index);
    all.push({
      parts: known.parts.map((count, hour) => count + (parts[hour] ?? 0)),
      wholes: known.wholes.map((count, hour) => count + (wholes[hour] ?? 0)),
    });
  }
  return all;
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

/** The hours until midnight in which a rate moved, if it did not in the others, and by how much. */
export function hoursThatMoved(sums: HourlySums): { readonly hours: Range; readonly deviance: number } | undefined {
  const { parts, earlier } = sums;
  if (!(sum(earlier) > 0)) return undefined;
  const expectedByHour = expectedByHours(sums);
  const isFall = sum(parts) < sum(expectedByHour);
  const deviatesAlike = (range: Range) =>
    countIn(parts, range) / sum(parts) < countIn(expectedByHour, range) / sum(expectedByHour) === isFall;
  const hours = mostDeviating(parts, expectedByHour, hoursToMidnight.filter(deviatesAlike), minDeviance);
  return hours && { hours, deviance: devianceIn(parts, expectedByHour, hours) };
}

/** From each hour on to midnight: what starts again before the day ends is no cap. */
export const hoursToMidnight: readonly Range[] = Array.from({ length: 23 }, (_, index) => [index + 1, 23] as const);

/** So many are expected of the other hours, so that chance brings none once in 100 times. */
const minExpectedOfOthers = 4.6;

/** Whether visits of some hours sell, click or cost nothing any more, and those of the others neither. */
export function hasEndedAtAllHours(
  factor: Factor | undefined,
  rows: Visits,
  ofHours: Visits,
  columns: VisitColumns,
): boolean {
  const [part, whole] = factor === undefined ? [] : ratioByFactor[factor];
  if (part === undefined || whole === undefined) return false;
  const { dayCodes, days } = columns;
  const dayOf = (row: number) => at(days, dayCodes[row] ?? 0);
  const [partOf, wholeOf] = [readerOf(columns, part), readerOf(columns, whole)];
  const has = (row: number) => Number(partOf(row) > 0);
  let last = '';
  for (const row of rows) if (has(row) && dayOf(row) > last) last = dayOf(row);
  const count = (some: Visits, isAfter: boolean, read: (row: number) => number) =>
    some.reduce((all, row) => all + (dayOf(row) > last === isAfter ? read(row) : 0), 0);
  const rate = count(rows, false, has) / count(rows, false, wholeOf);
  return (count(rows, true, wholeOf) - count(ofHours, true, wholeOf)) * rate >= minExpectedOfOthers;
}
