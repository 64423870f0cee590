import type { EndpointArguments, EndpointName, endpoints } from '../../api/endpoints.ts';
import { listCampaigns, listTrafficSources } from '../reports/set-up-lists.ts';
import { readStats } from '../reports/stats.ts';
import { listConversions, listVisitors } from '../reports/visit-lists.ts';
import { lookUpVisit } from '../reports/visit-lookup.ts';
import type { Reader, Writer } from '../store/database.ts';
import type { Answer } from '../wire/render.ts';
import { addPage, editCampaign, editPage } from './campaign-changes.ts';
import { addRecord, editRecord } from './predefined-records.ts';

/** The endpoints that only read, by name. */
export type ReadName = Extract<(typeof endpoints)[number], { access: 'read' }>['name'];
/** The endpoints that write, by name. */
export type WriteName = Exclude<EndpointName, ReadName>;

/** What a reading handler has beside the arguments. */
export interface Surroundings {
  readonly now: Date;
  /** Where this tracker is reached, without a slash at the end. */
  readonly baseUrl: string;
}

/** Answers a reading endpoint from one state of the data. */
type ReadHandler<Name extends ReadName> = (
  given: EndpointArguments<Name>,
  reader: Reader,
  surroundings: Surroundings,
) => Promise<Answer>;

/** Carries out a writing endpoint; all of it happens, or, when it throws, none. */
type WriteHandler<Name extends WriteName> = (given: EndpointArguments<Name>, writer: Writer) => Promise<Answer>;

const ok: Answer = { kind: 'ok' };

/** What answers each reading endpoint, by the name the contract gives it. */
export const readHandlers: { readonly [Name in ReadName]: ReadHandler<Name> } = {
  get_stats: async (given, reader, { now }) => ({ kind: 'reports', reports: await readStats(reader, given, now) }),
  list_conversions: async (given, reader, { now }) => ({
    kind: 'rows',
    rows: await listConversions(reader, given, now),
  }),
  list_visitors: async (given, reader, { now }) => ({ kind: 'rows', rows: await listVisitors(reader, given, now) }),
  lookup_subid: async ({ subid }, reader) => ({ kind: 'groups', groups: await lookUpVisit(reader, subid) }),
  list_campaigns: async (given, reader, { baseUrl }) => ({
    kind: 'rows',
    rows: await listCampaigns(reader, given, baseUrl),
  }),
  list_traffic_sources: async (_given, reader) => ({ kind: 'rows', rows: await listTrafficSources(reader) }),
};

/** What carries out each writing endpoint, by the name the contract gives it. */
export const writeHandlers: { readonly [Name in WriteName]: WriteHandler<Name> } = {
  add_landing_page: async (given, writer) => idAnswer(await addRecord(writer, 'landing', given)),
  add_offer: async (given, writer) => idAnswer(await addRecord(writer, 'offer', given)),
  edit_landing_page: async (given, writer) => {
    await editRecord(writer, 'landing', given.landing_page_id, given);
    return idAnswer(given.landing_page_id);
  },
  edit_offer: async (given, writer) => {
    await editRecord(writer, 'offer', given.offer_id, given);
    return idAnswer(given.offer_id);
  },
  add_landing_page_to_campaign: async (given, writer) => {
    await addPage(writer, 'landing', given.landing_page_id, given);
    return ok;
  },
  add_offer_to_campaign: async (given, writer) => {
    await addPage(writer, 'offer', given.offer_id, given);
    return ok;
  },
  edit_campaign: async (given, writer) => {
    await editCampaign(writer, given);
    return ok;
  },
  edit_campaign_page: async (given, writer) => {
    await editPage(writer, given);
    return ok;
  },
};

function idAnswer(id: number): Answer {
  return { kind: 'id', id: String(id) };
}
