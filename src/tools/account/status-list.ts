import {
  addStatuses,
  hasStatusColumn,
  hasStatuses,
  type ListedStatuses,
  type Money,
  needsStatuses,
  type VisitorSales,
} from '../../analysis/sale-status.ts';
import { amountsIn } from '../../analysis/visit-groups.ts';
import type { WhyNotHeld } from '../../answer/money-notes.ts';
import type { Table } from '../../api/table.ts';
import { readablePayouts } from './listed-sales.ts';

/** So many sales without a status show that an account has none, though its tracker has a column for them. */
const minSales = 100;

/** What lists of conversions say of sales. */
export class StatusList implements ListedStatuses {
  bySubid: ListedStatuses['bySubid'];
  why: WhyNotHeld | undefined;
  learn: ListedStatuses['learn'];
  readonly #sales = new Map<string, VisitorSales>();
  #hasColumn = false;
  #hasStatuses = false;
  #rows = 0;

  add(table: Table): void {
    const payouts = readablePayouts(table);
    addStatuses(table, (row) => payouts?.[row] || 0, this.#sales);
    this.#hasColumn ||= hasStatusColumn(table);
    this.#hasStatuses ||= hasStatuses(table);
    this.#rows += table.rowCount;
  }

  /** To be called when all lists are added. */
  settle(isWhole: boolean): void {
    const isKnown = isWhole && this.#hasStatuses;
    this.bySubid = isKnown ? this.#sales : undefined;
    this.why = isKnown ? undefined : isWhole ? 'no statuses' : 'list';
  }

  /** Whether the account has no statuses. */
  get isSurelyEmpty(): boolean {
    return !this.#hasStatuses && this.#rows >= (this.#hasColumn ? minSales : 1);
  }

  /** Whether it has statuses that cannot be used, because the list is not whole. */
  get isCut(): boolean {
    return this.#hasStatuses && this.bySubid === undefined;
  }

  readBy(read: () => Promise<unknown>): this {
    let reading: Promise<unknown> | undefined;
    this.learn = async () => {
      reading ??= read();
      await reading;
    };
    return this;
  }
}

/** The statuses of lists; undefined if they were not read, or not whole. */
export function statusesIn(lists: readonly Table[] | undefined): ListedStatuses {
  const statuses = new StatusList();
  for (const list of lists ?? []) statuses.add(list);
  statuses.settle(lists !== undefined);
  return statuses;
}

/** Learns what the conversion list says of sales, if a list of visitors has sales and does not say it. */
export async function learnStatuses(table: Table, { listed }: Money): Promise<void> {
  if (!listed?.learn || !needsStatuses(table)) return;
  const { conversions, revenue } = amountsIn(table);
  for (let row = 0; row < table.rowCount; row += 1)
    if (conversions(row) > 0 || revenue(row) !== 0) return listed.learn();
}
