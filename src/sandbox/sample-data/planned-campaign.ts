import type { TokenSlot } from '../../api/token-slots.ts';
import type { Campaign } from '../rotation/campaign.ts';
import { type Random, weightedPicker } from '../rotation/random.ts';
import type { Option, TrafficPlan, Word } from './traffic-plans.ts';

/** A plan joined with the campaign it is for, ready to be drawn from many times. */
export interface PlannedCampaign {
  readonly plan: TrafficPlan;
  readonly campaign: Campaign;
  /** By parameter of the campaign link, the token it carries and the values that occur. */
  readonly tokenValues: ReadonlyMap<string, { readonly slot: TokenSlot; readonly values: readonly string[] }>;
  readonly drawKeyword: (random: Random) => Word;
  readonly drawAd: (random: Random) => Word;
  readonly drawOption: ((random: Random) => Option) | undefined;
  /** Options are chosen on the page that leads to the offers: in a sequence, that of the last level. */
  readonly lastLevel: number;
}

/** @throws where the set-up has no campaign of that ID: the two are written together */
export function planCampaign(plan: TrafficPlan, campaigns: ReadonlyMap<number, Campaign>): PlannedCampaign {
  const campaign = campaigns.get(plan.campaign);
  if (!campaign) throw new Error(`The sample set-up has no campaign ${plan.campaign}.`);
  return {
    plan,
    campaign,
    tokenValues: new Map(
      campaign.tokens.map(({ slot, parameter }) => [parameter, { slot, values: plan.tokens?.[slot] ?? [] }]),
    ),
    drawKeyword: weightedPicker(plan.keywords),
    drawAd: weightedPicker(plan.ads),
    drawOption: plan.options && weightedPicker(plan.options),
    lastLevel: Math.max(...campaign.pages.filter(({ kind }) => kind === 'landing').map(({ level }) => level)),
  };
}
