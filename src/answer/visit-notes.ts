import { joinSome } from '../api/rules.ts';
import { both } from './words.ts';

/** What was read of visits and sales, and what of it counts. */
export const visitNotes = {
  'unlisted-views': both<{
    readonly listed: number;
    readonly reported: number;
    /** Those that lack visits, in words; none if only one campaign was asked for. */
    readonly campaigns: readonly string[];
  }>(
    ({ listed, reported, campaigns }) =>
      `Only ${listed} of the ${reported} views in the campaign reports are in the list of visitors${campaigns.length > 0 ? ` (${joinSome(campaigns, 3)})` : ''}: what happened in the others is not seen.`,
  ),
} as const;
