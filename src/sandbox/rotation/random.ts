import { webcrypto } from 'node:crypto';

/** Returns a number from 0 up to, but not including, 1. */
export type Random = () => number;

const range = 2 ** 32;

/**
 * Always gives the same numbers for the same seed, which is any whole number: sfc32, "Small Fast Counter", by Chris Doty-Humphrey
 * (PractRand, 2010). Each stream of a seed is a different sequence, such as one per day.
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
  // Nearby seeds start out alike. After a dozen rounds they no longer do.
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** Unpredictable numbers, because SubIDs must not be guessable. The system is asked for 1024 at a time. */
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

/** Picks an item with a chance in proportion to its weight; undefined if no weight is above 0. */
export function pickWeighted<Item>(
  items: readonly Item[],
  weight: (item: Item) => number,
  random: Random,
): Item | undefined {
  let total = 0;
  for (const item of items) total += weight(item);
  let rest = random() * total;
  let last: Item | undefined;
  for (const item of items) {
    const own = weight(item);
    if (own <= 0) continue;
    last = item;
    rest -= own;
    if (rest < 0) break;
  }
  return last;
}

/** Picks an item, each with the same chance; undefined from an empty list. */
export function pickEvenly<Item>(items: readonly [Item, ...Item[]], random: Random): Item;
export function pickEvenly<Item>(items: readonly Item[], random: Random): Item | undefined;
export function pickEvenly<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[Math.floor(random() * items.length)];
}
