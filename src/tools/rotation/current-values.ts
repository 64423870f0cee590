import { numberIn } from '../../analysis/columns/columns.ts';
import type { PlacedPage } from '../../analysis/page-rows.ts';
import type { Endpoint } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { fieldNamed, thingsOf } from '../../api/vocabulary.ts';
import { yesOrNo } from '../../api/yes-no.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { ReadOptions } from '../../client/tracker-client.ts';
import type { Changes } from '../../guard/changes.ts';
import type { ValuesBefore } from '../../guard/write.ts';
import { askQuickly } from '../asking.ts';
import type { ListedCampaign } from '../campaigns.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { idleBidNotice } from '../notices.ts';
import type { Before } from '../present/receipt.ts';
import { argumentsOf, type CampaignPages, findCampaign, findPage, readCampaignPages } from './campaign-pages.ts';
import { addedBy, describeEffect, effectOfAdding, effectOn, warningsOf } from './group-effect.ts';

/** What there is before a write, and whether the tracker was read for it. */
interface Current extends Before {
  /** False if the values are those that this server set last, or not known. */
  readonly isCurrent: boolean;
}

/** The same, with the pages of the campaign if one is to be added. */
type BeforeWrite = Before & { readonly pages?: readonly PlacedPage[] };

const nothing: Current = { values: {}, effect: [], notices: [], isCurrent: false };

/** What there is to ask before a write; each is asked at most once. */
export interface Present {
  readonly pages: (campaignId: number) => Promise<CampaignPages>;
  readonly campaign: (campaignId: number) => Promise<ListedCampaign | undefined>;
  readonly changes: Changes;
}

/** What the tracker has now, read anew for one call. */
export function presentOf(context: CallContext, how: Pick<ReadOptions, 'once'> = {}): Present {
  const once = <Answer>(ask: (campaignId: number) => Promise<Answer>) => {
    const asked = new Map<number, Promise<Answer>>();
    return (id: number) => {
      const answer = asked.get(id) ?? ask(id);
      asked.set(id, answer);
      return answer;
    };
  };
  return {
    pages: once((id) => readCampaignPages(id, context, how)),
    campaign: once((id) => findCampaign(id, context, { ...how, reuse: false })),
    changes: context.guard.changes,
  };
}

/** Looks up what an edit is about to change. Throws a TrackerFailure if the tracker cannot be asked. */
export async function readBefore(endpoint: Endpoint, given: Given, present: Present): Promise<Current> {
  if (endpoint.access !== 'update') return nothing;
  if (endpoint.record === 'campaign_page') return pageBefore(given, present);
  if (endpoint.record === 'campaign') return campaignBefore(given, present);
  return recordBefore(endpoint, given, present.changes);
}

/** The same before a write that waits for it: once, quickly, and a tracker that cannot be asked does not keep it away. */
export async function readCurrentValues(endpoint: Endpoint, given: Given, context: CallContext): Promise<BeforeWrite> {
  const read = endpoint.access === 'create' && endpoint.record === 'campaign_page' ? pagesBefore : readBefore;
  try {
    return await askQuickly<BeforeWrite>(context, (quick) => read(endpoint, given, presentOf(quick, { once: true })));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (context.signal?.aborted) throw new Failure(`${endpoint.name} was not sent: the call was cancelled.`);
    return { ...nothing, notices: [`The values before are not known: ${error.message}`] };
  }
}

/** A page's fields by the names of the arguments that set them. */
const pageFields: Readonly<Record<string, (page: PlacedPage) => unknown>> = {
  name: ({ name }) => rawCell(name),
  url: ({ url }) => rawCell(url),
  source: ({ source }) => rawCell(source),
  active: ({ active }) => active,
  share: ({ share }) => share,
  level: ({ level }) => level,
  path: ({ path }) => path,
  payout: ({ payout }) => payout,
  new_page_id: ({ pageId }) => Number(pageId),
};

async function pageBefore(given: Given, present: Present): Promise<Current> {
  const { campaign_id: campaignId, page_id: pageId, share, active } = argumentsOf(given);
  const known = await present.pages(campaignId ?? 0);
  const found = findPage(known, pageId);
  if (!found) {
    return { ...nothing, notices: ['The values before are not known: no report of the campaign shows this page.'] };
  }
  const { page, group } = found;
  const values = knownValues(given, (argument) => pageFields[argument]?.(page));
  if (share === undefined && active === undefined) return { ...nothing, values, isCurrent: true };
  const effect = effectOn(group, new Map([[page.pageId, { share, active }]]));
  const notices = warningsOf(effect, known.sharesOnePool);
  return { values, isCurrent: true, effect: describeEffect(effect), notices };
}

/** The pages of a campaign ahead of one that is added, and what the addition does to its group. */
async function pagesBefore(endpoint: Endpoint, given: Given, present: Present): Promise<BeforeWrite> {
  const { pages, sharesOnePool } = await present.pages(argumentsOf(given).campaign_id ?? 0);
  const effect = effectOfAdding(addedBy(endpoint, given, pages), pages, sharesOnePool);
  return { values: {}, effect: describeEffect(effect), notices: warningsOf(effect, sharesOnePool), pages };
}

async function campaignBefore(given: Given, present: Present): Promise<Current> {
  const { campaign_id: campaignId, bid } = argumentsOf(given);
  const campaign = await present.campaign(campaignId ?? 0);
  if (!campaign) {
    return { ...nothing, notices: ['The values before are not known: the campaign list does not show this campaign.'] };
  }
  const values = knownValues(given, (argument) => optionOf(campaign, argument));
  return { ...nothing, values, isCurrent: true, notices: bid === undefined ? [] : idleBidNotice(campaign) };
}

const optionNames: Readonly<Record<string, readonly string[]>> = thingsOf('option');

function optionOf(campaign: ListedCampaign, argument: string): unknown {
  const cell = fieldNamed(campaign.fields, optionNames[argument] ?? []);
  if (cell === null) return undefined;
  return argument.startsWith('pass_') ? yesOrNo(cell) === true : numberIn(cell);
}

/** The API cannot read predefined records; what this server set in them is known. */
async function recordBefore(endpoint: Endpoint, given: Given, changes: Changes): Promise<Current> {
  const idName = Object.keys(endpoint.parameters).find((name) => endpoint.parameters[name]?.wire === 'id') ?? '';
  const values = await knownRecord(idName, String(given[idName]), changes);
  const known = knownValues(given, (argument) => (argument === idName ? undefined : values[argument]));
  const isUnknown = (name: string) => name !== idName && name in endpoint.parameters && !(name in known);
  const notice =
    'The API cannot read predefined records, so the values before are those that this server set, or not known.';
  return { ...nothing, values: known, notices: Object.keys(given).some(isUnknown) ? [notice] : [] };
}

/** What this server set last in a predefined record, by the argument that names it: `offer_id` or `landing_page_id`. */
async function knownRecord(idName: string, id: string, changes: Changes): Promise<ValuesBefore> {
  const record = idName.replace(/_id$/, '');
  const values: Record<string, unknown> = {};
  for (const { tool, arguments: set, id: named, outcome } of (await changes.all()).flatMap(({ steps }) => steps)) {
    const isSame = tool === `add_${record}` ? named === id : tool === `edit_${record}` && String(set[idName]) === id;
    if (isSame && outcome === 'ok') Object.assign(values, set);
  }
  return values;
}

/** Of the arguments that are given, those whose value before is known. */
function knownValues(given: Given, lookUp: (argument: string) => unknown): ValuesBefore {
  const known = Object.keys(given).map((argument) => [argument, lookUp(argument)] as const);
  return Object.fromEntries(known.filter(([, value]) => value !== undefined && value !== null));
}

/**
 * What a person who agrees to these writes takes for granted: the pages that share the traffic with the one that is changed,
 * and the predefined records that are placed. Throws a TrackerFailure if the tracker cannot be asked.
 */
export async function surroundingsOf(
  requests: readonly TrackerRequest[],
  present: Present,
): Promise<Readonly<Record<string, string>>> {
  const found = await Promise.all(requests.map((request) => around(request, present)));
  return Object.fromEntries(found.flat());
}

async function around(
  { endpoint, arguments: given }: TrackerRequest,
  present: Present,
): Promise<readonly (readonly [string, string])[]> {
  if (endpoint.record !== 'campaign_page') return [];
  const { campaign_id: campaignId = 0, page_id: pageId, offer_id, landing_page_id } = argumentsOf(given);
  const { groups } = await present.pages(campaignId);
  const isEdit = endpoint.access === 'update';
  const rivals = groups.flatMap(({ pages }) =>
    !isEdit || pages.some((page) => page.pageId === String(pageId)) ? pages : [],
  );
  const pages = rivals.map((page) => {
    const { pageId: id, kind, name, url, source, active, share, level, path, payout } = page;
    const texts = [name, url, source].map(rawCell);
    return [
      `page ${id} of campaign ${campaignId}`,
      JSON.stringify([kind, ...texts, active, share, level, path, payout]),
    ] as const;
  });
  const placed = Object.entries({ offer_id, landing_page_id }).map(async ([name, id]) => {
    if (id === undefined) return [];
    const { dry_run: _, ...known } = await knownRecord(name, String(id), present.changes);
    return [[`${name.replace('_id', '').replace('_', ' ')} ${id}`, JSON.stringify(known)] as const];
  });
  return [...pages, ...(await Promise.all(placed)).flat()];
}
