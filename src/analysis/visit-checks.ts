import type { VisitCause } from '../answer/subid-notes.ts';
import { amountInWords } from '../api/rules.ts';
import type { Cell, Table } from '../api/table.ts';
import { mention, type NamedCell, quoted, rawCell, rawText } from '../api/text/tracker-text.ts';
import { namesOf } from '../api/vocabulary.ts';
import { indexOfColumn, numberIn } from './columns/columns.ts';
import { maxLabelLength, type PageRow } from './page-rows.ts';
import { type Facts, isSameVisitor, revenueOf, type StepName } from './visit-story.ts';

type Conversion = readonly NamedCell[];

/** What was read in addition to the lookup; undefined if unknown. */
export interface Evidence {
  /** Conversions of other visitors of the same offer, since the day of the visit. */
  readonly others: number | undefined;
  readonly passesSubid: boolean | undefined;
  /** The campaign's offers: views on the day of the visit, current share and state. */
  readonly offers: readonly PageRow[] | undefined;
}

const maxNameLength = 100;

export interface Findings {
  readonly facts: readonly string[];
  readonly causes: readonly VisitCause[];
}

/**
 * Explains a visit by what was checked.
 * @param usual the causes if nothing could be checked
 */
export function checkVisit(
  missing: StepName | undefined,
  usual: readonly VisitCause[],
  visit: Facts,
  { others, passesSubid, offers }: Evidence,
): Findings {
  const facts: string[] = [];
  const refuted: VisitCause['id'][] = [];
  if (missing === 'converted') {
    const offer = visit.offer === null ? 'the same offer' : `the offer ${quoted(visit.offer, maxNameLength)}`;
    if (others !== undefined) {
      facts.push(
        others > 0
          ? `${others} other visitors of ${offer} converted since: its postback reaches the tracker.`
          : `No other visitor of ${offer} is reported as converted since the day of the visit.`,
      );
      if (others > 0) refuted.push('lost-postback');
    }
    if (passesSubid !== undefined) {
      facts.push(
        passesSubid
          ? 'The campaign passes the subID to the offer.'
          : 'The campaign does not pass the subID to the offer, so the network cannot report this visitor unless the offer’s URL carries it.',
      );
    }
  }
  if (missing === 'reached_offer' && offers) {
    const pathOffers = offersOfPath(offers, visit.path);
    const visited = pathOffers.filter(({ views }) => views > 0);
    const active = pathOffers.filter(isOpen);
    const where =
      visit.path === null || pathOffers.length === offers.length
        ? ''
        : ` of path ${mention(visit.path, maxNameLength)}`;
    facts.push(
      visited.length > 0
        ? `On that day offers${where} had visitors: ${listNames(visited)}.`
        : `On that day no offer${where} had a visitor.`,
      active.length > 0
        ? `Active now with a share above 0: ${listNames(active)}.`
        : `No offer${where} is active now with a share above 0.`,
    );
    if (visited.length > 0) refuted.push('no-active-offer');
  }
  return { facts, causes: usual.filter(({ id }) => !refuted.includes(id)) };
}

/** What a later postback did to the revenue of a visit. */
export interface LaterPostback {
  /** `unknown`: the tracker does not show it. */
  readonly effect: 'added' | 'replaced' | 'unknown';
  /** How many sales of the visitor are listed. */
  readonly sales: number;
  /** The sum of the listed sales, if all can be read. */
  readonly listed?: number;
  /** The revenue of the visit, if it can be read. */
  readonly revenue?: number;
}

/** By the listed conversions and the revenue of the visit; undefined if nothing shows a later postback. */
export function laterPostback(visit: Facts, conversions: readonly Conversion[]): LaterPostback | undefined {
  const amounts = conversions.map((row) => numberIn(revenueOf(row)));
  const sum = amounts.reduce<number | undefined>(
    (all, one) => (all === undefined || one === undefined ? undefined : all + one),
    0,
  );
  const revenue = numberIn(visit.revenue);
  const isRevenue = (amount: number | undefined) => Math.abs((amount ?? Number.NaN) - (revenue ?? Number.NaN)) < 0.005;
  const sums = {
    sales: conversions.length,
    ...(sum === undefined ? {} : { listed: sum }),
    ...(revenue === undefined ? {} : { revenue }),
  };
  if (conversions.length > 1) {
    const effect = isRevenue(sum) ? 'added' : amounts.some(isRevenue) ? 'replaced' : 'unknown';
    return { effect, ...sums };
  }
  if (conversions.length === 0 || revenue === undefined || sum === undefined || isRevenue(sum)) return undefined;
  return { effect: 'unknown', ...sums };
}

export function sayLaterPostback({ effect, sales, listed, revenue }: LaterPostback): string {
  if (sales < 2) {
    return `The visit has a revenue of ${amountInWords(revenue ?? 0)}, the conversion list ${amountInWords(listed ?? 0)}: a second postback replaced the first or was added to it; the tracker does not show which.`;
  }
  const total = listed === undefined ? '' : `, ${amountInWords(listed)} in all`;
  const outcome = {
    added: 'the visit has their sum: a later postback was added to an earlier',
    replaced: `the visit has ${amountInWords(revenue ?? 0)}: a later postback replaced an earlier`,
    unknown: 'the tracker does not show whether a later postback was added to an earlier or replaced it',
  }[effect];
  return `${sales} sales of this visitor are listed${total}; ${outcome}.`;
}

/** The number of other visitors' conversions of an offer; undefined if the list does not name the offer. */
export function countOthers(list: Table, subid: string, offer: Cell): number | undefined {
  const column = indexOfColumn(list, namesOf('conversion', 'converted'));
  const visitor = indexOfColumn(list, namesOf('conversion', 'visitor'));
  if (list.rowCount === 0) return 0;
  if (offer === null || column === undefined || visitor === undefined) return undefined;
  const visitors = list.column(visitor);
  const isOther = (cell: Cell, row: number) =>
    rawCell(cell) === rawText(offer) && !isSameVisitor(visitors[row] ?? null, subid);
  return list.column(column).filter(isOther).length;
}

/** The offers of a path; all offers if the list has no paths. */
function offersOfPath(offers: readonly PageRow[], path: Cell): readonly PageRow[] {
  const ofPath = offers.filter(
    ({ group }) => path !== null && group.split(', ').includes(`path ${mention(path, maxLabelLength)}`),
  );
  return ofPath.length > 0 ? ofPath : offers;
}

function isOpen({ isActive, share }: PageRow): boolean {
  return isActive && share !== 0;
}

function listNames(pages: readonly PageRow[]): string {
  return pages.map(({ name }) => quoted(name, maxNameLength)).join(', ');
}
