import { endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { joinSome } from '../api/rules.ts';
import { foldedName } from '../api/text/names.ts';
import { fromOutside, quoted, rawCell, rawText } from '../api/text/tracker-text.ts';
import { chooseCampaigns } from './account/choose-campaigns.ts';
import { optional } from './asking.ts';
import { type ListedCampaign, listRecords } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';

/** The campaigns to review; all if neither is given. */
export interface ReviewChoice {
  readonly campaign_ids?: readonly number[] | undefined;
  /** The name or ID of a traffic source, or a part of a name that only one has. */
  readonly traffic_source?: string | undefined;
}

export async function chooseReviewed(
  listed: readonly ListedCampaign[],
  { campaign_ids: ids, traffic_source: asked }: ReviewChoice,
  context: CallContext,
): Promise<readonly ListedCampaign[]> {
  const chosen = ids ? (await chooseCampaigns({ status: 'all', campaign_ids: ids }, context)).campaigns : listed;
  const chosenIds = new Set(chosen.map(({ id }) => rawText(id)));
  const texts = asked === undefined ? undefined : await textsOfSource(asked, listed, context);
  const campaigns = listed.filter(
    ({ id, source }) => chosenIds.has(rawText(id)) && (!texts || texts.has(rawCell(source) ?? '')),
  );
  if (campaigns.length > 0 || listed.length === 0) return campaigns;
  throw new Failure('None of these campaigns has that traffic source.', 'Leave out campaign_ids or traffic_source.');
}

/** The texts by which campaigns name a traffic source: its name or its ID. */
async function textsOfSource(asked: string, campaigns: readonly ListedCampaign[], context: CallContext) {
  const { client, guard, signal } = context;
  const isOffered = guard.offers(endpointNamed('list_traffic_sources'));
  const records = isOffered
    ? await optional(() => listRecords(client, 'list_traffic_sources', signal, {}), context)
    : undefined;
  const sources = [
    ...(records ?? []).map(({ id, name }) => [rawText(name), rawText(id)]),
    ...campaigns.map(({ source }) => [rawCell(source) ?? '']),
  ];
  const folded = foldedName(asked);
  const exact = sources.filter((texts) => texts.some((text) => foldedName(text) === folded));
  const found = exact.length > 0 ? exact : sources.filter(([name = '']) => foldedName(name).includes(folded));
  const names = new Set((found.length > 0 ? found : sources).flatMap(([name]) => name || []));
  if (found.length > 0 && (exact.length > 0 || names.size === 1)) return new Set(found.flat());
  const listed = joinSome(
    [...names].map((name) => quoted(fromOutside(name), 60)),
    maxSourcesNamed,
  );
  throw new Failure(
    `${found.length === 0 ? 'No traffic source has' : 'Several traffic sources have'} ${quoted(fromOutside(asked), 60)} in its name.`,
    `The traffic sources are: ${listed}.`,
  );
}

const maxSourcesNamed = 20;
