import { describe, expect, it } from 'vitest';
import type { DecimalMark } from '../../src/api/tracker-numbers.ts';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

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
    ...[' €', '€', ' USD', 'USD', ' kr.', ' zł', ' EUR', ' euro', '\u00a0€'].map((unit): [string, Row[]] => [
      `amounts before “${unit}”`,
      reportsOf(views, cost, suffixed(unit)),
    ]),
    ...['$ ', '$', '€', 'USD ', 'US$', 'A$', 'AU$', 'CA$', 'R$ ', 'Rs.', 'Rs. ', 'kr. '].map(
      (unit): [string, Row[]] => [`amounts after “${unit}”`, reportsOf(views, cost, prefixed(unit))],
    ),
  ])('%s', async (_, reports) => {
    const { tables, notices } = await (await connectTo(reports)).overview();
    expect(tables[0]?.totals).toMatchObject(totals);
    const said = notices.filter((notice) => notice.includes('decimal comma'));
    expect(said).toHaveLength(JSON.stringify(reports).match(/\d,\d{1,2}\D|\d{4},/) ? 1 : 0);
  });

  it.each(['-12,50', '\u221212,50', '(12,50)', '12,50-', '-€12,50', '€-12,50', '€(12,50)'])(
    'a loss as %s',
    async (loss) => {
      const { tables } = await (
        await connectTo(reportsOf(['1', '1', '1'], ['0', '0', '0'], [loss, '0', '0']))
      ).overview();
      expect(tables[0]?.totals).toMatchObject({ Revenue: -12.5 });
    },
  );
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

describe('a filled cell is never called empty', () => {
  it.each(['312.50 points', '12 (3%)', '5|6'])('such as %s', async (cell) => {
    const { refusal } = await connectTo(reportsOf(['1', '2', '3'], ['1', '2', '3'], [cell, cell, cell]));
    expect(await refusal('get_overview', { ...days, compare_to: 'none' })).toContain(`“${cell}” is not a number`);
  });
});
