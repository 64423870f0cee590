/** The tools and their wire names, written a second time on purpose: tests compare the endpoints of the source with this. */
interface SpecifiedTool {
  readonly path: string;
  /** The answer of a tracker, in a different shape for each endpoint. */
  readonly answer: string;
  /** The ID in the answer. */
  readonly answeredId?: string;
  readonly access: 'read' | 'create' | 'update';
  readonly required: readonly string[];
  /** Wire names by argument. */
  readonly wire: Readonly<Record<string, string>>;
  /** Parameters that are sent even if they are not given. */
  readonly always?: Readonly<Record<string, string>>;
  /** Arguments that are required too, unless the call has the ID of an existing record. */
  readonly companions?: { readonly unless: string; readonly give: readonly string[] };
  /** At least one of these must be given. */
  readonly changes?: readonly string[];
}

const dates = { start_date: 'start', end_date: 'end' };
const record = { name: 'name', url: 'url', active: 'inactive' };
const money = { source: 'source', payout: 'payout' };
const place = { share: 'share', path: 'path' };

export const specified: Readonly<Record<string, SpecifiedTool>> = {
  get_stats: {
    path: 'stats',
    answer: '{"status":"ok","data":{"offers":[{"Offer":"Gym","Views":"10","Clicks":"5","CTR":"50.00%"}]}}',
    access: 'read',
    required: ['campaign_id'],
    wire: {
      ...{ campaign_id: 'camp', reports: 'report', ...dates, quick_view_id: 'qv', group_by: 'grcols' },
      ...{ include_extra_tokens: 'extra', timezone: 'timezone' },
    },
  },
  list_conversions: {
    path: 'conversions',
    answer: '[{"SubID":"ab12cd34_7_00000345","Revenue":"$1.50"}]',
    access: 'read',
    required: [],
    wire: { campaign_id: 'camp', ...dates, column_set: 'cols' },
    always: { camp: '0' },
  },
  list_visitors: {
    path: 'visitorstats',
    answer: '{"columns":["SubID","Keyword"],"rows":[["ab12cd34_7_00000345","shoes"]]}',
    access: 'read',
    required: [],
    wire: { campaign_id: 'camp', ...dates, column_set: 'cols', max_records: 'rec' },
    always: { camp: '0' },
  },
  lookup_subid: {
    path: 'click/lookup',
    answer: '{"Campaign Data":{"Campaign":"Seven"},"Geo Data":{"Country":"DE","City":""}}',
    access: 'read',
    required: ['subid'],
    wire: { subid: 'subid' },
  },
  list_campaigns: {
    path: 'campaign/list',
    answer: '{"Status":"OK","Rows":[{"ID":"7","Name":"Seven"}]}',
    access: 'read',
    required: [],
    wire: { status: 'active' },
  },
  list_traffic_sources: {
    path: 'ts/list',
    answer: '<sources><source><id>1</id><name>Search</name></source></sources>',
    access: 'read',
    required: [],
    wire: {},
  },
  add_landing_page: {
    path: 'lp/add',
    answer: '{"Status":"OK","ID":"21"}',
    answeredId: '21',
    access: 'create',
    required: ['name', 'url'],
    wire: { ...record, notes: 'notes' },
  },
  edit_landing_page: {
    path: 'lp/edit',
    answer: '{"id":11}',
    answeredId: '11',
    access: 'update',
    required: ['landing_page_id'],
    wire: { landing_page_id: 'id', ...record, notes: 'notes' },
    changes: ['name', 'url', 'active', 'notes'],
  },
  add_landing_page_to_campaign: {
    path: 'lp/addtocamp',
    answer: 'OK',
    access: 'create',
    required: ['campaign_id'],
    wire: {
      ...{ campaign_id: 'campaignid', landing_page_id: 'id', ...record },
      ...{ ...place, page_id: 'pageid', level: 'level' },
    },
    companions: { unless: 'landing_page_id', give: ['name', 'url'] },
  },
  add_offer: {
    path: 'offer/add',
    answer: '22',
    answeredId: '22',
    access: 'create',
    required: ['name', 'url'],
    wire: { ...record, ...money, notes: 'notes' },
  },
  edit_offer: {
    path: 'offer/edit',
    answer: '"12"',
    answeredId: '12',
    access: 'update',
    required: ['offer_id'],
    wire: { offer_id: 'id', ...record, ...money, notes: 'notes' },
    changes: ['name', 'url', 'active', 'source', 'payout', 'notes'],
  },
  add_offer_to_campaign: {
    path: 'offer/addtocamp',
    answer: '{"status":"success"}',
    access: 'create',
    required: ['campaign_id'],
    wire: { campaign_id: 'campaignid', offer_id: 'id', ...record, ...money, ...place, page_id: 'pageid' },
    companions: { unless: 'offer_id', give: ['name', 'url'] },
  },
  edit_campaign: {
    path: 'campaign/edit',
    answer: '"OK"',
    access: 'update',
    required: ['campaign_id'],
    wire: {
      ...{ campaign_id: 'campaignid', engage_rate: 'engage', bid: 'bid', priority: 'priority' },
      ...{ pass_subid_to_landing_page: 'passsubidlp', pass_subid_to_offer: 'passsubidoffer' },
    },
    changes: ['engage_rate', 'bid', 'priority', 'pass_subid_to_landing_page', 'pass_subid_to_offer'],
  },
  edit_campaign_page: {
    path: 'campaign/editpage',
    answer: '<response><status>OK</status></response>',
    access: 'update',
    required: ['campaign_id', 'page_id'],
    wire: {
      ...{ campaign_id: 'campaignid', page_id: 'pageid', ...record, ...money },
      ...{ ...place, level: 'level', new_page_id: 'newpageid' },
    },
    changes: ['name', 'url', 'active', 'share', 'level', 'path', 'source', 'payout', 'new_page_id'],
  },
};

export const specifiedTools = Object.entries(specified).map(([name, tool]) => ({ name, ...tool }));
export const writingTools = specifiedTools.filter(({ access }) => access !== 'read');

/** A value of every argument, and its text on the wire. */
const samples: Readonly<Record<string, readonly [given: unknown, wire: string]>> = {
  campaign_id: [4, '4'],
  reports: [['offer', 'landing'], 'offer,landing'],
  start_date: ['2026-06-01', '2026-06-01'],
  end_date: ['2026-06-30', '2026-06-30'],
  timezone: ['Europe/Berlin', 'Europe/Berlin'],
  quick_view_id: [3, '3'],
  group_by: [['Keyword', 'Extra15', 'Offer2'], 'Keyword,Extra15,Offer2'],
  include_extra_tokens: [true, '1'],
  column_set: ['current', 'current'],
  max_records: [50, '50'],
  subid: ['ab12cd34_7_00000345', 'ab12cd34_7_00000345'],
  status: ['inactive', '0'],
  landing_page_id: [11, '11'],
  offer_id: [12, '12'],
  page_id: [13, '13'],
  new_page_id: [999_999_999_999_999, '999999999999999'],
  name: ['  Gym & Co = 100% + “ü” 😀 ', '  Gym & Co = 100% + “ü” 😀 '],
  url: ['https://offers.example.com/go?a=1&b={!subid!}#x', 'https://offers.example.com/go?a=1&b={!subid!}#x'],
  active: [false, '1'],
  notes: ['first line\nsecond', 'first line\nsecond'],
  share: [12.5, '12.5'],
  level: [2, '2'],
  path: [3, '3'],
  source: ['Summit & Co', 'Summit & Co'],
  payout: [1234.5, '1234.5'],
  engage_rate: [2.25, '2.25'],
  bid: [1e-7, '0.0000001'],
  priority: [0, '0'],
  pass_subid_to_landing_page: [false, '0'],
  pass_subid_to_offer: [true, '1'],
};

function sample(argument: string): readonly [given: unknown, wire: string] {
  const found = samples[argument];
  if (!found) throw new Error(`There is no sample value for ${argument}`);
  return found;
}

/** The fewest arguments that make a call valid, with these among them. */
export function validArguments(tool: SpecifiedTool, ...wanted: readonly string[]): Record<string, unknown> {
  const { required, companions, changes } = tool;
  const names = new Set([...required, ...wanted]);
  if (companions && !names.has(companions.unless)) for (const name of companions.give) names.add(name);
  if (changes && !changes.some((name) => names.has(name))) names.add(changes[0] ?? '');
  return Object.fromEntries([...names].map((name) => [name, sample(name)[0]]));
}

/** Arguments of the tools that are no endpoint. */
const otherArguments: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  get_breakdown: { campaign_id: 1, by: ['day'], start_date: '2026-11-01', end_date: '2026-11-03' },
  compare_pages: { campaign_id: 7, kind: 'offer', start_date: '2026-11-01', end_date: '2026-11-03' },
  diagnose_subid: { subids: ['ab12cd34_7_00000345', 'gone'] },
  reconcile_conversions: { statement: 'SubID,Payout,Date\nab12cd34_7_00000345,5,2026-11-02' },
  query_report: { sql: 'SELECT * FROM r1' },
  set_shares: { campaign_id: 1, shares: [{ page_id: 1, share: 5 }] },
  make_changes: {
    writes: [
      { tool: 'edit_campaign', arguments: { campaign_id: 1, bid: 0.7 } },
      { tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id: 1, share: 5 } },
    ],
  },
  undo_change: { change_id: 'c0ffee' },
};

/** Arguments with which any tool asks the tracker. A write is only shown if wanted. */
export function givenTo(tool: string, { dryRun = false } = {}): Readonly<Record<string, unknown>> {
  const endpoint = specified[tool];
  const given = endpoint ? validArguments(endpoint) : otherArguments[tool];
  return dryRun && /^(add|edit|set|make)_/.test(tool) ? { ...given, dry_run: true } : { ...given };
}

/** The wire parameters of a call with sample values, without the key and the format. */
export function expectedWire(tool: SpecifiedTool, given: Readonly<Record<string, unknown>>): Record<string, string> {
  const sent = Object.keys(given).map((argument) => [tool.wire[argument] ?? '', sample(argument)[1]] as const);
  return { ...tool.always, ...Object.fromEntries(sent) };
}

/** The answer of every path. */
export const plainAnswers: Readonly<Record<string, string>> = Object.fromEntries(
  specifiedTools.map(({ path, answer }) => [path, answer]),
);
