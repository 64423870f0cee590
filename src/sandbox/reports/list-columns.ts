import type { columnSets } from '../../api/endpoints.ts';
import { extraSlots } from '../../api/token-slots.ts';
import type { Reader } from '../store/database.ts';
import { readSetting } from './settings.ts';
import { flagText, localTime, moneyText } from './sql-text.ts';

/** Each column of a list by name, as text over the relations that the list joins. */
export type ListColumns = Readonly<Record<string, string>>;

const named = (names: readonly string[], relation: string): ListColumns =>
  Object.fromEntries(names.map((name) => [name, `${relation}.${name.toLowerCase()}`]));

/** What is known of a visit, over `visit`, `campaign`, `landing` and `offer`. */
const visitColumns: ListColumns = {
  SubID: 'visit.subid',
  ClickID: "split_part(visit.subid, '_', -1)",
  CampaignID: 'visit.campaign_id::VARCHAR',
  Campaign: 'campaign.name',
  Keyword: 'visit.keyword',
  AdValue: 'visit.ad_value',
  LandingPage: 'landing.name',
  Offer: 'offer.name',
  OfferSource: 'offer.source',
  ...named(['IP', 'Country', 'Region', 'City', 'ISP', 'Device', 'OS', 'Browser'], 'visit'),
  UserAgent: 'visit.user_agent',
  Referrer: 'visit.referrer',
  ExternalID: 'visit.external_id',
  ...named(extraSlots, 'visit'),
  Cost: moneyText('visit.cost'),
};

/** What an offer source reported, over `conversion`. */
const conversionColumns: ListColumns = {
  Revenue: moneyText('conversion.revenue'),
  Status: 'conversion.status',
  TransactionID: 'conversion.transaction_id',
  ...named(['Custom1', 'Custom2', 'Custom3', 'Custom4', 'Custom5'], 'conversion'),
};

/** The columns of the conversion list; over `conversion`, too. */
export const conversionListColumns: ListColumns = {
  Date: localTime('conversion."at"'),
  VisitDate: localTime('visit."at"'),
  ...visitColumns,
  ...conversionColumns,
};

/** The columns of the visitor list; over `journey`, too. A visitor who did not convert has no conversion. */
export const visitorListColumns: ListColumns = {
  Date: localTime('visit."at"'),
  ...visitColumns,
  Path: 'visit.path::VARCHAR',
  Clicked: flagText('journey.first_click IS NOT NULL'),
  Subscribed: flagText('visit.click_id IN (SELECT click_id FROM subscribers)'),
  Converted: flagText('conversion.click_id IS NOT NULL'),
  ConversionDate: localTime('conversion."at"'),
  ...conversionColumns,
};

/** The `cols` of the specification: which of a list's columns to return. */
export type ColumnSet = (typeof columnSets)[number];

/** A list that knows its default columns, and the setting that keeps which ones its page shows. */
export interface List {
  readonly columns: ListColumns;
  readonly defaults: readonly string[];
  /** Names separated by commas. */
  readonly currentSetting: string;
}

/** The columns that a SELECT of the list returns. */
export async function selectColumns(reader: Reader, list: List, set: ColumnSet): Promise<string> {
  const names = await chosenNames(reader, list, set);
  return names.map((name) => `${list.columns[name]} AS "${name}"`).join(', ');
}

async function chosenNames(reader: Reader, list: List, set: ColumnSet): Promise<readonly string[]> {
  if (set === 'all') return Object.keys(list.columns);
  if (set === 'default') return list.defaults;
  const setting = (await readSetting(reader, list.currentSetting)) ?? '';
  const visible = setting
    .split(',')
    .map((name) => name.trim())
    .filter((name) => Object.hasOwn(list.columns, name));
  return visible.length > 0 ? visible : list.defaults;
}
