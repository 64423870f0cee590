import type * as z from 'zod';
import { type CampaignTraits, campaignTypeNames, hasLevel, hasPath, traitsOf, typesWhere } from './campaign-types.ts';
import * as is from './parameters.ts';
import { joinWords, type Rule } from './rules.ts';
import type { GroupsReply, ReceiptReply, TablesReply } from './table.ts';
import { extraSlots } from './token-slots.ts';
import type { MoneyArgument } from './vocabulary.ts';

/**
 * The tracker's HTTP API as data, from the sections of "Tracking Service Automation API" that `section` names. Tools, the
 * embedded tracker's routes, the tables of the docs and the tests are derived from it.
 */

/** What a call does in the tracker: nothing, add a record (twice adds two), or set values (twice sets the same). */
export type Access = 'read' | 'create' | 'update';

/** The reply to a successful call: tables by report name, one table, named groups of fields, an ID, or only OK. */
export type ReplyKind = 'reports' | 'rows' | 'groups' | 'id' | 'ok';

export interface Parameter {
  /** The parameter's name in the HTTP request. */
  readonly wire: string;
  readonly schema: z.ZodType;
  readonly required?: true;
  /** Sent if the argument is missing; without it nothing is sent. */
  readonly fallback?: unknown;
  /** The text for the wire, undefined to send nothing; without it `encodeParameter` decides. */
  readonly encode?: (value: unknown) => string | undefined;
}

export type WrittenRecord = 'landing_page' | 'offer' | 'campaign_page' | 'campaign';

export interface Endpoint {
  /** The name of the tool; the argument names are the keys of `parameters`. */
  readonly name: string;
  /** The path below `{base_url}/api/`, without slashes at its ends. */
  readonly path: string;
  readonly section: string;
  readonly access: Access;
  readonly title: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly rules: readonly Rule[];
  readonly reply: ReplyKind;
  /** The name of the one table in a `rows` reply. */
  readonly table?: string;
  /** The kind of record that a write creates or changes; the reply may name its ID. */
  readonly record?: WrittenRecord;
  /** Whether the reply can contain text of visitors: keywords, referrers, user agents, token values. */
  readonly holdsVisitorText?: true;
  /** The tool that shows what a write did, for "look before you try again". */
  readonly verify?: string;
}

export const reportNames = ['all', 'target', 'ad', 'landing', 'thankyou', 'offer', 'campaign'] as const;

export const groupColumns = ['Keyword', 'AdValue', 'CampaignID', ...extraSlots, 'Offer', 'Offer2'] as const;

export const columnSets = ['default', 'all', 'current'] as const;

/** An amount of money, with the same name on the wire. */
function money(wire: MoneyArgument, describe: string) {
  return { wire, schema: is.measure(describe) } satisfies Parameter;
}

/** `active` is the opposite of the wire's `inactive`. */
const active = {
  wire: 'inactive',
  schema: is.flag('false switches it off'),
  encode: (value) => (value ? '0' : '1'),
} satisfies Parameter;

const campaign = { wire: 'campaignid', schema: is.campaign(), required: true } satisfies Parameter;
const dates = {
  start_date: { wire: 'start', schema: is.date('YYYY-MM-DD') },
  end_date: { wire: 'end', schema: is.date('Last day') },
} satisfies Record<string, Parameter>;
const datesInOrder: Rule = { kind: 'in-order', first: 'start_date', last: 'end_date' };

const columnSet = {
  wire: 'cols',
  schema: is.oneOf(columnSets, 'What the tracker returns; current: as its page shows'),
} satisfies Parameter;
const campaignOrAll = { wire: 'camp', schema: is.campaignOrAll(), fallback: 0 } satisfies Parameter;
const name = { wire: 'name', schema: is.text('Name') } satisfies Parameter;
const url = { wire: 'url', schema: is.url('Complete URL, http:// or https://') } satisfies Parameter;
const notes = { wire: 'notes', schema: is.note('Notes') } satisfies Parameter;
const source = { wire: 'source', schema: is.text('Offer source (affiliate network)') } satisfies Parameter;
const payout = money('payout', 'Revenue per conversion');
const share = {
  wire: 'share',
  schema: is.percentage(
    'Weight, 0 to 100: its traffic is share / sum over the active pages of its level, path or option group',
  ),
} satisfies Parameter;
const pageId = {
  wire: 'pageid',
  schema: is.page('Landing page or offer inside the campaign: ID or exact name'),
} satisfies Parameter;
const newPageId = {
  wire: 'pageid',
  schema: is.id('ID inside the campaign; default: the tracker gives one'),
} satisfies Parameter;
const level = {
  wire: 'level',
  schema: is.ordinal(`Landing page level; ${joinWords(typesWhere(hasLevel, 'landing'), 'and')} campaigns only`),
} satisfies Parameter;
const landingPath = {
  wire: 'path',
  schema: is.ordinal(`Path; ${joinWords(typesWhere(hasPath, 'landing'), 'and')} campaigns only`),
} satisfies Parameter;
const typesWith = (trait: keyof CampaignTraits) => campaignTypeNames.filter((type) => traitsOf(type)[trait]).join(', ');
const offerPath = {
  wire: 'path',
  schema: is.ordinal(`Path (${typesWith('hasPaths')}) or option group (${typesWith('hasOptionGroups')})`),
} satisfies Parameter;

function required<Kind extends Parameter>(parameter: Kind) {
  return { ...parameter, required: true } as const;
}

export const endpoints = [
  {
    name: 'get_stats',
    path: 'stats',
    section: 'Stats',
    access: 'read',
    title: 'Campaign performance reports',
    description:
      'For one campaign’s reports as the tracker makes them: target (by keyword or group_by), ad, landing (pages), thankyou, offer, campaign (the summary). ' +
      'For several campaigns use get_overview; for days, devices or countries get_breakdown. A sale counts on the day of the visit or of the conversion: trackers differ.',
    parameters: {
      campaign_id: { ...campaign, wire: 'camp' },
      reports: { wire: 'report', schema: is.listOf(reportNames, 'Default: the tracker decides') },
      ...dates,
      timezone: { wire: 'timezone', schema: is.timeZone("Of the data, e.g. Europe/Berlin; default the tracker's own") },
      quick_view_id: { wire: 'qv', schema: is.id('Decides the target report’s columns and grouping') },
      group_by: {
        wire: 'grcols',
        schema: is.listOf(groupColumns, 'Groups the target report; Offer is the landing page, Offer2 the offer'),
      },
      include_extra_tokens: {
        wire: 'extra',
        schema: is.flag('Adds the extra token columns to the ad report'),
        encode: (value) => (value ? '1' : undefined),
      },
    },
    rules: [datesInOrder],
    reply: 'reports',
    holdsVisitorText: true,
  },
  {
    name: 'list_conversions',
    path: 'conversions',
    section: 'Conversion list',
    access: 'read',
    title: 'Conversions',
    description:
      'Conversions of one campaign or all, one row each: when, where and for how much, by the day of the conversion. ' +
      'For totals get_stats is smaller, and may count a sale on the day of the visit.',
    parameters: { campaign_id: campaignOrAll, ...dates, column_set: columnSet },
    rules: [datesInOrder],
    reply: 'rows',
    holdsVisitorText: true,
    table: 'conversions',
  },
  {
    name: 'list_visitors',
    path: 'visitorstats',
    section: 'Visitor stats',
    access: 'read',
    title: 'Latest visitors',
    description:
      'For single visits of one campaign or all, the latest first: bots, or a subID for diagnose_subid. A person who comes twice is two rows. ' +
      'For sums use get_breakdown or get_stats.',
    parameters: {
      campaign_id: campaignOrAll,
      ...dates,
      column_set: columnSet,
      max_records: { wire: 'rec', schema: is.ordinal('Most rows the tracker returns; default its own maximum') },
    },
    rules: [datesInOrder],
    reply: 'rows',
    holdsVisitorText: true,
    table: 'visitors',
  },
  {
    name: 'lookup_subid',
    path: 'click/lookup',
    section: 'SubID lookup',
    access: 'read',
    title: 'Look up one visitor',
    description:
      'Everything recorded about one visitor: campaign, geo, device, tokens of traffic source and offer source. ' +
      'Use it when a network asks about one click.',
    parameters: {
      subid: {
        wire: 'subid',
        schema: is.subid('SubID such as ab12cd34_7_00000345, or ClickID such as 00000345'),
        required: true,
      },
    },
    rules: [],
    reply: 'groups',
    holdsVisitorText: true,
  },
  {
    name: 'list_campaigns',
    path: 'campaign/list',
    section: 'Campaigns list',
    access: 'read',
    title: 'Campaigns',
    description:
      'All campaigns with the ID that other tools ask for, name, type, link, traffic source and options. What they earn is in get_overview.',
    parameters: {
      status: {
        wire: 'active',
        schema: is.oneOf(['all', 'active', 'inactive'], 'Which campaigns; default all'),
        fallback: 'all',
        encode: (value) => ({ active: '1', inactive: '0' })[String(value)],
      },
    },
    rules: [],
    reply: 'rows',
    table: 'campaigns',
  },
  {
    name: 'list_traffic_sources',
    path: 'ts/list',
    section: 'Traffic sources list',
    access: 'read',
    title: 'Traffic sources',
    description:
      'All traffic sources with their tokens: which URL parameter of an ad fills the keyword, the ad value and the extra tokens.',
    parameters: {},
    rules: [],
    reply: 'rows',
    table: 'traffic_sources',
  },
  {
    name: 'add_landing_page',
    path: 'lp/add',
    section: 'Landing page management',
    access: 'create',
    title: 'Add a predefined landing page',
    description:
      'Creates a predefined landing page and returns its ID. It gets no traffic until add_landing_page_to_campaign places it. ' +
      'Calling twice creates two; the API cannot delete.',
    parameters: { name: required(name), url: required(url), active, notes },
    rules: [],
    reply: 'id',
    record: 'landing_page',
  },
  {
    name: 'edit_landing_page',
    path: 'lp/edit',
    section: 'Landing page management',
    access: 'update',
    title: 'Edit a predefined landing page',
    description:
      'Changes a predefined landing page; what is left out stays. A campaign may keep its own copy: change that, its share and its path with edit_campaign_page.',
    parameters: {
      landing_page_id: {
        wire: 'id',
        schema: is.id('Predefined landing page ID, from add_landing_page'),
        required: true,
      },
      name,
      url,
      active,
      notes,
    },
    rules: [{ kind: 'some-of', arguments: ['name', 'url', 'active', 'notes'] }],
    reply: 'id',
    record: 'landing_page',
  },
  {
    name: 'add_landing_page_to_campaign',
    path: 'lp/addtocamp',
    section: 'Landing page management',
    access: 'create',
    title: 'Add a landing page to a campaign',
    description:
      'Places a landing page in a campaign, where it can get paid traffic at once: either an existing one by landing_page_id, or a new one by ' +
      'name and url. Calling twice places two.',
    parameters: {
      campaign_id: campaign,
      landing_page_id: { wire: 'id', schema: is.id('A predefined landing page; then no name, url or active') },
      name,
      url,
      active,
      share,
      page_id: newPageId,
      level,
      path: landingPath,
    },
    rules: [
      {
        kind: 'existing-or-new',
        existing: 'landing_page_id',
        needed: ['name', 'url'],
        onlyNew: ['name', 'url', 'active'],
      },
    ],
    reply: 'ok',
    record: 'campaign_page',
    verify: 'get_stats',
  },
  {
    name: 'add_offer',
    path: 'offer/add',
    section: 'Offer management',
    access: 'create',
    title: 'Add a predefined offer',
    description:
      'Creates a predefined offer and returns its ID. It gets no traffic until add_offer_to_campaign places it. ' +
      'Calling twice creates two; the API cannot delete.',
    parameters: { name: required(name), url: required(url), active, source, payout, notes },
    rules: [],
    reply: 'id',
    record: 'offer',
  },
  {
    name: 'edit_offer',
    path: 'offer/edit',
    section: 'Offer management',
    access: 'update',
    title: 'Edit a predefined offer',
    description:
      'Changes a predefined offer; what is left out stays. A campaign may keep its own copy: change that, its share and its path with edit_campaign_page.',
    parameters: {
      offer_id: { wire: 'id', schema: is.id('Predefined offer ID, from add_offer'), required: true },
      name,
      url,
      active,
      source,
      payout,
      notes,
    },
    rules: [{ kind: 'some-of', arguments: ['name', 'url', 'active', 'source', 'payout', 'notes'] }],
    reply: 'id',
    record: 'offer',
  },
  {
    name: 'add_offer_to_campaign',
    path: 'offer/addtocamp',
    section: 'Offer management',
    access: 'create',
    title: 'Add an offer to a campaign',
    description:
      'Places an offer in a campaign, where it can get paid traffic at once: either an existing one by offer_id, or a new one by name and url. ' +
      'Calling twice places two.',
    parameters: {
      campaign_id: campaign,
      offer_id: { wire: 'id', schema: is.id('Existing predefined offer; then no name, url, source, payout or active') },
      name,
      url,
      source,
      payout,
      active,
      share,
      page_id: newPageId,
      path: offerPath,
    },
    rules: [
      {
        kind: 'existing-or-new',
        existing: 'offer_id',
        needed: ['name', 'url'],
        onlyNew: ['name', 'url', 'source', 'payout', 'active'],
      },
    ],
    reply: 'ok',
    record: 'campaign_page',
    verify: 'get_stats',
  },
  {
    name: 'edit_campaign',
    path: 'campaign/edit',
    section: 'Campaign management',
    access: 'update',
    title: 'Edit campaign options',
    description:
      'Changes options of a campaign; what is left out stays. The bid is the cost of a visit whose link carries no cost.',
    parameters: {
      campaign_id: campaign,
      engage_rate: { wire: 'engage', schema: is.measure('Engage rate') },
      bid: money('bid', 'Bid, the cost per visit'),
      priority: { wire: 'priority', schema: is.count('Campaign priority') },
      pass_subid_to_landing_page: { wire: 'passsubidlp', schema: is.flag('Pass the subID to the landing page') },
      pass_subid_to_offer: { wire: 'passsubidoffer', schema: is.flag('Pass the subID to the offer') },
    },
    rules: [
      {
        kind: 'some-of',
        arguments: ['engage_rate', 'bid', 'priority', 'pass_subid_to_landing_page', 'pass_subid_to_offer'],
      },
    ],
    reply: 'ok',
    record: 'campaign',
    verify: 'list_campaigns',
  },
  {
    name: 'edit_campaign_page',
    path: 'campaign/editpage',
    section: 'Campaign management',
    access: 'update',
    title: 'Edit a landing page or offer in a campaign',
    description:
      'Changes one landing page or offer inside a campaign: its share of the traffic, on or off, name, url, payout, level, path. ' +
      'What is left out stays; the shares of the other pages do not change by themselves.',
    parameters: {
      campaign_id: campaign,
      page_id: required(pageId),
      name,
      url,
      active,
      share,
      level: { wire: 'level', schema: is.ordinal('Moves a landing page to this level') },
      path: { wire: 'path', schema: is.ordinal('Moves the page to this path, or an offer to this option group') },
      source,
      payout,
      new_page_id: { wire: 'newpageid', schema: is.id('Replaces page_id') },
    },
    rules: [
      {
        kind: 'some-of',
        arguments: ['name', 'url', 'active', 'share', 'level', 'path', 'source', 'payout', 'new_page_id'],
      },
    ],
    reply: 'ok',
    record: 'campaign_page',
    verify: 'get_stats',
  },
] as const satisfies readonly Endpoint[];

export type EndpointName = (typeof endpoints)[number]['name'];

type EndpointOf<Name extends EndpointName> = Extract<(typeof endpoints)[number], { name: Name }>;
type ParametersOf<Name extends EndpointName> = EndpointOf<Name>['parameters'];

export type ReadName = Extract<(typeof endpoints)[number], { access: 'read' }>['name'];
export type TablesName = Extract<(typeof endpoints)[number], { reply: 'reports' | 'rows' }>['name'];

export type ReplyTo<Name extends EndpointName> = {
  reports: TablesReply;
  rows: TablesReply;
  groups: GroupsReply;
  id: ReceiptReply;
  ok: ReceiptReply;
}[EndpointOf<Name>['reply']];

type NamesOf<Parameters, Kind> = {
  [Name in keyof Parameters]: Parameters[Name] extends Kind ? Name : never;
}[keyof Parameters];

/** The names of the parameters that always have a value. */
type Settled<Parameters> = NamesOf<Parameters, { required: true } | { fallback: unknown }>;

export type EndpointArguments<
  Name extends EndpointName,
  Parameters extends Readonly<Record<string, Parameter>> = ParametersOf<Name>,
> = {
  readonly [Argument in Settled<Parameters>]: z.output<Parameters[Argument]['schema']>;
} & {
  readonly [Argument in Exclude<keyof Parameters, Settled<Parameters>>]?: z.output<Parameters[Argument]['schema']>;
};

/** The arguments of an endpoint as a caller gives them: only required ones must be there. */
export type GivenArguments<Name extends EndpointName> = {
  readonly [Argument in NamesOf<ParametersOf<Name>, { required: true }>]: EndpointArguments<Name>[Argument &
    keyof EndpointArguments<Name>];
} & {
  readonly [Argument in keyof EndpointArguments<Name>]?: EndpointArguments<Name>[Argument] | undefined;
};

export function endpointNamed<Name extends EndpointName>(name: Name): EndpointOf<Name> {
  const found = endpoints.find((endpoint): endpoint is EndpointOf<Name> => endpoint.name === name);
  if (!found) throw new TypeError(`there is no endpoint ${name}`);
  return found;
}

/** The parameters of a request by their wire names, without key and format. */
export type WireParameters = Readonly<Record<string, string>>;

/** An endpoint's arguments as texts by their wire names. */
export function wireParameters(endpoint: Endpoint, given: Readonly<Record<string, unknown>>): WireParameters {
  const parameters: Record<string, string> = {};
  for (const [name, parameter] of Object.entries(endpoint.parameters)) {
    const argument = given[name] ?? parameter.fallback;
    const value = argument === undefined ? undefined : encodeParameter(parameter, argument);
    if (value !== undefined) parameters[parameter.wire] = value;
  }
  return parameters;
}

/** A request on one line for a person: its path and parameters, the key masked. */
export function requestLine(path: string, shown: WireParameters): string {
  const parameters = Object.entries(shown).map(([name, value]) => `${name}=${value}`);
  return `api/${path}: ${parameters.join(' ')}`;
}

/** The text of a value on the wire: 1/0 for booleans, commas in lists, plain decimals; undefined if it is not sent. */
export function encodeParameter(parameter: Parameter, value: unknown): string | undefined {
  if (parameter.encode) return parameter.encode(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'number') return plainDecimal(value);
  return String(value);
}

/** Trackers read 1e-7 as text or as 1; all of them read 0.0000001. */
function plainDecimal(value: number): string {
  const short = String(value);
  return short.includes('e') ? value.toFixed(20).replace(/(?<=[1-9])0+$/, '') : short;
}
