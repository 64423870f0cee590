import { type CampaignHistory, offerInCountry } from '../../../src/analysis/account-review.ts';
import { gatherVisits, type VisitColumns } from '../../../src/analysis/profit-change.ts';
import type { GroupFigures } from '../../../src/analysis/visit-groups.ts';
import type { Coded } from '../../../src/api/cells.ts';
import { type Random, seededRandom } from '../../../src/sandbox/rotation/random.ts';

/** The visits of two spans, one row each, with their values in the order of the dimensions. */
export interface SpanVisits {
  readonly dimensions: readonly string[];
  readonly rows: readonly SpanVisit[];
}

/** A visit with its values, null if empty, and its figures. */
export interface ListedVisit extends Readonly<Omit<GroupFigures, 'views'>> {
  readonly values: readonly (string | null)[];
}

/** Adds a visit to a history that has the dimensions of its values. */
export function addListed(
  history: CampaignHistory,
  visit: ListedVisit & { readonly age: number; readonly soldAge?: number },
): void {
  const { values, age, soldAge, clicks, conversions, cost, revenue } = visit;
  const columns = { age: [age], clicks: [clicks], conversions: [conversions], cost: [cost], revenue: [revenue] };
  history.add(columns, 0);
  const sold: Record<string, string | null> = {};
  let index = 0;
  for (const dimension of history.groups.keys()) {
    const value = values[index] ?? null;
    if (value !== null) history.historyOf(dimension, value).add(columns, 0);
    sold[dimension] = value;
    index += 1;
  }
  const { offer = null, [offerInCountry.name]: pair } = sold;
  if (conversions > 0) history.sales.push({ age, soldAge, conversions, revenue, offer, offerInCountry: pair });
}

const rejected = { standing: 'rejected', word: 'rejected', network: null, amount: 1, counted: 0, age: 0 } as const;

export interface SpanVisit extends ListedVisit {
  /** Whether its sale is rejected. */
  readonly isRejected?: boolean;
  readonly isAfter: boolean;
  readonly day: string;
}

/** The same visits as they are gathered from a list. Its loops call nothing: tests gather millions of visits. */
export function gathered({ dimensions, rows }: SpanVisits): Promise<VisitColumns> {
  const amountsOf = (measure: 'clicks' | 'conversions' | 'cost' | 'revenue') => {
    const amounts = new Float64Array(rows.length);
    for (let row = 0; row < amounts.length; row += 1) amounts[row] = rows[row]?.[measure] ?? 0;
    return amounts;
  };
  const list = {
    rows: Uint32Array.from({ length: rows.length }, (_, row) => row),
    isAfter: Uint8Array.from(rows, (row) => Number(row.isAfter)),
    days: codedAsListed(rows.map(({ day }) => day)),
    readings: dimensions.map((_, index) => codedAsListed(rows.map(({ values }) => values[index] ?? null))),
    amounts: {
      ...{ clicks: amountsOf('clicks'), conversions: amountsOf('conversions') },
      ...{ cost: amountsOf('cost'), revenue: amountsOf('revenue') },
      held: { of: (row: number) => (rows[row]?.isRejected ? [rejected] : []) },
    },
  };
  return gatherVisits(dimensions, [list]);
}

function codedAsListed<Value>(cells: readonly Value[]): Coded<Value> {
  const codes = new Uint32Array(cells.length);
  const codeByValue = new Map<Value, number>();
  let row = 0;
  for (const cell of cells) {
    const code = codeByValue.get(cell) ?? codeByValue.size;
    if (code === codeByValue.size) codeByValue.set(cell, code);
    codes[row] = code;
    row += 1;
  }
  return { codes, values: [...codeByValue.keys()] };
}

/** A visit depends on these. A trouble changes some of it on the tenth of 14 days; the later span begins on the eighth. */
export interface Rates {
  pages: Record<string, number>;
  countries: Record<string, number>;
  keywords: Record<string, number>;
  visits: number;
  cost: (visit: Traits) => number;
  clickRate: (visit: Traits) => number;
  saleRate: (visit: Traits & { offer: string }) => number;
  payout: (offer: string, country?: string) => number;
  /** How often each sale is counted. */
  countOf: (offer: string) => number;
}

export interface Traits {
  readonly page: string;
  readonly country: string;
  readonly device: string;
  readonly os: string;
  readonly keyword: string;
  readonly isp: string;
}

export const days = Array.from({ length: 14 }, (_, day) => `2026-11-${String(day + 2).padStart(2, '0')}`);

export const quiet: Rates = {
  pages: { Quiz: 40, Story: 30, Video: 30 },
  countries: { US: 50, GB: 20, DE: 15, FR: 15 },
  keywords: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`site${index}`, 10 - index * 0.4])),
  visits: 1200,
  cost: () => 0.05,
  clickRate: () => 0.3,
  saleRate: () => 0.12,
  payout: (offer) => (offer === 'Cash' ? 3 : 2.5),
  countOf: () => 1,
};

interface Weighted {
  readonly entries: readonly (readonly [value: string, weight: number])[];
  readonly total: number;
}

/** Of weights that were drawn by before: simulations draw millions of times. */
const known = new WeakMap<Record<string, number>, Weighted>();

function weightedIn(weights: Record<string, number>): Weighted {
  const entries = Object.entries(weights).filter(([, weight]) => weight > 0);
  const weighted = { entries, total: entries.reduce((sum, [, weight]) => sum + weight, 0) };
  known.set(weights, weighted);
  return weighted;
}

/** As `pickWeighted` picks, which adds up the weights each time. */
function pick(weights: Record<string, number>, random: Random): string {
  const { entries, total } = known.get(weights) ?? weightedIn(weights);
  let rest = random() * total;
  let last = '';
  for (const [value, weight] of entries) {
    last = value;
    rest -= weight;
    if (rest < 0) break;
  }
  return last;
}

/** 14 days of visits, with a trouble that begins on the tenth or another day. */
export function simulateVisits(trouble: Partial<Rates>, seed: number, usual: Rates = quiet, first = 9): SpanVisits {
  const random = seededRandom(seed);
  const rows = days.flatMap((day, index): SpanVisit[] => {
    const rates = index >= first ? { ...usual, ...trouble } : usual;
    const count = Math.round(rates.visits * (0.85 + 0.3 * random()));
    return Array.from({ length: count }, () => simulateVisit(rates, random, day, index >= 7));
  });
  return { dimensions: ['landing_page', 'offer', 'country', 'device', 'os', 'keyword', 'isp', 'hour', 'path'], rows };
}

const devices = { Phone: 60, Desktop: 40 };
const [systemsOfPhones, systemsOfDesktops] = [
  { iOS: 50, Android: 50 },
  { Windows: 80, macOS: 20 },
];
const providers = { Comcast: 40, ATT: 30, Vodafone: 20, Amazon: 10 };
const offers = { Cash: 50, Gift: 50 };
const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

function simulateVisit(rates: Rates, random: Random, day: string, isAfter: boolean): SpanVisit {
  const device = pick(devices, random);
  const visit: Traits = {
    page: pick(rates.pages, random),
    country: pick(rates.countries, random),
    device,
    os: pick(device === 'Phone' ? systemsOfPhones : systemsOfDesktops, random),
    keyword: pick(rates.keywords, random),
    isp: pick(providers, random),
  };
  const hasClicked = random() < rates.clickRate(visit);
  const offer = hasClicked ? pick(offers, random) : null;
  const hasSold = offer !== null && random() < rates.saleRate({ ...visit, offer });
  const conversions = hasSold ? rates.countOf(offer) : 0;
  const { page, country, os, keyword, isp } = visit;
  const hour = hours[Math.floor(random() * 24)] ?? '';
  return {
    day,
    isAfter,
    values: [page, offer, country, device, os, keyword, isp, hour, page === 'Video' ? '2' : '1'],
    clicks: Number(hasClicked),
    conversions,
    cost: rates.cost(visit),
    revenue: hasSold ? rates.payout(offer, country) * conversions : 0,
  };
}

const columns = {
  LandingPage: 'landing_page',
  Offer: 'offer',
  Keyword: 'keyword',
  ISP: 'isp',
  Device: 'device',
  OS: 'os',
  Country: 'country',
};

/** The visits as a tracker lists them, the latest first. `end` is the end of the last day. */
export function listVisits({ dimensions, rows }: SpanVisits, campaign: string, end: number) {
  const cellOf = ({ values }: SpanVisit, name: string) => values[dimensions.indexOf(name)] ?? '';
  return rows
    .map((row) => {
      const hours = (days.length - days.indexOf(row.day)) * 24 - Number(cellOf(row, 'hour'));
      const cells = Object.entries(columns).map(([column, name]) => [column, cellOf(row, name)]);
      return {
        Date: new Date(end - (hours - 0.5) * 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
        SubID: `a_${campaign}_1`,
        CampaignID: campaign,
        ...Object.fromEntries(cells),
        Clicked: String(row.clicks),
        Converted: String(row.conversions),
        Cost: String(row.cost),
        Revenue: String(row.revenue),
      };
    })
    .sort((a, b) => (a.Date < b.Date ? 1 : -1));
}
