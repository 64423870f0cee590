import { ownValue } from '../api/text/json.ts';
import type { PresentedCell as Cell } from '../tools/present/outputs.ts';
import { type Column, companion } from './columns.ts';
import { element } from './parts.ts';

/** The first column names the rows, and stays while the others scroll. */
interface TableContent {
  /** For screen readers. */
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Totals by the name of their column. */
  readonly totals?: Readonly<Record<string, number>> | undefined;
}

export interface SortableTable {
  readonly frame: HTMLElement;
  readonly sortBy: (column: string, direction?: Direction) => void;
}

type Direction = 'ascending' | 'descending';

const byText = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** More rows are shown on demand, and can be searched. */
const maxRows = 20;

/**
 * A table that sorts by a column when its header is pressed: numbers descending, texts ascending; pressed again, in reverse.
 * Empty cells always come last. Columns that do not fit, and rows beyond the first, are shown on demand.
 */
export function sortableTable({ name, columns, rows, totals }: TableContent): SortableTable {
  const headers = columns.map(header);
  const drawn = rows.map((row) => dataRow(columns, row));
  const texts = rows.map((row) =>
    columns
      .map(({ format }, index) => format(row[index] ?? null))
      .join('\n')
      .toLowerCase(),
  );
  const body = element('tbody');
  const status = element('p', { class: 'unseen', role: 'status' });
  const search = element('input', {
    type: 'search',
    placeholder: `Search ${rows.length} rows`,
    'aria-label': `Search ${name}`,
  });
  const more = element('button', { type: 'button', class: 'more' }, `Show all ${rows.length} rows`);
  let order = [...rows.keys()];
  let isWhole = rows.length <= maxRows;

  const arrange = () => {
    const wanted = search.value.trim().toLowerCase();
    const found = order.filter((position) => texts[position]?.includes(wanted));
    const shown = isWhole || wanted !== '' ? found : found.slice(0, maxRows);
    body.replaceChildren(...shown.flatMap((position) => drawn[position] ?? []));
    more.hidden = isWhole || wanted !== '';
    if (wanted !== '') status.textContent = `${name}: ${found.length} of ${rows.length} rows`;
  };
  const sortBy = (column: string, direction?: Direction) => {
    const index = columns.findIndex((one) => one.name === column);
    const cell = headers[index]?.cell;
    if (!cell) return;
    const isNumeric = columns[index]?.isNumeric;
    const [first, other]: [Direction, Direction] = isNumeric
      ? ['descending', 'ascending']
      : ['ascending', 'descending'];
    const chosen = direction ?? (cell.getAttribute('aria-sort') === first ? other : first);
    for (const header of headers) header.cell.removeAttribute('aria-sort');
    cell.setAttribute('aria-sort', chosen);
    order = [...rows.keys()].sort((a, b) => compare(rows[a]?.[index] ?? null, rows[b]?.[index] ?? null, chosen));
    arrange();
    choice.fit();
    status.textContent = `${name}: sorted by ${column}, ${chosen}`;
  };
  headers.forEach(({ button }, index) => {
    button.addEventListener('click', () => sortBy(columns[index]?.name ?? ''));
  });
  search.addEventListener('input', arrange);
  more.addEventListener('click', () => {
    isWhole = true;
    arrange();
  });

  const head = element('thead', {}, element('tr', {}, ...headers.map(({ cell }) => cell)));
  const foot = element('tfoot', {}, ...(Object.keys(totals ?? {}).length > 0 ? [totalsRow(columns, totals)] : []));
  const table = element('table', { 'aria-label': name }, head, body, ...(foot.rows.length > 0 ? [foot] : []));
  // Focusable, so that the keyboard reaches its far columns.
  const scroller = element('div', { class: 'scroller', role: 'region', 'aria-label': name, tabindex: '0' }, table);
  const choice = chooseColumns(
    scroller,
    headers.map(({ cell }) => cell),
    columns,
    [...head.rows, ...drawn, ...foot.rows],
  );
  const frame = element(
    'div',
    { class: 'table' },
    element('div', { class: 'tools' }, ...(rows.length > 10 ? [search] : []), choice.button),
    element('div', { class: 'frame' }, scroller),
    more,
    status,
  );
  arrange();
  return { frame, sortBy };
}

/** What is shown first where not all columns fit: the names, the sorted column, then all but what figures other than profit were before. */
function rankOf(name: string, index: number, head: HTMLElement, names: readonly string[]): number {
  if (index === 0) return 0;
  if (head.hasAttribute('aria-sort')) return 1;
  const figure = name.replace(companion, '');
  return figure === name || figure === 'Profit' || !names.includes(figure) ? 2 : 3;
}

/** Shows as many columns as fit, and all of them on demand. The frame is marked where they go on, for a shadow at that edge. */
function chooseColumns(
  scroller: HTMLElement,
  heads: readonly HTMLElement[],
  columns: readonly Column[],
  rows: readonly HTMLTableRowElement[],
) {
  const button = element('button', { type: 'button', hidden: true });
  let isWhole = false;
  const show = (isShown: (index: number) => boolean) => {
    for (const row of rows)
      [...row.cells].forEach((cell, index) => {
        cell.hidden = !isShown(index);
      });
  };
  const fit = () => {
    show(() => true);
    const room = scroller.clientWidth;
    const widths = heads.map(({ offsetWidth }) => offsetWidth);
    const isTooWide = scroller.scrollWidth > room;
    button.hidden = !isTooWide;
    button.textContent = isWhole ? 'Fewer columns' : `All ${columns.length} columns`;
    if (isWhole || !isTooWide) return mark();
    const names = columns.map(({ name }) => name);
    const ranks = names.map((name, index) => rankOf(name, index, heads[index] ?? scroller, names));
    const byRank = [...columns.keys()].sort((one, other) => (ranks[one] ?? 0) - (ranks[other] ?? 0));
    let used = 0;
    const shown = new Set<number>();
    for (const index of byRank) {
      used += widths[index] ?? 0;
      // At the least a name and its figure.
      if (used > room && shown.size > 1) break;
      shown.add(index);
    }
    show((index) => shown.has(index));
    mark();
  };
  const mark = () => {
    const { scrollLeft, clientWidth, scrollWidth, parentElement } = scroller;
    parentElement?.toggleAttribute('data-more-left', scrollLeft > 1);
    parentElement?.toggleAttribute('data-more-right', scrollLeft + clientWidth < scrollWidth - 1);
  };
  button.addEventListener('click', () => {
    isWhole = !isWhole;
    fit();
  });
  scroller.addEventListener('scroll', mark, { passive: true });
  let room = 0;
  new ResizeObserver(() => {
    if (room !== scroller.clientWidth) fit();
    room = scroller.clientWidth;
  }).observe(scroller);
  return { button, fit };
}

function header(column: Column): { cell: HTMLTableCellElement; button: HTMLButtonElement } {
  const mark = element('span', { class: 'mark', 'aria-hidden': 'true' });
  const button = element('button', { type: 'button' }, element('span', {}, column.name), mark);
  return { cell: element('th', { scope: 'col', class: column.isNumeric && 'number' }, button), button };
}

function dataRow(columns: readonly Column[], row: readonly Cell[]): HTMLTableRowElement {
  const cells = columns.map((column, index) => {
    const value = row[index] ?? null;
    const text = column.format(value);
    if (column.isNumeric) return element('td', { class: isLoss(column, value) ? 'number loss' : 'number' }, text);
    const kind = { class: text.length <= maxShortLength && 'short' };
    const content = element('bdi', {}, text === '' && index === 0 ? '(empty)' : text);
    return index === 0 ? element('th', { scope: 'row', ...kind }, content) : element('td', kind, content);
  });
  return element('tr', {}, ...cells);
}

/** Columns in which a negative number is a loss. */
const lossColumns = /^(profit|p\/l|roi|ppv)$|change/i;

function isLoss({ name, isMeasure }: Column, value: Cell): boolean {
  return isMeasure && typeof value === 'number' && value < 0 && lossColumns.test(name);
}

/** Max letters of a text that does not wrap. */
const maxShortLength = 30;

function totalsRow(columns: readonly Column[], totals: Readonly<Record<string, number>> = {}): HTMLTableRowElement {
  const cells = columns.map((column, index) => {
    if (index === 0) return element('th', { scope: 'row' }, 'Total');
    const total = ownValue(totals, column.name);
    if (total === undefined) return element('td');
    return element('td', { class: isLoss(column, total) ? 'number loss' : 'number' }, column.format(total));
  });
  return element('tr', {}, ...cells);
}

function compare(a: Cell, b: Cell, direction: Direction): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : byText.compare(String(a), String(b));
  return direction === 'ascending' ? order : -order;
}
