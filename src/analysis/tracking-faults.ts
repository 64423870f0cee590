import type { TrackingFault } from '../answer/tracking-faults.ts';
import { campaignFaults } from './tracking/campaign-faults.ts';
import { costFaults } from './tracking/cost-faults.ts';
import { gatherVisits, type TrackedVisits } from './tracking/gathered.ts';
import { otherTokens } from './tracking/other-tokens.ts';
import { type KnownVisits, saleFaults, type TrackedSale } from './tracking/sale-faults.ts';
import { formOf } from './tracking/subids.ts';
import { tokenFaults } from './tracking/token-faults.ts';
import { clickNumberOf } from './visit-story.ts';

export type { TrackedCampaign, TrackedVisits } from './tracking/gathered.ts';
export type { Token } from './tracking/macros.ts';
export type { TrackedSale } from './tracking/sale-faults.ts';

/** What is known of an account. */
export interface TrackedAccount {
  readonly lists: readonly TrackedVisits[];
  readonly sales: readonly TrackedSale[];
  /** Whether all visits of the days were read, so that one that is missing does not exist. */
  readonly isWhole: boolean;
  /** The first day that was read, and the first and the last that were asked for. */
  readonly days: { readonly read: string; readonly first: string; readonly last: string };
}

/** So many subIDs show how all are written. */
const maxLearned = 20_000;

/** Finds why the figures of an account are wrong: most money first, then most visits. */
export async function findTrackingFaults(account: TrackedAccount): Promise<TrackingFault[]> {
  const { lists, sales, days } = account;
  const subids = lists.flatMap(({ subid }) => subid?.values.filter((value) => typeof value === 'string') ?? []);
  const form = formOf(subids.slice(0, maxLearned));
  const all = await gatherVisits(lists, form);
  const looked = { first: days.first, all, hasSubids: form !== undefined };
  const faults = [
    ...all.flatMap((gathered) => [...tokenFaults(gathered, looked), ...campaignFaults(gathered, looked)]),
    ...(await otherTokens(lists, looked)),
    ...costFaults(looked),
    ...saleFaults(sales, knownVisits(subids, account), { first: days.first, form }),
  ];
  const isOf = (one: TrackingFault, other: TrackingFault) => one.campaign?.id === other.campaign?.id;
  return faults
    .filter((fault) => !faults.some((cause) => cause !== fault && isOf(cause, fault) && explains(cause, fault)))
    .sort((one, other) => other.money - one.money || other.visits - one.visits);
}

/** Whether a fault follows from another one of the same campaign. */
function explains(cause: TrackingFault, { code, counts, since }: TrackingFault): boolean {
  if (cause.counts === 'visit' && counts === 'sale')
    return cause.code === code || (code === 'sale_without_visit' && cause.code.endsWith('_subid'));
  return cause.code === 'cut_link' && code === 'no_cost' && cause.since === since;
}

function knownVisits(subids: readonly string[], { isWhole, days }: TrackedAccount): KnownVisits | undefined {
  if (!isWhole || subids.length === 0) return undefined;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const subid of subids) {
    const click = Number(clickNumberOf(subid));
    if (click < first) first = click;
    if (click > last) last = click;
  }
  return { subids: new Set(subids), clicks: [first, last], days: [days.read, days.last] };
}
