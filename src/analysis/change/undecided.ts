import type { Coded } from '../../api/cells.ts';
import type { Pace } from '../../api/running-call.ts';
import { mapCoded, pairCoded } from '../coded.ts';
import { at, groupBy, sum } from '../statistics/history.ts';
import { allRows, type Dimension, marksOf, type VisitColumns } from './visit-columns.ts';

/**
 * The visits as if all sales of some offers were paid alike: where later ones are pending, that fewer of them are rejected yet is no
 * cause, and would hide those that are.
 * @param offers those of whose later sales many are pending
 */
export function asIfPaid(columns: VisitColumns, offers: ReadonlySet<string>): VisitColumns {
  const offer = columns.dimensions.find(({ name }) => name === 'offer');
  if (!offer || offers.size === 0) return columns;
  const codes = new Set(offer.values.flatMap((value, code) => (value !== null && offers.has(value) ? code : [])));
  const usual = usualSales(offer, columns);
  const { conversions, revenue: booked } = columns.amounts;
  const [revenue, unpaid] = [booked.slice(), columns.unpaid.slice()];
  for (let row = 0; row < revenue.length; row += 1) {
    const code = offer.codes[row] ?? 0;
    if (unpaid[row] === 0 || !codes.has(code)) continue;
    revenue[row] = (conversions[row] ?? 0) * (usual[code] ?? 0);
    unpaid[row] = 0;
  }
  return { ...columns, amounts: { ...columns.amounts, revenue }, unpaid };
}

/** What a paid sale of each value brought. */
function usualSales(dimension: Dimension, columns: VisitColumns): readonly number[] {
  const { conversions, revenue } = columns.amounts;
  const [sales, paid] = [dimension.values.map(() => 0), dimension.values.map(() => 0)];
  for (const row of allRows(columns)) {
    const code = dimension.codes[row] ?? 0;
    if (columns.unpaid[row] === 1) continue;
    sales[code] = (sales[code] ?? 0) + (conversions[row] ?? 0);
    paid[code] = (paid[code] ?? 0) + (revenue[row] ?? 0);
  }
  return paid.map((amount, code) => amount / Math.max(sales[code] ?? 0, 1));
}

/** What the visits of a day will probably still sell of an offer. */
export interface SalesToCome {
  readonly day: string;
  readonly offer: string;
  /** As visits name it; undefined if all are of one. */
  readonly campaign: string | undefined;
  readonly count: number;
  readonly revenue: number;
}

/** Visits of an offer that clicked. */
interface ClicksOfOffer {
  clicks: number;
  sales: number;
  /** Those that may still sell. */
  readonly unsold: number[];
}

/** Sales to come hide causes, or look like one, where they are at least this part of a day's. */
const minToCome = 0.25;

/** Where so many sales were due since the last one, an offer sells nothing and none are to come: by chance in 1 of 160,000 cases. */
const minDue = 12;

/**
 * The visits as if the sales to come had come, where many are: as whole sales, since parts of them would scatter less, and far from each
 * other, so that no other value has them. Without them, a network that reports late seems to sell less on the last days. With them, an
 * offer sells at most as it did before: what may come is no rise. Nothing comes of one that surely sells nothing.
 * @returns also the sales of each day that are left out since they are few
 */
export async function asIfAllCame(columns: VisitColumns, toCome: readonly SalesToCome[], pace: Pace) {
  const { earlier, days } = await clicksOfOffers(columns, toCome, pace);
  await pace.rest();
  const isAdded = toCome.map(({ count }, place) => {
    const { sales, unsold } = at(days, place);
    return unsold.length > 0 && count >= minToCome * (sales + count);
  });
  const left = (day: string) => sum(toCome.map((one, place) => (isAdded[place] || one.day !== day ? 0 : one.count)));
  if (!isAdded.includes(true)) return { columns, left };
  const [conversions, revenue] = [columns.amounts.conversions.slice(), columns.amounts.revenue.slice()];
  const late = toCome.map((one, place) => ({ ...one, ...at(days, place), isAdded: isAdded[place] }));
  for (const [name, ofDays] of groupBy(late, nameOfSold)) {
    const usual = earlier.get(name);
    if (usual && dueSinceLast(ofDays, usual) >= minDue) continue;
    const own = ofDays.filter((one) => one.isAdded);
    const all = (of: 'clicks' | 'sales' | 'count') => sum(own.map((one) => one[of]));
    const room = usual?.clicks
      ? Math.max((all('clicks') * usual.sales) / usual.clicks - all('sales'), 0)
      : all('count');
    // What is less than a sale on one day is kept for the next.
    let kept = 0;
    for (const { count, revenue: money, unsold } of own) {
      const wanted = count * Math.min(room / all('count'), 1) + kept;
      const sales = Math.min(Math.round(wanted), unsold.length);
      kept = wanted - sales;
      for (let sale = 0; sale < sales; sale += 1) {
        const row = at(unsold, Math.floor(((sale + 0.5) * unsold.length) / sales));
        conversions[row] = 1;
        revenue[row] = money / count;
      }
    }
  }
  const amounts = { ...columns.amounts, conversions, revenue };
  await pace.rest();
  return { columns: { ...columns, amounts, marks: marksOf(amounts, columns.stretches) }, left };
}

/** The sales of an offer that should have come in since its last one. @param days in their order */
function dueSinceLast(
  days: readonly (Pick<ClicksOfOffer, 'clicks' | 'sales'> & Pick<SalesToCome, 'count'>)[],
  earlier: ClicksOfOffer,
): number {
  const last = days.findLastIndex(({ sales }) => sales > 0);
  return sum(days.slice(last + 1).map(({ clicks, count }) => (clicks * earlier.sales) / earlier.clicks - count));
}

/** The visits that clicked, by offer: the earlier ones, and those of each day that has sales to come. */
async function clicksOfOffers(columns: VisitColumns, toCome: readonly SalesToCome[], pace: Pace) {
  const none = (): ClicksOfOffer => ({ clicks: 0, sales: 0, unsold: [] });
  const days = toCome.map(none);
  const offers = offersNamedAs(toCome, columns);
  await pace.rest();
  const byName = new Map(offers?.values.map((name) => [name, { earlier: none(), days: [] as ClicksOfOffer[] }]));
  for (const [place, { day, ...of }] of toCome.entries()) {
    const own = byName.get(nameOfSold(of));
    if (own) own.days[columns.days.indexOf(day)] = at(days, place);
  }
  if (offers)
    countClicks(
      columns,
      mapCoded(offers, (name) => byName.get(name)),
    );
  return { earlier: new Map([...byName].map(([name, { earlier }]) => [name, earlier])), days };
}

/** Only the loop: what it is in would be compiled again in each call. */
function countClicks(
  { listed, amounts, stretches, dayCodes }: VisitColumns,
  { codes, values }: Coded<{ readonly earlier: ClicksOfOffer; readonly days: readonly ClicksOfOffer[] } | undefined>,
): void {
  const { clicks, conversions } = amounts;
  for (let place = 0; place < listed.length; place += 1) {
    const row = listed[place] ?? 0;
    const [clicked, sales] = [clicks[row] ?? 0, conversions[row] ?? 0];
    if (clicked === 0) continue;
    const isEarlier = stretches[row] === 0;
    const offer = values[codes[row] ?? 0];
    const own = isEarlier ? offer?.earlier : offer?.days[dayCodes[row] ?? 0];
    if (!own) continue;
    own.clicks += clicked;
    own.sales += sales;
    if (!isEarlier && sales === 0) own.unsold.push(row);
  }
}

/** The offer of sales, in its campaign if that is known. */
const nameOfSold = ({ offer, campaign }: Pick<SalesToCome, 'offer' | 'campaign'>) =>
  JSON.stringify([offer, campaign ?? null]);

/** The offers of visits, named as those of sales to come; undefined if there are none, or visits have no offers. */
function offersNamedAs(toCome: readonly SalesToCome[], { dimensions }: VisitColumns): Coded<string> | undefined {
  const [offers, campaigns] = ['offer', 'campaign'].map((name) => dimensions.find((one) => one.name === name));
  if (!offers || toCome.length === 0) return undefined;
  const nameOf = (offer: string | null, campaign?: string | null) =>
    nameOfSold({ offer: offer ?? '', campaign: campaign ?? undefined });
  return campaigns && toCome.some(({ campaign }) => campaign !== undefined)
    ? pairCoded(offers, campaigns, nameOf)
    : mapCoded(offers, (offer) => nameOf(offer));
}
