import type { PlacedPage } from '../../analysis/page-rows.ts';

/** The share of a page, and the percentage of the group's traffic that it gets; null if unknown. */
export type Part = Pick<PlacedPage, 'share'> & { readonly percent: number | null };

export interface PageEffect {
  readonly page: PlacedPage;
  readonly before: Part;
  readonly after: Part;
  /** Whether the page moves out of the group, or into it from a different group. */
  readonly move?: 'leaves' | 'joins' | undefined;
  /** What it should get and does not, if it gains traffic. */
  readonly lack?: Lack | undefined;
}

/** What requests do to all pages of a group. A page that is not in the group before or after has the share 0 then. */
export interface GroupEffect {
  readonly group: string;
  readonly pages: readonly PageEffect[];
}

/** What a page that gains traffic should get and does not. */
export interface Lack {
  readonly lacks: 'clicks' | 'sales';
  readonly visits: number;
  /** At its own earlier rate, or at that of the other pages of its group. */
  readonly expected: number;
  readonly rate_of: 'page' | 'others';
  /** First day, YYYY-MM-DD. */
  readonly since: string;
}
