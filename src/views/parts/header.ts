import { element } from './element.ts';

type Query = Readonly<Record<string, unknown>>;

/** What a report is about and over which days, in words that its arguments give. */
export function header(title: string, query: Query, ...facts: readonly string[]): HTMLElement {
  const told = [daysOf(query), ...facts, ...filtersOf(query)].filter((text) => text !== '');
  return element(
    'header',
    {},
    element('h1', {}, title),
    ...(told.length > 0 ? [element('p', { class: 'about' }, ...told.map((text) => element('span', {}, text)))] : []),
  );
}

/** `16 – 22 Nov 2026 (UTC)`, which is the zone that the days are cut in. */
function daysOf({ start_date: start, end_date: end, timezone }: Query): string {
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
  const told = conditions.map(({ column, op, value }: Query) =>
    [column, String(op).replaceAll('_', ' '), value].filter((part) => part !== undefined).join(' '),
  );
  return [
    ...(typeof status === 'string' && status !== 'all' ? [`only ${status} ones`] : []),
    ...(told.length > 0 ? [`only where ${told.join(' and ')}`] : []),
  ];
}
