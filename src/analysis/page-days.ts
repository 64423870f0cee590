import { yieldIfBusy } from '../api/running-call.ts';
import type { Coded, Table } from '../api/table.ts';
import { mapCoded, pairCoded } from './coded.ts';
import { addSamples, type PageSample } from './effects.ts';
import type { PlacedPage } from './page-rows.ts';
import { booked, type Money } from './sale-status.ts';
import { amountsIn, readerOf } from './visit-groups.ts';

/** `all`: the visits of a campaign, whichever page they saw. */
export type SeenKind = PlacedPage['kind'] | 'all';

/** A page as a report has it. */
export interface ReportedPage {
  readonly kind: SeenKind;
  readonly name: string;
  readonly views: number;
}

/** The part of a report's views that a list must have. */
const minListed = 0.9;

type DaySums = Record<keyof PageSample | 'cost', number>;

const nothing: Readonly<DaySums> = { visits: 0, sales: 0, revenue: 0, squares: 0, cost: 0 };

const readPages = {
  landing: readerOf('landing_page'),
  offer: readerOf('offer'),
  all: (table: Table) => readDays(table) && mapCoded(readDays(table) as Coded<unknown>, () => ''),
} as const;
const readDays = readerOf('day');

/** What visits earned, by campaign, page and day of the visit. A page is known by its name: lists of visits have no more. */
export class PageDays {
  readonly #byPage = new Map<string, Map<string, DaySums>>();

  /** @param campaigns the ID of each row's campaign; undefined if unknown */
  async add(table: Table, campaigns: Coded<string | undefined>, money: Money = booked): Promise<void> {
    const days = readDays(table);
    if (!days) return;
    const amounts = amountsIn(table, money);
    const placed = pairCoded(campaigns, days, (campaign, day) => ({ campaign, day }));
    for (const [kind, read] of Object.entries(readPages)) {
      const pages = read(table);
      if (!pages) continue;
      const { codes, values } = pairCoded(placed, pages, ({ campaign, day }, page) =>
        campaign === undefined || day == null || page == null
          ? undefined
          : this.#sumsOf(keyOf(campaign, kind as SeenKind, page), day),
      );
      for (const [row, code] of codes.entries()) {
        const sums = values[code];
        if (!sums) continue;
        const revenue = amounts.revenue(row);
        sums.visits += 1;
        sums.sales += amounts.conversions(row);
        sums.revenue += revenue;
        sums.squares += revenue ** 2;
        sums.cost += amounts.cost(row);
      }
      await yieldIfBusy();
    }
  }

  #sumsOf(page: string, day: string): DaySums {
    const days = this.#byPage.get(page) ?? new Map<string, DaySums>();
    this.#byPage.set(page, days);
    const sums = days.get(day) ?? { ...nothing };
    days.set(day, sums);
    return sums;
  }

  on(campaign: string, kind: SeenKind, page: string, day: string): Readonly<DaySums> {
    return this.#byPage.get(keyOf(campaign, kind, page))?.get(day) ?? nothing;
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

  sample(campaign: string, kind: SeenKind, page: string, days: readonly string[]): PageSample {
    return addSamples(days.map((day) => this.on(campaign, kind, page, day)));
  }
}

const keyOf = (campaign: string, kind: SeenKind, page: string) => JSON.stringify([campaign, kind, page]);
