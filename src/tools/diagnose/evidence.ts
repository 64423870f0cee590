import { readPageRows } from '../../analysis/page-rows.ts';
import type { Evidence } from '../../analysis/visit-checks.ts';
import type { readFacts, StepName } from '../../analysis/visit-story.ts';
import { campaignTypeNamed, hasLevel } from '../../api/campaign-types.ts';
import { endpointNamed } from '../../api/endpoints.ts';
import { type Cell, rawText } from '../../api/text/tracker-text.ts';
import { fieldNamed, namesOf } from '../../api/vocabulary.ts';
import { yesOrNo } from '../../api/yes-no.ts';
import { optional } from '../asking.ts';
import { listCampaignsIfOffered } from '../campaigns.ts';
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

/** Asks the tracker what bears on the step that is missing: one question at most. What cannot be had is left out. */
export async function readEvidence(
  missing: StepName | undefined,
  campaignId: string,
  visit: ReturnType<typeof readFacts>,
  context: CallContext,
): Promise<Pick<Evidence, 'passesSubid' | 'offers'>> {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(visit.arrivedAt === null ? '' : rawText(visit.arrivedAt))?.[0];
  const asksOffers =
    missing === 'reached_offer' && campaignId !== '0' && context.guard.offers(endpointNamed('get_stats'));
  const passes =
    missing === 'converted' ? await readField(campaignId, namesOf('option', 'pass_subid_to_offer'), context) : null;
  return {
    offers: asksOffers && day ? await optional(() => readOffers(campaignId, day, context), context) : undefined,
    passesSubid: passes === null ? undefined : yesOrNo(passes) === true,
  };
}

/** Whether a campaign has several levels of landing pages; false if the tracker does not say it. */
export async function hasSeveralLevels(campaignId: string, context: CallContext): Promise<boolean> {
  const type = await readField(campaignId, namesOf('listed', 'type'), context);
  const known = type === null ? undefined : campaignTypeNamed(rawText(type));
  return known !== undefined && hasLevel(known, 'landing');
}

/** What the list of campaigns says of one; null if it does not, or cannot be had. */
async function readField(campaignId: string, names: readonly string[], context: CallContext): Promise<Cell> {
  const listed = campaignId === '0' ? undefined : await listCampaignsIfOffered(context);
  return fieldNamed(listed?.find(({ id }) => rawText(id) === campaignId)?.fields ?? [], names);
}

async function readOffers(
  campaignId: string,
  day: string,
  { client, signal }: CallContext,
): Promise<Evidence['offers']> {
  const question = { campaign_id: Number(campaignId), reports: ['offer' as const], start_date: day, end_date: day };
  const [table] = (await client.read('get_stats', question, { signal })).reply.tables;
  return table && table.rowCount > 0 ? readPageRows(table).rows : undefined;
}
