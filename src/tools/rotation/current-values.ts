import { parseAmount } from '../../analysis/columns/amounts.ts';
import { numberIn } from '../../analysis/columns/columns.ts';
import type { PlacedPage } from '../../analysis/page-rows.ts';
import type { Notice } from '../../answer/notes.ts';
import type { WhyUnknown } from '../../answer/write-notes.ts';
import { Failure } from '../../api/failure.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { fieldNamed, thingsOf } from '../../api/vocabulary.ts';
import { yesOrNo } from '../../api/yes-no.ts';
import type { Changes } from '../../guard/changes.ts';
import type { ValuesBefore, WriteRequest } from '../../guard/write.ts';
import { askQuickly } from '../asking.ts';
import type { ListedCampaign } from '../campaigns.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { idleBidNote } from '../notices.ts';
import { unknownBeforeNote } from '../present/change-steps.ts';
import {
  argumentsOf,
  type CampaignPages,
  findCampaign,
  quotedCampaign,
  quotedPage,
  readCampaignPages,
} from './campaign-pages.ts';
import { changesTraffic, effectsOf, explainRequests } from './group-effect.ts';

export interface Before {
  /** The values that the request replaces, by argument name. Unknown values are left out. */
  readonly values: ValuesBefore;
  /** The known names of campaign and page, in quotation marks, by the argument with the ID. */
  readonly names: Readonly<Record<string, string>>;
  /** What the request does to the traffic of the group, a note for each line. */
  readonly effect: readonly Notice[];
  readonly notices: readonly Notice[];
  /** Whether the values were read from the tracker. If not, they are unknown, or this server set them last. */
  readonly isCurrent: boolean;
  /** The pages of the campaign, if the request adds one. */
  readonly pages?: readonly PlacedPage[];
}

const nothingKnown: Before = { values: {}, names: {}, effect: [], notices: [], isCurrent: false };

/** What the tracker has now. Each part is read once, when it is first needed. */
export interface Snapshot {
  readonly pages: (campaignId: number) => Promise<CampaignPages>;
  readonly campaign: (campaignId: number) => Promise<ListedCampaign | undefined>;
  readonly changes: Changes;
}

/** @param isQuick whether each part is read in a part of the call's time and without retries */
export function openSnapshot(context: CallContext, isQuick = false): Snapshot {
  const how = { once: isQuick };
  const readOnce = <Result>(read: (campaignId: number, context: CallContext) => Promise<Result>) => {
    const results = new Map<number, Promise<Result>>();
    return (id: number) => {
      const result = results.get(id) ?? (isQuick ? askQuickly(context, (quick) => read(id, quick)) : read(id, context));
      results.set(id, result);
      return result;
    };
  };
  return {
    pages: readOnce((id, reading) => readCampaignPages(id, reading, how)),
    campaign: readOnce((id, reading) => findCampaign(id, reading, how)),
    changes: context.guard.changes,
  };
}

/** What could be read, and why some of the values are not known. */
type Reading = Before & { readonly whyUnknown?: WhyUnknown };

/** Reads what a request is about to change, with a notice on what an undo cannot restore. Throws a TrackerFailure. */
export async function readCurrentValues(request: WriteRequest, snapshot: Snapshot): Promise<Before> {
  return withUnknownNotice(request, await read(request, snapshot));
}

function withUnknownNotice({ endpoint, arguments: given }: WriteRequest, reading: Reading): Before {
  const { whyUnknown, ...before } = reading;
  if (endpoint.access === 'create') return before;
  const unknown = unknownBeforeNote(endpoint.name, given, before.values, whyUnknown);
  return { ...before, notices: [...unknown, ...before.notices] };
}

async function read(request: WriteRequest, snapshot: Snapshot): Promise<Reading> {
  const { access, record } = request.endpoint;
  if (record === 'campaign_page') {
    const campaign = await snapshot.pages(argumentsOf(request.arguments).campaign_id ?? 0);
    return access === 'create' ? beforeAdding(request, campaign) : beforeEditing(request, campaign);
  }
  if (access === 'create') return nothingKnown;
  return record === 'campaign' ? campaignBefore(request, snapshot) : recordBefore(request, snapshot.changes);
}

/** The same; if the tracker cannot be asked, a notice says so. */
export async function tryToReadCurrentValues(
  request: WriteRequest,
  snapshot: Snapshot,
  context: CallContext,
): Promise<Before> {
  try {
    return await readCurrentValues(request, snapshot);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (context.signal?.aborted) throw new Failure(`${request.endpoint.name} was not sent: the call was cancelled.`);
    if (request.endpoint.access === 'update') {
      return withUnknownNotice(request, {
        ...nothingKnown,
        whyUnknown: { because: 'failure', failure: error.message },
      });
    }
    return {
      ...nothingKnown,
      notices: [{ code: 'effect-unknown', why: { because: 'failure', failure: error.message } }],
    };
  }
}

/** A person who changes a number changes it by more than this part of it. */
const maxRounding = 1e-4;

/**
 * Whether a tracker shows the value that was set. It may round a number to the digits that it shows, such as 0.123456789 to
 * 0.123457. Because a shown 0.5 could be a rounded 0.52 or a different value, the difference must also be tiny.
 */
export function isSameValue(shown: unknown, set: unknown): boolean {
  if (String(shown) === String(set)) return true;
  if (typeof shown !== 'number' || typeof set !== 'number') return false;
  const decimals = String(shown).split('.')[1]?.length ?? 0;
  return Number(set.toFixed(decimals)) === shown && Math.abs(shown - set) <= Math.abs(set) * maxRounding;
}

/** The fields of a page by the arguments that set them. */
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

/** The values of a page that a request sets. */
export function valuesOfPage(page: PlacedPage, given: Given): ValuesBefore {
  return pickKnown(given, (argument) => pageFields[argument]?.(page));
}

function beforeEditing(request: WriteRequest, campaign: CampaignPages): Reading {
  const { arguments: given } = request;
  const { page_id: pageId } = argumentsOf(given);
  const page = campaign.pages.find((candidate) => candidate.pageId === String(pageId));
  const names = namesOf(campaign.campaign, page);
  if (!page) return { ...nothingKnown, names, whyUnknown: { because: 'no report' } };
  const values = valuesOfPage(page, given);
  if (!changesTraffic(given)) return { ...nothingKnown, values, names, isCurrent: true };
  const { effect, warnings } = explainRequests([request], campaign);
  return { values, names, isCurrent: true, effect, notices: warnings };
}

function beforeAdding(request: WriteRequest, campaign: CampaignPages): Before {
  const { effect, warnings } = explainRequests([request], campaign);
  return { ...nothingKnown, names: namesOf(campaign.campaign), effect, notices: warnings, pages: campaign.pages };
}

function namesOf(campaign: ListedCampaign | undefined, page?: PlacedPage): Before['names'] {
  const pageName = quotedPage(page);
  return {
    ...(campaign && { campaign_id: quotedCampaign(campaign) }),
    ...(pageName !== undefined && { page_id: pageName }),
  };
}

async function campaignBefore({ arguments: given }: WriteRequest, snapshot: Snapshot): Promise<Reading> {
  const { campaign_id: campaignId, bid } = argumentsOf(given);
  const campaign = await snapshot.campaign(campaignId ?? 0);
  if (!campaign) return { ...nothingKnown, whyUnknown: { because: 'not listed' } };
  const values = optionsIn(campaign, given);
  const notices = bid === undefined ? [] : idleBidNote(campaign);
  const unread = Object.keys(given).flatMap((argument) =>
    argument in values ? [] : (unreadOption(campaign, argument) ?? []),
  );
  const because = unread[0] ? { whyUnknown: unread[0] } : {};
  return { ...nothingKnown, values, names: namesOf(campaign), isCurrent: true, notices, ...because };
}

/** The options of a campaign that a request sets, as its list shows them. */
export function optionsIn(campaign: ListedCampaign, given: Given): ValuesBefore {
  return pickKnown(given, (argument) => optionOf(campaign, argument));
}

/** Why an option that the list shows is not known. */
function unreadOption(campaign: ListedCampaign, argument: string): WhyUnknown | undefined {
  const cell = fieldNamed(campaign.fields, optionNames[argument] ?? []);
  if (cell === null || parseAmount(rawText(cell)) === undefined) return undefined;
  return { because: 'open number', cell: rawText(cell) };
}

const optionNames: Readonly<Record<string, readonly string[]>> = thingsOf('option');

function optionOf(campaign: ListedCampaign, argument: string): unknown {
  const cell = fieldNamed(campaign.fields, optionNames[argument] ?? []);
  if (cell === null) return undefined;
  return argument.startsWith('pass_') ? yesOrNo(cell) === true : numberIn(cell);
}

/** The API cannot read predefined records, but this server knows what it set in them. */
async function recordBefore({ endpoint, arguments: given }: WriteRequest, changes: Changes): Promise<Reading> {
  const idName = Object.keys(endpoint.parameters).find((name) => endpoint.parameters[name]?.wire === 'id') ?? '';
  const record = await lastSetValues(idName, String(given[idName]), changes);
  const values = pickKnown(given, (argument) => (argument === idName ? undefined : record[argument]));
  return { ...nothingKnown, values, whyUnknown: { because: 'predefined' } };
}

/** The values that this server set last in a predefined record. `idName`: `offer_id` or `landing_page_id`. */
async function lastSetValues(idName: string, id: string, changes: Changes): Promise<ValuesBefore> {
  const record = idName.replace(/_id$/, '');
  const values: Record<string, unknown> = {};
  for (const { steps } of await changes.all()) {
    for (const { tool, arguments: set, id: addedId, outcome } of steps) {
      const isSame =
        tool === `add_${record}` ? addedId === id : tool === `edit_${record}` && String(set[idName]) === id;
      if (isSame && outcome === 'ok') Object.assign(values, set);
    }
  }
  return values;
}

function pickKnown(given: Given, lookUp: (argument: string) => unknown): ValuesBefore {
  const values = Object.keys(given).map((argument) => [argument, lookUp(argument)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
}

/**
 * What an approval of these requests relies on: the name of the campaign, the pages that share traffic with the changed one, and
 * the predefined records that are added to a campaign. Texts by description. Throws a TrackerFailure if they cannot be read.
 */
export async function readSurroundings(
  requests: readonly WriteRequest[],
  snapshot: Snapshot,
): Promise<Readonly<Record<string, string>>> {
  const entries = await Promise.all(requests.map((request) => surroundingsOf(request, snapshot)));
  return Object.fromEntries(entries.flat());
}

async function surroundingsOf(
  request: WriteRequest,
  snapshot: Snapshot,
): Promise<readonly (readonly [string, string])[]> {
  const { endpoint, arguments: given } = request;
  const { campaign_id: campaignId = 0, offer_id, landing_page_id } = argumentsOf(given);
  if (endpoint.record === 'campaign') return nameOfCampaign(campaignId, await snapshot.campaign(campaignId));
  if (endpoint.record !== 'campaign_page') return [];
  const campaign = await snapshot.pages(campaignId);
  const affected = new Set(effectsOf([request], campaign).flatMap(({ pages }) => pages.map(({ page }) => page.pageId)));
  const related = campaign.pages.filter(({ pageId }) => endpoint.access === 'create' || affected.has(pageId));
  const pages = related.map(({ pageId: id, kind, name, url, source, active, share, level, path, payout }) => {
    const texts = [name, url, source].map(rawCell);
    const values = JSON.stringify([kind, ...texts, active, share, level, path, payout]);
    return [`page ${id} of campaign ${campaignId}`, values] as const;
  });
  const records = Object.entries({ offer_id, landing_page_id }).map(async ([name, id]) => {
    if (id === undefined) return [];
    const values = await lastSetValues(name, String(id), snapshot.changes);
    return [[`${name.replace('_id', '').replace('_', ' ')} ${id}`, JSON.stringify(values)] as const];
  });
  return [...nameOfCampaign(campaignId, campaign.campaign), ...pages, ...(await Promise.all(records)).flat()];
}

/** The name by which a person knows what they approve; empty if it is not known. */
function nameOfCampaign(id: number, campaign: ListedCampaign | undefined): readonly (readonly [string, string])[] {
  return campaign ? [[nameKey(id), JSON.stringify(rawText(campaign.name))]] : [];
}

/** The key of a campaign's name among the surroundings. */
export const nameKey = (campaignId: unknown) => `the name of campaign ${campaignId}`;
