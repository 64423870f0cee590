import leven from 'leven';
import { cleanText } from './clean-text.ts';

/** Many times longer than any known name. Of a longer one, the rest is not compared. */
const maxCompared = 2000;

/** A name without letter case and separators: "Thank You", `thank_you` and `ThankYou` become one. */
export function plainName(name: string): string {
  const read = name.length > maxCompared ? name.slice(0, maxCompared) : name;
  // The names of a large record are mostly IDs.
  return /^[a-z0-9]*$/.test(read) ? read : read.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * The name that a misspelled one may mean: the name with the fewest changed letters, or a name that contains it.
 *
 * @returns undefined if no name is near
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const plain = plainName(name);
  if (plain === '') return undefined;
  let nearest: string | undefined;
  let fewest = Math.floor(plain.length / 3) + 1;
  for (const candidate of names) {
    const other = plainName(candidate);
    const changes = other.includes(plain) || (other !== '' && plain.includes(other)) ? 1 : leven(plain, other);
    if (changes < fewest || (changes === fewest && nearest === undefined)) [nearest, fewest] = [candidate, changes];
  }
  return nearest;
}

/**
 * The end of a sentence about an unknown name: with the nearest name if one is near, otherwise a full stop.
 *
 * @param quote how the sentence writes names
 */
export function didYouMean(name: string, names: readonly string[], quote = (one: string) => one): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '.' : `; did you mean ${quote(nearest)}?`;
}

/** Characters that only choose how the character before is drawn: `⚡️` has one, and `⚡` has none. */
const selectors = /[\ufe0e\ufe0f]/g;

/** A text for a comparison that ignores letter case, and how an emoji is drawn. */
export function foldedText(text: string): string {
  return text.replace(selectors, '').toLowerCase();
}

/** A name for an exact comparison, which ignores invisible characters and repeated spaces too. */
export function foldedName(name: string): string {
  return foldedText(cleanText(name).normalize('NFC')).replace(/\s+/g, ' ').trim();
}

/** The items with the most similar names, the most similar first. Compares pairs of letters, so the order of words hardly matters. */
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

/** Longer names are compared up to this length. */
const maxComparedLength = 200;

/** Each pair of adjacent letters; a space marks the ends of the name. */
function letterPairs(name: string): string[] {
  const plain = ` ${plainName(name.slice(0, maxComparedLength))} `;
  return Array.from({ length: plain.length - 1 }, (_, index) => plain.slice(index, index + 2));
}

/** Joins numbered names: `Extra1`, `Extra2`, ... `Extra15` become `Extra1 to Extra15`. Only runs of three or more. */
export function foldNumbered(names: readonly string[], show: (name: string) => string = (name) => name): string[] {
  const all = new Set(names);
  return names.flatMap((name) => {
    // Leading zeros are part of the name.
    const [, stem, digits] = numbered.exec(name) ?? [];
    if (stem === undefined) return [show(name)];
    const number = Number(digits);
    const has = (other: number) => all.has(`${stem}${other}`) && numbered.test(`${stem}${other}`);
    const isInRun = [number - 2, number - 1, number].some((from) => has(from) && has(from + 1) && has(from + 2));
    if (!isInRun) return [show(name)];
    if (has(number - 1)) return [];
    let last = number;
    while (has(last + 1)) last += 1;
    return [`${show(name)} to ${show(stem + last)}`];
  });
}

const numbered = /^(.*\D)([1-9]\d{0,3})$/;
