import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { recordsOf } from '../../support/answers.ts';
import { connect, contextFor } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

/** Two campaigns with a visit every ten minutes, of which the first sells at each full hour, thirty minutes after the visit. */
const now = () => new Date('2026-06-10T09:40:00Z');
const minutes = Array.from({ length: 144 }, (_, index) => index * 10);
const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const days = ['2026-05-13', '2026-06-03', '2026-06-09', '2026-06-10'];

const visits = days.flatMap((day) =>
  minutes
    .filter((minute) => day < '2026-06-10' || minute <= 580)
    .flatMap((minute) =>
      [1, 2].map((campaign) => ({
        ...{
          SubID: `${day}-${minute}-${campaign}`,
          CampaignID: String(campaign),
          VisitDate: `${day} ${clock(minute)}:05`,
        },
        ...{ Clicked: minute % 20 === 0 ? '1' : '0', Cost: '0.10' },
      })),
    ),
);

const sales = visits
  .filter(({ CampaignID, VisitDate }) => CampaignID === '1' && VisitDate.slice(14, 16) === '00')
  .map(({ SubID, CampaignID, VisitDate }) => ({
    ...{ SubID, CampaignID, VisitDate, Revenue: '5.00' },
    ConversionDate: VisitDate.replace(':00:', ':30:'),
  }))
  .filter(({ ConversionDate }) => ConversionDate <= '2026-06-10 09:40:59');

const within = <Row extends { VisitDate: string }>(rows: readonly Row[], { camp = '0', start = '', end = '' }) =>
  rows.filter(
    (row) =>
      row.VisitDate.slice(0, 10) >= start &&
      row.VisitDate.slice(0, 10) <= end &&
      (camp === '0' || Object(row).CampaignID === camp),
  );

const tracker = await startForeignTracker({
  'campaign/list': JSON.stringify({
    Rows: [
      { ID: '1', Name: 'Search', TrafficSource: 'Lighthouse', Inactive: '0' },
      { ID: '2', Name: 'Native', TrafficSource: 'Harbor', Inactive: '0' },
    ],
  }),
  visitorstats: (given) => ({ body: JSON.stringify({ Rows: within(visits, given) }) }),
  conversions: (given) => ({ body: JSON.stringify({ Rows: within(sales, given) }) }),
  stats: (given) => {
    const [seen, sold] = [within(visits, given), within(sales, given)];
    const row = {
      ...{
        ID: given['camp'],
        Views: seen.length || (given['start'] === given['end'] ? 0 : 5),
        Clicks: seen.filter(({ Clicked }) => Clicked === '1').length,
      },
      ...{ Conversions: sold.length, Cost: (seen.length * 0.1).toFixed(2), Revenue: (sold.length * 5).toFixed(2) },
    };
    return { body: JSON.stringify({ Reports: { campaign: [row] } }) };
  },
});

async function ask(given: Readonly<Record<string, unknown>> = {}, time = now) {
  const { data } = await connect({ url: tracker.url, now: time });
  const overview = await data<PresentedTables>('get_overview', { period: 'today', ...given });
  return { overview, rows: recordsOf(overview), notices: overview.notices.join(' ') };
}

describe('today', () => {
  it('is compared with the day before up to the same time, which is said', async () => {
    const { rows, overview, notices } = await ask();
    expect(rows[0]).toMatchObject({
      ...{ ID: 1, Views: 59, Conversions: 10, Cost: 5.9, Revenue: 50, Profit: 44.1 },
      ...{ 'Views before': 59, 'Conversions before': 10, 'Cost before': 5.9, 'Revenue before': 50 },
      ...{ 'Profit before': 44.1, 'Profit change': 0, 'Revenue change %': 0 },
    });
    expect(overview.tables[0]?.totals).toMatchObject({ Views: 118, 'Views before': 118, 'Profit change': 0 });
    expect(overview.query).toMatchObject({ start_date: '2026-06-10', end_date: '2026-06-10', until: '09:40' });
    expect(notices).toContain('Before: 2026-06-09 up to 09:40, since 2026-06-10 is not over.');
    expect(notices).not.toContain('whole day');
  });

  it('is compared with the same weekday a week or four weeks before', async () => {
    expect((await ask({ compare_to: 'week_before' })).notices).toContain('Before: 2026-06-03 up to 09:40');
    expect((await ask({ compare_to: 'month_before' })).notices).toContain('Before: 2026-05-13 up to 09:40');
    expect((await ask({ compare_to: 'week_before' })).rows[1]).toMatchObject({ Views: 59, 'Views before': 59 });
  });

  it('by traffic source is the sum of its campaigns', async () => {
    const { rows } = await ask({ by: 'traffic_source' });
    expect(rows.map((row) => row['Views before'])).toEqual([59, 59]);
  });

  it('has no figure before that the lists do not show as the reports do, and says which', async () => {
    tracker.answer('conversions', JSON.stringify({ Rows: sales.slice(0, 3) }));
    const { rows, notices } = await ask();
    expect(rows[0]).toMatchObject({ 'Views before': 59, 'Cost before': 5.9 });
    expect(rows[0]).not.toHaveProperty('Revenue before');
    expect(rows[0]).not.toHaveProperty('Profit change');
    expect(notices).toContain('Not known up to then: conversions, revenue.');
    tracker.answer('conversions', (given) => ({ body: JSON.stringify({ Rows: within(sales, given) }) }));
  });

  it('has the sales of the day that its report has, where those of another day are about as many', async () => {
    const late = { ConversionDate: '2026-06-10 00:10:00' };
    const moved = sales.map((sale) => (sale.VisitDate.startsWith('2026-06-09 23') ? { ...sale, ...late } : sale));
    const other = { SubID: 'x', CampaignID: '1', VisitDate: '2026-06-08 20:00:00' };
    const listed = [...moved, { ...other, ConversionDate: '2026-06-09 01:00:00', Revenue: '5.01' }];
    tracker.answer('conversions', JSON.stringify({ Rows: listed }));
    const { rows } = await ask();
    expect(rows[0]).toMatchObject({ 'Conversions before': 10, 'Revenue before': 50 });
    tracker.answer('conversions', (given) => ({ body: JSON.stringify({ Rows: within(sales, given) }) }));
  });

  it('has no sales before if the list of conversions has no time of day', async () => {
    tracker.answer('conversions', (given) => ({
      body: JSON.stringify({
        Rows: within(sales, given).map((row) => ({ ...row, ConversionDate: row.ConversionDate.slice(0, 10) })),
      }),
    }));
    const { rows, notices } = await ask();
    expect(rows[0]).not.toHaveProperty('Conversions before');
    expect(notices).toContain('Not known up to then: conversions, revenue.');
    tracker.answer('conversions', (given) => ({ body: JSON.stringify({ Rows: within(sales, given) }) }));
  });

  it.each([
    [
      'that has no times',
      (row: object) => ({ ...row, VisitDate: Object(row).VisitDate.slice(0, 10) }),
      'has no time of day',
    ],
    [
      'of fewer visits',
      (row: object) => (/:[024]0:/.test(Object(row).VisitDate) ? row : undefined),
      'counts other views',
    ],
  ])('is compared with nothing if the list is one %s', async (_, change, why) => {
    tracker.answer('visitorstats', (given) => ({
      body: JSON.stringify({ Rows: within(visits, given).flatMap((row) => change(row) ?? []) }),
    }));
    const { rows, notices } = await ask();
    expect(notices).toContain(
      `2026-06-10 is not over, and 2026-06-09 cannot be told up to the same time, since its list of visitors ${why}`,
    );
    expect(notices).toContain('nothing is compared');
    expect(Object.keys(rows[0] ?? {}).filter((name) => /before|change/.test(name))).toEqual([]);
    tracker.answer('visitorstats', (given) => ({ body: JSON.stringify({ Rows: within(visits, given) }) }));
  });

  it('is compared with nothing in another zone than that of the lists, or in an unknown one', async () => {
    expect((await ask({ timezone: 'Asia/Tokyo' })).notices).toContain('lists have the tracker’s own time zone');
    const context = { ...contextFor({ url: tracker.url, now }), isZoneAssumed: true };
    const { data } = await connect({ context });
    const { notices } = await data<PresentedTables>('get_overview', { period: 'today' });
    expect(notices.join(' ')).toContain(
      'the time zone of the tracker is not known (TRACKER_TIMEZONE): nothing is compared',
    );
  });

  it('right after midnight stands against the first minutes of the day before', async () => {
    const { rows } = await ask({}, () => new Date('2026-06-10T00:05:00Z'));
    expect(rows[0]).toMatchObject({ 'Views before': 1, 'Conversions before': 0, 'Cost before': 0.1 });
  });
});

describe('whole days', () => {
  const daysBefore = async (given: object) =>
    /Before: ([^.]+)\./.exec((await ask({ period: undefined, ...given })).notices)?.[1];

  it('are compared with the same weekdays of the week or weeks before', async () => {
    const days = { start_date: '2026-06-01', end_date: '2026-06-09' };
    expect(await daysBefore({ ...days, compare_to: 'previous' })).toBe('2026-05-23 to 2026-05-31');
    expect(await daysBefore({ ...days, compare_to: 'week_before' })).toBe('2026-05-18 to 2026-05-26');
    expect(await daysBefore({ ...days, compare_to: 'month_before' })).toBe('2026-05-04 to 2026-05-12');
  });

  it('of a month or more are compared with the same dates of the month before', async () => {
    const month = { compare_to: 'month_before' };
    expect(await daysBefore({ ...month, start_date: '2026-04-01', end_date: '2026-04-30' })).toBe(
      '2026-03-01 to 2026-03-31 (31 days against 30)',
    );
    expect(await daysBefore({ ...month, start_date: '2026-05-01', end_date: '2026-05-20' })).toBe(
      '2026-04-01 to 2026-04-20',
    );
    expect(await daysBefore({ ...month, start_date: '2026-03-11', end_date: '2026-03-30' })).toBe(
      '2026-02-11 to 2026-02-28 (18 days against 20)',
    );
  });
});
