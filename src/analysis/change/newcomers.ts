import { isOfVisitors, minOverlap } from './alike.ts';
import { findDeviation, minBeside, sizeOfFactor } from './deviations.ts';
import { tests } from './factor-tests.ts';
import { isOfSource, minVisits, rankOf } from './groupings.ts';
import type { FoundGroups, Search } from './search.ts';
import { type Boundaries, noSums, placeOf, sumRows } from './sums.ts';
import { rowsWith, rowsWithout, rowsWithoutValue, type Value, type Visits } from './visit-columns.ts';

/** Visitors came if there are so many times as many, and as in all of the group. */
const minTimes = 3;

/** Without the visits that came, the others of a group did what all others do: by at most so many standard deviations, or this part. */
const [maxLeft, maxPartLeft] = [3, 1 / 3];

/** So many of those that grew most are tried. */
const maxTried = 4;

/**
 * The visitors that came among those of a group, if its others do what all others do: robots of a provider make their placement, or all
 * computers, click more and sell less. Their own rates before are not known, so that by money they would not stand out.
 */
export function newcomersIn(found: FoundGroups, rows: Visits, search: Search): FoundGroups | undefined {
  const { columns, campaign } = search;
  const [factor] = found.moved;
  if (!factor) return undefined;
  const own = found.values.filter(({ dimension }) => dimension === campaign);
  const ownRows = rowsWith(rows, ...own);
  const foundRows = rowsWith(ownRows, ...found.values);
  const outside = rowsWithout(ownRows, foundRows, columns);
  const sizeAgainst = (group: Visits, others: Visits) =>
    sizeOfFactor(factor, sumRows(group, columns), sumRows(others, columns));
  const most = Math.max(maxLeft, maxPartLeft * sizeAgainst(foundRows, outside));
  for (const value of thoseThatCame(foundRows, found.values, search).slice(0, maxTried)) {
    const [left, others] = [foundRows, outside].map((some) => rowsWithoutValue(some, value)) as [Visits, Visits];
    // A group that came as a whole has no others.
    if (left.length < (1 - minOverlap) * foundRows.length || sizeAgainst(left, others) > most) continue;
    const came = rowsWith(ownRows, value);
    const isNewToAll = timesOf(sumRows(came, columns)) >= minTimes;
    const group = isNewToAll ? came : rowsWith(foundRows, value);
    const limits = { guessed: minBeside, named: minBeside, sure: found.isSure ? 0 : Number.POSITIVE_INFINITY, tests };
    const rest = sumRows(rowsWithout(ownRows, group, columns), columns);
    const deviation = findDeviation(sumRows(group, columns), rest, limits);
    if (deviation?.moved.includes('visits'))
      return { ...deviation, moved: ['visits'], values: isNewToAll ? [...own, value] : [...found.values, value] };
  }
  return undefined;
}

/** The values of visitors that have many times as many visits as before, those that grew most first. */
function thoseThatCame(rows: Visits, named: readonly Value[], { columns, sums }: Search): readonly Value[] {
  const [visits, grown] = [noSums(columns, 1), [] as { readonly value: Value; readonly times: number }[]];
  const least = minTimes * Math.max(timesOf(sumRows(rows, columns)), 1);
  for (const dimension of columns.dimensions) {
    if (!isOfVisitors({ dimension, code: 0 }) || isOfSource(dimension.name)) continue;
    if (named.some((value) => value.dimension === dimension)) continue;
    const { codes } = sums.group(rows, dimension, minVisits);
    for (const code of codes) {
      if (dimension.values[code] === null) continue;
      sums.read(code, visits);
      const times = timesOf(visits);
      if (times >= least) grown.push({ value: { dimension, code }, times });
    }
  }
  return grown
    .toSorted(
      (one, other) => other.times - one.times || rankOf(one.value.dimension.name) - rankOf(other.value.dimension.name),
    )
    .map(({ value }) => value);
}

/** How many times as many visits a day there are. */
const timesOf = ({ before, after, days }: Boundaries): number =>
  ((after[placeOf.views] ?? 0) * days[0]) / (((before[placeOf.views] ?? 0) + 0.5) * days[1]);
