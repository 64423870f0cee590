import { shown, type TrackerText } from '../../api/text/tracker-text.ts';

/** More names say no more. */
const maxNamed = 10;
const maxNameLength = 100;

/** Texts that are fit to be shown, in quotation marks; of many only the first. */
export function listSome(texts: readonly string[]): string {
  const listed = texts.slice(0, maxNamed).map((text) => JSON.stringify(text));
  return [...listed, ...(texts.length > maxNamed ? [`and ${texts.length - maxNamed} more`] : [])].join(', ');
}

/** Names in quotation marks, of many only the first. */
export function nameSome(names: readonly TrackerText[]): string {
  return listSome(names.map(shortName));
}

/** A name as it may be shown among others. */
export function shortName(name: TrackerText): string {
  return shown(name, maxNameLength);
}
