import { webcrypto } from 'node:crypto';

/** A source of randomness: each call gives a number from 0 up to, but not including, 1. */
export type Random = () => number;

const range = 2 ** 32;

/**
 * The same numbers for the same seed, any whole number: sfc32, "Small Fast Counter", by Chris Doty-Humphrey (PractRand,
 * 2010). A stream distinguishes sequences of one seed, such as the days of a month.
 */
export function seededRandom(seed: number, stream = 0): Random {
  let [a, b, c, counter] = [seed | 0, Math.floor(seed / range) | 0, stream | 0, 1];
  const next = () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return (result >>> 0) / range;
  };
  // Neighbouring seeds start out alike; after a dozen rounds nothing of that is left.
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** Unpredictable randomness, drawn from the system in blocks: SubIDs must not be guessable. */
export function secureRandom(): Random {
  const block = new Uint32Array(1024);
  let used = block.length;
  return () => {
    if (used === block.length) {
      webcrypto.getRandomValues(block);
      used = 0;
    }
    return (block[used++] ?? 0) / range;
  };
}

/** Picks an item with a chance in proportion to its weight; none of weight 0, so maybe none at all. */
export function pickWeighted<Item>(
  items: readonly Item[],
  weight: (item: Item) => number,
  random: Random,
): Item | undefined {
  let total = 0;
  for (const item of items) total += weight(item);
  let left = random() * total;
  let picked: Item | undefined;
  for (const item of items) {
    const own = weight(item);
    if (own <= 0) continue;
    picked = item;
    left -= own;
    if (left < 0) break;
  }
  return picked;
}

/** Picks from the same items again and again, each with a weight above 0. */
export function weightedPicker<Item extends { readonly weight: number }>(
  items: readonly [Item, ...Item[]],
): (random: Random) => Item {
  return (random) => pickWeighted(items, ({ weight }) => weight, random) ?? items[0];
}
