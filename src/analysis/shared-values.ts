import type { Codes } from '../api/cells.ts';
import { dimensions } from '../api/dimensions.ts';
import { type Pace, unhurried } from '../api/running-call.ts';
import type { Table } from '../api/table.ts';
import { rawCell } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import { namesOf } from '../api/vocabulary.ts';
import { pairCoded } from './coded.ts';
import { indexOfColumn } from './columns/columns.ts';
import { campaignIn } from './given-subids.ts';
import { chanceOfAtLeast, type Draw } from './statistics/hypergeometric.ts';
import { type Reading, readerOf, visitTimes } from './visit-dimensions.ts';

/** How often a call that names anything may do so by chance alone, over all values that it looks at. */
const falseFindings = 0.01;

/** A value that some visits share more than the other visits of their campaigns on the same days. */
export interface SharedValue {
  readonly dimension: string;
  readonly value: string;
  readonly given: number;
  readonly given_of: number;
  readonly others: number;
  readonly others_of: number;
  /** That chance alone shows one like it among all the values. */
  readonly chance: number;
}

export interface SharedValues {
  readonly given: number;
  readonly others: number;
  readonly values_tested: number;
  readonly false_findings: number;
  /** The least likely first. */
  readonly values: readonly SharedValue[];
}

/** The day before what follows from it, and a place before its parts. */
const looked: readonly string[] = [
  ...dimensions.filter((name) => name !== 'campaign' && name !== 'weekday'),
  ...['path', 'ip', 'useragent', 'referrer', ...extraSlots],
];

/** Visits that did not reach an offer have none: they are not compared by it. */
const afterClick: ReadonlySet<string> = new Set(['offer', 'network']);

/** A visit to look for, by the tracker's own subID. */
export interface GivenVisit {
  readonly subid: string;
  readonly campaignId: string;
  /** YYYY-MM-DD */
  readonly day: string;
}

/** The visits of a list that are compared. */
interface Pool {
  readonly table: Table;
  readonly rows: readonly number[];
  /** By row: twice the number of its campaign, plus one if it was given. */
  readonly groups: Codes;
}

const ownNames = namesOf('visitor', 'visitor');
const campaignIds = namesOf('visitor', 'campaignId');

/** The given visits that are in none of these lists. */
export async function unlisted(
  given: readonly GivenVisit[],
  tables: readonly Table[],
  pace: Pace,
): Promise<readonly GivenVisit[]> {
  const left = new Map(given.map((visit) => [visit.subid, visit]));
  for (const table of tables) {
    const subidOf = subidsIn(table);
    for (let row = 0; row < table.rowCount; row += 1) {
      if (row % rowsPerStep === 0) await pace.rest();
      left.delete(subidOf(row) ?? '');
    }
  }
  return [...left.values()];
}

/** With fewer given visits in the lists, nothing can be shared. */
export const minGiven = 3;

/**
 * What the given visits share more than the others of their campaigns do, on the days of the given ones.
 * @param tables visitor lists, which may overlap
 * @returns undefined if too few of the given are in the lists, or there are no others
 */
export async function findSharedValues(
  given: readonly GivenVisit[],
  tables: readonly Table[],
  pace: Pace = unhurried,
): Promise<SharedValues | undefined> {
  const { pools, campaigns } = await poolsOf(given, tables, pace);
  const all = countsOf(pools.flatMap(({ rows, groups }) => rows.map((row) => groups[row] ?? 0)));
  const [givenCount, others] = [sumOf(all, 1), sumOf(all, 0)];
  if (givenCount < minGiven || others === 0) return undefined;
  const found: SharedValue[] = [];
  let tested = 0;
  for (const dimension of looked) {
    const byValue = countValues(pools, dimension, 2 * campaigns);
    await pace.rest();
    const counted = afterClick.has(dimension) ? sumCounts([...byValue.values()]) : all;
    for (const [value, counts] of byValue) {
      const [mine, theirs] = [sumOf(counts, 1), sumOf(counts, 0)];
      // What is the name of one visit is no value.
      if (mine + theirs < 2) continue;
      tested += 1;
      if (mine < 2) continue;
      const chance = chanceOfAtLeast(mine, drawsOf(counts, counted, campaigns));
      const sums = { given: mine, given_of: sumOf(counted, 1), others: theirs, others_of: sumOf(counted, 0) };
      found.push({ dimension, value, ...sums, chance });
    }
  }
  const values = found
    .map((one) => ({ ...one, chance: one.chance * tested }))
    .filter(({ chance }) => chance <= falseFindings)
    .map((one) => ({ ...one, chance: Number(one.chance.toPrecision(2)) }))
    .sort((one, other) => one.chance - other.chance);
  return { given: givenCount, others, values_tested: tested, false_findings: falseFindings, values };
}

/** How many visits there are of each group. */
type Counts = ReadonlyMap<number, number>;

function countsOf(groups: readonly number[]): Counts {
  const counts = new Map<number, number>();
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}

function sumCounts(all: readonly Counts[]): Counts {
  const sums = new Map<number, number>();
  for (const counts of all) for (const [group, count] of counts) sums.set(group, (sums.get(group) ?? 0) + count);
  return sums;
}

/** @param part 1 for the given visits, 0 for the others */
function sumOf(counts: Counts, part: 0 | 1): number {
  let sum = 0;
  for (const [group, count] of counts) if (group % 2 === part) sum += count;
  return sum;
}

function drawsOf(counts: Counts, all: Counts, campaigns: number): Draw[] {
  const both = (some: Counts, campaign: number) => (some.get(2 * campaign) ?? 0) + (some.get(2 * campaign + 1) ?? 0);
  return Array.from({ length: campaigns }, (_, campaign) => ({
    drawn: all.get(2 * campaign + 1) ?? 0,
    all: both(all, campaign),
    marked: both(counts, campaign),
  }));
}

async function poolsOf(given: readonly GivenVisit[], tables: readonly Table[], pace: Pace) {
  const daysByCampaign = new Map<string, Set<string>>();
  for (const { campaignId, day } of given) {
    const days = daysByCampaign.get(campaignId) ?? new Set();
    daysByCampaign.set(campaignId, days.add(day));
  }
  const campaigns = [...daysByCampaign.keys()];
  const isGiven = new Set(given.map(({ subid }) => subid));
  const seen = new Set<string>();
  const pools: Pool[] = [];
  for (const table of tables) {
    const subidOf = subidsIn(table);
    const times = visitTimes(table);
    const campaignColumn = indexOfColumn(table, campaignIds) ?? -1;
    const groups = new Uint32Array(table.rowCount);
    const rows: number[] = [];
    for (let row = 0; row < table.rowCount; row += 1) {
      if (row % rowsPerStep === 0) await pace.rest();
      const subid = subidOf(row);
      if (subid === null || seen.has(subid)) continue;
      const campaign = campaignIn(subid) ?? rawCell(table.text(row, campaignColumn)) ?? '';
      if (!daysByCampaign.get(campaign)?.has(times?.dayOf(row) ?? '')) continue;
      seen.add(subid);
      rows.push(row);
      groups[row] = 2 * campaigns.indexOf(campaign) + (isGiven.has(subid) ? 1 : 0);
    }
    pools.push({ table, rows, groups });
  }
  return { pools, campaigns: campaigns.length };
}

/** Takes a few milliseconds. */
const rowsPerStep = 1000;

/** The visits with each value, by group. */
function countValues(pools: readonly Pool[], dimension: string, groupCount: number): ReadonlyMap<string, Counts> {
  const byValue = new Map<string, Map<number, number>>();
  for (const { table, rows, groups } of pools) {
    const reading = readerOf(dimension)(table);
    if (!reading) continue;
    const known = { codes: groups, values: Array.from({ length: groupCount }, (_, group) => group) };
    const pairs = pairCoded(known, reading, (group, value) => ({ group, value }));
    const counts = new Uint32Array(pairs.values.length);
    for (const row of rows) counts[pairs.codes[row] ?? 0] = (counts[pairs.codes[row] ?? 0] ?? 0) + 1;
    for (const [code, { group, value }] of pairs.values.entries()) {
      const count = counts[code] ?? 0;
      if (count === 0 || value === null || value === undefined) continue;
      const ofValue = byValue.get(value) ?? new Map<number, number>();
      byValue.set(value, ofValue.set(group, (ofValue.get(group) ?? 0) + count));
    }
  }
  return byValue;
}

function subidsIn(table: Table): (row: number) => string | null {
  const column = ownNames.map((name) => indexOfColumn(table, [name])).find((index) => index !== undefined) ?? -1;
  return (row) => rawCell(table.text(row, column));
}

/** With fewer visits, or a smaller part of values of their own, values may be groups of visits. */
const [minNamed, minPartNamed] = [20, 0.8];

/** Whether nearly every visit has a value of its own, such as a click ID: it names the visit, and groups nothing. */
export function namesVisits(readings: readonly Reading[]): boolean {
  const distinct = new Set(readings.flatMap(({ values }) => values.filter((value) => value != null))).size;
  let count = 0;
  for (const { codes, values } of readings)
    for (let row = 0; row < codes.length; row += 1) {
      if (values[codes[row] ?? 0] == null) continue;
      count += 1;
      // Most dimensions have so few values that some hundred visits decide.
      if (distinct < minPartNamed * count) return false;
    }
  return count >= minNamed;
}
