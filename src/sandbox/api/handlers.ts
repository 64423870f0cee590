import type { endpoints } from '../../api/endpoints.ts';
import { listCampaigns } from '../reports/campaign-list.ts';
import { type ConversionQuestion, listConversions } from '../reports/conversion-list.ts';
import { readStats, type StatsQuestion } from '../reports/stats.ts';
import { listTrafficSources } from '../reports/traffic-source-list.ts';
import { lookUpVisit } from '../reports/visit-lookup.ts';
import { listVisitors, type VisitorQuestion } from '../reports/visitor-list.ts';
import type { Answer } from '../wire/answer.ts';
import { editCampaign, type OptionChange } from './campaign-options.ts';
import { addPage, editPage, type NewPage, type PageChange } from './campaign-pages.ts';
import type { Given, ReadHandler, WriteHandler } from './handler.ts';
import { addRecord, editRecord } from './predefined-records.ts';

type Named<Access> = Extract<(typeof endpoints)[number], { access: Access }>['name'];
type ReadHandlers = { readonly [Name in Named<'read'>]: ReadHandler<never> };
type WriteHandlers = { readonly [Name in Named<'create' | 'update'>]: WriteHandler<never> };

const ok: Answer = { kind: 'ok' };

/** What answers each reading endpoint, by the name the contract gives it. */
export const readHandlers: ReadHandlers = {
  get_stats: async (given: StatsQuestion, reader, { now }) => ({
    kind: 'reports',
    reports: await readStats(reader, given, now),
  }),
  list_conversions: async (given: ConversionQuestion, reader, { now }) => ({
    kind: 'rows',
    rows: await listConversions(reader, given, now),
  }),
  list_visitors: async (given: VisitorQuestion, reader, { now }) => ({
    kind: 'rows',
    rows: await listVisitors(reader, given, now),
  }),
  lookup_subid: async ({ subid }: Given<'subid'>, reader) => ({
    kind: 'groups',
    groups: await lookUpVisit(reader, subid),
  }),
  list_campaigns: async ({ status = 'all' }: Given<never, 'status'>, reader, { baseUrl }) => ({
    kind: 'rows',
    rows: await listCampaigns(reader, status, baseUrl),
  }),
  list_traffic_sources: async (_given, reader) => ({ kind: 'rows', rows: await listTrafficSources(reader) }),
};

type RecordGiven = Given<'name' | 'url', 'active' | 'notes' | 'source' | 'payout'>;
type RecordChange = Given<never, 'name' | 'url' | 'active' | 'notes' | 'source' | 'payout'>;

/** What carries out each writing endpoint, by the name the contract gives it. */
export const writeHandlers: WriteHandlers = {
  add_landing_page: async (given: RecordGiven, writer) => idAnswer(await addRecord(writer, 'landing', given)),
  add_offer: async (given: RecordGiven, writer) => idAnswer(await addRecord(writer, 'offer', given)),
  edit_landing_page: async (given: RecordChange & Given<'landing_page_id'>, writer) => {
    await editRecord(writer, 'landing', given.landing_page_id, given);
    return idAnswer(given.landing_page_id);
  },
  edit_offer: async (given: RecordChange & Given<'offer_id'>, writer) => {
    await editRecord(writer, 'offer', given.offer_id, given);
    return idAnswer(given.offer_id);
  },
  add_landing_page_to_campaign: async (given: NewPage & Given<never, 'landing_page_id'>, writer) => {
    await addPage(writer, 'landing', given.landing_page_id, given);
    return ok;
  },
  add_offer_to_campaign: async (given: NewPage & Given<never, 'offer_id'>, writer) => {
    await addPage(writer, 'offer', given.offer_id, given);
    return ok;
  },
  edit_campaign: async (given: OptionChange, writer) => {
    await editCampaign(writer, given);
    return ok;
  },
  edit_campaign_page: async (given: PageChange, writer) => {
    await editPage(writer, given);
    return ok;
  },
};

function idAnswer(id: number): Answer {
  return { kind: 'id', id: String(id) };
}
