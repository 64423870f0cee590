import { memoize } from '../memoize.ts';

const isPlain = /^[a-z0-9]*$/;

const withoutSeparators = memoize((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));

/** A name as people mean it: "Thank You", `thank_you` and `ThankYou` are one. */
export function plainName(name: string): string {
  // Keys of a large record are mostly IDs.
  return isPlain.test(name) ? name : withoutSeparators(name);
}
