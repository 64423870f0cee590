import { dimensionsOfRobots } from '../placements.ts';
import { at } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { findAlike, isOfSales, minOverlap, placementOf } from './alike.ts';
import { areBots } from './bots.ts';
import { type DaysOfChange, daysOfChange, endedFirst } from './days-of-change.ts';
import {
  carriedTogether,
  type Factor,
  type FactorEffect,
  factorEffects,
  largestFirst,
  worthTelling,
} from './factors.ts';
import { rankOf } from './groupings.ts';
import { hasEndedAtAllHours, hoursOfSales } from './hours.ts';
import { countOf } from './narrowing.ts';
import { isOfPayout, type Rejected, rejectedIn } from './sales.ts';
import type { FoundGroups, Search } from './search.ts';
import { type ShareOfTraffic, shareOfTraffic } from './share-of-traffic.ts';
import { spansOf, sumRows } from './sums.ts';
import { rowsWhere, rowsWith, rowsWithout, type VisitColumns, type Visits } from './visit-columns.ts';

/** The visits with one value of a dimension. */
export interface Group {
  readonly dimension: string;
  readonly value: string | null;
}

/** Visits that moved differently from the rest, with their figures in both spans. */
export interface Cause extends DaysOfChange {
  /** One group, or several that overlap: "Device Phone" within "Landing page Quiz". */
  readonly groups: readonly Group[];
  /** Groups of other dimensions with nearly the same visits, so that any of them may be the cause. */
  readonly alike: readonly Group[];
  readonly before: GroupFigures;
  readonly after: GroupFigures;
  /** The parts of its change of profit, the largest effect first. */
  readonly factors: readonly FactorEffect[];
  /** The factors that moved differently from the factors of the rest, and by as much. Together they are the cause. */
  readonly moved: readonly Factor[];
  /** Whether its visits click more and buy nothing, as those of bots. */
  readonly isOfBots?: boolean;
  /** Whether chance is excluded. If not, the numbers are small for the number of groups that were tested. */
  readonly isSure: boolean;
  /** If it is a provider or user agent: the placement that its visits are from. It can be blocked. */
  readonly placement: Group | undefined;
  /** If it is about visits: how the share of a page or offer moved. */
  readonly share: ShareOfTraffic | undefined;
  /** Whether an earlier cause has some of the visits of these groups: what is said is true of the others. */
  readonly isOfOthers?: boolean;
  /** If all visits did so, those of earlier causes too: the figures of the others, which add up with those of these causes. */
  readonly others?: Record<'before' | 'after', GroupFigures>;
  /** If it is one sale: what it brought. */
  readonly sale?: number;
  /** If a sale brought more or less because more or fewer were rejected: the part that was, 0 to 1. */
  readonly rejected?: Rejected | undefined;
}

/** The part of a change of profit that a cause has. What visitors brought to another page is not lost. */
export const carriedOf = ({ share, factors, moved }: Pick<Cause, 'share' | 'factors' | 'moved'>): number =>
  share?.effect ?? carriedTogether(factors, moved);

/** Whether visits are a part of some, or have a part of their sales. */
export function isPartOf(rows: Visits, all: Visits, { amounts }: VisitColumns): boolean {
  const salesIn = (some: Visits) => some.reduce((sales, row) => sales + (amounts.conversions[row] ?? 0), 0);
  return rows.length < minOverlap * all.length || salesIn(rows) < minOverlap * salesIn(all);
}

const unknownDays: DaysOfChange = { since: undefined, noneSince: undefined };

/** A cause, and the visits outside it. */
export interface FoundCause extends Pick<FoundGroups, 'isGuess'> {
  readonly cause: Cause;
  readonly otherRows: Visits;
  /** Whether it is about hours of each day, and the others do the same. */
  readonly isSoAtAllHours?: boolean;
}

/** What is told of a group that was found among some visits. */
export async function causeOf(found: FoundGroups, rows: Visits, search: Search): Promise<FoundCause> {
  const { values, moved, isSure } = found;
  const count = countOf(found, search);
  const { columns, campaign, pace } = search;
  const { dimensions } = columns;
  await pace.rest();
  // The rest of a day is no dimension of visits.
  const ofAllHours = values.filter(({ dimension }) => dimensions.includes(dimension));
  // A cap ends the sales of an offer, or of all, for the rest of each day.
  const isSoOnSomeHours = values.length > ofAllHours.length;
  const mayBeCapped =
    !count &&
    moved[0] === 'sales_per_click' &&
    (isSoOnSomeHours || values.some(({ dimension }) => dimension.name === 'offer'));
  const hours = mayBeCapped ? hoursOfSales(rowsWith(rows, ...ofAllHours), columns) : undefined;
  const withHours = hours ? [...ofAllHours, hours] : values;
  const isSoAtAllHours =
    withHours.length > ofAllHours.length &&
    hasEndedAtAllHours(moved[0], rowsWith(rows, ...ofAllHours), rowsWith(rows, ...withHours), search.told);
  const namedGroups = (isSoAtAllHours && ofAllHours.length > 0 ? ofAllHours : withHours).toSorted(
    (one, other) => rankOf(one.dimension.name) - rankOf(other.dimension.name),
  );
  const causeRows = rowsWith(rows, ...namedGroups);
  const isAlone = namedGroups.length === 1 || (campaign !== undefined && namedGroups.length === 2);
  const named = namedGroups.map(({ dimension }) => dimension);
  // Visits that did not click have no offer and no network.
  const ofCause = (some: Visits) =>
    isOfSales(moved) ? rowsWhere(some, (row) => (columns.amounts.clicks[row] ?? 0) > 0) : some;
  const alike = isAlone ? findAlike(ofCause(causeRows), ofCause(search.all), dimensions, named) : [];
  const groups = [...namedGroups, ...alike].map(({ dimension: { name, values }, code }) => ({
    dimension: name,
    value: at(values, code),
  }));
  await pace.rest();
  const otherRows = rowsWithout(rows, causeRows, columns);
  const { before, after } = spansOf(sumRows(causeRows, search.told));
  const factors = factorEffects(before, after).sort(largestFirst);
  // Sales that are still to come are no fall of what clicks bring.
  const due = search.told === columns ? { before, after } : spansOf(sumRows(causeRows, columns));
  const told = worthTelling(moved, factorEffects(due.before, due.after).sort(largestFirst));
  await pace.rest();
  const dated = endedFirst(daysOfChange(told, causeRows, otherRows, columns, search.told, search.isDayOpen));
  const dates: DaysOfChange = dated[0] ?? unknownDays;
  const { rates, noneSince, until, aDay } = dates;
  await pace.rest();
  const isOfBots = areBots(namedGroups, dates, { before, after }, spansOf(sumRows(otherRows, columns)));
  // Of robots with a browser of their own, the provider tells most.
  const rank = ({ dimension }: Group) => (isOfBots && dimensionsOfRobots.has(dimension) ? -1 : rankOf(dimension));
  const outer = groups.slice(0, namedGroups.length - 1);
  const [inner, ...same] = groups.slice(outer.length).sort((one, other) => rank(one) - rank(other));
  const cause = {
    groups: inner ? [...outer, inner] : outer,
    alike: same,
    before,
    after,
    factors,
    moved: dated.map(({ factor }) => factor),
    isSure,
    isOfBots,
    ...{ rates, noneSince, since: count?.since ?? dates.since, until, aDay },
    placement: placementOf([...namedGroups, ...alike], causeRows, otherRows, columns),
    isOfOthers: isPartOf(causeRows, rowsWith(search.all, ...namedGroups), columns),
    rejected:
      dated[0]?.factor === 'revenue_per_sale' && !search.payouts.some((payout) => isOfPayout(payout, groups))
        ? rejectedIn(causeRows, columns, dates.since)
        : undefined,
    share: dated[0]?.factor === 'visits' ? shareOfTraffic(namedGroups, rows, columns, dates.since) : undefined,
  };
  return { cause, otherRows, isGuess: found.isGuess, isSoAtAllHours: isSoAtAllHours && ofAllHours.length === 0 };
}
