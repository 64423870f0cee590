import { remarksFor } from '../tools/present/for-views.ts';
import { type Change, type Column, changeOf } from './columns.ts';

/** Attributes of an element; `false` and undefined leave one out, `true` sets it empty. */
export type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Makes an element. Strings among the children become text nodes: no text can turn into markup, since much of what a
 * report shows was typed in by strangers.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Makes an element of a drawing, by the same rule. */
export function graphic<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

type Query = Readonly<Record<string, unknown>>;

/** What a report is about and over which days, in words that its arguments give. */
export function header(title: string, query: Query, ...facts: readonly string[]): HTMLElement {
  const shown = [daysOf(query), ...facts, ...filtersOf(query)].filter((text) => text !== '');
  return element(
    'header',
    {},
    element('h1', {}, title),
    ...(shown.length > 0 ? [element('p', { class: 'about' }, ...shown.map((text) => element('span', {}, text)))] : []),
  );
}

/** `16 – 22 Nov 2026 (UTC)`, which is the zone that the days are cut in. */
export function daysOf({ start_date: start, end_date: end, timezone }: Query): string {
  const [first, last] = [dayOf(start), dayOf(end)];
  const zone = typeof timezone === 'string' ? ` (${timezone})` : '';
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
  if (first && last) return format.formatRange(first, last) + zone;
  if (first) return `from ${format.format(first)}${zone}`;
  return last ? `until ${format.format(last)}${zone}` : '';
}

function dayOf(day: unknown): Date | undefined {
  const time = typeof day === 'string' ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** Rows that are left out must be known, or a chart of the others misleads. */
function filtersOf({ where, status }: Query): string[] {
  const conditions = Array.isArray(where) ? where : [];
  const written = conditions.map(({ column, op, value }: Query) =>
    [column, String(op).replaceAll('_', ' '), value].filter((part) => part !== undefined).join(' '),
  );
  return [
    ...(typeof status === 'string' && status !== 'all' ? [`only ${status} ones`] : []),
    ...(written.length > 0 ? [`only where ${written.join(' and ')}`] : []),
  ];
}

export interface Tab {
  readonly name: string;
  readonly isEmpty: boolean;
  readonly content: () => readonly Node[];
}

const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Tabs as the ARIA Authoring Practices have them: the arrow keys, Home and End move; a tab's content is made when it is shown. */
export function tabs(name: string, list: readonly Tab[]): readonly Node[] {
  const panel = element('div', { role: 'tabpanel', id: 'panel' });
  const buttons = list.map((tab, index) =>
    element(
      'button',
      { type: 'button', role: 'tab', id: `tab-${index}`, 'aria-controls': 'panel', class: tab.isEmpty && 'none' },
      tab.name,
    ),
  );
  const show = (chosen: number) => {
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', `tab-${chosen}`);
    panel.replaceChildren(...(list[chosen]?.content() ?? []));
  };
  buttons.forEach((button, index) => {
    button.addEventListener('click', () => show(index));
    button.addEventListener('keydown', (event) => {
      const next = steps[event.key]?.(index, list.length);
      if (next === undefined) return;
      event.preventDefault();
      show(next);
      buttons[next]?.focus();
    });
  });
  show(0);
  return [element('div', { role: 'tablist', 'aria-label': name }, ...buttons), panel];
}

/** The totals that become large figures, in this order. */
const headline = ['profit', 'revenue', 'cost', 'roi', 'conversions', 'views'];

/** The totals of a table as large figures, with what changed if the table has totals of the period before. */
export function tiles(columns: readonly Column[], totals: Readonly<Record<string, number>> = {}): readonly Node[] {
  const shown = headline.flatMap((name) => columns.filter((column) => column.name.toLowerCase() === name));
  const made = shown.flatMap((column) => {
    const total = totals[column.name];
    return total === undefined ? [] : [tile(column, total, changeOf(column, total, totals[`${column.name} before`]))];
  });
  return made.length < 2 ? [] : [element('dl', { class: 'tiles' }, ...made)];
}

function tile({ name, format }: Column, total: number, change: Change | undefined): Node {
  const isLoss = name.toLowerCase() === 'profit' && total < 0;
  return element(
    'div',
    {},
    element('dt', {}, name),
    element('dd', { class: isLoss && 'loss' }, format(total)),
    ...(change
      ? [element('dd', { class: `change ${toneOf(change)}`, title: `before: ${change.former}` }, change.text)]
      : []),
  );
}

function toneOf({ isGain }: Change): string {
  return isGain === undefined ? '' : isGain ? 'gain' : 'loss';
}

/** What a result says beside its numbers. */
interface Details {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
  readonly calls?: readonly Call[];
}

interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The notices for people; then, folded, everything that came with the result. */
export function remarksAndDetails({ query = {}, notices, calls = [] }: Details): readonly Node[] {
  const remarks = remarksFor(notices);
  const asked = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const parts = [
    ...(asked.length > 0 ? [section('Asked for', 'dl', asked.flatMap(argument))] : []),
    ...(calls.length > 0
      ? [
          section(
            'Calls that would set the shares',
            'ol',
            calls.map((call) => element('li', {}, element('code', {}, callText(call)))),
          ),
        ]
      : []),
    ...(notices.length > 0
      ? [
          section(
            'Notices',
            'ul',
            notices.map((text) => element('li', {}, text)),
          ),
        ]
      : []),
  ];
  return [
    ...(remarks.length > 0
      ? [
          element(
            'ul',
            { class: 'remarks', 'aria-label': 'Remarks' },
            ...remarks.map((text) => element('li', {}, text)),
          ),
        ]
      : []),
    ...(parts.length > 0
      ? [element('details', { class: 'details' }, element('summary', {}, 'Details'), ...parts.flat())]
      : []),
  ];
}

/** A list below its title. */
export function section(title: string, kind: 'dl' | 'ol' | 'ul', items: readonly Node[]): Node {
  return element('section', {}, element('h2', {}, title), element(kind, {}, ...items));
}

function argument([name, value]: readonly [string, unknown]): readonly Node[] {
  const text = Array.isArray(value) ? value.map(plain).join(', ') : plain(value);
  return [element('dt', {}, name), element('dd', {}, text)];
}

/** A call as it is written for an agent. */
export function callText({ tool, arguments: given }: Call): string {
  return `${tool} ${JSON.stringify(given)}`;
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
