import type { Cell, Column } from './columns.ts';
import { element } from './element.ts';

/** What a table shows. */
export interface TableContent {
  /** What it is called where it is not seen. */
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Totals by the name of their column. */
  readonly totals?: Readonly<Record<string, number>> | undefined;
}

type Direction = 'ascending' | 'descending';

const byText = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * A table that sorts by a press of a column's header, with the mouse or a key: numbers from the largest first, texts from
 * the first letter; pressed again, the other way round. Empty cells come last either way.
 */
export function sortableTable({ name, columns, rows, totals }: TableContent): HTMLElement {
  const headers = columns.map(header);
  const body = element('tbody', {}, ...rows.map((row) => dataRow(columns, row)));
  const status = element('p', { class: 'unseen', role: 'status' });
  const drawn = [...body.rows];

  headers.forEach(({ cell, button }, index) => {
    button.addEventListener('click', () => {
      const column = columns[index];
      if (!column) return;
      const first: Direction = column.isNumeric ? 'descending' : 'ascending';
      const other: Direction = column.isNumeric ? 'ascending' : 'descending';
      const direction = cell.getAttribute('aria-sort') === first ? other : first;
      for (const each of headers) each.cell.removeAttribute('aria-sort');
      cell.setAttribute('aria-sort', direction);
      const order = rows.map((_, position) => position);
      order.sort((a, b) => compare(rows[a]?.[index] ?? null, rows[b]?.[index] ?? null, direction));
      body.append(...order.flatMap((position) => drawn[position] ?? []));
      status.textContent = `${name}: sorted by ${column.name}, ${direction}`;
    });
  });

  const head = element('thead', {}, element('tr', {}, ...headers.map(({ cell }) => cell)));
  const foot = totals && Object.keys(totals).length > 0 ? [element('tfoot', {}, totalsRow(columns, totals))] : [];
  const table = element('table', { 'aria-label': name }, head, body, ...foot);
  // A region that scrolls is reached by key, or its far columns are not.
  const scroller = element('div', { class: 'scroller', role: 'region', 'aria-label': name, tabindex: '0' }, table);
  return element('div', { class: 'table' }, scroller, status);
}

function header(column: Column): { cell: HTMLTableCellElement; button: HTMLButtonElement } {
  const mark = element('span', { class: 'mark', 'aria-hidden': 'true' });
  const button = element('button', { type: 'button' }, element('span', {}, column.name), mark);
  return { cell: element('th', { scope: 'col', class: column.isNumeric && 'number' }, button), button };
}

function dataRow(columns: readonly Column[], row: readonly Cell[]): HTMLTableRowElement {
  const cells = columns.map((column, index) =>
    element('td', { class: kindOf(column) }, column.format(row[index] ?? null)),
  );
  return element('tr', {}, ...cells);
}

function kindOf({ isNumeric, isLong }: Column): string | false {
  return isNumeric ? 'number' : isLong && 'long';
}

function totalsRow(columns: readonly Column[], totals: Readonly<Record<string, number>>): HTMLTableRowElement {
  const cells = columns.map((column, index) => {
    const total = totals[column.name];
    if (total !== undefined) return element('td', { class: 'number' }, column.format(total));
    return index === 0 ? element('th', { scope: 'row' }, 'All rows') : element('td');
  });
  return element('tr', {}, ...cells);
}

function compare(a: Cell, b: Cell, direction: Direction): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : byText.compare(String(a), String(b));
  return direction === 'ascending' ? order : -order;
}
