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

/** Fewer names than this are as short one by one. */
const minFolded = 3;

/** Names in which `Extra1`, `Extra2`, ... `Extra15` are `Extra1 to Extra15`, each written by `show`. */
export function foldNumbered(names: readonly string[], show: (name: string) => string = (name) => name): string[] {
  const numbers = new Map<string, Set<number>>();
  for (const { stem, number } of names.map(split)) {
    if (number !== undefined) numbers.set(stem, (numbers.get(stem) ?? new Set()).add(number));
  }
  const runs = new Map([...numbers].map(([stem, ofStem]) => [stem, runsIn(ofStem)]));
  return names.flatMap((name) => {
    const { stem, number } = split(name);
    const run = number === undefined ? undefined : runs.get(stem)?.get(number);
    if (!run || run.last - run.first + 1 < minFolded) return [show(name)];
    return number === run.first ? [`${show(name)} to ${show(stem + run.last)}`] : [];
  });
}

interface Run {
  readonly first: number;
  readonly last: number;
}

/** A number with zeros ahead is a part of the name. */
function split(name: string): { stem: string; number: number | undefined } {
  const [, stem = name, digits] = /^(.*\D)([1-9]\d{0,3})$/.exec(name) ?? [];
  return { stem, number: digits === undefined ? undefined : Number(digits) };
}

/** The run of numbers that follow on one another which each of them is in. */
function runsIn(numbers: ReadonlySet<number>): ReadonlyMap<number, Run> {
  const runs = new Map<number, Run>();
  for (const first of numbers) {
    if (numbers.has(first - 1)) continue;
    let last = first;
    while (numbers.has(last + 1)) last += 1;
    for (let number = first; number <= last; number += 1) runs.set(number, { first, last });
  }
  return runs;
}
