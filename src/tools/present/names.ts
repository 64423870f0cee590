import { shown, type TrackerText } from '../../api/text/tracker-text.ts';

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

/** Names in which `Extra1`, `Extra2`, ... `Extra15` are `Extra1 to Extra15`, each written by `show`; two are as short one by one. */
export function foldNumbered(names: readonly string[], show: (name: string) => string = (name) => name): string[] {
  const known = new Set(names);
  return names.flatMap((name) => {
    // A number with zeros ahead is a part of the name.
    const [, stem, digits] = numbered.exec(name) ?? [];
    if (stem === undefined) return [show(name)];
    const number = Number(digits);
    const has = (other: number) => known.has(`${stem}${other}`) && numbered.test(`${stem}${other}`);
    const isInRun = [number - 2, number - 1, number].some((from) => has(from) && has(from + 1) && has(from + 2));
    if (!isInRun) return [show(name)];
    if (has(number - 1)) return [];
    let last = number;
    while (has(last + 1)) last += 1;
    return [`${show(name)} to ${show(stem + last)}`];
  });
}

const numbered = /^(.*\D)([1-9]\d{0,3})$/;
