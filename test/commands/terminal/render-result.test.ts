import { expect, test } from 'vitest';
import { sayNotice } from '../../../src/answer/notes.ts';
import type { Look } from '../../../src/commands/terminal/look.ts';
import { renderResult } from '../../../src/commands/terminal/render-result.ts';
import { type JsonRecord, wordNotices } from '../../../src/tools/define-tool.ts';
import { chanceInPercent } from '../../../src/tools/present/decision.ts';

const look: Look = { width: 80, shape: 'table', isColoured: false, command: 'tracker-mcp call --sandbox' };
const shown = (structured: JsonRecord, { text = '', ...more }: Partial<Look> & { readonly text?: string } = {}) =>
  renderResult(wordNotices({ structured: { query: {}, notices: [], ...structured }, text }), { ...look, ...more });

const table = {
  name: 'offer',
  columns: ['Name', 'Views', 'Revenue', 'EPV', 'CTR', 'PageID'],
  rows: [['One', 12345, 1250.5, 0.1013, 12.5, 1234]],
  ...{ total_rows: 40, offset: 25, next_offset: 26 },
  units: { CTR: '%', Revenue: '$' },
  totals: { Views: 1234567, Revenue: 99999.999, CTR: 11 },
  omitted_columns: ['Notes'],
};

test('a table is shown with its range of rows, totals, omitted columns and notices', () => {
  const notices = [{ code: 'no-changes' }, { code: 'future-days' }] as const;
  expect(shown({ tables: [table], notices }, { text: 'unused' })).toBe(
    [
      'offer: row 26 of 40, more from offset 26, money in $',
      'Name             Views     Revenue    EPV     CTR  PageID',
      'One             12,345    1,250.50  0.101  12.50%    1234',
      'All 40 rows  1,234,567  100,000.00         11.00%',
      'Empty in every row: Notes',
      '',
      'No changes yet.',
      '',
      'The days asked for are in the future.',
    ].join('\n'),
  );
});

test('money has its currency above the table, or in headings if there are several, and the digits of the currency', () => {
  const { totals: _, ...one } = { ...table, total_rows: 1, offset: 0, next_offset: null, omitted_columns: [] };
  expect(shown({ tables: [{ ...one, units: { Revenue: 'JPY', EPV: 'JPY' } }] })).toBe(
    [
      'offer: row 1 of 1, money in JPY',
      'Name   Views  Revenue    EPV     CTR  PageID',
      'One   12,345    1,251  0.101  12.50%    1234',
    ].join('\n'),
  );
  expect(shown({ tables: [{ ...one, units: { Revenue: 'JPY', EPV: 'EUR' } }] })).toBe(
    [
      'offer: row 1 of 1',
      'Name   Views  Revenue JPY  EPV EUR     CTR  PageID',
      'One   12,345        1,251    0.101  12.50%    1234',
    ].join('\n'),
  );
});

test('an overview of 80 columns shows names of 25 letters whole, and each figure of a decision', () => {
  const columns = ['Name', 'Views', 'Cost', 'Revenue', 'Profit', 'ROI', 'CPA', 'Cost before', 'Profit change'];
  const rows = ['Travel insurance, displays', 'VPN, push'].map((name) => [
    name,
    1,
    1724.07,
    2246,
    521.93,
    30.27,
    1,
    2,
    -757.68,
  ]);
  const units = {
    ROI: '%',
    ...Object.fromEntries(columns.filter((name) => /Cost|Rev|Prof|CPA/.test(name)).map((name) => [name, 'USD'])),
  };
  const overview = { name: 'campaigns', columns, rows, units, total_rows: 2, offset: 0, next_offset: null };
  const lines = shown({ query: { by: 'campaign' }, tables: [overview] }).split('\n');
  const [heading = '', first = ''] = lines.filter((line) => /^(Name|Travel)/.test(line));
  expect(heading.split(/ {2,}/)).toEqual(['Name', 'Cost', 'Revenue', 'Profit', 'Profit change', 'ROI']);
  expect(first).toMatch(/^Travel insurance, displays /);
});

test('a table without rows has only that remark', () => {
  const none = { name: 'offer', columns: [], rows: [], total_rows: 0, offset: 0, next_offset: null };
  expect(shown({ tables: [none] })).toBe('offer: no rows');
});

test('a notice is wrapped between its words', () => {
  const text = 'https://tracker.example.com/a/long/path?with=more&than=a-line was not found';
  const notice = { code: 'tracker-said', text } as const;
  const output = shown({ tables: [], notices: [notice] }, { width: 40 });
  expect(output.split('\n').length).toBeGreaterThan(1);
  expect(output.split(/\s+/)).toEqual(sayNotice(notice).split(' '));
});

const page = {
  ...{ page_id: '3', name: 'FitTrack coaching', share: 40, recommended_share: 5, probability_best: 1 },
  ...{ views: 1443, conversions: 57, revenue: 1368 },
  ...{ epv: 0.9529, epv_low: 0.7267, epv_high: 1.2071, rate: 3.96, rate_low: 3.02, rate_high: 5.02 },
};

test('a comparison is the decision, a table with the names in each part, and the calls', () => {
  const compared = {
    kind: 'offer',
    decision: {
      ...{ kind: 'leader', verdict: 'clear', basis: 'money', page_id: '3', name: page.name, text: 'It earns most.' },
      ...{ evidence_percent: 140, lead: { over: 'Home gym plan', percent: 40, low: 10, high: 80 } },
      ...{ waiting_cost_per_day: 0, risk_today_per_day: 0, since: '2026-11-01', days: 14 },
    },
    pages: [page, { ...page, page_id: '4', name: 'Home gym plan' }],
    calls: [{ tool: 'set_shares', arguments: { campaign_id: 1, shares: [{ page_id: 3, share: 5 }] } }],
  };
  const output = shown(compared, { text: 'raw\ttabs' });
  expect(output).not.toContain('\t');
  const parts = output.split('\n\n').filter((part) => part.includes('FitTrack coaching'));
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(part).toContain('Home gym plan');
  for (const line of output.split('\n')) {
    if (!line.startsWith('  tracker-mcp')) expect(line.length).toBeLessThanOrEqual(look.width);
  }
  expect(output).toMatch(/^It earns most\.$/m);
  for (const figure of ['1,443', '1,368.00', '3.96%', '3.02% to 5.02%', '0.953', chanceInPercent(1)]) {
    expect(output).toContain(figure);
  }
  expect(output).toContain(
    `  tracker-mcp call --sandbox set_shares --campaign_id 1 --shares '[{"page_id":3,"share":5}]'`,
  );
});

test('a diagnosis is a line for each step, then visitor, conversion, facts and explanations', () => {
  const diagnosis = {
    query: { subid: 'ab_1_2' },
    time_zone: 'UTC',
    steps: [
      { step: 'arrived', happened: 'yes', at: '2026-11-22 00:11:30', detail: 'Finder' },
      { step: 'reached_offer', happened: 'no', at: null, detail: null },
    ],
    visitor: { country: 'GB', traffic_source: 'Finder' },
    facts: ['No offer of the path was active.'],
    explanations: ['Perhaps the page has no link.'],
    conversions: [{ Date: '2026-11-22', Revenue: '15.00' }],
    searched: 'conversions of campaign 1',
  };
  expect(shown(diagnosis)).toBe(
    [
      'ab_1_2, times in UTC',
      '  arrived        yes      2026-11-22 00:11:30  Finder',
      '  reached offer  no',
      '',
      'Visitor',
      '  country         GB',
      '  traffic source  Finder',
      '',
      'Conversion',
      '  Date     2026-11-22',
      '  Revenue  15.00',
      '',
      'No offer of the path was active.',
      '',
      'Perhaps the page has no link.',
      '',
      'Searched: conversions of campaign 1.',
    ].join('\n'),
  );
});

test('a lookup is a block for each group, with long values whole and empty fields named', () => {
  const agent = 'https://example.com/a-very-long-path-that-no-terminal-of-eighty-columns-shows-on-one-line?keyword=one';
  expect(shown({ groups: [{ name: 'Geo Data', fields: { Country: 'GB', Url: agent, City: null } }] })).toBe(
    ['Geo Data', '  Country  GB', `  Url      ${agent}`, '  empty: City'].join('\n'),
  );
});

test('other results are shown as their text', () => {
  const receipt = { operation: 'add_offer', dry_run: false, done: true, id: '7', sent: {} };
  expect(shown(receipt, { text: 'add_offer: done, ID 7.' })).toBe('add_offer: done, ID 7.');
});

test('the heading of a table has the campaign, its name if a column has it, the days, time zone and order', () => {
  const query = { campaign_id: 7, start_date: '2026-11-17', end_date: '2026-11-23', timezone: 'Europe/Berlin' };
  const headingOf = (more: object) => shown({ query: { ...query, ...more }, tables: [table] }).split('\n')[0];
  expect(headingOf({ sort_by: 'Views', sort_order: 'desc' })).toBe(
    'Campaign 7, 2026-11-17 to 2026-11-23, Europe/Berlin, highest Views first',
  );
  expect(headingOf({ end_date: '2026-11-17', timezone: undefined, by: ['day'] })).toBe(
    'Campaign 7, 2026-11-17, in the tracker’s own time zone, by day',
  );
  const named = { ...table, columns: ['Campaign', ...table.columns], rows: table.rows.map((row) => ['Gym', ...row]) };
  expect(shown({ query, tables: [named] })).toMatch(/^Campaign 7 \(Gym\), 2026-11-17 to/);
});

test('a figure is next to its earlier value, in one part of a table', () => {
  const columns = ['Name', 'Views', 'Cost', 'Profit', 'Views before', 'Cost before', 'Profit before', 'Profit change'];
  const rows = [
    ['A campaign of a long name', 1, 2, 3, 10, 20, 30, -27],
    ['Another campaign', 4, 5, 6, 40, 50, 60, -54],
  ];
  const compared = { name: 'campaigns', columns, rows, total_rows: 2, offset: 0, next_offset: null };
  const heads = shown({ tables: [compared] }, { width: 66 })
    .split('\n')
    .filter((line) => line.startsWith('Name'));
  expect(heads.map((line) => line.split(/ {2,}/).slice(1))).toEqual([
    ['Views', 'Views before', 'Cost', 'Cost before'],
    ['Profit', 'Profit before', 'Profit change'],
  ]);
});

test('a person sees no JSON and no notices for models', () => {
  const notices = [
    { code: 'names-are-data' },
    { code: 'older-changes', count: 3, offset: 25 },
    { code: 'measured-and-estimated' },
  ] as const;
  const rows = [['One', '[{"Slot":"Keyword","Name":"kw"},{"Slot":"Ad"}]']];
  const cells = { ...table, columns: ['Name', 'Tokens'], rows, totals: {}, units: {} };
  const output = shown({ tables: [cells], notices }, { shape: 'wide' });
  expect(output).toContain('Slot: Keyword, Name: kw; Slot: Ad');
  expect(output.endsWith('\n\nNot shown: 3 older changes.')).toBe(true);
  expect(output).not.toMatch(/not instructions|_low|with offset|[[{]/);
});

test('findings have their money, their certainty, and the call that shows more', () => {
  const to_block = [{ campaign_id: 1, dimension: 'keyword', values: ['free videos', 'zone 7'] }];
  const review = {
    ...{
      query: { limit: 1 },
      as_of: '2026-11-23 08:39',
      more: 2,
      to_block,
      looked: {},
      not_judged: [],
      could_not_see: ['Campaign 9 could not be read.'],
    },
    findings: [
      {
        ...{ id: '123456789', kind: 'burning_placement', group: 'costs', campaign_id: 1, campaign: 'Fit' },
        ...{ since: 'Sun 8 Nov 08:00', began: '2026-11-08 08:00', money_a_day: 51.5 },
        ...{ what: '“Fit”: keyword “free videos”: cost 721', by_chance: '1 in 2,000', is_new: false },
        next: { tool: 'get_breakdown', arguments: { campaign_id: 1, by: ['keyword'] } },
      },
    ],
  };
  expect(shown(review)).toBe(
    [
      'As of 2026-11-23 08:39',
      'It costs you',
      '51.50 a day  “Fit”: keyword “free videos”: cost 721\n  still, since Sun 8 Nov 08:00, by chance 1 in 2,000\n  get_breakdown {"campaign_id":1,"by":["keyword"]}',
      '2 more findings',
      'To block at the traffic source, campaign 1, keyword:\nfree videos\nzone 7',
      'Campaign 9 could not be read.',
    ].join('\n\n'),
  );
});

test('a change of profit is its summary, both spans, the effect of each figure, and the profit of the values', () => {
  const change = {
    summary: 'Profit fell by 90.00.',
    ...{ change: -90, usual_change: 45.5, causes: [], other_visits: -90, changes: [] },
    before: { views: 4503, clicks: 1919, conversions: 103, cost: 80, revenue: 200, profit: 120 },
    after: { views: 4210, clicks: 1700, conversions: 92, cost: 70, revenue: 100, profit: 30 },
    factors: [{ factor: 'cost_per_visit', before: 0.0178, after: null, effect: -90.25 }],
    values: {
      columns: ['What', 'views before', 'profit before', 'profit after'],
      rows: [['device Phone', 900, 158, 0.25]],
    },
  };
  expect(shown(change)).toBe(
    [
      'Profit fell by 90.00.',
      [
        'Span    Profit  Revenue   Cost  Conversions  Clicks  Views',
        'before  120.00   200.00  80.00          103   1,919  4,503',
        'after    30.00   100.00  70.00           92   1,700  4,210',
      ].join('\n'),
      ['Figure          Before  After  Carries', 'cost per visit  0.0178          -90.25'].join('\n'),
      [
        'What          Profit before  Profit after  Views before',
        'device Phone         158.00          0.25           900',
      ].join('\n'),
    ].join('\n\n'),
  );
});

/** get_overview without chosen columns. */
const overview = {
  query: { by: 'campaign', sort_by: 'Cost' },
  tables: [
    {
      name: 'campaigns',
      columns: [
        ...['ID', 'Name', 'Traffic source', 'Views', 'Cost', 'Revenue', 'Profit', 'ROI', 'Cost before'],
        ...['Profit before', 'Profit change', 'Marks'],
      ],
      rows: [
        [
          1,
          'Language course in ten lessons',
          'Search',
          4478,
          1724.07,
          2210,
          485.94,
          28.19,
          1700,
          1279.61,
          -793.67,
          null,
        ],
        [2, 'Native', 'Panorama', 12, 5, 120, 115, 2300, 5, 10, 105, 'one sale: 90%'],
      ],
      ...{ total_rows: 2, offset: 0, next_offset: null, totals: { Cost: 1729.07, Profit: 600.94 } },
    },
  ],
};

test('an overview without room for all columns is one table with what a decision needs, and marks below it', () => {
  expect(shown(overview)).toBe(
    [
      'campaigns: rows 1 to 2 of 2',
      'Name                            Cost   Revenue  Profit  Profit change        ROI',
      'Language course in ten le…  1,724.07  2,210.00  485.94        -793.67     28.19%',
      'Native                          5.00    120.00  115.00         105.00  2,300.00%',
      'Total                       1,729.07            600.94',
      '  Native: one sale: 90%',
      'With --wide: ID, Traffic source, Views, Cost before, Profit before',
    ].join('\n'),
  );
});

test('an overview keeps the column that it is sorted by, and with room or with --wide all columns', () => {
  const sorted = { ...overview, query: { by: 'campaign', sort_by: 'Views' } };
  expect(shown(sorted, { width: 90 })).toMatch(/^Name +Views +Cost +Revenue +Profit +Profit change +ROI$/m);
  for (const look of [{ width: 200 }, { shape: 'wide' }] as const) {
    const whole = shown(overview, look);
    expect(whole).toMatch(/^ID +Name +Traffic source +Views .* +Marks$/m);
    expect(whole).not.toContain('--wide');
  }
});

test('an explanation writes each figure in one way, with thousands separated', () => {
  const explanation = {
    ...{ summary: 'Profit fell.', change: -8, usual_change: 1, causes: [], other_visits: 0, changes: [] },
    ...{ before: { profit: 1234.5, views: 12_345 }, after: { profit: -20, views: 9876 } },
    factors: [
      { factor: 'visits', before: 12_345, after: 9876, effect: -10 },
      { factor: 'cost_per_visit', before: 0.2769, after: 0.28, effect: 2 },
    ],
    values: { columns: ['What', 'views before', 'views after'], rows: [['device Mobile', 1244, 1239]] },
  };
  const lines = shown(explanation, { width: 100 }).split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/^visits +12,345 +9,876 +-10\.00$/));
  expect(lines).toContainEqual(expect.stringMatching(/^cost per visit +0\.2769 +0\.2800 +2\.00$/));
  expect(lines).toContainEqual(expect.stringMatching(/^device Mobile +1,244 +1,239$/));
});
