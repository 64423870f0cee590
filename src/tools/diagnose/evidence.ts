import { readPageRows } from '../../analysis/page-rows.ts';
import type { Evidence } from '../../analysis/visit-checks.ts';
import type { readFacts, StepName } from '../../analysis/visit-story.ts';
import { campaignTypeNamed, hasLevel } from '../../api/campaign-types.ts';
import { endpointNamed } from '../../api/endpoints.ts';
import { type Cell, rawText } from '../../api/text/tracker-text.ts';
import { fieldNamed, namesOf } from '../../api/vocabulary.ts';
import { yesOrNo } from '../../api/yes-no.ts';
import { optional } from '../asking.ts';
import { listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { isoDay, shiftDays, today } from '../period.ts';

/** What is asked of the tracker beside the lookup, for the story of one visit. */

/** Networks report most conversions within weeks; a longer list costs the tracker more than it shows. */
const conversionDays = 60;

/** If the lookup names no date, conversions of that many days back are searched. */
const unknownDays = 30;

/** From the day of the visit, in whatever zone it is written, to its latest conversions or now. */
export function searchedDays(arrivedAt: Cell, { now, timeZone }: CallContext): { start: string; end: string } {
  // The tracker's day may be one ahead of ours.
  const last = shiftDays(today(timeZone, now()), 1);
  const arrived = arrivedAt === null ? Number.NaN : Date.parse(rawText(arrivedAt).slice(0, 10));
  if (Number.isNaN(arrived)) return { start: shiftDays(last, -unknownDays), end: last };
  const start = isoDay(arrived);
  const latest = shiftDays(start, conversionDays);
  // Days as YYYY-MM-DD sort by date; the range ends now at the latest, and is never turned round.
  const [end = last] = [latest, last].sort();
  return { start, end: [start, end].sort()[1] ?? start };
}

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

/** Whether a campaign has several levels of landing pages; false if the tracker does not say it. */
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
  const passes = fieldNamed(campaign?.fields ?? [], namesOf('option', 'pass_subid_to_offer'));
  return passes === null ? undefined : yesOrNo(passes) === true;
}
