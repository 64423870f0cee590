import { describe, expect, test } from 'vitest';
import { campaigns } from '../../../src/sandbox/sample-data/setup.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { closeAfterTests } from '../../support/closing.ts';
import { copySampleData, sampleNow } from '../support/sample-data.ts';
import type { WireReply } from '../support/tracker.ts';

type Row = Readonly<Record<string, string>>;

// Only two days, so that the visitor list can hold all visitors of a campaign.
const days = { start: '2026-06-13', end: '2026-06-14' };
const ids = campaigns.map(({ id }) => id);
const counted = ['Views', 'Clicks', 'Conversions', 'Cost', 'Revenue'];

const sandbox = await startSandbox({ file: await copySampleData(), now: () => sampleNow });
closeAfterTests(() => sandbox.close());

async function ask(path: string, form: Readonly<Record<string, string>>): Promise<WireReply> {
  const body = new URLSearchParams({ key: sandbox.apiKey, ...days, ...form });
  return (await (await fetch(`${sandbox.url}/api/${path}/`, { method: 'POST', body })).json()) as WireReply;
}

type Reports = NonNullable<WireReply['Reports']>;

async function statsOf(camp: number): Promise<Reports> {
  return (await ask('stats', { camp: String(camp), grcols: 'Keyword,AdValue' })).Reports ?? {};
}

/** The exact sum of a column, in millionths. */
function sum(rows: readonly Row[] | undefined, column: string): bigint {
  return (rows ?? []).reduce((total, row) => total + millionths(row[column] ?? '0'), 0n);
}

function millionths(amount: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(amount) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(6, '0')}`);
}

const sums = (rows: readonly Row[] | undefined, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, sum(rows, column)]));

describe.each(ids)('the reports of campaign %i', (id) => {
  test('agree on every sum: the rows of target and ad add up to the campaign', async () => {
    const { target, ad, campaign } = await statsOf(id);
    const withProfit = [...counted, 'Profit'];
    expect(sums(target, counted)).toEqual(sums(campaign, counted));
    expect(sums(ad, withProfit)).toEqual(sums(campaign, withProfit));
  });

  test('agree with the visitor list: visits, clicks, conversions, cost and revenue', async () => {
    const { campaign } = await statsOf(id);
    const { Rows = [] } = await ask('visitorstats', { camp: String(id), cols: 'all', rec: '10000' });
    expect(Rows.length).toBeLessThan(10_000);
    const paid = Rows.filter(({ Revenue }) => Revenue);
    expect({
      ...{ Views: BigInt(Rows.length) * 1_000_000n, Clicks: sum(Rows, 'Clicked'), Conversions: sum(Rows, 'Converted') },
      ...{ Cost: sum(Rows, 'Cost'), Revenue: sum(paid, 'Revenue') },
    }).toEqual(sums(campaign, counted));
  });

  test('book a conversion and its revenue on one offer, so that offers add up to the campaign', async () => {
    const { offer, campaign } = await statsOf(id);
    const columns = ['Conversions', 'Revenue'];
    expect(sums(offer, columns)).toEqual(sums(campaign, columns));
  });
});

test('views of a path without a landing page are DirectViews, not clicks', async () => {
  const { offer = [], campaign = [] } = await statsOf(8);
  const [first, second, direct] = offer;
  expect(direct).toMatchObject({ PageID: '5', Path: '3', Clicks: '0', DirectViews: direct?.['Views'] });
  expect(Number(direct?.['Views'])).toBeGreaterThan(0);
  for (const page of [first, second]) expect(page).toMatchObject({ DirectViews: '0', Clicks: page?.['Views'] });
  expect(campaign[0]?.['DirectViews']).toBe(direct?.['Views']);
  expect(sum(campaign, 'Clicks')).toBe(sum(offer, 'Clicks'));
});

test('arriving at an offer of a direct-link campaign is a click, and there are no DirectViews', async () => {
  const { offer = [] } = await statsOf(5);
  for (const page of offer) expect(page['Clicks']).toBe(page['Views']);
  expect(offer[0]).not.toHaveProperty('DirectViews');
});

test('there are no DirectViews if every path has a landing page', async () => {
  const { offer = [], campaign = [] } = await statsOf(2);
  expect(offer[0]).not.toHaveProperty('DirectViews');
  expect(campaign[0]).not.toHaveProperty('DirectViews');
});
