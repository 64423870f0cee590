import { both, quote } from './words.ts';

/** Pages whose traffic does not fit the shares that are set: it would by chance in less than one case in a thousand. */
type OffShares = {
  /** Those that are furthest off, first, with their shown names. Parts of the traffic in percent. */
  readonly pages: readonly { readonly name: string; readonly got: number; readonly due: number }[];
  /** Whether the shares stayed the same on the days that were looked at. */
  readonly isSteady: boolean;
};

const maxNamed = 3;

function sayOffShares({ pages, isSteady }: OffShares): string {
  const named = pages
    .slice(0, maxNamed)
    .map(({ name, got, due }) => `${quote(name, 100)} got ${Math.round(got)}% and should get ${Math.round(due)}%`);
  const last = isSteady ? 'a change elsewhere' : 'shares changed within these days';
  return `The traffic does not fit the shares that are set (by chance in less than 1 of 1,000 cases): ${named.join('; ')}. It may be a cap, a redirect, a page that fails, or ${last}.`;
}

/** How pages compete for their traffic. */
export const pageNotes = {
  'off-shares': both(sayOffShares),
} as const;
