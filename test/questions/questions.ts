import type { PresentedTable } from '../../src/tools/present/outputs.ts';

/** A question of a media buyer, what the tracker's own tables say to it, and the shortest way to the answer. */
export interface Question {
  readonly ask: string;
  /** A SELECT over `visit` and `sale` (see `truthOf`) and the tables of the tracker, whose cells are the answer. */
  readonly truth: string;
  /** The calls of a program that knows the tools and nothing of the tracker. */
  readonly calls: readonly Call[];
  /** Digits behind the point to which a number is right; money is shown to the cent. */
  readonly digits?: number;
  /** Where the answer stands in the data of the last call. */
  readonly answer: (data: Answer) => readonly (string | number | null | undefined)[];
}

type Call = readonly [tool: string, given: Readonly<Record<string, unknown>>];

export interface Answer {
  readonly tables?: readonly PresentedTable[];
  readonly [field: string]: unknown;
}

/** What the tracker holds, with days and hours in UTC, which is its time zone. */
export const truthOf = (sql: string) => `
  WITH visit AS (
    SELECT v.*, (v."at" AT TIME ZONE 'UTC')::DATE AS day, extract(hour FROM v."at" AT TIME ZONE 'UTC') AS hour,
      c.click_id IS NOT NULL AS converted, coalesce(c.revenue, 0) AS earned
    FROM visits AS v LEFT JOIN conversions AS c ON c.click_id = v.click_id
  ), sale AS (
    SELECT c.*, (c."at" AT TIME ZONE 'UTC')::DATE AS day, p.name AS offer
    FROM conversions AS c LEFT JOIN campaign_pages AS p ON p.id = c.offer_page
  ) ${sql}`;

/** The moment at which every question is asked, a Monday. */
const week = "day BETWEEN DATE '2026-06-09' AND DATE '2026-06-15'";
const fortnight = "day BETWEEN DATE '2026-06-02' AND DATE '2026-06-15'";
const yesterday = "day = DATE '2026-06-14'";

/** What people call a campaign, by its ID: a part of its name. */
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

/** A column of the row that has a value in another. */
const where = (key: string, value: string | number, column: string) => (data: Answer) => [
  rowsOf(data).find((row) => row[key] === value)?.[column],
];

const total = (column: string) => (data: Answer) => [data.tables?.[0]?.totals?.[column]];

const sum = (column: string, campaign: number, days = week) =>
  `SELECT sum(${column})::DOUBLE FROM visit WHERE campaign_id = ${campaign} AND ${days}`;

/** The best of what visits have in common. */
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

const profit = 'sum(earned) - sum(cost)';

/** Per campaign and over all of them. */
const account: readonly Question[] = [
  {
    ask: 'How much did we make in the last seven days, over everything?',
    truth: `SELECT (${profit})::DOUBLE FROM visit WHERE ${week}`,
    calls: [overview()],
    answer: total('Profit'),
  },
  {
    ask: 'What did we spend yesterday?',
    truth: `SELECT sum(cost)::DOUBLE FROM visit WHERE ${yesterday}`,
    calls: [overview({ period: 'yesterday' })],
    answer: total('Cost'),
  },
  {
    ask: 'Which campaign loses the most this week, and how much?',
    truth: `SELECT c.name, (${profit})::DOUBLE FROM visit JOIN campaigns AS c ON c.id = campaign_id WHERE ${week}
            GROUP BY 1 ORDER BY 2 LIMIT 1`,
    calls: [overview({ sort_by: 'Profit', sort_order: 'asc' })],
    answer: first('Name', 'Profit'),
  },
  {
    ask: 'Which campaign earns the most this week?',
    truth: `SELECT c.name, sum(earned)::DOUBLE FROM visit JOIN campaigns AS c ON c.id = campaign_id WHERE ${week}
            GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
    calls: [overview({ sort_by: 'Revenue' })],
    answer: first('Name', 'Revenue'),
  },
  {
    ask: 'Which traffic source brings the most visitors?',
    truth: `SELECT t.name, count(*)::DOUBLE FROM visit JOIN campaigns AS c ON c.id = campaign_id
            JOIN traffic_sources AS t ON t.id = c.traffic_source_id WHERE ${week} GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
    calls: [overview({ by: 'traffic_source', sort_by: 'Views' })],
    answer: first('Traffic source', 'Views'),
  },
  {
    ask: 'How many sales did we have this month so far?',
    truth: `SELECT sum(converted::INT)::DOUBLE FROM visit WHERE day >= DATE '2026-06-01'`,
    calls: [overview({ period: 'this_month' })],
    answer: total('Conversions'),
  },
  {
    ask: 'How much revenue was there in the week before this one?',
    truth: `SELECT sum(earned)::DOUBLE FROM visit WHERE day BETWEEN DATE '2026-06-02' AND DATE '2026-06-08'`,
    calls: [overview({ compare_to: 'previous' })],
    answer: total('Revenue before'),
  },
  {
    ask: 'Which running campaign got no visitor this week?',
    truth: `SELECT name FROM campaigns WHERE active AND id NOT IN (SELECT campaign_id FROM visit WHERE ${week}) ORDER BY id LIMIT 1`,
    calls: [overview({ status: 'active', where: [{ column: 'Views', op: '=', value: '0' }] })],
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
    answer: (data) => rowsOf(data).map(({ Name }) => Name),
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
  {
    ask: 'At which hour does Travel insurance get the most visitors?',
    truth: best("lpad(hour::INT::VARCHAR, 2, '0')", 'count(*)', 2),
    calls: [breakdown(2, ['hour'], { sort_by: 'Views' })],
    answer: first('Hour', 'Views'),
  },
  {
    ask: 'Which weekday sells best for Phone plans?',
    truth: best('dayname(day)', 'sum(converted::INT)', 4),
    calls: [breakdown(4, ['weekday'], { sort_by: 'Conversions' })],
    answer: first('Weekday', 'Conversions'),
  },
  ...(
    [
      ['Which device makes the most profit for Home fitness?', 1, 'device', 'Device', profit, 'Profit', 'DESC'],
      ['Which country costs Travel insurance the most?', 2, 'country', 'Country', 'sum(cost)', 'Cost', 'DESC'],
      ['Which browser brings VPN the most revenue?', 7, 'browser', 'Browser', 'sum(earned)', 'Revenue', 'DESC'],
      ['Which operating system loses the most on Game installs?', 5, 'os', 'Os', profit, 'Profit', 'ASC'],
      [
        'Which match type brings Home fitness the most visitors?',
        1,
        'Match type',
        'Match type',
        'count(*)',
        'Views',
        'DESC',
      ],
      ['Which banner costs Travel insurance the most?', 2, 'banner', 'Banner', 'sum(cost)', 'Cost', 'DESC'],
      ['Which placement loses the most on Credit score?', 8, 'ad', 'Ad', profit, 'Profit', 'ASC'],
      ['Which keyword earns the most for Phone plans?', 4, 'keyword', 'Keyword', 'sum(earned)', 'Revenue', 'DESC'],
      [
        'Which feed brings Game installs the most sales?',
        5,
        'Feed',
        'Feed',
        'sum(converted::INT)',
        'Conversions',
        'DESC',
      ],
    ] as const
  ).map(([ask, campaign, by, heading, measure, column, order]): Question => {
    const slots: Readonly<Record<string, string>> = {
      'Match type': 'extra1',
      banner: 'extra1',
      Feed: 'extra1',
      ad: 'ad_value',
    };
    return {
      ask,
      truth: best(slots[by] ?? by, measure, campaign, { order }),
      calls: [breakdown(campaign, [by], { sort_by: column, sort_order: order.toLowerCase() })],
      answer: first(heading, column),
    };
  }),
  {
    ask: 'How many people on mobile phones in the United States did Home fitness get?',
    truth: `SELECT count(*)::DOUBLE FROM visit WHERE campaign_id = 1 AND ${week} AND device = 'Mobile' AND country = 'US'`,
    calls: [
      breakdown(1, ['device', 'country'], {
        where: [
          { column: 'Device', op: '=', value: 'Mobile' },
          { column: 'Country', op: '=', value: 'US' },
        ],
      }),
    ],
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
        reports: ['target'],
        where: [{ column: 'Conversions', op: '=', value: '0' }],
        sort_by: 'Cost',
        limit: 1,
        columns: ['Keyword', 'Cost'],
      }),
    ],
    answer: first('Keyword', 'Cost'),
  },
  {
    ask: 'What did exact match earn on Phone plans?',
    truth: `SELECT sum(earned)::DOUBLE FROM visit WHERE campaign_id = 4 AND ${week} AND extra1 = 'exact'`,
    calls: [
      stats(4, {
        reports: ['target'],
        group_by: ['match type'],
        where: [{ column: 'Match type', op: '=', value: 'exact' }],
        columns: ['Match type', 'Revenue'],
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
    answer: (data) => rowsOf(data).map(({ Share }) => Share),
  },
  {
    ask: 'How many visitors did the landing pages of VPN get, the best first?',
    truth: `SELECT count(DISTINCT s.click_id)::DOUBLE AS views FROM steps AS s JOIN visit USING (click_id)
            JOIN campaign_pages AS p ON p.id = s.page WHERE p.kind = 'landing' AND visit.campaign_id = 7 AND ${week}
            GROUP BY p.page_id ORDER BY 1 DESC`,
    calls: [stats(7, { reports: ['landing'], sort_by: 'Views', columns: ['Name', 'Views'] })],
    answer: (data) => rowsOf(data).map(({ Views }) => Views),
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
    calls: [['list_conversions', { period: 'yesterday', limit: 1, columns: ['Date', 'Revenue'] }]],
    answer: (data) => [data.tables?.[0]?.total_rows],
  },
  {
    ask: 'What did yesterday’s sales pay in all?',
    truth: `SELECT sum(revenue)::DOUBLE FROM sale WHERE ${yesterday}`,
    calls: [['list_conversions', { period: 'yesterday', limit: 1, columns: ['Date', 'Revenue'] }]],
    answer: total('Revenue'),
  },
  {
    ask: 'What was the biggest sale of the week?',
    truth: `SELECT max(revenue)::DOUBLE FROM sale WHERE ${week}`,
    calls: [['list_conversions', { ...lastWeek, sort_by: 'Revenue', limit: 1, columns: ['Revenue', 'Offer'] }]],
    answer: first('Revenue'),
  },
  {
    ask: 'How many of this week’s sales went to the Home gym plan?',
    truth: `SELECT count(*)::DOUBLE FROM sale WHERE ${week} AND offer = 'Home gym plan'`,
    calls: [
      [
        'list_conversions',
        { ...lastWeek, where: [{ column: 'Offer', op: '=', value: 'Home gym plan' }], limit: 1, columns: ['Offer'] },
      ],
    ],
    answer: (data) => [data.tables?.[0]?.total_rows],
  },
  {
    ask: 'Which offer sold most often this week?',
    truth: `SELECT offer, count(*)::DOUBLE FROM sale WHERE ${week} GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
    calls: [
      ['list_conversions', { ...lastWeek, limit: 1, columns: ['Offer'] }],
      [
        'query_report',
        { sql: 'SELECT "Offer", count(*) AS sales FROM conversions GROUP BY 1 ORDER BY 2 DESC LIMIT 1' },
      ],
    ],
    answer: first('Offer', 'sales'),
  },
  {
    ask: 'From how many IP addresses did more than one visitor of Game installs come yesterday?',
    truth: `SELECT count(*)::DOUBLE FROM (SELECT ip FROM visit WHERE campaign_id = 5 AND ${yesterday} GROUP BY 1 HAVING count(*) > 1)`,
    calls: [
      [
        'list_visitors',
        { campaign_id: called[5], period: 'yesterday', max_records: 10_000, limit: 1, columns: ['IP'] },
      ],
      [
        'query_report',
        { sql: 'SELECT count(*) AS addresses FROM (SELECT "IP" FROM visitors GROUP BY 1 HAVING count(*) > 1)' },
      ],
    ],
    answer: first('addresses'),
  },
  {
    ask: 'Who was the last visitor of Home fitness, on what device?',
    truth: 'SELECT subid, device FROM visit WHERE campaign_id = 1 ORDER BY "at" DESC, click_id DESC LIMIT 1',
    calls: [['list_visitors', { campaign_id: called[1], period: 'today', limit: 1, columns: ['SubID', 'Device'] }]],
    answer: first('SubID', 'Device'),
  },
  {
    ask: 'What happened to the buyer of our latest sale: where from, which page, which offer?',
    truth: `SELECT v.country, p.name FROM sale JOIN visit AS v USING (click_id) JOIN campaign_pages AS p ON p.id = sale.offer_page
            ORDER BY sale."at" DESC, click_id DESC LIMIT 1`,
    calls: [
      ['list_conversions', { period: 'today', limit: 1, columns: ['SubID'] }],
      ['diagnose_subid', { subid: '$SubID' }],
    ],
    answer: ({ visitor }) => {
      const { country, offer } = visitor as Readonly<Record<string, string>>;
      return [country, offer];
    },
  },
];

/** What takes several lists at once. */
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
          start_date: '2026-06-14',
          end_date: '2026-06-14',
          limit: 1,
        },
      ],
    ],
    answer: (data) => ['Conversions', 'Tracker total'].map((column) => where('Class', 'tracker_only', column)(data)[0]),
  },
];

export const questions: readonly Question[] = [...account, ...cuts, ...reports, ...records, ...findings];
