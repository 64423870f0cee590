import { describe, expect, it } from 'vitest';
import type { DecimalMark } from '../../src/api/tracker-numbers.ts';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import type { Compared, Diagnosis, Receipt } from '../support/answers.ts';
import { connect, textOf } from '../support/connect.ts';
import { listRows, startForeignTracker } from '../support/foreign-tracker.ts';

const now = () => new Date('2026-06-10T12:00:00Z');
const days = { start_date: '2026-06-01', end_date: '2026-06-07' };

type Row = Readonly<Record<string, unknown>>;

const list = [1, 2, 3].map((ID) => ({ ID: String(ID), Name: `Campaign ${ID}`, Inactive: '0' }));

/** A tracker with three campaigns and the report of each. */
async function connectTo(reports: readonly Row[], more: { campaigns?: readonly Row[]; decimal?: DecimalMark } = {}) {
  const { campaigns = list, decimal } = more;
  const tracker = await startForeignTracker({
    conversions: '[]',
    'campaign/list': JSON.stringify(campaigns),
    stats: ({ camp = '1' }) => ({ body: JSON.stringify({ campaign: [reports[Number(camp) - 1]] }) }),
  });
  const connection = await connect({ url: tracker.url, now, ...(decimal === undefined ? {} : { decimal }) });
  const overview = () => connection.data<PresentedTables>('get_overview', { ...days, compare_to: 'none' });
  return { ...connection, tracker, overview };
}

const reportsOf = (views: readonly unknown[], cost: readonly unknown[], revenue: readonly unknown[]): Row[] =>
  views.map((Views, index) => ({ Views, Cost: cost[index], Revenue: revenue[index] }));

const views = ['1400', '2600', '1000'];
const cost = ['330.079', '112.4', '8'];
const revenue = ['312.5', '1030.25', '20'];
const totals = { Views: 5000, Cost: 450.48, Revenue: 1362.75 };

const commas = { cost: ['330,079', '112,4', '8'], revenue: ['312,5', '1030,25', '20'] };
const suffixed = (unit: string) => ['312.50', '1030.25', '20.00'].map((amount) => amount + unit);
const prefixed = (unit: string) => ['312.50', '1030.25', '20.00'].map((amount) => unit + amount);

describe('the overview adds up what a tracker writes as', () => {
  it.each<[string, Row[]]>([
    ['plain numbers', reportsOf(views, cost, revenue)],
    ['decimal commas', reportsOf(views, commas.cost, commas.revenue)],
    ['decimal commas with three digits', reportsOf(views, ['330,079', '112,400', '8,000'], commas.revenue)],
    ['three digits everywhere', reportsOf(views, ['330,079', '112,400', '8,000'], ['312,500', '1030,250', '20,000'])],
    ['thousands with points', reportsOf(['1.400', '2.600', '1.000'], commas.cost, commas.revenue)],
    ['thousands with commas', reportsOf(['1,400', '2,600', '1,000'], cost, ['312.5', '1,030.25', '20'])],
    ['a space between thousands', reportsOf(views, commas.cost, ['312,50', '1 030,25', '20,00'])],
    ['a no-break space', reportsOf(views, commas.cost, ['312,50', '1\u00a0030,25', '20,00'])],
    ['a thin space and €', reportsOf(views, commas.cost, ['312,50\u202f€', '1\u202f030,25\u202f€', '20,00\u202f€'])],
    ['an apostrophe', reportsOf(views, cost, ['312.50', "1'030.25", '20.00'])],
    ...[
      ' €',
      '€',
      ' USD',
      'USD',
      ' kr.',
      ' zł',
      ' EUR',
      ' euro',
      '\u00a0€',
      ' US Dollar',
      '&nbsp;&euro;',
      '&#160;USD',
      ' [USD]',
      ' (€)',
    ].map((unit): [string, Row[]] => [`amounts before “${unit}”`, reportsOf(views, cost, suffixed(unit))]),
    ...[
      '$ ',
      '$',
      '€',
      'USD ',
      'US$',
      'A$',
      'AU$',
      'CA$',
      'R$ ',
      'Rs.',
      'Rs. ',
      'kr. ',
      'CN¥',
      'د.إ ',
      '&pound;',
      '(USD) ',
      'USD: ',
      '$: ',
      '＄',
      'Mex$',
      'Dh ',
    ].map((unit): [string, Row[]] => [`amounts after “${unit}”`, reportsOf(views, cost, prefixed(unit))]),
  ])('%s', async (_, reports) => {
    const { tables, notices } = await (await connectTo(reports)).overview();
    expect(tables[0]?.totals).toMatchObject(totals);
    const said = notices.filter((notice) => notice.includes('decimal comma'));
    expect(said).toHaveLength(JSON.stringify(reports).match(/\d,\d{1,2}\D|\d{4},/) ? 1 : 0);
  });

  it.each([
    '-12,50',
    '\u221212,50',
    '\u201012,50',
    '\u201112,50',
    '(12,50)',
    '12,50-',
    '-€12,50',
    '€-12,50',
    '€(12,50)',
  ])('a loss as %s', async (loss) => {
    const { tables } = await (
      await connectTo(reportsOf(['1', '1', '1'], ['0', '0', '0'], [loss, '0', '0']))
    ).overview();
    expect(tables[0]?.totals).toMatchObject({ Revenue: -12.5 });
  });
});

it.each([
  ['nothing shows whether “1.400” is a thousand or a fraction', '1.400', '2.600', '1.000'],
  ['nothing shows whether “1.000” is a thousand or a fraction', '1.000', '2.000', '900'],
  ['“1.4” is a count, and not a whole number', '1.4', '2.6', '1'],
])('counts that are numbers of JSON and not surely whole are refused: %s', async (why, ...counts) => {
  const rows = counts.map((count, index) => `{"Views":${count},"Cost":${cost[index]},"Revenue":${revenue[index]}}`);
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(list),
    conversions: '[]',
    stats: ({ camp = '1' }) => ({ body: `{"campaign":[${rows[Number(camp) - 1]}]}` }),
  });
  const { call } = await connect({ url: tracker.url, now });
  const text = textOf(await call('get_overview', { ...days, compare_to: 'none' }));
  expect(text).toContain(`Views of campaign cannot be read: ${why}`);
  expect(text).not.toContain('Views 5');
});

describe('money in different currencies is never added up', () => {
  it('of two campaigns', async () => {
    const { data } = await connectTo(reportsOf(views, cost, ['312.50 €', '1030.25 $', '20 $']));
    const asked = { ...days, compare_to: 'none', sort_by: 'ID', sort_order: 'asc' };
    const { tables, notices } = await data<PresentedTables>('get_overview', asked);
    const { columns = [], rows = [], totals = {} } = tables[0] ?? {};
    expect(rows.map((row) => [row[columns.indexOf('Currency')], row[columns.indexOf('Revenue')]])).toEqual([
      ['EUR', 312.5],
      ['USD', 1030.25],
      ['USD', 20],
    ]);
    expect(totals).toHaveProperty('Views');
    for (const money of ['Cost', 'Revenue', 'Profit', 'EPV', 'ROI']) expect(totals).not.toHaveProperty(money);
    expect(notices.join()).toMatch(
      /Money is not added up over campaigns, because their currencies differ\. Of all campaigns: .*revenue 312\.50.* EUR; .*revenue 1,050\.25.* USD\./,
    );
    const bySource = await data<PresentedTables>('get_overview', {
      ...asked,
      by: 'traffic_source',
      sort_by: 'Revenue',
    });
    expect(bySource.tables[0]?.rows).toHaveLength(2);
  });

  it('of cost and revenue', async () => {
    const { refusal } = await connectTo(reportsOf(views, ['330 €', '112 €', '8 €'], prefixed('$')));
    expect(await refusal('get_overview', { ...days, compare_to: 'none' })).toMatch(/“€” and “\$” have different units/);
  });

  it('of the visits of a breakdown', async () => {
    const visits = ['12.50 €', '30.00 $'].map((Revenue) => ({ SubID: 'a_1_1', Country: 'US', Revenue, Cost: '1' }));
    const { tracker, refusal } = await connectTo(reportsOf(views, cost, revenue));
    tracker.answer('visitorstats', JSON.stringify(visits));
    const given = { campaign_id: 1, by: ['country'], ...days };
    expect(await refusal('get_breakdown', given)).toMatch(/“12\.50 €” and “30\.00 \$” have different units/);
  });
});

describe('a figure that is filled and no number is never empty', () => {
  it('nor is a percentage money', async () => {
    const { refusal } = await connectTo(reportsOf(views, cost, suffixed('%')));
    expect(await refusal('get_overview', { ...days, compare_to: 'none' })).toContain('“312.50%” is a percentage');
  });

  it.each(['hidden', 'NaN', '***', 'locked'])('%s', async (word) => {
    const { overview } = await connectTo(reportsOf(views, cost, ['312.50', word, '20']));
    const { tables, notices } = await overview();
    expect(tables[0]?.totals).toMatchObject({ Views: 2400, Revenue: 332.5 });
    expect(notices.join()).toContain(
      `Not read, and in no total: 2 “Campaign 2” (Revenue of campaign cannot be read: “${word}”`,
    );
  });
});

const openCells = { cost: ['330,079', '112,400', '8,000'], revenue: ['312,500', '103,250', '20,000'] };
const openReports = reportsOf(views, openCells.cost, openCells.revenue);

describe('if nothing shows whether 330,079 is a thousand or a fraction', () => {
  it('the overview is refused, with the way out', async () => {
    const { refusal } = await connectTo(openReports);
    const message = await refusal('get_overview', { ...days, compare_to: 'none' });
    expect(message).toMatch(
      /Cost of campaign cannot be read: nothing shows whether “330,079” is a thousand or a fraction/,
    );
    expect(message).toContain('TRACKER_DECIMAL');
  });

  it('a breakdown by day is refused', async () => {
    const { refusal } = await connectTo(openReports);
    const given = { campaign_id: 1, by: ['day'], ...days };
    expect(await refusal('get_breakdown', given)).toContain('TRACKER_DECIMAL');
  });

  it('a report shows the cells as they are, without totals', async () => {
    const { data } = await connectTo(openReports);
    const { tables, notices } = await data<PresentedTables>('get_stats', {
      campaign_id: 1,
      reports: ['campaign'],
      ...days,
    });
    expect(tables[0]).toMatchObject({ columns: ['Views', 'Cost', 'Revenue'], rows: [[1400, '330,079', '312,500']] });
    expect(tables[0]?.totals).toEqual({ Views: 1400 });
    expect(notices.filter((notice) => notice.includes('TRACKER_DECIMAL'))).toEqual([
      expect.stringContaining('Text, without totals: "Cost", "Revenue"'),
    ]);
  });

  it('a query says why it cannot add up', async () => {
    const { data, refusal } = await connectTo(openReports);
    await data('get_stats', { campaign_id: 1, reports: ['campaign'], ...days });
    expect(await refusal('query_report', { sql: 'SELECT sum("Cost") FROM campaign' })).toContain('TRACKER_DECIMAL');
    const { notices } = await data<PresentedTables>('query_report', { sql: 'SELECT "Cost" FROM campaign' });
    expect(notices.join(' ')).toContain('TRACKER_DECIMAL');
  });

  it.each([
    ['comma', 450.48, 435.75],
    ['point', 450_479, 435_750],
  ] as const)('a configured decimal %s decides', async (decimal, Cost, Revenue) => {
    const { tables } = await (await connectTo(openReports, { decimal })).overview();
    expect(tables[0]?.totals).toMatchObject({ Cost, Revenue });
  });
});

describe('what one answer shows', () => {
  const [one] = reportsOf(['1400'], ['330,079'], ['312,5']);
  const ask = { reports: ['campaign'], ...days };
  const open = (connection: Awaited<ReturnType<typeof connectTo>>, campaign_id = 2) =>
    connection.data<PresentedTables>('get_stats', { campaign_id, ...ask });

  it('reads another that is open, and says so', async () => {
    const connection = await connectTo([one ?? {}, openReports[1] ?? {}]);
    expect((await open(connection)).tables[0]?.rows).toEqual([[2600, '112,400', '103,250']]);
    await connection.data('get_stats', { campaign_id: 1, ...ask });
    const { tables, notices } = await open(connection);
    expect(tables[0]?.rows).toEqual([[2600, 112.4, 103.25]]);
    expect(notices.join(' ')).toMatch(/decimal comma, as earlier answers of this tracker show/);
  });

  it('changes no answer that is read already: it is refused rather', async () => {
    const connection = await connectTo([one ?? {}, { Views: '20', Cost: '1.234' }]);
    expect((await open(connection)).tables[0]?.rows).toEqual([[20, 1.234]]);
    await connection.data('get_stats', { campaign_id: 1, ...ask });
    expect((await open(connection)).tables[0]?.rows).toEqual([[20, '1.234']]);
  });

  it('holds for a whole overview, in whichever order its campaigns are read', async () => {
    const open = { Views: '20', Cost: '1.234', Revenue: '5' };
    for (const reports of [
      [open, one, one],
      [one, open, open],
    ] as Row[][]) {
      const { notices, tables } = await (await connectTo(reports)).overview();
      expect(tables[0]?.rows.map((row) => row[4])).not.toContain(20);
      expect(JSON.stringify(tables)).not.toContain('1.23');
      expect(notices.join(' ')).toContain('“1.234” is a thousand or a fraction');
    }
  });

  it('is refused if its cells contradict each other', async () => {
    const { refusal, data } = await connectTo([{ Views: '1.400', Cost: '$12.50', Revenue: '31,25' }]);
    expect(await refusal('get_breakdown', { campaign_id: 1, by: ['day'], ...days })).toContain('TRACKER_DECIMAL');
    const { tables, notices } = await data<PresentedTables>('get_stats', { campaign_id: 1, ...ask });
    expect(tables[0]?.rows).toEqual([['1.400', '$12.50', '31,25']]);
    expect(notices.join(' ')).toMatch(
      /“\$12.50” has a decimal point and “1.400” a decimal comma|“31,25” a decimal comma/,
    );
  });
});

it('a count with four digits after a comma is text, unless other columns have decimal commas', async () => {
  const shown = async (money: string) => {
    const rows = [1, 2].map((PageID) => ({ PageID, Views: PageID === 1 ? '100' : '1,0000', Revenue: money }));
    const tracker = await startForeignTracker({ stats: JSON.stringify({ offer: rows }) });
    const { data } = await connect({ url: tracker.url, now });
    return (await data<PresentedTables>('get_stats', { campaign_id: 1, ...days })).tables[0]?.totals;
  };
  expect(await shown('30')).toEqual({ Revenue: 60 });
  expect(await shown('30,25')).toEqual({ Views: 101, Revenue: 60.5 });
});

describe('a filled cell is never called empty', () => {
  it.each(['312.50 points', '12 (3%)', '5|6'])('such as %s', async (cell) => {
    const { refusal } = await connectTo(reportsOf(['1', '2', '3'], ['1', '2', '3'], [cell, cell, cell]));
    expect(await refusal('get_overview', { ...days, compare_to: 'none' })).toContain(`“${cell}” is not a number`);
  });
});

describe('the value before a write', () => {
  const campaignsWith = (Bid: string, others: readonly string[] = []) =>
    [Bid, ...others].map((bid, index) => ({ ID: String(index + 1), Name: 'Search', Inactive: '0', Bid: bid }));
  const editOf = async (campaigns: readonly Row[], decimal?: DecimalMark) => {
    const { data, tracker } = await connectTo([], { campaigns, ...(decimal && { decimal }) });
    tracker.answer('campaign/edit', '{"Status":"OK"}');
    return data<Receipt>('edit_campaign', { campaign_id: 1, bid: 0.4 });
  };

  it.each(['0,35', '0,35 €', '€0,35', '$0.35', '0.35 USD', ',35'])('is read from %s', async (bid) => {
    const { notices, ...receipt } = await editOf(campaignsWith(bid));
    expect(receipt).toMatchObject({ before: { bid: 0.35 }, done: true });
    expect(notices.filter((notice) => notice.includes('decimal comma'))).toHaveLength(bid.includes(',') ? 1 : 0);
  });

  it('is read as the other campaigns show, or as configured', async () => {
    expect(await editOf(campaignsWith('1,350', ['0,5']))).toMatchObject({ before: { bid: 1.35 } });
    expect(await editOf(campaignsWith('1,350', ['0.5']))).toMatchObject({ before: { bid: 1350 } });
    expect(await editOf(campaignsWith('1,350'), 'comma')).toMatchObject({ before: { bid: 1.35 } });
  });

  it('is not known if nothing shows it, and the receipt says why', async () => {
    const { before, notices } = await editOf(campaignsWith('1,350'));
    expect(before).toEqual({});
    expect(notices.join(' ')).toMatch(/bid before is not known.*“1,350” is a thousand or a fraction.*TRACKER_DECIMAL/);
  });
});

/** Eight visits a day, each with the cost and every fourth with the revenue. */
const visitsWith = (cost: string, revenue: string): Row[] =>
  Array.from({ length: 56 }, (_, index) => ({
    ...{
      Date: `2026-06-0${7 - Math.floor(index / 8)} 10:00:00`,
      SubID: `ab12cd34_1_${String(index).padStart(8, '0')}`,
    },
    ...{
      CampaignID: '1',
      Country: index % 2 === 0 ? 'DE' : 'US',
      Clicked: '1',
      Converted: index % 4 === 0 ? '1' : '0',
    },
    ...{ Cost: cost, Revenue: index % 4 === 0 ? revenue : '' },
  }));

async function connectToVisits(visits: readonly Row[], conversions: readonly Row[] = [], report: Row = {}) {
  const connection = await connectTo([{ Views: '56', ...report }], { campaigns: [list[0] ?? {}] });
  connection.tracker.answer('visitorstats', listRows(visits));
  connection.tracker.answer('conversions', JSON.stringify(conversions));
  return connection;
}

describe('the visitor list', () => {
  const byCountry = { campaign_id: 1, by: ['country'], ...days };

  it('is broken down with decimal commas', async () => {
    const { data } = await connectToVisits(visitsWith('0,25', '1.003,50 €'));
    const { tables, notices } = await data<PresentedTables>('get_breakdown', byCountry);
    expect(tables[0]?.totals).toMatchObject({ Views: 56, Cost: 14, Revenue: 14_049 });
    expect(notices.filter((notice) => notice.includes('decimal comma'))).toHaveLength(1);
  });

  it.each<[string, Row]>([
    ['get_breakdown', byCountry],
    ['get_breakdown', { by: ['country'], ...days }],
    ['explain_change', { campaign_id: 1, start_date: '2026-06-05', end_date: '2026-06-07' }],
    ['review_account', {}],
  ])('is refused by %s if its costs are open', async (tool, given) => {
    const { refusal } = await connectToVisits(visitsWith('1,250', '103,500'));
    expect(await refusal(tool, given)).toMatch(/nothing shows whether “1.{4}” is a thousand.*TRACKER_DECIMAL/);
  });
});

describe('a statement', () => {
  const conversion = (Revenue: string, index = 0): Row => ({
    ...{ SubID: `ab12cd34_1_${String(index).padStart(8, '0')}`, CampaignID: '1' },
    ...{ Date: `2026-06-0${index + 1} 10:00:00`, Revenue },
  });
  const statement = (...amounts: readonly number[]) =>
    [
      'SubID;Payout;Date',
      ...amounts.map((amount, index) => `ab12cd34_1_0000000${index};${amount.toFixed(2)};2026-06-0${index + 1}`),
    ].join('\n');
  const classesOf = ({ tables }: PresentedTables) => tables[0]?.rows.map(([name]) => name);

  it.each(['12,50', '12,50 €', '12.50 USD', 'kr. 12,50'])('is compared with conversions of %s', async (revenue) => {
    const { data } = await connectToVisits([], [conversion(revenue)]);
    const reconcile = (amount: number) =>
      data<PresentedTables>('reconcile_conversions', { statement: statement(amount), ...days });
    expect(classesOf(await reconcile(99.99))).toEqual(['amount_differs']);
    expect(classesOf(await reconcile(12.5))).toEqual(['matched']);
  });

  it('is not matched with conversions whose amounts are open', async () => {
    const { refusal } = await connectToVisits([], [conversion('1,250'), conversion('3,125', 1)]);
    expect(await refusal('reconcile_conversions', { statement: statement(99.99, 1.25), ...days })).toContain(
      'TRACKER_DECIMAL',
    );
  });
});

it('one visitor is told with the amounts of the tracker', async () => {
  const { data, tracker } = await connectTo([], { campaigns: [list[0] ?? {}] });
  const subid = 'ab12cd34_1_00000001';
  tracker.answer(
    'click/lookup',
    JSON.stringify({ Campaign: { SubID: subid, Date: '2026-06-07 10:00:00', Offer: 'Trip', Revenue: '12,50 €' } }),
  );
  tracker.answer('conversions', JSON.stringify([{ SubID: subid, Date: '2026-06-07 11:00:00', Revenue: '10,00 €' }]));
  const { facts, steps } = await data<Diagnosis>('diagnose_subid', { subid });
  expect(facts.join(' ')).toContain('The visit has a revenue of 12.50, the conversion list 10.00');
  expect(JSON.stringify(steps)).toContain('10.00 €');
});

describe('the pages of a campaign', () => {
  const offers = (revenue: readonly string[]): Row[] =>
    revenue.map((Revenue, index) => ({
      ...{ PageID: String(index + 1), Name: `Offer ${index + 1}`, Share: '50', Inactive: '0', Payout: Revenue },
      ...{ Views: '1.000', Clicks: '500', Conversions: '40', Revenue },
    }));
  const connectToOffers = async (rows: readonly Row[]) => {
    const connection = await connectTo([]);
    connection.tracker.answer('stats', JSON.stringify({ offer: rows, campaign: [] }));
    connection.tracker.answer('visitorstats', '[]');
    return connection;
  };

  it('are compared with their figures', async () => {
    const { data } = await connectToOffers(offers(['1.003,50', '903,50']));
    const compared = await data<Compared>('compare_pages', { campaign_id: 1, kind: 'offer' });
    expect(JSON.stringify(compared)).toMatch(/1003\.5/);
  });

  it('are refused with open figures', async () => {
    const { refusal } = await connectToOffers(offers(['100,350', '903,250']).map((row) => ({ ...row, Views: '900' })));
    expect(await refusal('compare_pages', { campaign_id: 1, kind: 'offer' })).toContain('TRACKER_DECIMAL');
    expect(await refusal('get_overview', { by: 'offer', ...days })).toContain('TRACKER_DECIMAL');
  });
});

describe('figures that differ by a factor of 100 or 1,000 are named, and not corrected', () => {
  it.each([
    [
      'visits',
      '0.25',
      { Cost: '1400', Revenue: '42' },
      'campaign report \\(1400\\) is about 100 times.*visitor list \\(14\\)',
    ],
    ['the report', '250', { Cost: '14.00', Revenue: '42' }, 'visitor list \\(14000\\) is about 1000 times'],
  ])('between %s and the other', async (_, cost, report, notice) => {
    const { data } = await connectToVisits(visitsWith(cost, '3.00'), [], report);
    const { tables, notices } = await data<PresentedTables>('get_breakdown', {
      campaign_id: 1,
      by: ['country'],
      ...days,
    });
    expect(tables[0]?.totals).toMatchObject({ Cost: Number(cost) * 56, Revenue: 42 });
    expect(notices.filter((one) => one.includes('decimal mark'))).toEqual([expect.stringMatching(new RegExp(notice))]);
  });

  it('but not for sums that agree', async () => {
    const { data } = await connectToVisits(visitsWith('0.25', '3.00'), [], { Cost: '14.00', Revenue: '42.00' });
    const { notices } = await data<PresentedTables>('get_breakdown', { campaign_id: 1, by: ['country'], ...days });
    expect(notices.join(' ')).not.toContain('decimal mark');
  });
});

it('numbers of JSON have a decimal point, whatever the texts next to them have', async () => {
  const reports = reportsOf(['1.400', '2.600', '1.000'], [330.079, 112.4, 8], commas.revenue);
  expect((await (await connectTo(reports)).overview()).tables[0]?.totals).toMatchObject(totals);
  const visits = visitsWith('0,25', '3,00').map((visit) => ({ ...visit, Cost: 1.125 }));
  const { data } = await connectToVisits(visits);
  const { tables } = await data<PresentedTables>('get_breakdown', { campaign_id: 1, by: ['country'], ...days });
  expect(tables[0]?.totals).toMatchObject({ Cost: 63, Revenue: 42 });
});

const stayText: readonly (readonly (number | string)[])[] = [
  [330.079, '112,40', 8],
  [2.5, '1.250', 12.5],
  [1.2345, '1.250', 12.5],
];

it.each(stayText.flatMap((cells) => [1, 3000].map((times) => [cells, times] as const)))(
  '%j may be numbers of JSON or thousands, and stay text, %d times',
  async (cells, times) => {
    const { tables, notices } = await costs(Array.from({ length: times }, () => cells).flat());
    expect(tables[0]?.totals).toEqual({ Views: 15 * times });
    expect(notices.join(' ')).toContain('Text, without totals: "Cost"');
  },
);

it.each<[readonly (number | string)[], number]>([
  [[330.079, '-', 8], 338.079],
  [[2.5, '1,250', 12.5], 1265],
  [[330.079, '1,250.50', 8], 1588.579],
  [[2.5, '', 12.125], 14.625],
])('%j can be read in one way', async (cells, total) => {
  expect((await costs(cells)).tables[0]?.totals?.['Cost']).toBeCloseTo(total, 2);
});

async function costs(cells: readonly (number | string)[]) {
  const rows = cells.map((Cost, index) => ({ PageID: String(index), Name: `Offer ${index}`, Views: '5', Cost }));
  const tracker = await startForeignTracker({ stats: JSON.stringify({ offer: rows }) });
  const { data } = await connect({ url: tracker.url, now });
  return data<PresentedTables>('get_stats', { campaign_id: 1, ...days });
}

/** The totals of a report of offers whose cells are written as they stand here. */
async function totalsOf(columns: Readonly<Record<string, readonly string[]>>, times: number) {
  const names = Object.keys(columns);
  const rows = Array.from({ length: 3 * times }, (_, index) => [
    `"PageID":"${index}","Name":"Offer ${index}"`,
    ...names.map((name) => `"${name}":${columns[name]?.[index % 3]}`),
  ]);
  const tracker = await startForeignTracker({ stats: `{"offer":[${rows.map((row) => `{${row}}`)}]}` });
  const { data } = await connect({ url: tracker.url, now });
  return (await data<PresentedTables>('get_stats', { campaign_id: 1, ...days })).tables[0]?.totals;
}

const texts = ['"312,50"', '"20,00"', '"1,25"'];

it.each(
  [1, 300, 30_000].flatMap((times) =>
    [
      [['112.400', '8.000', '330.080'], 450.48],
      [['112.400', '8.000', '330.079'], 450.479],
      [['112.40', '8.00', '330.00'], 450.4],
      [['112.400', '"-"', '8.000'], 120.4],
      [['112.400', '"112,400"', '8.000'], undefined],
    ].map(([cost, total]) => [cost as string[], total as number | undefined, times] as const),
  ),
)('numbers of JSON with zeros at their end have a decimal point: %j, %d, %d times', async (cost, total, times) => {
  const totals = await totalsOf({ Cost: cost, Revenue: texts }, times);
  expect(totals?.['Revenue']).toBe(333.75 * times);
  if (total === undefined) expect(totals).not.toHaveProperty('Cost');
  else expect(totals?.['Cost']).toBeCloseTo(total * times, 1);
});

it('a number that is there with and without quotation marks shows nothing', async () => {
  const doubled = { Cost: ['112.400', '8.000', '7.500'], Revenue: ['"112.400"', '"20,00"', '"1,25"'] };
  expect((await totalsOf(doubled, 1)) ?? {}).not.toHaveProperty('Cost');
});

describe('a count that is not whole', () => {
  it.each(['1,4', '1,40', '0,5', '1.4', '1.2345', '1,2345'])('stays text: %s', async (count) => {
    const { overview } = await connectTo(reportsOf(['10', count, '3'], ['1.5', '2', '3'], ['1', '2', '3']));
    const { tables, notices } = await overview();
    expect(tables[0]?.totals).toMatchObject({ Views: 13 });
    expect(notices.join(' ')).toContain(`“${count}” is a count, and not a whole number`);
    expect(await totalsOf({ Clicks: ['10', `"${count}"`, '3'], Revenue: texts }, 1)).toEqual({ Revenue: 333.75 });
  });

  it.each(['14.0', '14,00'])('is no count with decimals of zero: %s', async (count) => {
    expect(await totalsOf({ Clicks: ['10', `"${count}"`, '3'] }, 1)).toEqual({ Clicks: 27 });
  });
});

it.each([
  ...['usd_revenue', 'USD Revenue', '$ Revenue', 'eur_revenue', 'TotalRevenue', 'total_revenue', 'Total Revenue'],
  ...['SumRevenue', 'sum_of_revenue', 'Revenue total', 'revenue_total', 'Total Revenue (USD)', 'total_revenue_usd'],
])('%s is a revenue', async (name) => {
  const reports = reportsOf(views, cost, revenue).map(({ Revenue, ...row }) => ({ ...row, [name]: Revenue }));
  expect((await (await connectTo(reports)).overview()).tables[0]?.totals).toMatchObject(totals);
});

it.each(['Totals', 'Total', 'Sum', 'Summary', 'usdt_rate', 'Total per revenue'])('%s is none', async (name) => {
  const reports = reportsOf(views, cost, revenue).map(({ Revenue, ...row }) => ({ ...row, [name]: Revenue }));
  expect((await (await connectTo(reports)).overview()).tables[0]?.totals).not.toHaveProperty('Revenue');
});

it('only the call that read decimal commas says so, beside others in flight', async () => {
  const { tracker, overview, call } = await connectTo(reportsOf(views, commas.cost, commas.revenue));
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  tracker.answer('ts/list', async () => {
    await gate;
    return { body: JSON.stringify([{ ID: '1', Name: 'Source', Cost: '1.5' }]) };
  });
  const beside = call('list_traffic_sources');
  const { notices } = await overview();
  open();
  expect(notices.filter((notice) => notice.includes('decimal comma'))).toHaveLength(1);
  expect(textOf(await beside)).not.toContain('decimal comma');
  expect((await overview()).notices.filter((notice) => notice.includes('decimal comma'))).toHaveLength(1);
});

describe('a count of JSON with three decimals may be a thousand or not, and stays text', () => {
  const open: readonly Readonly<Record<string, readonly string[]>>[] = [
    { Views: ['1.000', '5', '7'] },
    { Views: ['1.400', '5', '7'] },
    { Views: ['1.000', '2.000', '3.000'] },
    { Views: ['-1.000', '2', '3'] },
    { Views: ['1.000', '"5"', '"7"'] },
    { Views: ['1.000', '"1.400"', '3'] },
    { Views: ['1.000', '2.000', '3.000'], Cost: ['"1.000"', '"2.000"', '"3.000"'] },
    { Views: ['1.000', '2.000', '3.000'], Clicks: ['12.0', '1.0', '2.0'] },
  ];
  it.each(open.flatMap((columns) => [1, 200].map((times) => [columns, times] as const)))(
    '%j, %d times',
    async (columns, times) => {
      expect((await totalsOf(columns, times)) ?? {}).not.toHaveProperty('Views');
    },
  );

  it('and so does what it could decide', async () => {
    const columns = { Views: ['1.000', '2.000', '3.000'], Cost: ['"1,250"', '"2,000"', '"3"'] };
    expect((await totalsOf(columns, 1)) ?? {}).not.toHaveProperty('Cost');
  });

  it.each<[Readonly<Record<string, readonly string[]>>, number]>([
    [{ Views: ['1.0', '5', '7'] }, 13],
    [{ Views: ['1.00', '5.00', '7.00'] }, 13],
    [{ Views: ['0.000', '1234.000', '7'] }, 1241],
    [{ Views: ['"1.000"', '5', '7'] }, 1012],
    [{ Views: ['1.000', '5', '7'], Cost: ['"12,50"', '"1,5"', '"3"'] }, 1012],
  ])('but not what can be read in one way: %j', async (columns, total) => {
    expect(await totalsOf(columns, 1)).toHaveProperty('Views', total);
    expect(await totalsOf(columns, 200)).toHaveProperty('Views', total * 200);
  });
});

it.each(['Cost (cents)', 'cost_micros', 'Cost in thousands', 'CostCents'])(
  'figures of %s are refused, not empty',
  async (name) => {
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify(list),
      conversions: '[]',
      stats: JSON.stringify({ campaign: [{ Views: '10', [name]: '500', Revenue: '20.00' }] }),
    });
    const { refusal } = await connect({ url: tracker.url, now });
    const said = await refusal('get_overview', { ...days, compare_to: 'none' });
    expect(said.replaceAll(/[“”]/g, '')).toContain(
      `${name} of campaign cannot be read: by its name it is in another unit`,
    );
  },
);
