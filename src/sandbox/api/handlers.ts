import type { EndpointArguments, EndpointName, endpoints } from '../../api/endpoints.ts';
import { listCampaigns, listTrafficSources } from '../reports/set-up-lists.ts';
import { readStats } from '../reports/stats.ts';
import { listConversions, listVisitors } from '../reports/visit-lists.ts';
import { lookUpVisit } from '../reports/visit-lookup.ts';
import type { Reader, Writer } from '../store/database.ts';
import type { Content } from '../wire/render.ts';
import { addPage, editCampaign, editPage } from './campaign-changes.ts';
import { addRecord, editRecord } from './predefined-records.ts';

export type ReadName = Extract<(typeof endpoints)[number], { access: 'read' }>['name'];
export type WriteName = Exclude<EndpointName, ReadName>;

export interface HandlerContext {
  readonly now: Date;
  /** Where this tracker is reached, without a slash at the end. */
  readonly baseUrl: string;
}

/** Answers a reading endpoint from one state of the data. */
type ReadHandler<Name extends ReadName> = (
  given: EndpointArguments<Name>,
  reader: Reader,
  context: HandlerContext,
) => Promise<Content>;

/** Carries out a writing endpoint: all of it, or none if it throws. A plain OK has no content. */
type WriteHandler<Name extends WriteName> = (
  given: EndpointArguments<Name>,
  writer: Writer,
) => Promise<Content | undefined>;

export const readHandlers: { readonly [Name in ReadName]: ReadHandler<Name> } = {
  get_stats: async (given, reader, { now }) => ['Reports', await readStats(reader, given, now)],
  list_conversions: async (given, reader, { now }) => ['Rows', await listConversions(reader, given, now)],
  list_visitors: async (given, reader, { now }) => ['Rows', await listVisitors(reader, given, now)],
  lookup_subid: async ({ subid }, reader) => ['Groups', await lookUpVisit(reader, subid)],
  list_campaigns: async (given, reader, { baseUrl }) => ['Rows', await listCampaigns(reader, given, baseUrl)],
  list_traffic_sources: async (_given, reader) => ['Rows', await listTrafficSources(reader)],
};

const ok = () => undefined;

export const writeHandlers: { readonly [Name in WriteName]: WriteHandler<Name> } = {
  add_landing_page: async (given, writer) => idContent(await addRecord(writer, 'landing', given)),
  add_offer: async (given, writer) => idContent(await addRecord(writer, 'offer', given)),
  edit_landing_page: async (given, writer) =>
    idContent(await editRecord(writer, 'landing', given.landing_page_id, given)),
  edit_offer: async (given, writer) => idContent(await editRecord(writer, 'offer', given.offer_id, given)),
  add_landing_page_to_campaign: (given, writer) => addPage(writer, 'landing', given.landing_page_id, given).then(ok),
  add_offer_to_campaign: (given, writer) => addPage(writer, 'offer', given.offer_id, given).then(ok),
  edit_campaign: (given, writer) => editCampaign(writer, given).then(ok),
  edit_campaign_page: (given, writer) => editPage(writer, given).then(ok),
};

function idContent(id: number): Content {
  return ['ID', String(id)];
}
