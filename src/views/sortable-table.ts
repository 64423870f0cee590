import { ownValue } from '../api/text/json.ts';
import type { PresentedCell as Cell } from '../tools/present/outputs.ts';
import { cutInMiddle } from './canvas.ts';
import type { Column } from './columns.ts';
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

type Direction = 'ascending' | 'descending';

const byText = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * A table that sorts by a column when its header is pressed: numbers descending, texts ascending; pressed again, in reverse.
 * Empty cells always come last.
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
      for (const header of headers) header.cell.removeAttribute('aria-sort');
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
  // Focusable, so that the keyboard reaches its far columns.
  const scroller = element('div', { class: 'scroller', role: 'region', 'aria-label': name, tabindex: '0' }, table);
  const frame = element('div', { class: 'table' }, scroller, status);
  markEdges(scroller, frame);
  return frame;
}

/** Marks on the frame where the table goes on, for the shadow at that edge. */
function markEdges(scroller: HTMLElement, frame: HTMLElement): void {
  const mark = () => {
    const { scrollLeft, clientWidth, scrollWidth } = scroller;
    frame.toggleAttribute('data-more-left', scrollLeft > 1);
    frame.toggleAttribute('data-more-right', scrollLeft + clientWidth < scrollWidth - 1);
  };
  scroller.addEventListener('scroll', mark, { passive: true });
  new ResizeObserver(mark).observe(scroller);
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
    const content =
      text === '' && index === 0 ? '(empty)' : readable(text, index === 0 ? maxFirstLength : maxWordLength);
    const kind = { class: text.length <= maxShortLength && 'short' };
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
const maxShortLength = 28;

/** Longer words, such as addresses and tokens, are cut. */
const maxWordLength = 36;
/** The same in the first column. */
const maxFirstLength = 22;

/** An ellipsis at which lines do not break. */
const joinedEllipsis = '\u2060…\u2060';

/** A text that wraps between its words. One with a long word is cut, and can be opened. */
function readable(text: string, maxLength: number): Node | string {
  const words = text.split(' ');
  if (words.every((word) => word.length <= maxLength)) return text;
  const cut = words
    .map((word) => cutInMiddle(word, (part) => part.length <= maxLength).replace('…', joinedEllipsis))
    .join(' ');
  return element('details', { class: 'cut' }, element('summary', {}, cut), element('span', {}, text));
}

function totalsRow(columns: readonly Column[], totals: Readonly<Record<string, number>>): HTMLTableRowElement {
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
