import type { Coded } from '../api/cells.ts';
import type { Pace } from '../api/running-call.ts';
import type { Table } from '../api/table.ts';
import { mapCoded, pairCoded, sameInAll } from './coded.ts';
import { addSamples, type PageSample } from './effects.ts';
import type { PlacedPage } from './page-rows.ts';
import { booked, type Money } from './sale-status.ts';
import { sum } from './statistics/history.ts';
import { movesIn } from './statistics/moved-shares.ts';
import { type Reading, readerOf } from './visit-dimensions.ts';
import { amountsIn, readFigures, VisitGroups } from './visit-groups.ts';

/** `all`: the visits of a campaign, whichever page they saw. `through`: those of an offer by the landing page before it, if any. */
export type SeenKind = PlacedPage['kind'] | 'all' | 'through';

/** The name of an offer with the landing page that led to it; without one, its visitors came directly. */
export const through = (landing: string | null, offer: string): string => JSON.stringify([landing, offer]);

export interface ReportedPage {
  readonly kind: SeenKind;
  readonly name: string;
  readonly views: number;
}

/** The part of a report's views that a list must have. */
const minListed = 0.9;

const readPages = {
  landing: readerOf('landing_page'),
  offer: readerOf('offer'),
  all: (table: Table) => readDays(table) && mapCoded(readDays(table) as Coded<unknown>, () => ''),
  through: (table: Table) => {
    const [landing, offer] = [readPages.landing(table), readPages.offer(table)];
    const nameOf = (before: string | null | undefined, name: string | null | undefined) =>
      name == null ? null : through(before ?? null, name);
    return landing && offer && pairCoded(landing, offer, nameOf);
  },
} as const;
const readDays = readerOf('day');

/** What visits earned, by campaign, page and day of the visit. A page is known by its name: lists of visits have no more. */
export class PageDays {
  readonly #visits = new VisitGroups();
  readonly #isPaired: (campaign: string) => boolean;

  /** @param isPaired whether `through` is counted in a campaign */
  constructor(isPaired: (campaign: string) => boolean = () => false) {
    this.#isPaired = isPaired;
  }

  /** @param campaigns the ID of each row's campaign; undefined if unknown */
  async add(table: Table, campaigns: Coded<string | undefined>, pace: Pace, money: Money = booked): Promise<void> {
    const days = readDays(table);
    if (!days) return;
    await readFigures(table, pace, money);
    const amounts = amountsIn(table, money);
    const paired = mapCoded(campaigns, (campaign = '') => (this.#isPaired(campaign) ? campaign : undefined));
    for (const [kind, read] of Object.entries(readPages)) {
      const of = kind === 'through' ? paired : campaigns;
      const pages = of.values.some((campaign) => campaign !== undefined) && read(table);
      if (!pages) continue;
      const readings = [sameInAll(table.rowCount, kind), of, named(pages), named(days)];
      await this.#visits.addRows(table.rowCount, readings, amounts, { pace });
      await pace.rest();
    }
  }

  /** Whether there was no time for some of the visits. */
  get isCut(): boolean {
    return this.#visits.uncounted > 0;
  }

  on(campaign: string, kind: SeenKind, page: string, day: string): PageSample & { readonly cost: number } {
    const sums = this.#visits.at([kind, campaign, page, day]);
    const { views: visits = 0, conversions: sales = 0, revenue = 0, squares = 0, cost = 0 } = sums ?? {};
    return { visits, sales, revenue, squares, cost };
  }

  /** Whether the visits of a campaign's pages seem to be split anew on a day since one. */
  hasMoved(campaign: string, days: readonly string[], since: string): boolean {
    return (['landing', 'offer'] as const).some((kind) => {
      const pages = this.#visits.under([kind, campaign]);
      const moves = movesIn(days, (day) => pages.map((page) => this.on(campaign, kind, page ?? '', day).visits));
      return moves.some(({ from }) => from >= since);
    });
  }

  /**
   * The first of some pages whose visits are not all here: the list does not tell it from another page, or a report has more.
   * @param all the pages of the campaign
   */
  lacking<Page extends ReportedPage>(
    campaign: string,
    pages: readonly Page[],
    all: readonly Page[],
    days: readonly string[],
  ) {
    for (const page of pages) {
      const { kind, name, views } = page;
      if (all.some((other) => other !== page && other.kind === kind && other.name === name))
        return { page, why: 'one-name' as const };
      if (this.sample(campaign, kind, name, days).visits < views * minListed)
        return { page, why: 'visits-missing' as const };
    }
    return undefined;
  }

  /** The visits of a campaign that is paired, and those that came to an offer without a landing page. */
  arrivals(campaign: string, days: readonly string[]) {
    const count = (kind: SeenKind, page: string) => this.sample(campaign, kind, page, days).visits;
    const direct = this.#visits.under(['through', campaign]).filter((pair) => pair && JSON.parse(pair)[0] === null);
    return { all: count('all', ''), direct: sum(direct.map((pair) => count('through', pair ?? ''))) };
  }

  sample(campaign: string, kind: SeenKind, page: string, days: readonly string[]): PageSample {
    return addSamples(days.map((day) => this.on(campaign, kind, page, day)));
  }
}

/** A visit without a value is no part of it. */
const named = (reading: Reading): Reading => mapCoded(reading, (value) => value ?? undefined);
