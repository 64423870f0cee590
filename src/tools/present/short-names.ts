import { cleanCell } from './cells.ts';

/** More names say no more. */
const maxNamed = 10;
const maxName = 100;

/** Names in quotation marks, of many only the first. */
export function nameSome(names: readonly string[]): string {
  const quoted = names.slice(0, maxNamed).map((name) => JSON.stringify(shortName(name)));
  return [...quoted, ...(names.length > maxNamed ? [`and ${names.length - maxNamed} more`] : [])].join(', ');
}

/** A name as it may be shown among others. */
export function shortName(name: string): string {
  const clean = cleanCell(name).text ?? '';
  return clean.length > maxName ? `${clean.slice(0, maxName).toWellFormed()}…` : clean;
}
