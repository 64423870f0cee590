import type { ReplacedValues, ReplacedVersions } from '../../answer/change-notes.ts';
import type { Pace } from '../../api/running-call.ts';
import { at, sum } from '../statistics/history.ts';
import { campaignsIn, isOfSource, minVisits, partsBy } from './groupings.ts';
import { GroupSums } from './sums.ts';
import { dimensionsWithVersions, findUpdated, productsOf, type UpdatedVersions } from './updated-versions.ts';
import { allRows, countCodes, type Dimension, rowsWhere, type VisitColumns, type Visits } from './visit-columns.ts';

/** So many values must have gone, and as many come: one alone, such as a macro that is not filled in, is told as a cause. */
const minValues = 3;

/** At most this part of the visits may have values of both times. */
const maxKept = 0.1;

/** Visits whose values in some dimensions can be compared, and those that others took the place of. */
interface Comparable {
  readonly columns: VisitColumns;
  readonly replaced: readonly ReplacedValues[];
  readonly updated: readonly ReplacedVersions[];
}

/**
 * Values of a source that were all replaced, since they were renamed or all ads changed, cannot be compared: each of them would seem to
 * stop, or to begin. Nor can versions of which visitors go over to another. The visits of such a campaign get no value in that dimension.
 */
export async function withoutReplaced(columns: VisitColumns, pace: Pace): Promise<Comparable> {
  const campaigns = campaignsIn(columns);
  const all = allRows(columns);
  const parts = campaigns
    ? partsBy(campaigns, all).map(({ value, rows }) => ({ campaign: campaigns.values[value.code] ?? '', rows }))
    : [{ rows: all }];
  const [replaced, updated]: [ReplacedValues[], ReplacedVersions[]] = [[], []];
  const sums = new GroupSums(columns);
  const dimensions: Dimension[] = [];
  for (const dimension of columns.dimensions) {
    const { name } = dimension;
    const emptied: Visits[] = [];
    const versions: UpdatedVersions[] = [];
    for (const { rows, ...part } of isOfSource(name) ? parts : []) {
      const found = findReplaced(commonValues(rows, dimension, columns), columns.days);
      if (found) {
        replaced.push({ dimension: name, ...part, ...found });
        emptied.push(rows);
      }
      await pace.rest();
    }
    const hasVersions = dimensionsWithVersions.has(name);
    const products = hasVersions ? productsOf(dimension) : [];
    for (const { rows } of hasVersions ? parts : []) {
      const found = findUpdated(rows, dimension, products, columns, sums);
      const codes = new Set(found.flatMap((one) => one.codes));
      if (codes.size > 0) emptied.push(rowsWhere(rows, (row) => codes.has(dimension.codes[row] ?? 0)));
      versions.push(...found);
      await pace.rest();
    }
    const [first] = versions.toSorted((one, other) => other.visits - one.visits);
    if (first) updated.push({ dimension: name, before: first.before, after: first.after });
    dimensions.push(emptied.length === 0 ? dimension : withoutValues(dimension, emptied));
  }
  const isChanged = replaced.length > 0 || updated.length > 0;
  return { columns: isChanged ? { ...columns, dimensions } : columns, replaced, updated };
}

/** A value that enough visits have, and the days of the first and the last of them. */
interface Seen {
  readonly value: string | null;
  readonly visits: number;
  readonly first: number;
  readonly last: number;
}

/** The common values of some visits, the most common first. Of a rare value, all visits are on one side of most days. */
function commonValues(rows: Visits, { codes, values }: Dimension, { dayCodes }: VisitColumns): Seen[] {
  const counts = new Uint32Array(values.length);
  countCodes(rows, codes, counts);
  const [first, last] = [new Uint16Array(values.length), new Uint16Array(values.length)];
  const seen: number[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    const code = codes[row] ?? 0;
    if ((counts[code] ?? 0) < minVisits) continue;
    // By the day after it: 0 is none.
    const day = (dayCodes[row] ?? 0) + 1;
    const known = first[code] ?? 0;
    if (known === 0) seen.push(code);
    if (known === 0 || day < known) first[code] = day;
    if (day > (last[code] ?? 0)) last[code] = day;
  }
  return seen
    .filter((code) => values[code] !== null)
    .map((code) => ({
      value: at(values, code),
      ...{ visits: counts[code] ?? 0, first: (first[code] ?? 0) - 1, last: (last[code] ?? 0) - 1 },
    }))
    .sort((one, other) => other.visits - one.visits);
}

function findReplaced(common: readonly Seen[], days: readonly string[]) {
  const most = maxKept * sum(common.map(({ visits }) => visits));
  for (let day = 1; day < days.length; day += 1) {
    const earlier = common.filter(({ last }) => last < day);
    const later = common.filter(({ first }) => first >= day);
    if (Math.min(earlier.length, later.length) < minValues) continue;
    const kept = common.filter(({ first, last }) => first < day && last >= day);
    if (sum(kept.map(({ visits }) => visits)) > most) continue;
    return { since: at(days, day), before: earlier[0]?.value ?? '', after: later[0]?.value ?? '' };
  }
  return undefined;
}

function withoutValues({ name, codes, values }: Dimension, emptied: readonly Visits[]): Dimension {
  const known = values.indexOf(null);
  const none = known < 0 ? values.length : known;
  const others = Uint32Array.from(codes);
  for (const rows of emptied) for (const row of rows) others[row] = none;
  return { name, codes: others, values: known < 0 ? [...values, null] : values };
}
