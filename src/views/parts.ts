import { type Change, type Column, changeOf } from './columns.ts';

/** `false` and undefined leave an attribute out, `true` sets it empty. */
type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Creates an element. Strings become text nodes, never markup: strangers typed in much of what a report shows.
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

/** Creates an SVG element in the same way. */
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

/** The title of a report, with its days and filters. */
export function header(title: string, query: Query, ...facts: readonly string[]): HTMLElement {
  const made = element('header', {}, element('h1', {}, title));
  const about = [daysOf(query), ...facts, ...filtersOf(query)].filter((text) => text !== '');
  if (about.length > 0)
    made.append(element('p', { class: 'about' }, ...about.map((text) => element('span', {}, text))));
  return made;
}

/** `16 – 22 Nov 2026 (UTC)`; the zone is that of the days. */
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

/** Filters are shown because a chart without the filtered rows would mislead. */
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

/** Tabs with the keys of the ARIA Authoring Practices. A tab's content is created when it is shown. */
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

/** The totals shown as large figures, in this order. */
const headline = ['profit', 'revenue', 'cost', 'roi', 'conversions', 'views'];

/** The totals of a table as large figures, each with its change if there is a former total. */
export function tiles(columns: readonly Column[], totals: Readonly<Record<string, number>> = {}): readonly Node[] {
  const shown = headline.flatMap((name) => columns.filter((column) => column.name.toLowerCase() === name));
  const made = shown.flatMap((column) => {
    const total = totals[column.name];
    if (total === undefined) return [];
    const { 'Profit before': profit, 'Cost before': cost } = totals;
    // A ratio is not added up, so it comes without its earlier value.
    const before = column.name === 'ROI' && profit !== undefined && cost ? (profit / cost) * 100 : undefined;
    return [tile(column, total, changeOf(column, total, totals[`${column.name} before`] ?? before))];
  });
  return made.length < 2 ? [] : [element('dl', { class: 'tiles' }, ...made)];
}

function tile({ name, format }: Column, total: number, change: Change | undefined): Node {
  const isLoss = name.toLowerCase() === 'profit' && total < 0;
  const tile = element('div', {}, element('dt', {}, name), element('dd', { class: isLoss && 'loss' }, format(total)));
  if (change) {
    const tone = change.isGain === undefined ? '' : change.isGain ? 'gain' : 'loss';
    tile.append(
      element('dd', { class: `change ${tone}` }, change.text),
      element('dd', { class: 'former' }, `before ${change.former}`),
    );
  }
  return tile;
}

interface Details {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
  /** The notices for people; absent if the host does not pass them on. */
  readonly remarks: readonly string[] | undefined;
  readonly calls?: readonly Call[];
}

interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The notices for people; then, folded, everything else that came with the result. */
export function remarksAndDetails({
  query = {},
  notices,
  remarks: forPeople = notices,
  calls = [],
}: Details): readonly Node[] {
  const remarks = listItems(forPeople);
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const callItems = calls.map((call) => element('li', {}, element('code', {}, callText(call))));
  const sections = [
    ...section('Asked for', 'dl', given.flatMap(argument)),
    ...section('Calls that would set the shares', 'ol', callItems),
    ...section('Notices', 'ul', listItems(notices)),
  ];
  return [
    ...(remarks.length > 0 ? [element('ul', { class: 'remarks', 'aria-label': 'Remarks' }, ...remarks)] : []),
    ...(sections.length > 0
      ? [element('details', { class: 'details' }, element('summary', {}, 'Details'), ...sections)]
      : []),
  ];
}

/** A list with a title, if it has items. */
export function section(title: string, kind: 'dl' | 'ol' | 'ul', items: readonly Node[]): readonly Node[] {
  return items.length === 0 ? [] : [element('section', {}, element('h2', {}, title), element(kind, {}, ...items))];
}

export function listItems(texts: readonly string[]): readonly Node[] {
  return texts.map((text) => element('li', {}, text));
}

function argument([name, value]: readonly [string, unknown]): readonly Node[] {
  const text = Array.isArray(value) ? value.map(plain).join(', ') : plain(value);
  return [element('dt', {}, name), element('dd', {}, text)];
}

/** A call as text for an agent. */
function callText({ tool, arguments: given }: Call): string {
  return `${tool} ${JSON.stringify(given)}`;
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
