import type { TrackingFault } from '../../answer/tracking-faults.ts';
import type { DayCounts } from './counts.ts';
import type { SeenCampaign, TrackedCampaign } from './seen.ts';

/** A figure or list that a tracker may not show. */
export type TrackingNeed = 'clicks' | 'cost' | 'subids' | 'tokens';

type Details = 'token' | 'parameter' | 'page' | 'example' | 'factor' | 'other' | 'use' | 'link';

/** What shows a fault: the visits or sales with it among all, and what is told of it. */
export interface Sign extends Partial<Pick<TrackingFault, Details>> {
  readonly days: DayCounts;
}

/** What is known of the account when a campaign is looked at. */
export interface Looked {
  /** The first day that was asked for; days before show what was usual. */
  readonly first: number;
  readonly all: readonly SeenCampaign[];
  /** All that the tracker lists. */
  readonly campaigns: readonly TrackedCampaign[];
  /** The campaign that nearly all visits with a value are of, by slot and value, and the slots where that is the rule. */
  readonly ownerOf: (slot: string, value: string) => SeenCampaign | undefined;
  readonly ownedSlots: ReadonlySet<string>;
  /** What a visit usually costs; 0 if nothing. */
  readonly usualCost: ReadonlyMap<SeenCampaign, number>;
  /** Whether nearly all visits have a subID. */
  readonly hasSubids: boolean;
}

/** A kind of fault: how it is found in what was seen of a campaign. */
export interface Rule<Seen = SeenCampaign> extends Pick<TrackingFault, 'code' | 'at'> {
  readonly needs?: readonly TrackingNeed[];
  /** Fewer visits or sales show no fault. */
  readonly min: number;
  /** Whether it is one fault of a source if all of its campaigns have it. */
  readonly isOfSource?: true;
  readonly find: (seen: Seen, looked: Looked) => readonly Sign[];
}

/** Fewer visits show no fault. */
export const minVisits = 10;

/** Test clicks, previews and robots leave a macro here and there. */
export const usualOdd = 0.02;

/** What most visits must have, where it may be right; and what hardly any has. */
export const [most, few] = [0.8, 0.1];

/** With fewer visits it is not known what a campaign's visits are like. */
export const minKnown = 50;
