import { questions } from '../questions/questions.ts';

type Given = Readonly<Record<string, unknown>>;

/** `$SubID` in a text is the first cell of that column in the answer before, `$change_id` that field of it. */
export type Call = readonly [tool: string, given?: Given];

/** One server, with settings of its own, and the calls it gets, in order. */
export interface Setup {
  readonly name: string;
  /** Variables of the server, besides the URL and key of the tracker. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The variants of the wire that the tracker serves. */
  readonly quirks?: string;
  /** What a person answers to each question; without it the client cannot ask. */
  readonly person?: 'accept' | 'decline';
  /** Two trackers by name, one of them read-only. */
  readonly twoTrackers?: true;
  readonly calls: readonly Call[];
}

const week = { period: 'last_7_days' };
const days = { start_date: '2026-06-01', end_date: '2026-06-14' };
const campaign = 'Home fitness, search';
const url = 'https://offers.example.com/go?sub={!subid!}&src=1';

/** What a media buyer asks. */
const asked: readonly Call[] = questions.flatMap(({ calls }) => calls);

const reads: readonly Call[] = [
  ['list_campaigns'],
  ['list_campaigns', { status: 'active', sort_by: 'Bid', limit: 3 }],
  ['list_campaigns', { limit: 2, offset: 4 }],
  ['list_traffic_sources'],
  ['get_stats', { campaign_id: 1, ...week }],
  ['get_stats', { campaign_id: 1, reports: ['all'], ...days }],
  ['get_stats', { campaign_id: 'VPN', reports: ['target'], group_by: ['Extra1', 'Offer'], ...week }],
  ['get_stats', { campaign_id: 2, reports: ['ad'], include_extra_tokens: true, ...week, limit: 5 }],
  ['get_stats', { campaign_id: 1, reports: ['offer'], ...week, timezone: 'America/New_York' }],
  ['get_stats', { campaign_id: 1, reports: ['offer'], start_date: '2026-01-01', end_date: '2026-01-02' }],
  ['list_conversions', { ...week, limit: 5 }],
  ['list_conversions', { campaign_id: 4, ...days, column_set: 'default', sort_by: 'Revenue' }],
  ['list_visitors', { campaign_id: 1, max_records: 20 }],
  ['list_visitors', { ...week, columns: ['SubID', 'Country', 'Keyword'], limit: 4, offset: 8 }],
  ['list_visitors', { campaign_id: 5, period: 'yesterday', where: [{ column: 'Country', op: '=', value: 'US' }] }],
  ['list_conversions', { period: 'yesterday', limit: 1, columns: ['SubID'] }],
  ['lookup_subid', { subid: '$SubID' }],
  ['list_conversions', { period: 'yesterday', limit: 2, offset: 1, columns: ['SubID'] }],
  ['diagnose_subid', { subid: '$SubID' }],
  ['list_visitors', { campaign_id: 2, limit: 1, columns: ['SubID'] }],
  ['diagnose_subid', { subid: '$SubID' }],
  ['diagnose_subid', { subids: ['ab12cd34_7_00000345', '00000007', 'nothing', '12'] }],
  ['get_overview'],
  ['get_overview', { period: 'today' }],
  ['get_overview', { by: 'traffic_source', ...week }],
  ['get_overview', { by: 'offer', ...week }],
  ['get_overview', { by: 'landing_page', ...week, limit: 4 }],
  ['get_overview', { by: 'network', ...days }],
  ['get_overview', { by: 'page', ...week, limit: 6 }],
  ['get_overview', { campaign_ids: [1, 'VPN'], period: 'this_month' }],
  ['get_overview', { status: 'active', where: [{ column: 'Profit', op: '<', value: 0 }] }],
  ...['day', 'hour', 'weekday', 'device', 'country', 'offer', 'landing_page', 'network', 'os', 'browser'].flatMap(
    (by): Call[] => [
      ['get_breakdown', { campaign_id: 1, by: [by], ...week, limit: 5 }],
      ['get_breakdown', { by: [by], ...week, limit: 5 }],
    ],
  ),
  ['get_breakdown', { campaign_id: 2, by: ['device', 'country'], ...days, limit: 5 }],
  ['get_breakdown', { by: ['page'], ...week }],
  ['explain_change'],
  ['explain_change', { campaign_id: 1 }],
  ['explain_change', { campaign_id: 4, ...days }],
  ['explain_change', { campaign_id: 7, period: 'yesterday' }],
  ['review_account'],
  ['review_account', { limit: 2 }],
  ['check_tracking'],
  ['check_tracking', { campaign_id: 4, period: 'last_30_days' }],
  ...[1, 2, 4, 5, 6, 7, 8].flatMap((campaign_id): Call[] => [
    ['compare_pages', { campaign_id, kind: 'offer' }],
    ['compare_pages', { campaign_id, kind: 'landing', ...days }],
  ]),
  ['list_conversions', { campaign_id: 4, ...week }],
  ['query_report', { sql: 'SELECT count(*) AS n, sum("Revenue") AS revenue FROM conversions' }],
  ['get_stats', { campaign_id: 1, reports: ['offer'], ...week }],
  ['query_report', { sql: 'SELECT "Name", "Revenue" FROM offer ORDER BY 2 DESC LIMIT 3' }],
  ['list_changes'],
];

const statement = (...lines: readonly string[]) => ({ statement: lines.join('\n') });
const span = { start_date: '2026-06-14', end_date: '2026-06-14' };

const sale: Call = ['list_conversions', { ...span, limit: 1, columns: ['SubID', 'Revenue', 'Date'] }];
const statements: readonly Call[] = [
  sale,
  ['reconcile_conversions', { ...statement('SubID,Payout,Date', '$SubID,$Revenue,$Date'), ...span }],
  sale,
  ['reconcile_conversions', { ...statement('SubID\tPayout\tDate', '$SubID\t1.05\t$Date', 'Total\t1.05\t') }],
  [
    'reconcile_conversions',
    { ...statement('SubID,Payout,Date', 'ab12cd34_7_00000345,5,2026-06-14 10:00:00'), ...span },
  ],
  ['reconcile_conversions', { ...statement('s1;Provision;Datum', 'ab12cd34_7_00000345;5,00;14.06.2026'), ...span }],
  ['reconcile_conversions', { rows: [{ subid: 'ab12cd34_7_00000345', payout: 5, date: '2026-06-14' }], ...span }],
  ['reconcile_conversions', { ...statement('a,b', '1,2') }],
  ['reconcile_conversions', { ...statement('SubID,Payout', 'ab12cd34_7_00000345,5'), subid_column: 'none' }],
];

const refusals: readonly Call[] = [
  ['get_stats'],
  ['get_stats', { campaign_id: 'nowhere' }],
  ['get_stats', { campaign_id: 99 }],
  ['get_stats', { campaign_id: 1, period: 'last_week' }],
  ['get_stats', { campaign_id: 1, ...week, start_date: '2026-06-01' }],
  ['get_stats', { campaign_id: 1, start_date: '2026-06-31' }],
  ['get_stats', { campaign_id: 1, start_date: '2026-06-10', end_date: '2026-06-01' }],
  ['get_stats', { campaign_id: 1, reports: ['offers'] }],
  ['get_stats', { campaign_id: 1, group_by: ['nothing'] }],
  ['get_stats', { campaign_id: 1, timezone: 'Berlin' }],
  ['get_stats', { campaign_id: 1, quick_view_id: 9 }],
  ['get_stats', { campaign_id: 1, ...week, columns: ['Nothing'] }],
  ['get_stats', { campaign_id: 1, ...week, sort_by: 'Nothing' }],
  ['get_stats', { campaign_id: 1, ...week, where: [{ column: 'Views', op: '~', value: 1 }] }],
  ['get_stats', { campain_id: 1 }],
  ['list_visitors', { limit: 0 }],
  ['list_visitors', { max_records: -1 }],
  ['lookup_subid', { subid: '' }],
  ['lookup_subid', { subid: 'zz99zz99_1_99999999' }],
  ['diagnose_subid', { subid: 'zz99zz99_1_99999999' }],
  ['get_overview', { by: 'country' }],
  ['get_breakdown', { by: ['nothing'] }],
  ['get_breakdown', { campaign_id: 1, by: ['day', 'hour', 'device', 'os', 'country'] }],
  ['explain_change', { campaign_id: 3 }],
  ['compare_pages', { campaign_id: 3 }],
  ['query_report', { sql: 'DELETE FROM offer' }],
  ['query_report', { sql: 'SELECT nothing FROM offer' }],
  ['add_offer', { name: 'No address', url: 'offers.example.com' }],
  ['add_offer', { name: '', url }],
  ['edit_offer', { offer_id: 1 }],
  ['edit_offer', { offer_id: 1, source: 'No such network' }],
  ['edit_campaign', { campaign_id: 1 }],
  ['edit_campaign', { campaign_id: 'Home', bid: 0.4 }],
  ['edit_campaign_page', { campaign_id: 1, page_id: 99, share: 5 }],
  ['edit_campaign_page', { campaign_id: 1, page_id: 3, share: 500 }],
  ['set_shares', { campaign_id: 1, shares: [] }],
  ['set_shares', { campaign_id: 1, shares: [{ page_id: 99, share: 5 }] }],
  ['undo_change', { change_id: '000000000000' }],
  ['no_such_tool'],
];

const dry = { dry_run: true };
const dryRuns: readonly Call[] = [
  ['add_offer', { name: 'New offer', url, payout: 12.5, ...dry }],
  ['add_landing_page', { name: 'New page', url: 'https://pages.example.com/', notes: 'first', ...dry }],
  ['edit_offer', { offer_id: 1, payout: 30, ...dry }],
  ['edit_landing_page', { landing_page_id: 1, active: false, ...dry }],
  ['add_offer_to_campaign', { campaign_id: campaign, name: 'Extra', url, share: 20, ...dry }],
  ['add_landing_page_to_campaign', { campaign_id: 1, name: 'Extra page', url: 'https://pages.example.com/b', ...dry }],
  ['edit_campaign', { campaign_id: campaign, bid: 0.4, ...dry }],
  ['edit_campaign', { campaign_id: 1, priority: 2, pass_subid_to_offer: false, ...dry }],
  ['edit_campaign_page', { campaign_id: 1, page_id: 3, share: 80, ...dry }],
  ['edit_campaign_page', { campaign_id: 1, page_id: 3, active: false, ...dry }],
  ['edit_campaign_page', { campaign_id: 1, page_id: 3, path: 2, ...dry }],
  [
    'set_shares',
    {
      campaign_id: 1,
      shares: [
        { page_id: 3, share: 10 },
        { page_id: 4, share: 70 },
      ],
      ...dry,
    },
  ],
];

const writes: readonly Call[] = [
  ...dryRuns,
  ['add_offer', { name: 'New offer', url, payout: 12.5, source: 'Summit Network' }],
  ['add_offer', { name: 'Plain offer', url }],
  ['add_landing_page', { name: 'New page', url: 'https://pages.example.com/', notes: 'first' }],
  ['edit_offer', { offer_id: 1, payout: 30 }],
  ['edit_offer', { offer_id: 9999, payout: 30 }],
  ['edit_landing_page', { landing_page_id: 1, name: 'Renamed' }],
  ['add_offer_to_campaign', { campaign_id: campaign, name: 'Extra', url, share: 20 }],
  ['undo_change', { change_id: '$change_id' }],
  ['add_landing_page_to_campaign', { campaign_id: 1, name: 'Extra page', url: 'https://pages.example.com/b' }],
  ['edit_campaign', { campaign_id: campaign, bid: 0.4 }],
  ['undo_change', { change_id: '$change_id' }],
  ['edit_campaign', { campaign_id: 1, priority: 2, pass_subid_to_offer: false }],
  ['edit_campaign_page', { campaign_id: 1, page_id: 3, share: 80 }],
  ['edit_campaign_page', { campaign_id: 1, page_id: 3, name: 'Fit & well', url }],
  ['edit_campaign_page', { campaign_id: 1, page_id: 3, active: false }],
  ['undo_change', { change_id: '$change_id', ...dry }],
  [
    'set_shares',
    {
      campaign_id: 1,
      shares: [
        { page_id: 3, share: 10 },
        { page_id: 4, share: 70 },
      ],
    },
  ],
  ['undo_change', { change_id: '$change_id' }],
  ['undo_change', { change_id: '$change_id' }],
  ['list_changes'],
  ['list_changes', { campaign_id: 1, limit: 3 }],
];

const few: readonly Call[] = [
  ['get_overview'],
  ['get_breakdown', { campaign_id: 1, by: ['country'], ...week, limit: 5 }],
  ['list_conversions', { ...week, limit: 2 }],
  ['explain_change', { campaign_id: 1 }],
  ['compare_pages', { campaign_id: 1, kind: 'offer' }],
];

const someWrites: readonly Call[] = [
  ['edit_campaign', { campaign_id: 1, bid: 0.41 }],
  [
    'set_shares',
    {
      campaign_id: 1,
      shares: [
        { page_id: 3, share: 30 },
        { page_id: 4, share: 50 },
      ],
    },
  ],
  ['add_offer', { name: 'Asked for', url }],
  ['edit_offer', { offer_id: 1, payout: 31 }],
];

const usual = { TRACKER_TIMEZONE: 'UTC', TRACKER_CURRENCY: 'USD' };

export const setups: readonly Setup[] = [
  { name: 'questions', settings: usual, calls: asked },
  { name: 'reads', settings: usual, calls: [...reads, ...statements, ...refusals] },
  { name: 'writes', settings: usual, calls: writes },
  { name: 'no zone, no currency', calls: few },
  { name: 'Berlin', settings: { TRACKER_TIMEZONE: 'Europe/Berlin', TRACKER_CURRENCY: 'EUR' }, calls: few },
  { name: 'notices around bare answers', settings: usual, quirks: 'notices,bare', calls: [...few, ...someWrites] },
  { name: 'XML', settings: { ...usual, TRACKER_FORMAT: 'xml' }, calls: [...few, ...someWrites] },
  { name: 'read-only', settings: { ...usual, TRACKER_READ_ONLY: '1' }, calls: someWrites.slice(0, 2) },
  {
    name: 'limits',
    settings: { ...usual, TRACKER_ALLOW_CAMPAIGNS: '2', TRACKER_MAX_BID: '0.3', TRACKER_MAX_PAYOUT: '20' },
    calls: [
      ...someWrites,
      ['edit_campaign', { campaign_id: 2, bid: 0.5 }],
      ['edit_campaign', { campaign_id: 2, bid: 0.2 }],
    ],
  },
  { name: 'a person agrees', settings: { ...usual, TRACKER_CONFIRM: 'elicit' }, person: 'accept', calls: someWrites },
  {
    name: 'a person declines',
    settings: { ...usual, TRACKER_CONFIRM: 'elicit' },
    person: 'decline',
    calls: someWrites,
  },
  { name: 'nobody can be asked', settings: { ...usual, TRACKER_CONFIRM: 'elicit' }, calls: someWrites.slice(0, 2) },
  {
    name: 'two trackers',
    settings: usual,
    twoTrackers: true,
    calls: [
      ['get_overview'],
      ['get_overview', { tracker: 'second', ...week }],
      ['list_campaigns', { tracker: 'third' }],
      ['edit_campaign', { campaign_id: 1, bid: 0.41 }],
      ['edit_campaign', { tracker: 'first', campaign_id: 1, bid: 0.41 }],
      ['edit_campaign', { tracker: 'second', campaign_id: 1, bid: 0.41 }],
      ['list_changes'],
    ],
  },
];
