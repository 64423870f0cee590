import type { Notice } from '../../answer/notes.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import type { WriteRequest } from '../../guard/write.ts';
import { argumentsOf } from './campaign-pages.ts';
import type { Snapshot } from './current-values.ts';
import { changesTraffic, explainRequests } from './group-effect.ts';

/**
 * What requests do together to the groups of their campaigns, a note for each line, and warnings. Campaigns are named if there are several. Throws a
 * TrackerFailure.
 */
export async function explainTogether(
  requests: readonly WriteRequest[],
  snapshot: Snapshot,
): Promise<{ readonly effect: readonly Notice[]; readonly warnings: readonly Notice[] }> {
  const moving = requests.filter(movesTraffic);
  const campaignOf = (request: WriteRequest) => argumentsOf(request.arguments).campaign_id ?? 0;
  const explained = await Promise.all(
    [...new Set(moving.map(campaignOf))].map(async (id) => {
      const ofCampaign = moving.filter((request) => campaignOf(request) === id);
      const pages = await snapshot.pages(id);
      const campaign = { id, name: pages.campaign && rawText(pages.campaign.name) };
      return { campaign, ...explainRequests(ofCampaign, pages) };
    }),
  );
  if (explained.length === 1) return { effect: [], warnings: [], ...explained[0] };
  return {
    effect: explained.flatMap(({ campaign, effect }) => [{ code: 'in-campaign' as const, ...campaign }, ...effect]),
    warnings: explained.flatMap(({ campaign, warnings }) => warnings.map((notice) => ({ of: { campaign }, notice }))),
  };
}

/** Whether a request changes how the traffic of a campaign is split. */
export function movesTraffic({ endpoint, arguments: given }: WriteRequest): boolean {
  return endpoint.record === 'campaign_page' && (endpoint.access === 'create' || changesTraffic(given));
}
