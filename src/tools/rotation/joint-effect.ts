import type { WriteRequest } from '../../guard/write.ts';
import { argumentsOf, quotedCampaign } from './campaign-pages.ts';
import type { Snapshot } from './current-values.ts';
import { changesTraffic, explainRequests } from './group-effect.ts';

/**
 * What requests do together to the groups of their campaigns, in lines, and warnings. Campaigns are named if there are several. Throws a
 * TrackerFailure.
 */
export async function explainTogether(requests: readonly WriteRequest[], snapshot: Snapshot) {
  const moving = requests.filter(movesTraffic);
  const campaignOf = (request: WriteRequest) => argumentsOf(request.arguments).campaign_id ?? 0;
  const explained = await Promise.all(
    [...new Set(moving.map(campaignOf))].map(async (id) => {
      const ofCampaign = moving.filter((request) => campaignOf(request) === id);
      const campaign = await snapshot.pages(id);
      const name = campaign.campaign ? ` ${quotedCampaign(campaign.campaign)}` : '';
      return { heading: `Campaign ${id}${name}`, ...explainRequests(ofCampaign, campaign) };
    }),
  );
  if (explained.length === 1) return { effect: [], warnings: [], ...explained[0] };
  return {
    effect: explained.flatMap(({ heading, effect }) => [`${heading}:`, ...effect]),
    warnings: explained.flatMap(({ heading, warnings }) => warnings.map((warning) => `${heading}: ${warning}`)),
  };
}

/** Whether a request changes how the traffic of a campaign is split. */
export function movesTraffic({ endpoint, arguments: given }: WriteRequest): boolean {
  return endpoint.record === 'campaign_page' && (endpoint.access === 'create' || changesTraffic(given));
}
