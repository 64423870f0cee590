import { describe, expect, it } from 'vitest';
import { amountInWords } from '../../../src/api/rules.ts';
import type { AccountReview } from '../../../src/tools/account-tools.ts';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { copySampleData, sampleNow } from '../../sandbox/support/sample-data.ts';
import { apiKey, startTracker } from '../../sandbox/support/tracker.ts';
import { connect } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { withoutStatuses } from '../../support/without-statuses.ts';

const span = { start_date: '2026-06-01', end_date: '2026-06-10' };
/** The reports of the embedded tracker have a sale on the day of its visit. */
const inSpan = `(v."at" AT TIME ZONE 'UTC')::DATE BETWEEN DATE '${span.start_date}' AND DATE '${span.end_date}'`;

/** What each state of money counts of the revenue of the statuses below. */
const states = {
  booked: "coalesce(status, '') NOT IN ('rejected', 'rechazada')",
  paid: "coalesce(status, 'approved') IN ('approved', 'aprobada')",
} as const;

describe('money by its state', async () => {
  const tracker = await startTracker(
    [
      // In two languages, with a word that no network uses, and without a status; a rejected sale keeps its money.
      `
        UPDATE conversions SET revenue = 10 + click_id % 7, status = CASE click_id % 7
          WHEN 0 THEN 'approved' WHEN 1 THEN 'pending' WHEN 2 THEN 'rejected' WHEN 3 THEN 'pendiente'
          WHEN 4 THEN 'rechazada' WHEN 5 THEN 'flurbed' END`,
    ],
    { file: await copySampleData(), now: () => sampleNow },
  );
  const { data } = await connect({ url: tracker.url, apiKey, now: () => sampleNow, timeoutMs: 60_000 });
  const sumsBy = async (value: string, money: keyof typeof states, when = inSpan) => {
    const rows = await tracker.stored(`
      SELECT ${value} AS value, coalesce(sum(revenue) FILTER (${states[money]}), 0)::DOUBLE AS revenue,
        coalesce(sum(revenue) FILTER (status IN ('pending', 'pendiente')), 0)::DOUBLE AS pending,
        coalesce(sum(revenue) FILTER (status IN ('rejected', 'rechazada')), 0)::DOUBLE AS rejected
      FROM conversions c JOIN visits v USING (click_id) LEFT JOIN campaign_pages p ON p.id = c.offer_page
      WHERE ${when} GROUP BY 1`);
    const sums = rows.map((row) => [String(row['value']), [row['revenue'], row['pending'], row['rejected']]] as const);
    return new Map(sums.filter(([, amounts]) => amounts.some((amount) => amount !== 0)));
  };
  const cellsBy = (name: string, { tables: [table] }: PresentedTables) => {
    const index = (column: string) => table?.columns.indexOf(column) ?? -1;
    const cell = (row: readonly unknown[], column: string) => row[index(column)];
    const rows = table?.rows.map(
      (row) =>
        [String(cell(row, name)), ['Revenue', 'Pending', 'Rejected'].map((column) => cell(row, column))] as const,
    );
    return new Map(rows?.filter(([, sums]) => sums.some((sum) => sum !== 0)));
  };

  it.each(['booked', 'paid'] as const)(
    '%s is what the tables say, by campaign, offer, day and network',
    async (money) => {
      const overview = await data<PresentedTables>('get_overview', { ...span, money, compare_to: 'none' });
      expect(cellsBy('ID', overview)).toEqual(await sumsBy('c.campaign_id', money));
      const offers = await data<PresentedTables>('get_overview', { ...span, money, by: 'offer', limit: 100 });
      expect(cellsBy('Offer', offers)).toEqual(await sumsBy('p.name', money));
      const days = await data<PresentedTables>('get_breakdown', { ...span, money, by: ['day'], campaign_id: 1 });
      const byDay = await sumsBy(
        "strftime(v.\"at\" AT TIME ZONE 'UTC', '%Y-%m-%d')",
        money,
        `${inSpan} AND c.campaign_id = 1`,
      );
      expect(cellsBy('Day', days)).toEqual(byDay);
      const networks = await data<PresentedTables>('get_breakdown', { ...span, money, by: ['network'] });
      expect(cellsBy('Network', networks)).toEqual(await sumsBy('p.source', money));
    },
  );

  it('is said with its sums: what is pending, what is rejected, and a status that nobody knows', async () => {
    const [sums] = await tracker.stored(`
      SELECT sum(revenue) FILTER (${states.booked})::DOUBLE AS revenue,
        sum(revenue) FILTER (status IN ('pending', 'pendiente'))::DOUBLE AS pending,
        sum(revenue) FILTER (status IN ('rejected', 'rechazada'))::DOUBLE AS rejected,
        count(*) FILTER (status IN ('rejected', 'rechazada'))::INT AS sales,
        sum(revenue) FILTER (status = 'flurbed')::DOUBLE AS unknown
      FROM conversions c JOIN visits v USING (click_id) WHERE ${inSpan}`);
    const amount = (name: string) => amountInWords(Number(sums?.[name]));
    const percent = Math.round((Number(sums?.['pending']) / Number(sums?.['revenue'])) * 100);
    const booked = await data<PresentedTables>('get_overview', span);
    expect(booked.notices).toContain(
      `Of all revenue ${amount('pending')} (${percent}%) is pending. ${sums?.['sales']} rejected sales of ${amount('rejected')} are in no revenue here, but in the tracker’s reports. ${amount('unknown')} of sales whose status is not known (“flurbed”) counts as booked.`,
    );
    const paid = await data<PresentedTables>('get_overview', { ...span, money: 'paid' });
    expect(paid.notices).toContain(
      `Revenue is what is paid. Left out: ${amount('pending')} pending, ${sums?.['sales']} rejected sales of ${amount('rejected')}, ${amount('unknown')} of unknown status (“flurbed”). Conversions are all.`,
    );
  });

  it('compares what an offer earns without what is rejected, or not paid yet', async () => {
    for (const money of ['booked', 'paid'] as const) {
      const { pages } = await data<{ pages: { name: string; revenue: number }[] }>('compare_pages', {
        ...span,
        campaign_id: 1,
        kind: 'offer',
        money,
      });
      const truth = await sumsBy('p.name', money, `${inSpan} AND c.campaign_id = 1`);
      for (const { name, revenue } of pages) expect([name, revenue]).toEqual([name, truth.get(name)?.[0]]);
    }
  });

  it('compares what is expected of offers in cents', async () => {
    const asked = { ...span, campaign_id: 1, kind: 'offer', money: 'expected' };
    const { pages } = await data<{ pages: { revenue: number }[] }>('compare_pages', asked);
    for (const { revenue } of pages) expect(revenue).toBe(Number(revenue.toFixed(2)));
  });

  it('explains a change of what is paid', async () => {
    const { after } = await data<{ after: { revenue: number } }>('explain_change', {
      start_date: '2026-06-08',
      end_date: '2026-06-10',
      money: 'paid',
    });
    const [paid] = await tracker.stored(`
      SELECT sum(revenue)::DOUBLE AS revenue FROM conversions c JOIN visits v USING (click_id)
      WHERE ${states.paid} AND (v."at" AT TIME ZONE 'UTC')::DATE BETWEEN DATE '2026-06-08' AND DATE '2026-06-10'`);
    expect(after.revenue).toBe(paid?.['revenue']);
  });

  it('a change of booked revenue is told with what will probably be rejected of it', async () => {
    const explained = (money: string) =>
      data<{ summary: string; after: { revenue: number } }>('explain_change', { ...span, money });
    const [counted, expected] = await Promise.all(['booked', 'expected'].map(explained));
    const [, rejected = ''] = /have about ([\d,.]+) of pending revenue that/.exec(counted?.summary ?? '') ?? [];
    const difference = (counted?.after.revenue ?? 0) - (expected?.after.revenue ?? 0);
    expect(Number(rejected.replaceAll(',', ''))).toBeCloseTo(difference, 0);
    expect(difference).toBeGreaterThan(100);
    expect(expected?.summary).not.toContain('rejected');
  });

  describe('where only the conversion list has statuses', async () => {
    const { url, asked } = await withoutStatuses(tracker.url, (path) => path === 'visitorstats');
    const { data: ask } = await connect({ url, apiKey, now: () => sampleNow, timeoutMs: 60_000 });

    it.each(['booked', 'paid'] as const)('%s is the same in all answers, and what the tables say', async (money) => {
      const days = { ...span, money };
      const byCampaign = await sumsBy('c.campaign_id', money);
      const overview = await ask<PresentedTables>('get_overview', { ...days, compare_to: 'none' });
      expect(cellsBy('ID', overview)).toEqual(byCampaign);
      const campaigns = await ask<PresentedTables>('get_breakdown', { ...days, by: ['campaign'] });
      expect(cellsBy('Campaign ID', campaigns)).toEqual(byCampaign);
      const networks = await ask<PresentedTables>('get_breakdown', { ...days, by: ['network'] });
      expect(cellsBy('Network', networks)).toEqual(await sumsBy('p.source', money));
      const one = await ask<PresentedTables>('get_breakdown', { ...days, by: ['offer'], campaign_id: 1 });
      const ofOne = await sumsBy('p.name', money, `${inSpan} AND c.campaign_id = 1`);
      expect(cellsBy('Offer', one)).toEqual(ofOne);
      const compared = { ...days, campaign_id: 1, kind: 'offer' };
      const { pages } = await ask<{ pages: { name: string; revenue: number }[] }>('compare_pages', compared);
      for (const { name, revenue } of pages) expect([name, revenue]).toEqual([name, ofOne.get(name)?.[0]]);
      const { after } = await ask<{ after: { revenue: number } }>('explain_change', { ...days, campaign_id: 1 });
      expect(after.revenue).toBe(byCampaign.get('1')?.[0]);
    });

    it('a review finds the same as with statuses of visitors', async () => {
      const [here, there] = await Promise.all([ask, data].map((review) => review<AccountReview>('review_account')));
      expect(here?.findings.length).toBeGreaterThan(0);
      expect(here?.findings).toEqual(there?.findings);
    });

    it.each([
      ['get_overview', {}],
      ['get_breakdown', { by: ['country'] }],
      ['get_breakdown', { by: ['day'], campaign_id: 1 }],
      ['explain_change', { campaign_id: 1 }],
    ])('%s %j reads conversions once for approvals, statuses and late sales', async (tool, given) => {
      const { data: askAnew } = await connect({ url, apiKey, now: () => sampleNow, timeoutMs: 60_000 });
      asked.length = 0;
      await askAnew(tool, { ...span, ...given, money: 'expected' });
      expect(asked.filter((path) => path === 'conversions')).toHaveLength(1);
    });

    it('booked of days long ago is the same, in one more request', async () => {
      const days = { start_date: '2026-05-18', end_date: '2026-05-24' };
      const when = inSpan.replace(span.start_date, days.start_date).replace(span.end_date, days.end_date);
      asked.length = 0;
      const campaigns = await ask<PresentedTables>('get_breakdown', { ...days, by: ['campaign'] });
      expect(cellsBy('Campaign ID', campaigns)).toEqual(await sumsBy('c.campaign_id', 'booked', when));
      expect(asked.filter((path) => path === 'conversions')).toHaveLength(1);
    });
  });

  it('asks nothing more of a tracker without statuses, but once about days long ago', async () => {
    const { url, asked } = await withoutStatuses(tracker.url, () => true);
    const { data: ask } = await connect({ url, apiKey, now: () => sampleNow, timeoutMs: 60_000 });
    const listsAsked = async (tool: string, given: object) => {
      asked.length = 0;
      const { notices } = await ask<{ notices: string[] }>(tool, { campaign_id: 1, ...given });
      expect(notices.join(' ')).not.toMatch(/pending|rejected/);
      return asked.filter((path) => path === 'conversions').length;
    };
    const old = { start_date: '2026-05-18', end_date: '2026-05-24' };
    expect(await listsAsked('get_breakdown', { ...span, by: ['country'] })).toBe(1);
    expect(await listsAsked('explain_change', { start_date: '2026-05-10', end_date: '2026-06-10' })).toBe(1);
    expect(await listsAsked('get_breakdown', { ...old, by: ['country'] })).toBe(0);
    expect(await listsAsked('explain_change', old)).toBe(0);
    const { data: askAnew } = await connect({ url, apiKey, now: () => sampleNow, timeoutMs: 60_000 });
    asked.length = 0;
    await askAnew('get_breakdown', { ...old, campaign_id: 1, by: ['country'] });
    await askAnew('explain_change', { ...old, campaign_id: 1 });
    expect(asked.filter((path) => path === 'conversions')).toHaveLength(1);
  });

  it('that is expected lies between paid and booked by what pending sales will bring, the same in each tool', async () => {
    const revenueOf = async (tool: string, given: object, money: string) => {
      const { tables, notices } = await data<PresentedTables>(tool, { ...span, ...given, money });
      return { revenue: Number(tables[0]?.totals?.['Revenue']), notices: notices.join(' ') };
    };
    const found = [];
    for (const [tool, given] of [
      ['get_overview', { compare_to: 'none' }],
      ['get_breakdown', { by: ['network'] }],
    ] as const) {
      const [paid, expected, booked] = [
        await revenueOf(tool, given, 'paid'),
        await revenueOf(tool, given, 'expected'),
        await revenueOf(tool, given, 'booked'),
      ];
      const [, amount, pending, low, high] = (
        /will probably bring: ([\d,.]+) of ([\d,.]+) \(([\d,.]+) to ([\d,.]+), 9 times of 10\)/.exec(
          expected.notices,
        ) ?? []
      ).map((amount) => Number(amount.replaceAll(',', '')));
      const unknown = Number(/([\d,.]+) of unknown status/.exec(paid.notices)?.[1]?.replaceAll(',', ''));
      expect(expected.revenue - paid.revenue - unknown).toBeCloseTo(amount ?? Number.NaN, 1);
      expect(booked.revenue - paid.revenue - unknown).toBeCloseTo(pending ?? Number.NaN, 1);
      expect(amount).toBeLessThan(pending ?? 0);
      expect(amount).toBeGreaterThan(low ?? Number.NaN);
      expect(amount).toBeLessThan(high ?? Number.NaN);
      found.push(amount);
    }
    expect(found[0]).toBeCloseTo(found[1] ?? Number.NaN, 1);
  });
});

it('a tracker without statuses is said to have none where paid is asked, and has all its revenue else', async () => {
  const sale = { SubID: 'a_1_1', CampaignID: '1', Date: '2026-11-15 12:00:00', VisitDate: '2026-11-15 11:00:00' };
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([{ ID: '1', Name: 'Push' }]),
    stats: '[{"Views":"9","Clicks":"4","Conversions":"1","Cost":"1.00","Revenue":"6.00"}]',
    visitorstats: JSON.stringify([{ ...sale, Country: 'DE', Revenue: '6.00', Converted: '1' }]),
    conversions: JSON.stringify([{ ...sale, Revenue: '6.00' }]),
  });
  const { data, call } = await connect({ url: tracker.url, now: () => new Date('2026-11-16T10:00:00Z') });
  for (const [tool, given] of [
    ['get_overview', {}],
    ['get_breakdown', { by: ['country'] }],
    ['get_breakdown', { by: ['day'], campaign_id: 1 }],
  ] as const) {
    const days = { start_date: '2026-11-15', end_date: '2026-11-15' };
    const { tables, notices } = await data<PresentedTables>(tool, { ...given, ...days });
    expect(tables[0]?.totals).toMatchObject({ Revenue: 6 });
    expect(notices.join(' ')).not.toMatch(/pending|rejected/);
    for (const money of ['paid', 'expected']) {
      const { isError, content } = await call(tool, { ...given, ...days, money });
      expect(isError).toBe(true);
      expect(JSON.stringify(content)).toContain('lists no statuses of sales');
    }
  }
});

it('a list of rejected sales that does not add up to the reports is said with its sums', async () => {
  const sale = { SubID: 'a_1_1', CampaignID: '1', Date: '2026-11-15 12:00:00', VisitDate: '2026-11-15 11:00:00' };
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([{ ID: '1', Name: 'Push' }]),
    stats: '[{"Views":"9","Clicks":"4","Conversions":"2","Cost":"1.00","Revenue":"6.00"}]',
    visitorstats: JSON.stringify([{ ...sale, Country: 'DE', Revenue: '6.00', Converted: '1' }]),
    conversions: JSON.stringify([
      { ...sale, Revenue: '10.00', Status: 'rejected' },
      { ...sale, SubID: 'a_1_2', Revenue: '4.00', Status: 'pending' },
    ]),
  });
  const { data } = await connect({ url: tracker.url, now: () => new Date('2026-11-16T10:00:00Z') });
  const days = { start_date: '2026-11-15', end_date: '2026-11-15' };
  for (const [tool, given] of [
    ['get_overview', {}],
    ['get_breakdown', { by: ['day'], campaign_id: 1 }],
  ] as const) {
    const { tables, notices } = await data<PresentedTables>(tool, { ...given, ...days });
    expect(tables[0]?.totals).toMatchObject({ Revenue: 6 });
    expect(notices.join(' ')).toContain('It has 1 rejected sale of 10.00 and 4.00 pending, which revenue may contain.');
  }
});

it.each([
  ['visit', 'VisitDate', [10, 6, 0], [10, 0, 0]],
  ['sale', 'Date', [0, 10, 6], [0, 10, 0]],
] as const)(
  'days whose reports have sales on the day of the %s are paid so, though all days add up to the same',
  async (_, dated, revenues, paid) => {
    const [first, second, third] = ['2026-11-13', '2026-11-14', '2026-11-15'];
    const sale = { CampaignID: '1', VisitDate: `${first} 11:00:00`, Date: `${second} 11:00:00` };
    const sales = [
      { ...sale, SubID: 'a_1_1', Revenue: '10.00', Status: 'approved' },
      {
        SubID: 'a_1_2',
        CampaignID: '1',
        VisitDate: `${second} 9:00:00`,
        Date: `${third} 9:00:00`,
        Revenue: '6.00',
        Status: 'pending',
      },
    ];
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify([{ ID: '1', Name: 'Push' }]),
      stats: ({ start = '' }) => {
        const own = sales.filter((one) => one[dated].startsWith(start));
        const revenue = own.reduce((sum, { Revenue }) => sum + Number(Revenue), 0);
        return {
          body: JSON.stringify([{ Views: '9', Clicks: '4', Conversions: own.length, Cost: '1.00', Revenue: revenue }]),
        };
      },
      conversions: JSON.stringify(sales),
      visitorstats: '[]',
    });
    const { data } = await connect({ url: tracker.url, now: () => new Date('2026-11-16T10:00:00Z') });
    const asked = { by: ['day'], campaign_id: 1, start_date: first, end_date: third, columns: ['Revenue'] };
    const revenueOf = async (money: string) =>
      (await data<PresentedTables>('get_breakdown', { ...asked, money })).tables[0]?.rows.map(([revenue]) => revenue);
    expect(await revenueOf('booked')).toEqual(revenues);
    expect(await revenueOf('paid')).toEqual(paid);
  },
);

it.each([
  ['is refused', { conversions: '{"Status":"Error","Message":"not allowed"}' }, 'cannot be read whole'],
  ['is empty though the reports have revenue', { conversions: '[]' }, 'adds up to other revenue than the reports'],
])('a list of conversions that %s leaves what is pending unknown, which is said', async (_, listed, why) => {
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([{ ID: '1', Name: 'Push' }]),
    stats: '[{"Views":"9","Clicks":"4","Conversions":"1","Cost":"1.00","Revenue":"6.00"}]',
    visitorstats: '[]',
    ...listed,
  });
  const { data } = await connect({ url: tracker.url, now: () => new Date('2026-11-16T10:00:00Z') });
  const days = { start_date: '2026-11-15', end_date: '2026-11-15' };
  for (const [tool, given] of [
    ['get_overview', {}],
    ['get_breakdown', { by: ['day'], campaign_id: 1 }],
  ] as const) {
    const { notices } = await data<PresentedTables>(tool, { ...given, ...days });
    expect(notices.join(' ')).toMatch(new RegExp(`How much .* pending or rejected is not known: .*${why}`));
  }
});
