import leven from 'leven';
import { cleanText } from './clean-text.ts';

/** More texts than any report has columns; if there are more, they are data and hardly come again. */
const maxRemembered = 1000;

/** Remembers what a function made of a text: the same few names of columns and fields come with every answer. */
export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const remembered = new Map<string, Result>();
  return (text) => {
    const known = remembered.get(text);
    if (known !== undefined || remembered.has(text)) return known as Result;
    if (remembered.size >= maxRemembered) remembered.clear();
    const result = compute(text);
    remembered.set(text, result);
    return result;
  };
}

const isPlain = /^[a-z0-9]*$/;

const withoutSeparators = memoize((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));

/** A name as people mean it: "Thank You", `thank_you` and `ThankYou` are one. */
export function plainName(name: string): string {
  // Keys of a large record are mostly IDs.
  return isPlain.test(name) ? name : withoutSeparators(name);
}

/**
 * The name that the writer of another may have meant: the one with the fewest letters changed, or one that it is a
 * part of.
 *
 * @returns undefined if none is near
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  if (plain === '') return undefined;
  let nearest: string | undefined;
  let fewest = Math.floor(plain.length / 3) + 1;
  for (const candidate of known) {
    const other = plainName(candidate);
    const changes = other.includes(plain) || (other !== '' && plain.includes(other)) ? 1 : leven(plain, other);
    if (changes < fewest || (changes === fewest && nearest === undefined)) [nearest, fewest] = [candidate, changes];
  }
  return nearest;
}

/** A name as it is compared whole: what cannot be seen, letter case and runs of spaces aside. */
export function foldedName(name: string): string {
  return cleanText(name).normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/**
 * The items whose names are nearest to the one that was written, the nearest first, however far that is: by the pairs of letters
 * they have in common, so that the order of words matters little.
 */
export function nearestItems<Item>(
  name: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  count: number,
): Item[] {
  const wanted = new Set(letterPairs(name));
  const likeness = (item: Item) => {
    const pairs = letterPairs(nameOf(item));
    return pairs.filter((pair) => wanted.has(pair)).length / (wanted.size + pairs.length);
  };
  return items
    .map((item) => ({ item, likeness: likeness(item) }))
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, count)
    .map(({ item }) => item);
}

/** Longer names are compared by their beginnings. */
const maxComparedLength = 200;

/** Each two letters that stand side by side, the ends of the name among them. */
function letterPairs(name: string): string[] {
  const plain = ` ${plainName(name.slice(0, maxComparedLength))} `;
  return Array.from({ length: plain.length - 1 }, (_, index) => plain.slice(index, index + 2));
}
