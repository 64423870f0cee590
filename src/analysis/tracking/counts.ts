import { groupBy } from '../statistics/history.ts';

/** Visits of a day: all, those with a fault, the money of these, and of all. */
export interface DayCount {
  of: number;
  bad: number;
  money: number;
  worth: number;
}

/** Counts by day, YYYY-MM-DD. */
export type Days = Map<string, DayCount>;

/** Counts a visit, and whether it is bad. */
export function countOn(days: Days, day: string, isBad: boolean, money: number): void {
  const count = days.get(day) ?? { of: 0, bad: 0, money: 0, worth: 0 };
  days.set(day, count);
  count.of += 1;
  count.worth += money;
  if (!isBad) return;
  count.bad += 1;
  count.money += money;
}

export interface Change {
  /** The first day with the fault after the share of bad visits rose; undefined if there is none. */
  readonly since: string | undefined;
  readonly isOlder: boolean;
  readonly before: DayCount & { readonly days: number };
  readonly after: DayCount & { readonly days: number };
}

/** A rise of the share on one of two weeks of days that chance brings less than once in 100,000 campaigns. */
const minGain = 18;

/** Finds the day on which the share of bad visits rose: the one that splits the days into the two most different parts. */
export function changeIn(days: Days): Change {
  const sorted = [...days].sort(([one], [other]) => (one < other ? -1 : 1));
  const counts = sorted.map(([, count]) => count);
  let [split, best] = [0, likelihood(sumOf(counts)) + minGain];
  for (let index = 1; index < sorted.length; index += 1) {
    const [before, after] = [sumOf(counts.slice(0, index)), sumOf(counts.slice(index))];
    const likely = likelihood(before) + likelihood(after);
    if (likely > best && shareOf(after) > shareOf(before)) [split, best] = [index, likely];
  }
  const since = sorted.slice(split).find(([, { bad }]) => bad > 0)?.[0];
  return {
    since,
    isOlder: since !== undefined && since === sorted[0]?.[0],
    before: { ...sumOf(counts.slice(0, split)), days: split },
    after: { ...sumOf(counts.slice(split)), days: counts.length - split },
  };
}

export const shareOf = ({ bad, of }: DayCount): number => (of === 0 ? 0 : bad / of);

export function sumOf(counts: readonly DayCount[]): DayCount {
  const sum = { of: 0, bad: 0, money: 0, worth: 0 };
  for (const { of, bad, money, worth } of counts) {
    sum.of += of;
    sum.bad += bad;
    sum.money += money;
    sum.worth += worth;
  }
  return sum;
}

/** The bad visits of some days among all visits. */
export function among(bad: Days, all: Days): Days {
  return new Map(
    [...all].map(([day, { of, worth }]) => {
      const { bad: count = 0, money = 0 } = bad.get(day) ?? {};
      return [day, { of, bad: count, money, worth }];
    }),
  );
}

/** The counts of each day together. */
export function sumOfDays(some: readonly Days[]): Days {
  const byDay = groupBy(
    some.flatMap((days) => [...days]),
    ([day]) => day,
  );
  return new Map([...byDay].map(([day, counts]) => [day, sumOf(counts.map(([, count]) => count))]));
}

/** The log-likelihood of a share. */
function likelihood({ bad, of }: DayCount): number {
  const part = (count: number) => (count === 0 ? 0 : count * Math.log(count / of));
  return part(bad) + part(of - bad);
}

/** The counts of the days from the first of a period. */
export function countFrom(days: Days, first: string): DayCount {
  return sumOf([...days].flatMap(([day, count]) => (day >= first ? [count] : [])));
}

/** A share that is this many standard errors above the usual one is not chance: one in three million. */
const minErrors = 5;

/** Whether so many bad visits are more than chance makes of a usual share. */
export function isBeyondChance({ bad, of }: DayCount, usual: number): boolean {
  return of > 0 && bad - of * usual > minErrors * Math.sqrt(of * usual * (1 - usual));
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
