import type { EndpointArguments, EndpointName, ReadName } from '../../api/endpoints.ts';
import { listCampaigns, listTrafficSources } from '../reports/setup-lists.ts';
import { readStats } from '../reports/stats.ts';
import { listConversions, listVisitors, lookUpVisit } from '../reports/visits.ts';
import type { Reader, Writer } from '../store/database.ts';
import type { Tree } from '../wire.ts';
import { addPage, addRecord, editCampaign, editPage, editRecord } from './setup-changes.ts';

export type WriteName = Exclude<EndpointName, ReadName>;

/** What an endpoint replies with, under its name on the wire. */
export type Content = readonly [name: 'Rows' | 'Reports' | 'Groups' | 'ID', value: Tree];

export interface HandlerContext {
  readonly now: Date;
  /** The URL of this tracker, without a slash at the end. */
  readonly baseUrl: string;
}

/** Answers a reading endpoint from one snapshot of the data. */
type ReadHandler<Name extends ReadName> = (
  given: EndpointArguments<Name>,
  reader: Reader,
  context: HandlerContext,
) => Promise<Content>;

/** Runs a writing endpoint in one transaction. A plain OK has no content. */
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

export const writeHandlers: { readonly [Name in WriteName]: WriteHandler<Name> } = {
  add_landing_page: async (given, writer) => ['ID', await addRecord(writer, 'landing', given)],
  add_offer: async (given, writer) => ['ID', await addRecord(writer, 'offer', given)],
  edit_landing_page: async (given, writer) => ['ID', await editRecord(writer, 'landing', given.landing_page_id, given)],
  edit_offer: async (given, writer) => ['ID', await editRecord(writer, 'offer', given.offer_id, given)],
  add_landing_page_to_campaign: (given, writer) => addPage(writer, 'landing', given.landing_page_id, given),
  add_offer_to_campaign: (given, writer) => addPage(writer, 'offer', given.offer_id, given),
  edit_campaign: (given, writer) => editCampaign(writer, given),
  edit_campaign_page: (given, writer) => editPage(writer, given),
};
