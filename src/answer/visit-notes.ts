import { joinSome } from '../api/rules.ts';
import { both } from './words.ts';

/** What was read of visits and sales, and what of it counts. */
export const visitNotes = {
  'by-random-draw': both<{ readonly tried?: boolean }>(
    ({ tried = false }) =>
      `${tried ? 'Shares that were tried' : 'Outcomes of shares'} assume that a page earns the same from the same visitors whatever its share: caps and visitors who come again break that. Sales count with their visits.`,
  ),
  'time-over': both<TimeOver>((over) => `${sayTimeOver(over)} Ask for less, or raise TRACKER_TIMEOUT_MS.`, sayTimeOver),
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

type TimeOver = {
  /** Campaigns that were not looked at, in words; none if it was groups of visits. */
  readonly campaigns: readonly string[];
};

function sayTimeOver({ campaigns }: TimeOver): string {
  return campaigns.length === 0
    ? 'The time of the call ended before all groups of visits were compared: there may be other causes.'
    : `The time of the call ended before ${joinSome(campaigns, 3)} could be looked at.`;
}
