import { expect, test } from 'vitest';
import type { Block, ShownRows } from '../../../src/answer/blocks.ts';
import { type Note, sayNotice } from '../../../src/answer/notes.ts';
import type { Look } from '../../../src/commands/terminal/look.ts';
import { renderResult } from '../../../src/commands/terminal/render-result.ts';
import type { JsonRecord } from '../../../src/tools/define-tool.ts';

const look: Look = { width: 80, shape: 'table', isColoured: false, command: 'tracker-mcp call --sandbox' };

interface Shown {
  readonly query?: JsonRecord;
  readonly tables?: readonly ShownRows[];
  readonly blocks?: readonly Block[];
  readonly notices?: readonly Note[];
}

function shown({ query = {}, tables = [], blocks = [], notices = [] }: Shown, more: Partial<Look> = {}): string {
  const pages = tables.map((page) => ({ is: 'page' as const, page, isFiltered: false, cents: [] }));
  return renderResult({ structured: { query }, blocks: [...pages, ...blocks, ...notices] }, { ...look, ...more });
}

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
  expect(shown({ tables: [table], notices })).toBe(
    [
      'offer: row 26 of 40, more from offset 26, money in $',
      'Name             Views     Revenue    EPV     CTR  PageID',
      'One             12,345    1,250.50  0.101  12.50%    1234',
      'All 40 rows  1,234,567  100,000.00         11.00%',
      'Empty in every row: Notes',
      '',
      'No changes by this server yet.',
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

test('lines stand together, and what follows an empty line or is a notice stands apart', () => {
  const blocks: Block[] = [
    { is: 'heading', text: 'add_offer: done, ID 7.' },
    { is: 'apart', toModel: '2026-11-17 to 2026-11-23', toPerson: null },
    'POST /offer/add',
    '',
    { is: 'apart', toModel: 'still: 1 cost 721', toPerson: '51.50 a day  cost 721' },
    { lines: [{ code: 'in-group', group: 'offers' }, { code: 'one-pool' }] },
    { code: 'names-are-data' },
    { code: 'no-changes' },
  ];
  expect(shown({ blocks }, { width: 100 })).toBe(
    [
      'add_offer: done, ID 7.\nPOST /offer/add',
      '51.50 a day  cost 721',
      'Offers:\nLanding pages and offers of this campaign share one pool: a share takes from both.',
      'No changes by this server yet.',
    ].join('\n\n'),
  );
});

test('a small table has the format of each measure, its unit in the heading, and mixed figures row by row', () => {
  const blocks: Block[] = [
    {
      is: 'table',
      title: 'Measured',
      columns: [
        { name: 'factor' },
        { name: 'before', isMixed: true },
        { name: 'after', isMixed: true },
        { name: 'epv', unit: 'USD' },
        { name: 'conversions per view in percent', short: 'CR per view', measure: 'CR' },
      ],
      rows: [
        ['visits', 12_345, 9876, 0.95291, 3.96],
        ['cost_per_visit', 0.2769, 0.28, 0.7, 5],
      ],
    },
  ];
  expect(shown({ blocks })).toBe(
    [
      'Measured',
      'Factor          Before  After   Epv USD  CR per view',
      'visits          12,345  9,876     0.953        3.96%',
      'cost_per_visit  0.2769  0.2800    0.700        5.00%',
    ].join('\n'),
  );
});

test('a call is a command line, and is left out where none can be made', () => {
  const blocks: Block[] = [
    { is: 'call', tool: 'set_shares', arguments: { campaign_id: 1, shares: [{ page_id: 3, share: 5 }] } },
  ];
  const { command: _, ...withoutCommand } = look;
  expect(renderResult({ structured: {}, blocks }, withoutCommand)).toBe('');
  expect(shown({ blocks })).toBe(
    `  tracker-mcp call --sandbox set_shares --campaign_id 1 --shares '[{"page_id":3,"share":5}]'`,
  );
});

test('fields are aligned, with long values whole and empty ones named', () => {
  const agent = 'https://example.com/a-very-long-path-that-no-terminal-of-eighty-columns-shows-on-one-line?keyword=one';
  const fields = Object.entries({ Country: 'GB', Url: agent, City: null });
  expect(shown({ blocks: [{ is: 'fields', name: 'Geo Data', fields }] })).toBe(
    ['Geo Data', '  Country  GB', `  Url      ${agent}`, '  empty: City'].join('\n'),
  );
});

test('a list in a notice is wrapped item by item', () => {
  const items = [
    '- 3 “FitTrack coaching” (offer): share 2 -> 40, 1.7% -> 40% of the traffic',
    `- 4 ${'long '.repeat(20)}name`,
  ];
  const lines = shown({ notices: [{ code: 'log-problem', problem: `Offers:\n${items.join('\n')}` }] }).split('\n');
  expect(lines).toContain(items[0]);
  expect(lines.slice(lines.indexOf('Offers:') + 2)).toEqual([
    `- 4 ${'long '.repeat(15).trimEnd()}`,
    `  ${'long '.repeat(5)}name`,
  ]);
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
