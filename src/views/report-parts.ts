import { element } from './element.ts';

/** Arguments that the table itself shows the effect of. */
const shaping: ReadonlySet<string> = new Set(['columns', 'sort_by', 'sort_order', 'limit', 'offset']);

/** The arguments that a result answers, in one line. */
export function queryLine(query: Readonly<Record<string, unknown>>): readonly Node[] {
  const parts = Object.entries(query).flatMap(([name, value]) => {
    if (value === null || value === undefined || shaping.has(name)) return [];
    const text = Array.isArray(value) ? value.map(plain).join(', ') : plain(value);
    return [element('span', {}, `${name.replaceAll('_', ' ')} `, element('b', {}, text))];
  });
  return parts.length > 0 ? [element('p', { class: 'query' }, ...parts)] : [];
}

/** What a result says beside its numbers. */
export function notices(texts: readonly string[]): readonly Node[] {
  if (texts.length === 0) return [];
  return [
    element('ul', { class: 'notices', 'aria-label': 'Notices' }, ...texts.map((text) => element('li', {}, text))),
  ];
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
