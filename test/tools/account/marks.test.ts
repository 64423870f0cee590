import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { recordsOf } from '../../support/answers.ts';
import { connect, textOf } from '../../support/connect.ts';
import { listRows, startForeignTracker } from '../../support/foreign-tracker.ts';

const now = () => new Date('2026-06-10T12:00:00Z');

interface Sale {
  readonly campaign: string;
  readonly revenue: number;
  readonly subid: string;
  /** 8 June if it is not given. */
  readonly day?: string;
}

const withCost = (id: number) => ({ CostTokenParam: id < 3 ? 'cost' : '' });

const usual = (campaign: string, count: number, revenue: number): Sale[] =>
  Array.from({ length: count }, (_, index) => ({ campaign, revenue, subid: `s${campaign}_${index}` }));

/** An overview of campaigns 1 to 3 with these sales on 8 June, and the costs of now and before. */
async function overview(
  sales: readonly Sale[],
  cost: readonly (readonly [now: string, before: string])[] = [],
  { fieldsOf = (_: number) => ({}), given = {} } = {},
) {
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(
      [1, 2, 3].map((id) => ({ ID: `${id}`, Name: `Campaign ${id}`, Inactive: '0', ...fieldsOf(id) })),
    ),
    conversions: JSON.stringify(
      sales.map(({ campaign, revenue, subid, day = '2026-06-08' }) => ({
        ...{ SubID: subid, CampaignID: campaign, Date: `${day} 10:00:00`, VisitDate: `${day} 09:00:00` },
        Revenue: revenue.toFixed(2),
      })),
    ),
    stats: ({ camp = '', start = '' }) => {
      const isNow = start >= '2026-06-03';
      const own = isNow ? sales.filter(({ campaign }) => campaign === camp) : [];
      const Revenue = own.reduce((sum, { revenue }) => sum + revenue, 0).toFixed(2);
      const Cost = cost[Number(camp) - 1]?.[isNow ? 0 : 1] ?? '10.00';
      const row = { ID: camp, Views: '100', Clicks: '50', Conversions: `${own.length}`, Cost, Revenue };
      return { body: JSON.stringify({ Reports: { campaign: [row] } }) };
    },
  });
  const { call } = await connect({ url: tracker.url, now });
  const result = await call('get_overview', { sort_by: 'ID', sort_order: 'asc', ...given });
  const requests = tracker.taken().filter(({ path }) => path === '/api/conversions/').length;
  const records = recordsOf(result.structuredContent as PresentedTables);
  return { marks: records.map((row) => row['Marks']), text: textOf(result), requests };
}

describe('marks of the overview', () => {
  it('name a sale that is over half of the revenue, in data and text, by a list that is read anyway', async () => {
    const { marks, text, requests } = await overview([
      ...usual('1', 5, 20),
      { campaign: '1', revenue: 950, subid: 'lucky' },
      ...usual('2', 6, 20),
    ]);
    expect(marks).toEqual(['one sale: 90%', null, null]);
    expect(text).toContain('one sale: 90%');
    expect(requests).toBe(1);
  });

  it('name sales that are listed twice, and cost that is missing', async () => {
    const twice = usual('2', 4, 20);
    const { marks } = await overview(
      [...twice, ...twice.slice(0, 2), ...usual('3', 4, 5)],
      [
        ['10', '10'],
        ['10', '10'],
        ['0', '9.50'],
      ],
    );
    expect(marks).toEqual([null, 'sales twice: 2', 'no cost']);
  });

  it('name one of very few sales that is many times the usual of the account', async () => {
    const { marks } = await overview([...usual('2', 6, 20), { campaign: '1', revenue: 950, subid: 'lucky' }]);
    expect(marks).toEqual(['one sale: 100%', null, null]);
  });

  it('name a cost per view that fell by half or more, as if some visits had none', async () => {
    const { marks } = await overview(
      [],
      [
        ['4.90', '10'],
        ['5.10', '10'],
        ['20', '10'],
      ],
    );
    expect(marks).toEqual(['cost per view: -51%', null, null]);
  });

  it('name an offer that pays exactly double, as if a pixel fired twice', async () => {
    const since = (count: number, revenue: number, day: number) =>
      usual('1', count, revenue).map((sale, index) => ({ ...sale, subid: `${day}_${index}`, day: `2026-06-0${day}` }));
    const { marks } = await overview([...since(12, 20, 1), ...since(12, 40, 8), ...usual('2', 12, 40)]);
    expect(marks).toEqual(['pays double', null, null]);
  });

  it('name cost that is missing as long as before, where the link carries a cost', async () => {
    const free: [string, string][] = [1, 2, 3].map(() => ['0', '0']);
    const { marks } = await overview([], free, { fieldsOf: withCost });
    expect(marks).toEqual(['no cost', 'no cost', null]);
  });

  it('are told of all campaigns where rows add them up, or do not show all', async () => {
    const free: [string, string][] = [1, 2, 3].map(() => ['0', '0']);
    const told = async (given: object) => (await overview([], free, { fieldsOf: withCost, given })).text;
    expect(await told({})).not.toContain('Misleading');
    for (const given of [{ by: 'traffic_source', sort_by: 'Views' }, { limit: 1 }])
      expect(await told(given)).toContain('Misleading: campaigns 1 and 2 (no cost).');
  });

  it('are no column if nothing misleads: few sales of usual size, and campaigns that never cost anything', async () => {
    const { marks, text } = await overview(
      [...usual('1', 2, 20), ...usual('2', 1, 30)],
      [
        ['1', '1'],
        ['1', '1'],
        ['0', '0'],
      ],
    );
    expect(marks).toEqual([undefined, undefined, undefined]);
    expect(text).not.toContain('Marks');
  });
});

it('a campaign that stopped getting visits is marked with the day, where the overview reads lists of visits', async () => {
  const days = Array.from({ length: 14 }, (_, index) =>
    new Date(Date.UTC(2026, 5, 9 - index)).toISOString().slice(0, 10),
  );
  const isResting = (day: string) => [0, 6].includes(new Date(day).getUTCDay());
  const visitsOn = { 1: (day: string) => day < '2026-06-08', 2: () => true, 3: (day: string) => !isResting(day) };
  const visits = days.flatMap((day) =>
    Object.entries(visitsOn).flatMap(([CampaignID, has]) =>
      has(day)
        ? Array.from({ length: 30 }, (_, index) => ({ Date: `${day} ${23 - (index % 10)}:00:00`, CampaignID }))
        : [],
    ),
  );
  const sales = Array.from({ length: 40 }, (_, index) => ({
    ...{
      SubID: `s${index}`,
      CampaignID: '2',
      Revenue: '3',
      Date: `${days[index % 14]} 23:30:00`,
      VisitDate: `${days[index % 14]} 23:00:00`,
    },
  }));
  const campaigns = Array.from({ length: 41 }, (_, index) => ({ ID: `${index + 1}`, Name: `Campaign ${index + 1}` }));
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(campaigns),
    stats: ({ camp = '', start = '', end = '' }) => {
      const Views = visits.filter(
        (one) => one.CampaignID === camp && one.Date.slice(0, 10) >= start && one.Date.slice(0, 10) <= end,
      ).length;
      return { body: JSON.stringify([{ Views, Clicks: '0', Conversions: '0', Cost: '1', Revenue: '0' }]) };
    },
    visitorstats: listRows(visits),
    conversions: JSON.stringify(sales),
  });
  const marksAt = async (time: string) => {
    const { data } = await connect({ url: tracker.url, now: () => new Date(time) });
    const overview = await data<PresentedTables>('get_overview', { sort_by: 'ID', sort_order: 'asc', limit: 3 });
    return recordsOf(overview).map((row) => row['Marks'] ?? null);
  };
  expect(await marksAt('2026-06-10T12:00:00Z')).toEqual(['no visits since 2026-06-08', null, null]);
  // On a Sunday, the one that rests on weekends is not dark.
  expect((await marksAt('2026-06-08T12:00:00Z'))[2]).toBeNull();
});
