import type { PresentedTable } from '../../src/tools/present/outputs.ts';

/** A question of a media buyer, its answer in the tracker's own tables, and the shortest way to the answer. */
export interface Question {
  readonly ask: string;
  /** A SELECT over `visit` and `sale` (see `truthOf`) and the tables of the tracker; its cells are the answer. */
  readonly truth: string;
  /** The calls of a program that knows the tools and nothing of the tracker. */
  readonly calls: readonly Call[];
  /** Digits after the point that must be right, 2 by default: money is shown to the cent. */
  readonly digits?: number;
  /** The answer in the data of the last call. */
  readonly answer: (data: Answer) => readonly (string | number | null | undefined)[];
}

type Call = readonly [tool: string, given: Readonly<Record<string, unknown>>];

export interface Answer {
  readonly tables?: readonly PresentedTable[];
  readonly [field: string]: unknown;
}

/** The data of the tracker, with days and hours in UTC, its time zone. */
export const truthOf = (sql: string) => `
  WITH visit AS (
    SELECT v.*, (v."at" AT TIME ZONE 'UTC')::DATE AS day, extract(hour FROM v."at" AT TIME ZONE 'UTC') AS hour,
      c.click_id IS NOT NULL AS converted, coalesce(c.revenue, 0) AS earned
    FROM visits AS v LEFT JOIN conversions AS c ON c.click_id = v.click_id
  ), sale AS (
    SELECT c.*, (c."at" AT TIME ZONE 'UTC')::DATE AS day, p.name AS offer
    FROM conversions AS c LEFT JOIN campaign_pages AS p ON p.id = c.offer_page
  ) ${sql}`;

/** Days before the moment of all questions, a Monday. */
const week = "day BETWEEN DATE '2026-06-09' AND DATE '2026-06-15'";
const fortnight = "day BETWEEN DATE '2026-06-02' AND DATE '2026-06-15'";
const yesterday = "day = DATE '2026-06-14'";

/** Part of the name of a campaign, by its ID. */
const called: Readonly<Record<number, string>> = {
  1: 'Home fitness',
  2: 'Travel insurance',
  4: 'Phone plans',
  5: 'Game installs',
  6: 'trading webinar',
  7: 'VPN',
  8: 'Credit score',
};
const lastWeek = { period: 'last_7_days' };

type Row = Readonly<Record<string, string | number | null>>;

function rowsOf({ tables = [] }: Answer, index = 0): Row[] {
  const table = tables[index];
  return (table?.rows ?? []).map((row) =>
    Object.fromEntries((table?.columns ?? []).map((column, place) => [column, row[place] ?? null])),
  );
}

/** Columns of the first row. */
const first =
  (...columns: string[]) =>
  (data: Answer) =>
    columns.map((column) => rowsOf(data)[0]?.[column]);

/** A column of the row that has a value in a different column. */
const where = (key: string, value: string | number, column: string) => (data: Answer) => [
  rowsOf(data).find((row) => row[key] === value)?.[column],
];

const all = (column: string) => (data: Answer) => rowsOf(data).map((row) => row[column]);
const total = (column: string) => (data: Answer) => [data.tables?.[0]?.totals?.[column]];
const rowCount = (data: Answer) => [data.tables?.[0]?.total_rows];

const sum = (column: string, campaign: number, days = week) =>
  `SELECT sum(${column})::DOUBLE FROM visit WHERE campaign_id = ${campaign} AND ${days}`;

/** The best group of visits. */
const best = (
  group: string,
  measure: string,
  campaign: number,
  { having = 'true', days = week, order = 'DESC' } = {},
) =>
  `SELECT ${group}, (${measure})::DOUBLE FROM visit WHERE campaign_id = ${campaign} AND ${days}
   GROUP BY 1 HAVING ${having} ORDER BY 2 ${order} LIMIT 1`;

const breakdown = (campaign: number, by: readonly string[], given: object = {}): Call => [
  'get_breakdown',
  { campaign_id: called[campaign], by, ...lastWeek, limit: 1, ...given },
];
const overview = (given: object = {}): Call => [
  'get_overview',
  { ...lastWeek, compare_to: 'none', limit: 1, ...given },
];
const stats = (campaign: number, given: object): Call => [
  'get_stats',
  { campaign_id: called[campaign], ...lastWeek, ...given },
];
const conversions = (given: object): Call => ['list_conversions', { ...lastWeek, limit: 1, ...given }];
const visitors = (campaign: number, given: object): Call => [
  'list_visitors',
  { campaign_id: called[campaign], limit: 1, ...given },
];
const query = (sql: string): Call => ['query_report', { sql }];
const is = (column: string, value: string) => ({ column, op: '=', value });

const profit = 'sum(earned) - sum(cost)';

/** A sum over all campaigns. */
const accountTotal = (ask: string, measure: string, days: string, given: object, column: string): Question => ({
  ask,
  truth: `SELECT (${measure})::DOUBLE FROM visit WHERE ${days}`,
  calls: [overview(given)],
  answer: total(column),
});

/** The first campaign or traffic source of a sorted overview. */
const accountFirst = (ask: string, name: string, measure: string, given: object, column: string): Question => ({
  ask,
  truth: `SELECT ${name}, (${measure})::DOUBLE FROM visit JOIN campaigns AS c ON c.id = campaign_id
          LEFT JOIN traffic_sources AS t ON t.id = c.traffic_source_id WHERE ${week}
          GROUP BY 1 ORDER BY 2 ${'sort_order' in given ? given.sort_order : 'DESC'} LIMIT 1`,
  calls: [overview({ sort_by: column, ...given })],
  answer: first(name === 't.name' ? 'Traffic source' : 'Name', column),
});

const weekBefore = "day BETWEEN DATE '2026-06-02' AND DATE '2026-06-08'";

/** Per campaign and over all of them. */
const account: readonly Question[] = [
  accountTotal('How much did we make in the last seven days, over everything?', profit, week, {}, 'Profit'),
  accountTotal('What did we spend yesterday?', 'sum(cost)', yesterday, { period: 'yesterday' }, 'Cost'),
  accountFirst(
    'Which campaign loses the most this week, and how much?',
    ...(['c.name', profit, { sort_order: 'asc' }, 'Profit'] as const),
  ),
  accountFirst('Which campaign earns the most this week?', 'c.name', 'sum(earned)', {}, 'Revenue'),
  accountFirst(
    'Which traffic source brings the most visitors?',
    ...(['t.name', 'count(*)', { by: 'traffic_source' }, 'Views'] as const),
  ),
  accountTotal(
    'How many sales did we have this month so far?',
    ...(['sum(converted::INT)', "day >= DATE '2026-06-01'", { period: 'this_month' }, 'Conversions'] as const),
  ),
  accountTotal(
    'How much revenue was there in the week before this one?',
    ...(['sum(earned)', weekBefore, { compare_to: 'previous' }, 'Revenue before'] as const),
  ),
  {
    ask: 'Which running campaign got no visitor this week?',
    truth: `SELECT name FROM campaigns WHERE active AND id NOT IN (SELECT campaign_id FROM visit WHERE ${week}) ORDER BY id LIMIT 1`,
    calls: [overview({ status: 'active', where: [is('Views', '0')] })],
    answer: first('Name'),
  },
  {
    ask: 'What is the bid of the VPN campaign?',
    truth: 'SELECT bid::DOUBLE FROM campaigns WHERE id = 7',
    calls: [
      ['list_campaigns', { columns: ['Name', 'Bid'], where: [{ column: 'Name', op: 'contains', value: 'VPN' }] }],
    ],
    answer: first('Bid'),
  },
  {
    ask: 'Which campaigns are switched off?',
    truth: 'SELECT name FROM campaigns WHERE NOT active ORDER BY id',
    calls: [['list_campaigns', { status: 'inactive', columns: ['Name'] }]],
    answer: all('Name'),
  },
];

/** One campaign, cut by what its visits have in common. */
const cuts: readonly Question[] = [
  {
    ask: 'On which day of the last fortnight did Home fitness earn the most?',
    truth: best('strftime(day, $$%Y-%m-%d$$)', 'sum(earned)', 1, { days: fortnight }),
    calls: [breakdown(1, ['day'], { period: 'last_14_days', sort_by: 'Revenue' })],
    answer: first('Day', 'Revenue'),
  },
  {
    ask: 'What did Home fitness cost on Friday?',
    truth: sum('cost', 1, "day = DATE '2026-06-12'"),
    calls: [breakdown(1, ['day'], { limit: 7, columns: ['Day', 'Cost'] })],
    answer: where('Day', '2026-06-12', 'Cost'),
  },
  ...(
    [
      ['At which hour does Travel insurance get the most visitors?', 2, 'hour', 'count(*)', 'Views'],
      ['Which weekday sells best for Phone plans?', 4, 'weekday', 'sum(converted::INT)', 'Conversions'],
      ['Which device makes the most profit for Home fitness?', 1, 'device', profit, 'Profit'],
      ['Which country costs Travel insurance the most?', 2, 'country', 'sum(cost)', 'Cost'],
      ['Which browser brings VPN the most revenue?', 7, 'browser', 'sum(earned)', 'Revenue'],
      ['Which operating system loses the most on Game installs?', 5, 'os', profit, 'Profit', 'ASC'],
      ['Which match type brings Home fitness the most visitors?', 1, 'match type', 'count(*)', 'Views'],
      ['Which banner costs Travel insurance the most?', 2, 'banner', 'sum(cost)', 'Cost'],
      ['Which placement loses the most on Credit score?', 8, 'ad', profit, 'Profit', 'ASC'],
      ['Which keyword earns the most for Phone plans?', 4, 'keyword', 'sum(earned)', 'Revenue'],
      ['Which feed brings Game installs the most sales?', 5, 'feed', 'sum(converted::INT)', 'Conversions'],
    ] as const
  ).map(([ask, campaign, by, measure, column, order = 'DESC']): Question => {
    const stored: Readonly<Record<string, string>> = {
      ...{ hour: "lpad(hour::INT::VARCHAR, 2, '0')", weekday: 'dayname(day)', ad: 'ad_value' },
      ...{ 'match type': 'extra1', banner: 'extra1', feed: 'extra1' },
    };
    return {
      ask,
      truth: best(stored[by] ?? by, measure, campaign, { order }),
      calls: [breakdown(campaign, [by], { sort_by: column, sort_order: order.toLowerCase() })],
      answer: first(`${by.charAt(0).toUpperCase()}${by.slice(1)}`, column),
    };
  }),
  {
    ask: 'How many people on mobile phones in the United States did Home fitness get?',
    truth: `SELECT count(*)::DOUBLE FROM visit WHERE campaign_id = 1 AND ${week} AND device = 'Mobile' AND country = 'US'`,
    calls: [breakdown(1, ['device', 'country'], { where: [is('Device', 'Mobile'), is('Country', 'US')] })],
    answer: first('Views'),
  },
];

/** Keywords, ads and pages of one campaign. */
const reports: readonly Question[] = [
  {
    ask: 'Which keyword burns the most money without a single sale on Home fitness?',
    truth: best('keyword', 'sum(cost)', 1, { having: 'sum(converted::INT) = 0' }),
    calls: [
      stats(1, {
        ...{ reports: ['target'], where: [is('Conversions', '0')] },
        ...{ sort_by: 'Cost', limit: 1, columns: ['Keyword', 'Cost'] },
      }),
    ],
    answer: first('Keyword', 'Cost'),
  },
  {
    ask: 'What did exact match earn on Phone plans?',
    truth: `SELECT sum(earned)::DOUBLE FROM visit WHERE campaign_id = 4 AND ${week} AND extra1 = 'exact'`,
    calls: [
      stats(4, {
        ...{ reports: ['target'], group_by: ['match type'] },
        ...{ where: [is('Match type', 'exact')], columns: ['Match type', 'Revenue'] },
      }),
    ],
    answer: first('Revenue'),
  },
  {
    ask: 'Which offer of Home fitness brings the most revenue?',
    truth: `SELECT p.name, sum(earned)::DOUBLE FROM visit JOIN conversions AS c USING (click_id)
            JOIN campaign_pages AS p ON p.id = c.offer_page WHERE visit.campaign_id = 1 AND ${week}
            GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
    calls: [stats(1, { reports: ['offer'], sort_by: 'Revenue', limit: 1, columns: ['Name', 'Revenue'] })],
    answer: first('Name', 'Revenue'),
  },
  {
    ask: 'How is the traffic of Home fitness shared between its offers?',
    truth: "SELECT share::DOUBLE FROM campaign_pages WHERE campaign_id = 1 AND kind = 'offer' ORDER BY page_id",
    calls: [stats(1, { reports: ['offer'], columns: ['Name', 'Share'] })],
    answer: all('Share'),
  },
  {
    ask: 'How many visitors did the landing pages of VPN get, the best first?',
    truth: `SELECT count(DISTINCT s.click_id)::DOUBLE AS views FROM steps AS s JOIN visit USING (click_id)
            JOIN campaign_pages AS p ON p.id = s.page WHERE p.kind = 'landing' AND visit.campaign_id = 7 AND ${week}
            GROUP BY p.page_id ORDER BY 1 DESC`,
    calls: [stats(7, { reports: ['landing'], sort_by: 'Views', columns: ['Name', 'Views'] })],
    answer: all('Views'),
  },
  {
    ask: 'Which ad of Phone plans costs the most?',
    truth: best('ad_value', 'sum(cost)', 4),
    calls: [stats(4, { reports: ['ad'], sort_by: 'Cost', limit: 1, columns: ['AdValue', 'Cost'] })],
    answer: first('AdValue', 'Cost'),
  },
  {
    ask: 'How many people signed up for the trading webinar?',
    truth: `SELECT count(DISTINCT s.click_id)::DOUBLE FROM subscribers AS s JOIN visit USING (click_id) WHERE visit.campaign_id = 6 AND ${week}`,
    calls: [stats(6, { reports: ['campaign'], columns: ['Subscribers'] })],
    answer: first('Subscribers'),
  },
  {
    ask: 'What is a visitor of Game installs worth to us?',
    truth: `SELECT (sum(earned) / count(*))::DOUBLE FROM visit WHERE campaign_id = 5 AND ${week}`,
    calls: [overview({ campaign_ids: [called[5]] })],
    digits: 4,
    answer: first('EPV'),
  },
];

/** Single sales and visitors. */
const records: readonly Question[] = [
  {
    ask: 'How many sales came in yesterday?',
    truth: `SELECT count(*)::DOUBLE FROM sale WHERE ${yesterday}`,
    calls: [conversions({ period: 'yesterday', columns: ['Date', 'Revenue'] })],
    answer: rowCount,
  },
  {
    ask: 'What did yesterday’s sales pay in all?',
    truth: `SELECT sum(revenue)::DOUBLE FROM sale WHERE ${yesterday}`,
    calls: [conversions({ period: 'yesterday', columns: ['Date', 'Revenue'] })],
    answer: total('Revenue'),
  },
  {
    ask: 'What was the biggest sale of the week?',
    truth: `SELECT max(revenue)::DOUBLE FROM sale WHERE ${week}`,
    calls: [conversions({ sort_by: 'Revenue', columns: ['Revenue', 'Offer'] })],
    answer: first('Revenue'),
  },
  {
    ask: 'How many of this week’s sales went to the Home gym plan?',
    truth: `SELECT count(*)::DOUBLE FROM sale WHERE ${week} AND offer = 'Home gym plan'`,
    calls: [conversions({ where: [is('Offer', 'Home gym plan')], columns: ['Offer'] })],
    answer: rowCount,
  },
  {
    ask: 'Which offer sold most often this week?',
    truth: `SELECT offer, count(*)::DOUBLE FROM sale WHERE ${week} GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
    calls: [
      conversions({ columns: ['Offer'] }),
      query('SELECT "Offer", count(*) AS sales FROM conversions GROUP BY 1 ORDER BY 2 DESC LIMIT 1'),
    ],
    answer: first('Offer', 'sales'),
  },
  {
    ask: 'From how many IP addresses did more than one visitor of Game installs come yesterday?',
    truth: `SELECT count(*)::DOUBLE FROM (SELECT ip FROM visit WHERE campaign_id = 5 AND ${yesterday} GROUP BY 1 HAVING count(*) > 1)`,
    calls: [
      visitors(5, { period: 'yesterday', max_records: 10_000, columns: ['IP'] }),
      query('SELECT count(*) AS addresses FROM (SELECT "IP" FROM visitors GROUP BY 1 HAVING count(*) > 1)'),
    ],
    answer: first('addresses'),
  },
  {
    ask: 'Who was the last visitor of Home fitness, on what device?',
    truth: 'SELECT subid, device FROM visit WHERE campaign_id = 1 ORDER BY "at" DESC, click_id DESC LIMIT 1',
    calls: [visitors(1, { period: 'today', columns: ['SubID', 'Device'] })],
    answer: first('SubID', 'Device'),
  },
  {
    ask: 'What happened to the buyer of our latest sale: where from, which page, which offer?',
    truth: `SELECT v.country, p.name FROM sale JOIN visit AS v USING (click_id) JOIN campaign_pages AS p ON p.id = sale.offer_page
            ORDER BY sale."at" DESC, click_id DESC LIMIT 1`,
    calls: [conversions({ period: 'today', columns: ['SubID'] }), ['diagnose_subid', { subid: '$SubID' }]],
    answer: ({ visitor }) => {
      const { country, offer } = visitor as Readonly<Record<string, string>>;
      return [country, offer];
    },
  },
];

/** Answers that take several lists at once. */
const findings: readonly Question[] = [
  {
    ask: 'What needs me today?',
    truth: `SELECT visit.campaign_id::DOUBLE, page.name FROM visit
            JOIN steps AS arrival ON arrival.click_id = visit.click_id AND arrival.from_page IS NULL
            JOIN campaign_pages AS page ON page.id = arrival.page AND page.kind = 'landing'
            LEFT JOIN steps AS click ON click.click_id = visit.click_id AND click.from_page = page.id
            WHERE ${yesterday} GROUP BY ALL HAVING count(click.click_id) = 0 ORDER BY count(*) DESC LIMIT 1`,
    calls: [['review_account', { limit: 1 }]],
    answer: ({ findings }) => {
      const [{ campaign_id, what }] = findings as [{ campaign_id: number; what: string }];
      return [campaign_id, /landing page “(.*?)”/.exec(what)?.[1]];
    },
  },
  {
    ask: 'Can I trust the figures, or is something wrong with tracking?',
    truth: `SELECT visit.campaign_id::DOUBLE, page.name FROM visit
            JOIN steps AS arrival ON arrival.click_id = visit.click_id AND arrival.from_page IS NULL
            JOIN campaign_pages AS page ON page.id = arrival.page AND page.kind = 'landing'
            LEFT JOIN steps AS click ON click.click_id = visit.click_id AND click.from_page = page.id
            WHERE ${yesterday} GROUP BY ALL HAVING count(click.click_id) = 0 ORDER BY count(*) DESC LIMIT 1`,
    calls: [['check_tracking', {}]],
    answer: ({ findings }) => {
      const [{ campaign_id, page }] = findings as [{ campaign_id: number; page: string }];
      return [campaign_id, page];
    },
  },
  {
    ask: 'Why does Home fitness earn less than in the week before?',
    truth: `SELECT sum(if(day >= DATE '2026-06-08', earned - cost, cost - earned))::DOUBLE FROM visit
            WHERE campaign_id = 1 AND day BETWEEN DATE '2026-06-01' AND DATE '2026-06-14'`,
    calls: [['explain_change', { campaign_id: called[1] }]],
    answer: ({ change }) => [Number(change)],
  },
  {
    ask: 'The network says that it paid one sale yesterday. What do we miss?',
    truth: `SELECT count(*)::DOUBLE, sum(revenue)::DOUBLE FROM sale WHERE ${yesterday}`,
    calls: [
      [
        'reconcile_conversions',
        {
          statement: 'SubID,Payout,Date\nab12cd34_7_00000345,5,2026-06-14 10:00:00',
          ...{ start_date: '2026-06-14', end_date: '2026-06-14', limit: 1 },
        },
      ],
    ],
    answer: (data) => ['Conversions', 'Tracker total'].map((column) => where('Class', 'tracker_only', column)(data)[0]),
  },
  {
    ask: 'Raise the bids of Home fitness and VPN to 0.9. From what?',
    truth: 'SELECT bid::DOUBLE FROM campaigns WHERE id IN (1, 7) ORDER BY id',
    calls: [
      [
        'make_changes',
        {
          writes: [1, 7].map((campaign_id) => ({ tool: 'edit_campaign', arguments: { campaign_id, bid: 0.9 } })),
          dry_run: true,
        },
      ],
    ],
    answer: ({ steps }) => (steps as { before: { bid: number } }[]).map(({ before }) => before.bid),
  },
];

export const questions: readonly Question[] = [...account, ...cuts, ...reports, ...records, ...findings];
