import { missingFigures } from '../analysis/visit-groups.ts';
import type { Table } from '../api/table.ts';

/** What explain_change assumes, and what review_account cannot find, if the visitor list lacks a figure. */
const effects = {
  clicks: {
    explain: 'each visit counts as a click',
    review: 'pages without clicks and clicks of robots are not seen',
  },
  conversions: {
    explain: 'each visit with revenue counts as a sale',
    review: 'a visit with revenue counts as a sale, and other sales are not seen',
  },
  cost: { explain: 'profit means revenue here', review: 'losses and missing cost are not seen' },
  revenue: { explain: '', review: 'losses and payouts are not seen' },
} as const;

/** A sentence for each figure that some of these visitor lists lack. */
export function missingFigureNotices(tables: readonly Table[], use: 'explain' | 'review'): string[] {
  return missingFigures(tables).map(
    (figure) => `The visitor list of this tracker has no ${figure} that can be read, so ${effects[figure][use]}.`,
  );
}
