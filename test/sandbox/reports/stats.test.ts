import { describe, expect, test } from 'vitest';
import { fixtureDay, setup, traffic } from '../support/fixture.ts';
import { type Arguments, rowOf, startTracker } from '../support/tracker.ts';

const tracker = await startTracker([...setup, ...traffic]);

async function report(name: string, form: Arguments = {}) {
  const { Reports } = await tracker.ask('stats', { camp: 1, report: name, ...fixtureDay, ...form });
  return Reports?.[name];
}

describe('the campaign report', () => {
  test('sums the visits of the period, with clicks and conversions that came later', async () => {
    expect(await report('campaign')).toEqual([
      rowOf(`
        ID=1 Name=Sequence Views=6 Clicks=4 CTR=66.67 Conversions=3 CR=75.00 Cost=2.10 CPV=0.3500 CPC=0.5250
        Revenue=29.50 EPV=4.9167 EPC=7.3750 PPV=4.5667 Profit=27.40 ROI=1304.76 CPA=0.7000
      `),
    ]);
  });

  test('is one row of zeros without visits', async () => {
    const rows = await report('campaign', { camp: 2 });
    expect(rows).toHaveLength(1);
    expect(rows?.[0]).toMatchObject({ ID: '2', Views: '0', CTR: '0.00', Cost: '0.00', EPC: '0.0000', ROI: '0.00' });
  });

  test('counts a view of the offer of a direct link as a click', async () => {
    expect((await report('campaign', { camp: 5 }))?.[0]).toMatchObject({ Views: '2', Clicks: '1', CR: '100.00' });
  });

  test('shows subscribers only if the campaign type has them', async () => {
    const subscribed = { Views: '3', Clicks: '2', Subscribers: '2', CPSUB: '0.1500' };
    expect((await report('campaign', { camp: 6 }))?.[0]).toMatchObject(subscribed);
    expect((await report('campaign'))?.[0]).not.toHaveProperty('Subscribers');
  });
});

describe('the target report', () => {
  test('groups by the default Quick View and shows its columns', async () => {
    expect(await report('target')).toEqual([
      rowOf('Keyword=shoes Views=3 Clicks=3 CTR=100.00 Conversions=2 CR=66.67 Cost=1.50 Revenue=22.00'),
      rowOf('Keyword= Views=2 Clicks=0 CTR=0.00 Conversions=0 CR=0.00 Cost=0.35 Revenue=0.00'),
      rowOf('Keyword=boots Views=1 Clicks=1 CTR=100.00 Conversions=1 CR=100.00 Cost=0.25 Revenue=7.50'),
    ]);
  });

  test('takes grouping and columns from the requested Quick View', async () => {
    expect(await report('target', { qv: 2 })).toEqual([
      { AdValue: 'a1', Extra1: 'exact', EPC: '11.0000', PPV: '10.5000', Views: '2' },
      { AdValue: '', Extra1: '', EPC: '0.0000', PPV: '-0.1000', Views: '1' },
      { AdValue: 'a1', Extra1: 'broad', EPC: '0.0000', PPV: '-0.5000', Views: '1' },
      { AdValue: 'a2', Extra1: '', EPC: '0.0000', PPV: '-0.2500', Views: '1' },
      { AdValue: 'a2', Extra1: 'exact', EPC: '7.5000', PPV: '7.2500', Views: '1' },
    ]);
  });

  test('groups by grcols and keeps the columns of the Quick View', async () => {
    expect(await report('target', { qv: 2, grcols: 'CampaignID' })).toEqual([
      { CampaignID: '1', EPC: '7.3750', PPV: '4.5667', Views: '6' },
    ]);
  });

  test('groups by the first landing page and the last offer of a visitor', async () => {
    const rows = await report('target', { grcols: ' offer2 , OFFER' });
    expect(Object.keys(rows?.[0] ?? {}).slice(0, 2)).toEqual(['Offer2', 'Offer']);
    expect(rows?.map(({ Offer, Offer2, Views, Revenue }) => [Offer, Offer2, Views, Revenue])).toEqual([
      ['Quiz', '', '2', '0.00'],
      ['Video', '', '1', '0.00'],
      ['Quiz', 'Gym', '1', '10.00'],
      ['Video', 'Gym', '1', '12.00'],
      ['Video', 'Yoga', '1', '7.50'],
    ]);
  });
});

test('without a Quick View the target report is by keyword, with the usual columns', async () => {
  const bare = await startTracker([...setup, ...traffic, 'DELETE FROM quick_views']);
  const { Reports } = await bare.ask('stats', { camp: 1, report: 'target', ...fixtureDay });
  const boots = rowOf(`
    Keyword=boots Views=1 Clicks=1 CTR=100.00 Conversions=1 CR=100.00 Cost=0.25 CPV=0.2500 Revenue=7.50
    EPV=7.5000 Profit=7.25 ROI=2900.00
  `);
  expect(Reports?.['target']?.[2]).toEqual(boots);
});

describe('the ad report', () => {
  test('groups by ad value, and groups visits without an ad value', async () => {
    const rows = await report('ad');
    expect(rows?.map(({ AdValue, Views, Cost }) => [AdValue, Views, Cost])).toEqual([
      ['a1', '3', '1.50'],
      ['a2', '2', '0.50'],
      ['', '1', '0.10'],
    ]);
    const columns = 'AdValue Views Clicks CTR Conversions CR Cost CPV Revenue EPV Profit ROI';
    expect(Object.keys(rows?.[0] ?? {}).join(' ')).toBe(columns);
  });

  test('adds the Extra tokens of the traffic source with extra=1', async () => {
    const rows = await report('ad', { extra: 1 });
    expect(Object.keys(rows?.[0] ?? {}).slice(0, 4)).toEqual(['AdValue', 'Extra1', 'Extra2', 'Views']);
    expect(rows).toContainEqual(expect.objectContaining({ AdValue: 'a1', Extra1: 'exact', Views: '2' }));
    expect(rows).toHaveLength(5);
  });
});

describe('the landing page report', () => {
  test('has a row for every landing page, and counts a visitor once per page', async () => {
    const rows = await report('landing');
    const quiz = rowOf(`
      PageID=1 Name=Quiz Level=1 Share=60 Inactive=0 Views=3 Clicks=2 CTR=66.67 Conversions=1 CR=50.00 Cost=1.10
      Revenue=10.00 EPV=3.3333 Profit=8.90 ROI=809.09
    `);
    expect(rows?.[0]).toEqual(quiz);
    expect(rows?.[1]).toMatchObject({ PageID: '2', Views: '3', Clicks: '2', Conversions: '2', Revenue: '19.50' });
    expect(rows?.[2]).toMatchObject({ PageID: '3', Level: '2', Views: '4', Clicks: '3', CTR: '75.00', Cost: '1.75' });
    expect(rows?.[3]).toMatchObject({ PageID: '6', Share: '12.5', Inactive: '1', Views: '0', EPV: '0.0000' });
    expect(rows).toHaveLength(4);
  });

  test('shows path and level only if landing pages have them', async () => {
    const columns = async (camp: number) => Object.keys((await report('landing', { camp }))?.[0] ?? {});
    expect((await columns(2)).slice(0, 4)).toEqual(['PageID', 'Name', 'Path', 'Share']);
    expect((await columns(5)).slice(0, 3)).toEqual(['PageID', 'Name', 'Share']);
  });
});

test('the offer report counts a conversion for the offer of its record', async () => {
  expect(await report('offer')).toEqual([
    rowOf(`
      PageID=4 Name=Gym Path=1 Share=50 Inactive=0 Views=2 Clicks=2 Conversions=2 CR=100.00 Cost=1.00
      Revenue=22.00 EPV=11.0000 Profit=21.00 ROI=2100.00
    `),
    expect.objectContaining({ PageID: '5', Path: '2', Views: '1', Conversions: '1', Revenue: '7.50' }),
  ]);
});

test('the thank-you page report counts visitors who subscribed, and visitors who clicked on', async () => {
  expect(await report('thankyou', { camp: 6 })).toEqual([
    expect.objectContaining(rowOf('PageID=2 Name=Thanks Views=2 Clicks=1 Subscribers=2 Revenue=5.00')),
  ]);
  expect(await report('thankyou')).toEqual([]);
});

describe('which reports', () => {
  test('only the requested ones', async () => {
    const { Reports } = await tracker.ask('stats', { camp: 1, report: 'offer, Campaign', ...fixtureDay });
    expect(Object.keys(Reports ?? {}).sort()).toEqual(['campaign', 'offer']);
  });

  test.each([{}, { report: 'all' }, { report: 'offer,all' }])('all of them for %j', async (form) => {
    const { Reports } = await tracker.ask('stats', { camp: 1, ...fixtureDay, ...form });
    expect(Object.keys(Reports ?? {})).toEqual(['target', 'ad', 'landing', 'thankyou', 'offer', 'campaign']);
  });
});

test.each([
  [{ camp: 99 }, 'no campaign with ID 99'],
  [{ camp: 0 }, 'camp must be a whole number from 1'],
  [{ camp: 999_999_999_999_999 }, 'no campaign with ID 999999999999999'],
  [{ camp: 'one' }, 'camp must be a whole number'],
  [{ report: 'offers' }, 'report must be a list, separated by commas, from all, target'],
  [{ grcols: 'Keyword,Extra16' }, 'grcols must be a list'],
  [{ qv: 9 }, 'qv 9 is not a valid Quick View ID. There are 1 (Keywords), 2 (Ads by money).'],
  [{ extra: 'yes' }, 'extra must be 1'],
  [{ timezone: 'Mars/Olympus' }, 'timezone must be a named time zone'],
  [{ start: '2026-02-30' }, 'start must be a day that exists'],
  [{ end: '10.06.2026' }, 'end must be a date as YYYY-MM-DD'],
  [{ start: '2026-06-11', end: '2026-06-10' }, 'end 2026-06-10 is before start 2026-06-11'],
])('%j is refused', async (form, message) => {
  expect(await tracker.refusal('stats', { camp: 1, ...fixtureDay, ...form })).toContain(message);
});
