import { yieldIfBusy } from '../api/running-call.ts';
import type { Coded, Table } from '../api/table.ts';
import { mapCoded, pairCoded } from './coded.ts';
import { addSamples, type PageSample } from './effects.ts';
import type { PlacedPage } from './page-rows.ts';
import { amountsIn, readerOf } from './visit-groups.ts';

/** `all`: the visits of a campaign, whichever page they saw. */
export type SeenKind = PlacedPage['kind'] | 'all';

interface DaySums {
  visits: number;
  sales: number;
  revenue: number;
  squares: number;
  cost: number;
}

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
  readonly #names = new Map<string, Set<string>>();

  /** @param campaigns the ID of each row's campaign; undefined if unknown */
  async add(table: Table, campaigns: Coded<string | undefined>): Promise<void> {
    const days = readDays(table);
    if (!days) return;
    const amounts = amountsIn(table);
    const placed = pairCoded(campaigns, days, (campaign, day) => ({ campaign, day }));
    for (const [kind, read] of Object.entries(readPages)) {
      const pages = read(table);
      if (!pages) continue;
      const { codes, values } = pairCoded(placed, pages, ({ campaign, day }, page) =>
        campaign === undefined || day == null || page == null
          ? undefined
          : this.#sumsOf(campaign, kind as SeenKind, page, day),
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

  #sumsOf(campaign: string, kind: SeenKind, page: string, day: string): DaySums {
    const group = JSON.stringify([campaign, kind]);
    this.#names.set(group, (this.#names.get(group) ?? new Set()).add(page));
    const key = keyOf(campaign, kind, page);
    const days = this.#byPage.get(key) ?? new Map<string, DaySums>();
    this.#byPage.set(key, days);
    const sums = days.get(day) ?? { ...nothing };
    days.set(day, sums);
    return sums;
  }

  on(campaign: string, kind: SeenKind, page: string, day: string): Readonly<DaySums> {
    return this.#byPage.get(keyOf(campaign, kind, page))?.get(day) ?? nothing;
  }

  /** The names of a campaign's pages of a kind. */
  pagesOf(campaign: string, kind: SeenKind): readonly string[] {
    return [...(this.#names.get(JSON.stringify([campaign, kind])) ?? [])];
  }

  sample(campaign: string, kind: SeenKind, page: string, days: readonly string[]): PageSample {
    return addSamples(days.map((day) => this.on(campaign, kind, page, day)));
  }
}

const keyOf = (campaign: string, kind: SeenKind, page: string) => JSON.stringify([campaign, kind, page]);
