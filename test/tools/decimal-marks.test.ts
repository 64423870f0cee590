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
