import { likelihoodOfShare } from '../statistics/entropy.ts';

/** Visits or sales: all, those with a fault, the money of these, and of all. */
export interface FaultCount {
  of: number;
  bad: number;
  money: number;
  worth: number;
}

/** By the number of days since the first that is read. Days without any are missing. */
export type DayCounts = FaultCount[];

const none = (): FaultCount => ({ of: 0, bad: 0, money: 0, worth: 0 });

function addTo(sum: FaultCount, { of, bad, money, worth }: FaultCount): void {
  sum.of += of;
  sum.bad += bad;
  sum.money += money;
  sum.worth += worth;
}

export function countOn(days: DayCounts, day: number, isBad: boolean, money: number): void {
  days[day] ??= none();
  const sum = days[day];
  sum.of += 1;
  sum.worth += money;
  if (!isBad) return;
  sum.bad += 1;
  sum.money += money;
}

/** The sum of the days from one on. */
export function sumOf(days: DayCounts, from = 0): FaultCount {
  const sum = none();
  days.forEach((count, day) => {
    if (day >= from) addTo(sum, count);
  });
  return sum;
}

/** The counts of each day together. */
export function together(some: readonly DayCounts[]): DayCounts {
  const all: DayCounts = [];
  for (const days of some)
    days.forEach((count, day) => {
      all[day] ??= none();
      addTo(all[day], count);
    });
  return all;
}

/** The bad visits of some days among all visits. */
export const among = (bad: DayCounts, all: DayCounts): DayCounts =>
  all.map((count, day) => ({ ...count, bad: bad[day]?.bad ?? 0, money: bad[day]?.money ?? 0 }));

/** All visits of some days as bad ones, or those that were not. */
export const allBad = (days: DayCounts): DayCounts => days.map((day) => ({ ...day, bad: day.of, money: day.worth }));
export const othersBad = (days: DayCounts): DayCounts =>
  days.map((day) => ({ ...day, bad: day.of - day.bad, money: day.worth - day.money }));

export const shareOf = ({ bad, of }: FaultCount): number => (of === 0 ? 0 : bad / of);

interface RisenShare {
  /** The first day with the fault after the share of bad visits rose; undefined if there is none. */
  readonly since: number | undefined;
  readonly isOlder: boolean;
  readonly before: FaultCount & { readonly days: number };
  readonly after: FaultCount & { readonly days: number };
}

/** A rise of the share on one of two weeks of days that chance brings less than once in 100,000 campaigns. */
const sureGain = 18;

/** Finds the day on which the share of bad visits rose: the one that splits the days into the two most different parts. */
export function changeIn(days: DayCounts, minGain = sureGain): RisenShare {
  const dayOf = [...days.keys()].filter((day) => days[day] !== undefined);
  const counts = dayOf.flatMap((day) => days[day] ?? []);
  const whole = sumOf(counts);
  let [split, best] = [0, likelihoodOfShare(whole.bad, whole.of) + minGain];
  const before = { of: 0, bad: 0 };
  for (const [index, { of, bad }] of counts.entries()) {
    const after = { of: whole.of - before.of, bad: whole.bad - before.bad };
    const likely = likelihoodOfShare(before.bad, before.of) + likelihoodOfShare(after.bad, after.of);
    if (likely > best && after.bad * before.of > before.bad * after.of) [split, best] = [index, likely];
    before.of += of;
    before.bad += bad;
  }
  const first = counts.findIndex(({ bad }, index) => index >= split && bad > 0);
  return {
    ...{ since: dayOf[first], isOlder: first === 0 },
    before: { ...sumOf(counts.slice(0, split)), days: split },
    after: { ...sumOf(counts, split), days: counts.length - split },
  };
}

/** A share that is this many standard errors above the usual one is not chance: one in three million. */
const minErrors = 5;

/** Whether so many bad visits are more than chance makes of a usual share. */
export function isBeyondChance({ bad, of }: FaultCount, usual: number): boolean {
  return of > 0 && bad - of * usual > minErrors * Math.sqrt(of * usual * (1 - usual));
}

/** The median of what is above 0; 0 if nothing is. Sorts by number, and fast. */
export function medianOf(numbers: readonly number[]): number {
  const paid = Float64Array.from(numbers.filter((number) => number > 0)).sort();
  return paid[Math.floor(paid.length / 2)] ?? 0;
}
