import type { Pace } from '../api/running-call.ts';
import type { Group, Table } from '../api/table.ts';
import { fromTracker, type NamedCell, rawCell, rawText } from '../api/text/tracker-text.ts';
import { nameOf, namesOf, thingsOf } from '../api/vocabulary.ts';
import { indexOfColumn, plainFields } from './columns/columns.ts';
import { dayIn, timesInLongList } from './columns/times.ts';
import { campaignIn } from './given-subids.ts';
import { clickNumberOf, isEmptyLookup, readFacts } from './visit-story.ts';

/** A subID to find, and what was found so far. */
export interface Wanted {
  readonly subid: string;
  /** The campaign in it; undefined in a ClickID alone. */
  readonly campaignId: string | undefined;
  /** Whether its beginning is missing, so that its ClickID may belong to a different visitor. */
  readonly isPart: boolean;
  /** The tracker's own spelling. */
  own: string | undefined;
  /** The visit: a row of a list, or a lookup. */
  visit: readonly Group[] | undefined;
  /** Its rows of the conversion list. */
  readonly sales: (readonly NamedCell[])[];
  /** The first day of the conversions that were searched, YYYY-MM-DD; undefined if none were. */
  salesSince: string | undefined;
  /** Visitors with the same ClickID after a different beginning. */
  readonly others: Set<string>;
  /** `none`: the tracker does not know the visitor; `failed`: the request failed; undefined: not looked up. */
  lookup: 'found' | 'none' | 'failed' | undefined;
}

const ownNames = namesOf('visitor', 'visitor');
/** In the row of a sale, this is the time of the sale and not of the visit. */
const isSaleTime = nameOf('conversion', 'booked');
const { visited } = thingsOf('conversion');
const { time: visitTimes } = thingsOf('visit');

/** Collects the wanted visits from lists and lookups. */
export class WantedVisits {
  readonly all: readonly Wanted[];
  readonly #byNumber = new Map<string, Wanted[]>();
  /** The day of every visit seen so far, by ClickID. */
  readonly #seen: (readonly [clickId: number, day: string])[] = [];

  /** @param subids each once */
  constructor(subids: readonly { readonly subid: string; readonly isPart: boolean }[]) {
    this.all = subids.map(({ subid, isPart }) => {
      const open = { own: undefined, visit: undefined, salesSince: undefined, lookup: undefined };
      return { subid, campaignId: campaignIn(subid), isPart, sales: [], others: new Set<string>(), ...open };
    });
    for (const one of this.all) {
      const number = clickNumberOf(one.subid);
      this.#byNumber.set(number, [...(this.#byNumber.get(number) ?? []), one]);
    }
  }

  /**
   * Takes the rows of a conversion list, which also describe the visits.
   * @param wanted the visits that the list was read for: a sale that is also in other lists must count once
   */
  async takeSales(table: Table, wanted: readonly Wanted[], pace: Pace): Promise<void> {
    const asked = new Set(wanted);
    await this.#takeRows(table, visited, pace, (one, fields) => {
      if (!asked.has(one)) return;
      one.sales.push(fields);
      one.visit ??= [groupOf(fields.filter(([name]) => !isSaleTime(rawText(name))))];
    });
  }

  /** Takes the rows of a visitor list. Returns their oldest day, YYYY-MM-DD. */
  async takeVisits(table: Table, pace: Pace): Promise<string | undefined> {
    return this.#takeRows(table, visitTimes, pace, (one, fields) => {
      one.visit ??= [groupOf(fields)];
    });
  }

  /** Takes the answer to a lookup of the subID, or of its ClickID. */
  takeLookup(one: Wanted, groups: readonly Group[], asked: string): void {
    const { visitor, arrivedAt } = readFacts(groups);
    const own = rawCell(visitor) ?? (asked === one.subid ? asked : undefined);
    if (isEmptyLookup(groups) || own === undefined || !isVisitor(one, own)) {
      one.lookup = 'none';
      return;
    }
    one.lookup = 'found';
    one.own = own;
    one.visit = groups;
    const day = dayIn(rawCell(arrivedAt));
    if (day !== null) this.#seen.push([Number(clickNumberOf(own)), day]);
  }

  /**
   * The days around some visits, by the rows seen so far. Only a hint where to search first: ClickIDs may not rise with time.
   */
  daysAround(wanted: readonly Wanted[]): { readonly from: string | undefined; readonly to: string | undefined } {
    const numbers = wanted.map(({ subid }) => Number(clickNumberOf(subid)));
    const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
    let from: string | undefined;
    let to: string | undefined;
    for (const [clickId, day] of this.#seen) {
      if (clickId <= first && (from === undefined || day > from)) from = day;
      if (clickId >= last && (to === undefined || day < to)) to = day;
    }
    return { from, to };
  }

  async #takeRows(
    table: Table,
    timeNames: readonly string[],
    pace: Pace,
    take: (one: Wanted, fields: readonly NamedCell[]) => void,
  ): Promise<string | undefined> {
    const ids = ownNames.map((name) => indexOfColumn(table, [name])).filter((index) => index !== undefined);
    const times = await timesInLongList(table, timeNames, pace);
    let oldest: string | undefined;
    for (let row = 0; row < table.rowCount; row += 1) {
      if (row % rowsPerStep === 0) await pace.rest();
      const own = ids.map((index) => rawCell(table.text(row, index))).find((text) => text !== null);
      const day = times?.dayOf(row) ?? null;
      if (day !== null && (oldest === undefined || day < oldest)) oldest = day;
      if (own === undefined || own === null) continue;
      const number = clickNumberOf(own);
      if (day !== null) this.#seen.push([Number(number), day]);
      for (const one of this.#byNumber.get(number) ?? []) {
        if (!isVisitor(one, own)) continue;
        one.own ??= own;
        take(one, plainFields(table, row));
      }
    }
    return oldest;
  }
}

/** Takes a few milliseconds. */
const rowsPerStep = 1000;

/** Whether this subID belongs to the wanted visitor. If it only shares the ClickID, it is added to `others`. */
function isVisitor(one: Wanted, own: string): boolean {
  if (clickNumberOf(own) !== clickNumberOf(one.subid)) return false;
  const isWhole = own.includes('_');
  const isSame = one.subid.includes('_')
    ? !isWhole || beginningOf(own) === beginningOf(one.subid)
    : !one.isPart && (one.own === undefined || one.own === own);
  if (!isSame) one.others.add(own);
  return isSame;
}

/** The prefix and the campaign, up to the ClickID. */
function beginningOf(subid: string): string {
  return subid.slice(0, subid.lastIndexOf('_'));
}

function groupOf(fields: readonly NamedCell[]): Group {
  return { name: fromTracker(''), fields };
}
