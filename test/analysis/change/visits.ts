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

/** The same visits as they are gathered from a list, in one loop over the rows: tests gather millions of visits. */
export function gathered({ dimensions, rows }: SpanVisits): Promise<VisitColumns> {
  const amounts = () => new Float64Array(rows.length);
  const [clicks, conversions, cost, revenue] = [amounts(), amounts(), amounts(), amounts()];
  const days = new Coding<string>(rows.length);
  const readings = dimensions.map(() => new Coding<string | null>(rows.length));
  let row = 0;
  for (const visit of rows) {
    clicks[row] = visit.clicks;
    conversions[row] = visit.conversions;
    cost[row] = visit.cost;
    revenue[row] = visit.revenue;
    days.code(row, visit.day);
    let index = 0;
    for (const reading of readings) {
      reading.code(row, visit.values[index] ?? null);
      index += 1;
    }
    row += 1;
  }
  const list = {
    rows: Uint32Array.from({ length: rows.length }, (_, row) => row),
    isAfter: Uint8Array.from(rows, (row) => Number(row.isAfter)),
    days: days.coded(),
    readings: readings.map((reading) => reading.coded()),
    amounts: {
      ...{ clicks, conversions, cost, revenue },
      held: { of: (row: number) => (rows[row]?.isRejected ? [rejected] : []) },
    },
  };
  return gatherVisits(dimensions, [list]);
}

/** Cells as codes, in the order of their first rows. */
class Coding<Value> {
  readonly #codes: Uint32Array;
  readonly #codeByValue = new Map<Value, number>();

  constructor(rows: number) {
    this.#codes = new Uint32Array(rows);
  }

  code(row: number, value: Value): void {
    let code = this.#codeByValue.get(value);
    if (code === undefined) {
      code = this.#codeByValue.size;
      this.#codeByValue.set(value, code);
    }
    this.#codes[row] = code;
  }

  coded(): Coded<Value> {
    return { codes: this.#codes, values: [...this.#codeByValue.keys()] };
  }
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
  readonly values: readonly string[];
  readonly weights: readonly number[];
  readonly total: number;
}

/** Made once for many draws: simulations draw millions of times. */
function weighted(weightByValue: Readonly<Record<string, number>>): Weighted {
  const entries = Object.entries(weightByValue).filter(([, weight]) => weight > 0);
  return {
    values: entries.map(([value]) => value),
    weights: entries.map(([, weight]) => weight),
    total: entries.reduce((sum, [, weight]) => sum + weight, 0),
  };
}

/** As `pickWeighted` picks, which adds up the weights each time. */
function pick({ values, weights, total }: Weighted, random: Random): string {
  let rest = random() * total;
  let last = '';
  for (let index = 0; index < values.length; index += 1) {
    last = values[index] ?? '';
    rest -= weights[index] ?? 0;
    if (rest < 0) break;
  }
  return last;
}

/** 14 days of visits, with a trouble that begins on the tenth or another day. */
export function simulateVisits(trouble: Partial<Rates>, seed: number, usual: Rates = quiet, first = 9): SpanVisits {
  const random = seededRandom(seed);
  const rows: SpanVisit[] = [];
  const [before, since] = [mixOf(usual), mixOf({ ...usual, ...trouble })];
  for (const [index, day] of days.entries()) {
    const mix = index >= first ? since : before;
    const count = Math.round(mix.rates.visits * (0.85 + 0.3 * random()));
    for (let visit = 0; visit < count; visit += 1) rows.push(simulateVisit(mix, random, day, index >= 7));
  }
  return { dimensions: ['landing_page', 'offer', 'country', 'device', 'os', 'keyword', 'isp', 'hour', 'path'], rows };
}

interface Mix {
  readonly rates: Rates;
  readonly pages: Weighted;
  readonly countries: Weighted;
  readonly keywords: Weighted;
}

function mixOf(rates: Rates): Mix {
  const { pages, countries, keywords } = rates;
  return { rates, pages: weighted(pages), countries: weighted(countries), keywords: weighted(keywords) };
}

const devices = weighted({ Phone: 60, Desktop: 40 });
const systemsOfPhones = weighted({ iOS: 50, Android: 50 });
const systemsOfDesktops = weighted({ Windows: 80, macOS: 20 });
const providers = weighted({ Comcast: 40, ATT: 30, Vodafone: 20, Amazon: 10 });
const offers = weighted({ Cash: 50, Gift: 50 });
const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

function simulateVisit(mix: Mix, random: Random, day: string, isAfter: boolean): SpanVisit {
  const { rates, pages, countries, keywords } = mix;
  const device = pick(devices, random);
  const page = pick(pages, random);
  const country = pick(countries, random);
  const os = pick(device === 'Phone' ? systemsOfPhones : systemsOfDesktops, random);
  const keyword = pick(keywords, random);
  const isp = pick(providers, random);
  const visit: Traits = { page, country, device, os, keyword, isp };
  const hasClicked = random() < rates.clickRate(visit);
  const offer = hasClicked ? pick(offers, random) : null;
  const hasSold = offer !== null && random() < rates.saleRate({ page, country, device, os, keyword, isp, offer });
  const conversions = hasSold ? rates.countOf(offer) : 0;
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

/** The visits as a tracker lists them, the latest first. `end` is the end of the last day. */
export function listVisits({ dimensions, rows }: SpanVisits, campaign: string, end: number) {
  const indexOf = (name: string) => dimensions.indexOf(name);
  const [page, offer, keyword, isp] = [indexOf('landing_page'), indexOf('offer'), indexOf('keyword'), indexOf('isp')];
  const [device, os, country, hour] = [indexOf('device'), indexOf('os'), indexOf('country'), indexOf('hour')];
  const hoursBefore = new Map(days.map((day, index) => [day, (days.length - index) * 24]));
  const dates = new Map<number, string>();
  const dateAt = (hours: number) => {
    const known = dates.get(hours);
    if (known !== undefined) return known;
    const date = new Date(end - (hours - 0.5) * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    dates.set(hours, date);
    return date;
  };
  return rows
    .map(({ day, values, clicks, conversions, cost, revenue }, index) => ({
      Date: dateAt((hoursBefore.get(day) ?? 0) - Number(values[hour] ?? '')),
      SubID: `a_${campaign}_${index + 1}`,
      CampaignID: campaign,
      LandingPage: values[page] ?? '',
      Offer: values[offer] ?? '',
      Keyword: values[keyword] ?? '',
      ISP: values[isp] ?? '',
      Device: values[device] ?? '',
      OS: values[os] ?? '',
      Country: values[country] ?? '',
      Clicked: String(clicks),
      Converted: String(conversions),
      Cost: String(cost),
      Revenue: String(revenue),
    }))
    .sort((a, b) => (a.Date < b.Date ? 1 : -1));
}
