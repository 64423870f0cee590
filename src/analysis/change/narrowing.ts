import type { PayoutChange } from '../../answer/change-notes.ts';
import { dimensionsOfClicks, isOfSales, minOverlap, missingCampaign, widened } from './alike.ts';
import type { Range } from './days-of-change.ts';
import { type Factor, factorEffects } from './factors.ts';
import { outerGroupings } from './groupings.ts';
import { inRange, longerBy1 } from './hours.ts';
import { newcomersIn } from './newcomers.ts';
import { isOfPayout } from './sales.ts';
import {
  better,
  type FoundGroups,
  findGroup,
  findStanding,
  findWithinCampaigns,
  isLarge,
  minSure,
  namesOf,
  type Search,
  sizeOfMove,
} from './search.ts';
import { spansOf, sumRows } from './sums.ts';
import { rowsWith, type Value, type VisitColumns, type Visits } from './visit-columns.ts';

/** Two groups are named together if the visits in both carry this part of the first one's change, and less if the inner is sure. */
const minWithin = 0.8;

export async function findGroups(rows: Visits, search: Search): Promise<FoundGroups | undefined> {
  const found = await findFitting(rows, search);
  if (!found) return undefined;
  const named = plainest(withCampaign(found, rows, search), rows, search);
  const came = newcomersIn(named, rows, search);
  return came ? withCampaign(came, rows, search) : ofAllHours(named, rows, search);
}

/** With the campaign of an account that nearly all of its visits are from. */
function withCampaign(found: FoundGroups, rows: Visits, { campaign }: Search): FoundGroups {
  const missing = missingCampaign(found.values, rowsWith(rows, ...found.values), campaign);
  return missing ? { ...found, values: [missing, ...found.values] } : found;
}

/** Visits with one value less are told in place of others if they moved by nearly as many standard deviations. */
const minOfNarrow = 0.9;

/** A part that moved by fewer standard deviations than this against the others of its campaign did what these did. */
const minAgainstOthers = 2;

/** A group without the values that its change does not need: more of the visits did the same. */
function plainest(found: FoundGroups, rows: Visits, search: Search): FoundGroups {
  const { columns, campaign } = search;
  const [factor] = found.moved;
  const own = found.values.filter(({ dimension }) => dimension === campaign);
  // What sales show to be of one country is of no other.
  const isNeeded = ({ dimension: { name } }: Value) => name === 'offer' || name === 'country';
  if (payoutOf(found, search)?.country !== undefined)
    return { ...found, values: [...own, ...found.values.filter(isNeeded)] };
  const ownRows = rowsWith(rows, ...own);
  const sizeOf = (values: readonly Value[]) => (factor ? sizeOfMove(factor, values, ownRows, columns) : 0);
  let values = found.values.filter((value) => !own.includes(value));
  while (values.length > 1) {
    const size = sizeOf(values);
    const [wider] = values
      .map((value) => values.filter((other) => other !== value))
      .map((some) => ({ values: some, size: sizeOf(some) }))
      .sort((one, other) => other.size - one.size);
    if (!wider || wider.size < minOfNarrow * size) break;
    values = wider.values;
  }
  const isOfCampaign =
    factor !== undefined &&
    !payoutOf(found, search) &&
    own.length > 0 &&
    values.length === 1 &&
    sizeOf(values) < minAgainstOthers &&
    sizeOfMove(factor, own, rows, columns) >= minOfNarrow * sizeOfMove(factor, [...own, ...values], rows, columns);
  return { ...found, values: isOfCampaign ? own : [...own, ...values] };
}

/** An hour that did the same adds to what shows the move: at least this part of what as many of them as there are would add. */
const minAdded = 0.3;

/** A group of one hour with the hours around it that did the same: a page that is down at night is so in each of its hours. */
function ofAllHours(found: FoundGroups, rows: Visits, { columns, campaign }: Search): FoundGroups {
  const [factor] = found.moved;
  const single = found.values.find(
    ({ dimension }) => columns.dimensions.includes(dimension) && dimension.name === 'hour',
  );
  const hour = Number(single?.dimension.values[single.code] ?? Number.NaN);
  if (!found.isSure || !factor || !single || !(hour >= 0 && hour < 24)) return found;
  const own = found.values.filter(({ dimension }) => dimension === campaign);
  const ownRows = rowsWith(rows, ...own);
  const others = found.values.filter((value) => value !== single && !own.includes(value));
  const ofRange = (range: Range) => {
    const value = { dimension: inRange(single.dimension, range), code: 1 };
    return { range, value, size: sizeOfMove(factor, [...others, value], ownRows, columns) };
  };
  let best = ofRange([hour, hour]);
  for (;;) {
    const [longer] = longerBy1(best.range)
      .map(ofRange)
      .sort((one, other) => other.size - one.size);
    const hours = best.range[1] - best.range[0] + 1;
    if (!longer || longer.size < best.size * (1 + minAdded * (Math.sqrt((hours + 1) / hours) - 1))) break;
    best = longer;
  }
  return best.range[0] === best.range[1] ? found : { ...found, values: [...own, ...others, best.value] };
}

/**
 * Against the other visits of a group, the money of a part is less than what it carries of that group's change, and far less where these
 * moved the same way by chance on the days before.
 */
const minOfOuter = 0.1;

async function findFitting(rows: Visits, search: Search): Promise<FoundGroups | undefined> {
  const { campaign, columns } = search;
  const { dimensions } = columns;
  const standing = campaign
    ? await findGroup(rows, outerGroupings(dimensions, campaign), search)
    : await findStanding(rows, search, dimensions);
  const outer = standing && widened(standing, rows, campaign);
  // What moves little may stand before what moved more within a campaign.
  await search.pace.rest();
  const isFirst = outer?.isSure && isLarge(outer.money, rows, search);
  const within = campaign && !isFirst ? await findWithinCampaigns(rows, search, campaign) : undefined;
  if (!within || better(outer, within.inner) !== within.inner) return outer && narrowed(outer, rows, search);
  if (payoutOf(within.inner, search)) return within.inner;
  const inner = await narrowed(within.inner, rowsWith(rows, within.outer), searchWithin(search));
  return { ...inner, values: [within.outer, ...inner.values] };
}

/** A cause, or the part of its visits that carries it. */
async function narrowed(outer: FoundGroups, rows: Visits, search: Search): Promise<FoundGroups> {
  const { campaign, columns } = search;
  const money = Math.abs(outer.money);
  const own = outer.values.find(({ dimension }) => dimension === campaign);
  const alone = own && (await findAlone(own, rows, search));
  if (own && alone?.isSure && alone.money / outer.money >= (alone.moved[0] === outer.moved[0] ? minSure : minWithin))
    return { ...alone, values: [own, ...alone.values] };
  const traits = columns.dimensions.filter(
    ({ name }) =>
      !outer.values.some(({ dimension }) => dimension.name === name) &&
      (isOfSales(outer.moved) || !dimensionsOfClicks.has(name)),
  );
  // Sales that count twice do so for all, and scatter twice as far.
  if (countOf(outer, search)) return campaign && !own ? widened(outer, rows, campaign) : outer;
  const outerRows = rowsWith(rows, ...outer.values);
  const inner = await findStanding(outerRows, search, traits, { minMoney: minOfOuter * money });
  if (!inner || inner.isGuess) return outer;
  const carried = carriedBy(inner, outer, outerRows, columns);
  // What is sure stays so: a part of it that may be chance says less. Of what may be chance, a part that differs may be as well.
  if (inner.isSure ? carried < minSure : outer.isSure || Math.abs(inner.money) < minWithin * money) return outer;
  const innerRows = rowsWith(rows, ...inner.values);
  // If nearly all visits of the inner group are in the outer one, it alone is the cause; but the campaign of an account is named.
  const isInnerAlone = !campaign && rowsWith(innerRows, ...outer.values).length >= minOverlap * innerRows.length;
  const isSure = outer.isSure && inner.isSure;
  const values = isInnerAlone ? inner.values : [...outer.values, ...inner.values];
  const all = { ...inner, isSure, values };
  const narrower = campaign && !own ? all : plainest(all, rows, search);
  const isNew = narrower.values.some((value) => !outer.values.includes(value));
  if (!isNew) return outer;
  // Of an account, until its campaign is named, and what of it; of others, until no part carries it.
  const isInPlace = narrower.values.length <= outer.values.length;
  if (!isInPlace && (!campaign || (own && outer.values.length > 1))) return narrower;
  return narrowed(campaign && !own ? widened(narrower, rows, campaign) : narrower, rows, search);
}

/** How sales count otherwise, if they do in a group that sells more or less. */
export const countOf = ({ moved, values }: FoundGroups, { counted }: Search): PayoutChange | undefined =>
  moved[0] === 'sales_per_click' ? counted.find((one) => isOfPayout(one, namesOf(values))) : undefined;

/** The other amount that an offer pays in each campaign that has it, or in one, or in a country. */
const payoutOf = ({ moved, values }: FoundGroups, { payouts }: Search): PayoutChange | undefined =>
  moved[0] === 'revenue_per_sale' ? payouts.find((one) => isOfPayout(one, namesOf(values))) : undefined;

/** The part of a group's change that is that of some of its visits: of the same factor, or of money. */
function carriedBy(inner: FoundGroups, outer: FoundGroups, outerRows: Visits, columns: VisitColumns): number {
  const ofMoney = Math.abs(inner.money / outer.money);
  // A payout that sales show is taken for sure in each part of its offer, so that parts need their own difference.
  if (inner.moved[0] !== outer.moved[0] || outer.moved[0] === 'revenue_per_sale') return ofMoney;
  const effectOf = (rows: Visits) => effectOn(outer.moved[0], rows, columns);
  return Math.max(effectOf(rowsWith(outerRows, ...inner.values)) / effectOf(outerRows), ofMoney);
}

/** What a factor changed in the profit of some visits. */
function effectOn(wanted: Factor | undefined, rows: Visits, columns: VisitColumns): number {
  const { before, after } = spansOf(sumRows(rows, columns));
  return factorEffects(before, after).find(({ factor }) => factor === wanted)?.effect ?? 0;
}

/** What a campaign of an account did is what it is said to have done when it is asked about alone. */
export async function findAlone(campaign: Value, rows: Visits, search: Search): Promise<FoundGroups | undefined> {
  return findGroups(rowsWith(rows, campaign), searchWithin(search));
}

/** The same search among the visits of one campaign. */
function searchWithin(search: Search): Search {
  const dimensions = search.columns.dimensions.filter((dimension) => dimension !== search.campaign);
  return { ...search, columns: { ...search.columns, dimensions }, campaign: undefined };
}
