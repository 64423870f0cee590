import type { CampaignHistory } from '../analysis/account-review.ts';
import type { LostMost } from '../answer/money-notes.ts';
import { inCents } from '../api/rules.ts';
import { type ListedCampaign, namedCampaign } from './campaigns.ts';
import type { Finding } from './review-findings.ts';

/** The days over which a loss is told, and how many campaigns are named. */
const [lossDays, maxNamed] = [7, 3];

/** The campaigns that lost most lately, by chance or not, without those of which a finding says what costs money. */
export function lostMost(
  histories: ReadonlyMap<string, CampaignHistory>,
  campaignById: ReadonlyMap<string, ListedCampaign>,
  findings: readonly Finding[],
): LostMost {
  const told = new Set(
    findings.flatMap(({ group, campaign_id: id, campaigns = [id] }) => (group === 'costs' ? campaigns : [])),
  );
  const losses = [...histories].flatMap(([id, history]) => {
    const campaign = campaignById.get(id);
    const { cost, revenue } = history.sum(0, lossDays);
    const lost = inCents(cost - revenue);
    return campaign && lost > 0 && !told.has(Number(id)) ? [{ ...namedCampaign(campaign), lost }] : [];
  });
  const most = losses.sort((one, other) => other.lost - one.lost).slice(0, maxNamed);
  return { campaigns: most, days: lossDays };
}
