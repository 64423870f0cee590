import { at, sum } from '../statistics/history.ts';
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
  const revenue = booked.slice();
  for (let row = 0; row < revenue.length; row += 1) {
    const code = offer.codes[row] ?? 0;
    if (columns.unpaid[row] === 1 && codes.has(code)) revenue[row] = (conversions[row] ?? 0) * (usual[code] ?? 0);
  }
  return { ...columns, amounts: { ...columns.amounts, revenue } };
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

/** Sales to come hide causes, or look like one, where they are at least this part of a day's. */
const minToCome = 0.25;

/**
 * The visits as if the sales to come had come, where many are: as whole sales, since parts of them would scatter less, and far from each
 * other, so that no other value has them. Without them, a network that reports late seems to sell less on the last days.
 * @returns also the sales of each day that are left out since they are few
 */
export function asIfAllCame(columns: VisitColumns, toCome: readonly SalesToCome[]) {
  const { unsold, sold } = clicksToSell(columns, toCome);
  const isAdded = toCome.map(
    ({ count }, place) => at(unsold, place).length > 0 && count >= minToCome * (at(sold, place) + count),
  );
  const left = (day: string) => sum(toCome.map((one, place) => (isAdded[place] || one.day !== day ? 0 : one.count)));
  if (!isAdded.includes(true)) return { columns, left };
  const [conversions, revenue] = [columns.amounts.conversions.slice(), columns.amounts.revenue.slice()];
  // What is less than a sale on one day is kept for the next.
  const kept = new Map<string, number>();
  for (const [place, { offer, campaign, count, revenue: money }] of toCome.entries()) {
    if (!isAdded[place]) continue;
    const [rows, of] = [at(unsold, place), JSON.stringify([offer, campaign])];
    const wanted = count + (kept.get(of) ?? 0);
    const sales = Math.min(Math.round(wanted), rows.length);
    kept.set(of, wanted - sales);
    for (let sale = 0; sale < sales; sale += 1) {
      const row = at(rows, Math.floor(((sale + 0.5) * rows.length) / sales));
      conversions[row] = 1;
      revenue[row] = money / count;
    }
  }
  const amounts = { ...columns.amounts, conversions, revenue };
  return { columns: { ...columns, amounts, marks: marksOf(amounts, columns.stretches) }, left };
}

/** The later visits that clicked, by what they may sell: those that sold nothing yet, and the sales of the others. */
function clicksToSell(columns: VisitColumns, toCome: readonly SalesToCome[]) {
  const [offers, campaigns] = ['offer', 'campaign'].map((name) => columns.dimensions.find((one) => one.name === name));
  const [unsold, sold] = [toCome.map(() => [] as number[]), toCome.map(() => 0)];
  if (!offers || toCome.length === 0) return { unsold, sold };
  const { stretches, dayCodes } = columns;
  const rows = allRows(columns);
  const { clicks, conversions } = columns.amounts;
  const places = placesOf(columns.days, offers, campaigns, toCome);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    if (stretches[row] === 0 || (clicks[row] ?? 0) === 0) continue;
    const place = places(dayCodes[row] ?? 0, offers.codes[row] ?? 0, campaigns?.codes[row] ?? 0);
    if (place === undefined) continue;
    if (conversions[row] === 0) unsold[place]?.push(row);
    else sold[place] = at(sold, place) + (conversions[row] ?? 0);
  }
  return { unsold, sold };
}

/** Finds the place of what a day, an offer and a campaign will sell, by their codes. */
function placesOf(
  days: readonly string[],
  offers: Dimension,
  campaigns: Dimension | undefined,
  toCome: readonly SalesToCome[],
) {
  const names = (one: Omit<SalesToCome, 'count' | 'revenue'>) => JSON.stringify([one.day, one.offer, one.campaign]);
  const byNames = new Map(toCome.map((one, place) => [names(one), place]));
  const ofCampaigns = toCome.some(({ campaign }) => campaign !== undefined);
  const byCodes = new Map<number, number | undefined>();
  return (day: number, offer: number, campaign: number): number | undefined => {
    const code = (day * offers.values.length + offer) * (campaigns?.values.length ?? 1) + campaign;
    if (!byCodes.has(code)) {
      const name = ofCampaigns ? (campaigns?.values[campaign] ?? undefined) : undefined;
      byCodes.set(
        code,
        byNames.get(names({ day: days[day] ?? '', offer: offers.values[offer] ?? '', campaign: name })),
      );
    }
    return byCodes.get(code);
  };
}
