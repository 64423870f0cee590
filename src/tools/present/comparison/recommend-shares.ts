import type { Comparison } from '../../../analysis/statistics/compare-pages.ts';
import { splitShares } from '../../../analysis/statistics/shares.ts';
import type { JsonRecord, Query } from '../../define-tool.ts';
import { listSome } from '../names.ts';
import { roundTo } from './certainty.ts';

/** A call of a tool that a comparison proposes. */
export type Call = Readonly<{ tool: string; arguments: JsonRecord }>;

/** A page with its present share, a weight, and the recommended one in percent. */
interface ShownShare {
  readonly page_id: string | null;
  readonly name: string;
  readonly share: number | null;
  readonly recommended_share: number;
}

/** The calls that would set the recommended shares, or why there are none. */
export function recommendShares(
  { campaign_id, tracker }: Query,
  pages: readonly ShownShare[],
  { verdict, lacks }: Comparison,
): { calls: readonly Call[]; notices: readonly string[] } {
  if (verdict === 'too early') {
    return { calls: [], notices: ['The shares are better left as they are: it is too early to change them.'] };
  }
  const obstacle = whyNoCalls(pages);
  if (obstacle !== undefined) return { calls: [], notices: [obstacle] };
  const present = pages.map(({ share }) => share);
  const recommended = pages.map(({ recommended_share }) => recommended_share);
  const split = splitShares(present, recommended);
  const shares = split ?? recommended;
  const sum = shares.reduce((total, share) => total + share, 0);
  // Less than a hundredth of the traffic is not worth a write.
  if (split?.every((share, index) => Math.abs(share - (present[index] ?? 0)) < sum / 100)) {
    return { calls: [], notices: ['The shares are as recommended already.'] };
  }
  const changed = pages.flatMap(({ page_id }, index) => {
    const share = shares[index] ?? 0;
    return split && share === present[index] ? [] : [{ page_id: Number(page_id), share }];
  });
  return {
    calls: recommendedCalls(
      { ...(tracker === undefined ? {} : { tracker }), campaign_id: Number(campaign_id) },
      changed,
    ),
    notices: [
      ...(split && roundTo(sum, 6) !== 100
        ? [
            `With these calls the shares of the compared pages add up to ${roundTo(sum, 6)}, as they do now, so that pages outside the comparison keep their part.`,
          ]
        : []),
      ...(lacks.length === 0 ? [] : ['The calls follow the odds and leave each page its part; they are no verdict.']),
    ],
  };
}

/** The one call that sets the shares. */
function recommendedCalls(
  campaign: JsonRecord,
  shares: readonly Readonly<{ page_id: number; share: number }>[],
): readonly Call[] {
  return [{ tool: 'set_shares', arguments: { ...campaign, shares } }];
}

/** What keeps calls from being given: some of them alone would leave the traffic split in a way nobody recommended. */
function whyNoCalls(pages: readonly ShownShare[]): string | undefined {
  const ids = pages.map(({ page_id }) => page_id);
  const named = (isMeant: (id: string | null) => boolean) =>
    listSome(pages.filter(({ page_id }) => isMeant(page_id)).map(({ name }) => name));
  if (ids.every((id) => id === null)) return 'The report shows no page IDs, so no calls can be given.';
  if (ids.includes(null))
    return `The report shows no page ID of ${named((id) => id === null)}, so no calls can be given.`;
  if (new Set(ids).size < ids.length) return 'Several pages have the same ID in the report, so no calls can be given.';
  const isTooLarge = (id: string | null) => !Number.isSafeInteger(Number(id));
  if (!ids.some(isTooLarge)) return undefined;
  return `The page ID of ${named(isTooLarge)} is larger than programs pass on exactly, so no calls can be given.`;
}
