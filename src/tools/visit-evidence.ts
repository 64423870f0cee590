import { readPageRows } from '../analysis/page-rows.ts';
import type { Evidence } from '../analysis/visit-checks.ts';
import type { readFacts, StepName } from '../analysis/visit-story.ts';
import { campaignTypeNamed, hasLevel } from '../api/campaign-types.ts';
import { endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { fieldNamed, namesOf } from '../api/vocabulary.ts';
import { yesOrNo } from '../api/yes-no.ts';
import { listCampaigns } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';

const stats = endpointNamed('get_stats');
const campaigns = endpointNamed('list_campaigns');

/** Asks the tracker what bears on the step that is missing: one question at most. What cannot be had is left out. */
export async function readEvidence(
  missing: StepName | undefined,
  campaignId: string,
  visit: ReturnType<typeof readFacts>,
  context: CallContext,
): Promise<Pick<Evidence, 'passesSubid' | 'offers'>> {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(visit.arrivedAt === null ? '' : rawText(visit.arrivedAt))?.[0];
  const isKnown = campaignId !== '0';
  const asksOffers = missing === 'reached_offer' && isKnown && day !== undefined && context.guard.offers(stats);
  const asksCampaign = missing === 'converted' && isKnown && context.guard.offers(campaigns);
  return {
    offers: asksOffers ? await optional(() => readOffers(campaignId, day, context), context) : undefined,
    passesSubid: asksCampaign ? await optional(() => readPassing(campaignId, context), context) : undefined,
  };
}

/** Whether a campaign has several levels of landing pages; false where the tracker does not say it. */
export async function hasSeveralLevels(campaignId: string, context: CallContext): Promise<boolean> {
  if (campaignId === '0' || !context.guard.offers(campaigns)) return false;
  const listed = await optional(() => listCampaigns(context.client, context.signal), context);
  const type = fieldNamed(
    listed?.find(({ id }) => rawText(id) === campaignId)?.fields ?? [],
    namesOf('listed', 'type'),
  );
  const known = type === null ? undefined : campaignTypeNamed(rawText(type));
  return known !== undefined && hasLevel(known, 'landing');
}

/** What a question brings; nothing where it fails, since the answer is whole without it. */
export async function optional<Result>(
  ask: () => Promise<Result>,
  { signal }: CallContext,
): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    return undefined;
  }
}

async function readOffers(
  campaignId: string,
  day: string,
  { client, signal }: CallContext,
): Promise<Evidence['offers']> {
  const { reply } = await client.read(
    'get_stats',
    { campaign_id: Number(campaignId), reports: ['offer'], start_date: day, end_date: day },
    { signal },
  );
  const [table] = reply.tables;
  return table && table.rowCount > 0 ? readPageRows(table).rows : undefined;
}

async function readPassing(id: string, { client, signal }: CallContext): Promise<boolean | undefined> {
  const campaign = (await listCampaigns(client, signal)).find((listed) => rawText(listed.id) === id);
  const told = fieldNamed(campaign?.fields ?? [], namesOf('option', 'pass_subid_to_offer'));
  return told === null ? undefined : yesOrNo(told) === true;
}
