import { type Pace, unhurried } from '../../api/running-call.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { findAlike, minOverlap, placementOf } from './alike.ts';
import { type DaysOfChange, daysOfChange } from './days-of-change.ts';
import { type Deviation, movedFactors } from './deviations.ts';
import { type Factor, type FactorEffect, factorEffects, profitOf } from './factors.ts';
import { campaignsIn, outerGroupings, rankOf } from './groupings.ts';
import type { DecisiveSale, PayoutChange } from './sales.ts';
import { better, dimensionsOfClicks, findGroup, findStanding, findWithinCampaigns, type Search } from './search.ts';
import { type ShareOfTraffic, shareOfTraffic } from './share-of-traffic.ts';
import { GroupSums, spansOf, sumRows } from './sums.ts';
import { allRows, rowsWhere, rowsWith, type Value, type VisitColumns, type Visits } from './visit-columns.ts';

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
  /** The factors that moved differently from the factors of the rest. */
  readonly moved: readonly Factor[];
  /** Whether chance is excluded. If not, the numbers are small for the number of groups that were tested. */
  readonly isSure: boolean;
  /** If it is a provider or user agent: the placement that its visits are from. It can be blocked. */
  readonly placement: Group | undefined;
  /** If it is about visits: how the share of a page or offer moved. */
  readonly share: ShareOfTraffic | undefined;
  /** If it is one sale: what it brought. */
  readonly sale?: number;
}

export interface Causes {
  readonly causes: readonly Cause[];
  /** All other visits. Causes and rest add up to the whole. */
  readonly rest: { readonly before: GroupFigures; readonly after: GroupFigures };
  /** The effects of the rest's factors: first those that moved by more than chance, then the largest. */
  readonly restFactors: readonly FactorEffect[];
  /** Whether the time of the call ended before all groups were compared. */
  readonly isCut: boolean;
}

/** Enough for one answer. */
const maxCauses = 5;

/** Two groups are named together if the visits in both carry this part of the first one's change. */
const minWithin = 0.8;
/** The same if the inner group surely moved differently from the rest of the outer one. */
const minSure = 0.5;

/**
 * Finds the groups of visits that explain a change of profit: those whose factors moved differently from the factors of all other
 * visits, by more than chance and the usual day-to-day changes. The group with the largest effect comes first. Its visits are then
 * removed, so that groups that merely share them are not named as well.
 */
export async function findCauses(
  columns: VisitColumns,
  payouts: readonly PayoutChange[],
  pace: Pace = unhurried,
  decisive?: DecisiveSale,
): Promise<Causes> {
  const offersWithNewPayout = new Set(payouts.map(({ offer }) => offer));
  let rows = allRows(columns);
  const whole = spansOf(sumRows(rows, columns));
  const effects = sum(factorEffects(whole.before, whole.after).map(({ effect }) => Math.abs(effect)));
  const ofSale = decisive && causeOfSale(decisive, columns);
  const causes: Cause[] = ofSale ? [ofSale] : [];
  if (ofSale) rows = rowsWhere(rows, (row) => row !== decisive.visit);
  const search = {
    ...{ columns, campaign: campaignsIn(columns), effects, offersWithNewPayout, pace },
    ...{ sums: new GroupSums(columns), within: new Map() },
  };
  await pace.rest();
  while (causes.length < maxCauses && !pace.isOver) {
    const found = await findCause(rows, search);
    // A search that was cut may have missed what fits better.
    if (!found || pace.isOver) break;
    causes.push(found.cause);
    rows = found.otherRows;
  }
  const sums = sumRows(rows, columns);
  const [rest, moved] = [spansOf(sums), movedFactors(sums)];
  const restFactors = factorEffects(rest.before, rest.after).sort(
    (a, b) => Number(moved.has(b.factor)) - Number(moved.has(a.factor)) || Math.abs(b.effect) - Math.abs(a.effect),
  );
  return { causes, rest, restFactors, isCut: pace.isOver };
}

/** What one sale did is no trend of its offer. */
function causeOfSale({ visit, revenue, day }: DecisiveSale, columns: VisitColumns): Cause | undefined {
  const groups = columns.dimensions
    .filter(({ name }) => name === 'campaign' || name === 'offer')
    .map(({ name, values, codes }) => ({ dimension: name, value: at(values, codes[visit] ?? 0) }))
    .filter(({ value }) => value !== null);
  if (groups.length === 0) return undefined;
  const { before, after } = spansOf(sumRows(Uint32Array.of(visit), columns));
  const effect = profitOf(after) - profitOf(before);
  const factor = { factor: 'revenue_per_sale', before: null, after: revenue, effect } as const;
  return {
    ...{ groups, alike: [], before, after, factors: [factor], moved: ['revenue_per_sale'], isSure: true },
    ...{ since: day, noneSince: undefined, placement: undefined, share: undefined, sale: revenue },
  };
}

/** The groups of a cause, the outer one first; their visits in common are the cause. */
interface FoundGroups extends Pick<Deviation, 'moved' | 'isSure'> {
  readonly outer: readonly Value[];
  readonly inner: readonly Value[] | undefined;
}

async function findGroups(rows: Visits, search: Search): Promise<FoundGroups | undefined> {
  const { campaign, columns } = search;
  const { dimensions } = columns;
  const outer = campaign
    ? await findGroup(rows, outerGroupings(dimensions, campaign), search)
    : await findStanding(rows, search, dimensions);
  const within = campaign && !outer?.isSure ? await findWithinCampaigns(rows, search, campaign) : undefined;
  if (within && better(outer, within.inner) === within.inner)
    return { ...within.inner, outer: [within.outer], inner: within.inner.values };
  if (!outer) return undefined;
  // The offer of a visit follows from its click, so it does not explain missing clicks.
  const isAboutSales = outer.moved[0] === 'sales_per_click' || outer.moved[0] === 'revenue_per_sale';
  const traits = dimensions.filter(
    (dimension) =>
      !outer.values.some((value) => value.dimension === dimension) &&
      (isAboutSales || !dimensionsOfClicks.has(dimension.name)),
  );
  const money = Math.abs(outer.money);
  const found = await findStanding(rowsWith(rows, ...outer.values), search, traits, { minMoney: minSure * money });
  const inner = found && (found.isSure || Math.abs(found.money) >= minWithin * money) ? found : undefined;
  const { moved, isSure } = inner ?? outer;
  return { outer: outer.values, inner: inner?.values, moved, isSure };
}

const unknownDays: DaysOfChange = { since: undefined, noneSince: undefined };

/** The cause with the largest effect among some visits, and the visits outside it. */
async function findCause(
  rows: Visits,
  search: Search,
): Promise<{ readonly cause: Cause; readonly otherRows: Visits } | undefined> {
  const { columns, campaign, pace } = search;
  const { dimensions } = columns;
  const found = await findGroups(rows, search);
  if (!found) return undefined;
  const { outer, inner, moved, isSure } = found;
  const innerRows = inner && rowsWith(rows, ...inner);
  const outerRows = rowsWith(rows, ...outer);
  const bothRows = inner ? rowsWith(outerRows, ...inner) : outerRows;
  await pace.rest();
  // If nearly all visits of the inner group are in the outer one, it alone is the cause; but the campaign of an account is named.
  const isInnerAlone = !campaign && innerRows && bothRows.length >= minOverlap * innerRows.length;
  const causeRows = isInnerAlone ? innerRows : bothRows;
  const namedGroups = [...(isInnerAlone ? [] : outer), ...(inner ?? [])].sort(
    (one, other) => rankOf(one.dimension.name) - rankOf(other.dimension.name),
  );
  const isAlone = namedGroups.length === 1 || (campaign !== undefined && namedGroups.length === 2);
  const named = namedGroups.map(({ dimension }) => dimension);
  const alike = isAlone ? findAlike(causeRows, rows, dimensions, named) : [];
  const groups = [...namedGroups, ...alike].map(({ dimension: { name, values }, code }) => ({
    dimension: name,
    value: at(values, code),
  }));
  if (namedGroups.length === 1) groups.sort((a, b) => rankOf(a.dimension) - rankOf(b.dimension));
  await pace.rest();
  const isInCause = new Uint8Array(columns.stretches.length);
  for (const row of causeRows) isInCause[row] = 1;
  const otherRows = rowsWhere(rows, (row) => isInCause[row] === 0);
  const { before, after } = spansOf(sumRows(causeRows, columns));
  await pace.rest();
  const dates = moved[0] ? daysOfChange(moved[0], causeRows, otherRows, columns) : unknownDays;
  await pace.rest();
  const cause = {
    groups: groups.slice(0, namedGroups.length),
    alike: groups.slice(namedGroups.length),
    before,
    after,
    factors: factorEffects(before, after).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)),
    moved,
    isSure,
    ...dates,
    placement: placementOf([...namedGroups, ...alike], causeRows, otherRows, columns),
    share: moved[0] === 'visits' ? shareOfTraffic(namedGroups, rows, columns, dates.since) : undefined,
  };
  return { cause, otherRows };
}
