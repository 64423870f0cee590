import { beforeAll, describe, expect, test } from 'vitest';
import { TrackerClient } from '../../src/client/tracker-client.ts';
import { readVisitedCampaign } from '../../src/commands/sandbox/reports.ts';
import { readProfile } from '../../src/sandbox/play-visitor.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { sendVisitors, type VisitorsSent } from '../../src/sandbox/send-visitors.ts';
import { recordsOf, type Tables } from '../support/answers.ts';
import { closeAfterTests } from '../support/closing.ts';
import { connect } from '../support/connect.ts';

/** An agent changes a campaign through MCP, visitors come over HTTP, and the agent reads the result. */

/** Campaign 1 of the sample data has two landing pages that lead to the offers 3, 4 and 5. */
const campaign_id = 1;
/** A campaign of the sample data that takes visitors and has had none. */
const untouched = 10;

/** The clocks of New York go forward in the night after this noon. */
let now = new Date('2026-03-07T12:00:00Z');
const sandbox = await startSandbox({ now: () => now, apiKey: 'loop' });
closeAfterTests(() => sandbox.close());
const agent = await connect({ ...sandbox, now: () => now });
const client = new TrackerClient({ tracker: async () => sandbox, method: 'post', format: 'json', timeoutMs: 30_000 });

type Row = Readonly<Record<string, unknown>>;

async function read(tool: string, given: object): Promise<Row[]> {
  return recordsOf(await agent.data<Tables>(tool, { limit: 500, ...given }));
}

/** The offer report of today: a figure of each page, by page ID. */
async function offers(figure: string): Promise<ReadonlyMap<number, number>> {
  const rows = await read('get_stats', {
    campaign_id,
    period: 'today',
    reports: ['offer'],
    columns: ['PageID', figure],
  });
  return new Map(rows.map((row) => [Number(row['PageID']), Number(row[figure])]));
}

async function send(visitors: number, profile: object): Promise<VisitorsSent> {
  const day = now.toISOString().slice(0, 10);
  return sendVisitors({
    campaign: await readVisitedCampaign(client, campaign_id, { start: day, end: day }),
    profile: readProfile(JSON.stringify(profile)),
    visitors,
    rate: 20_000,
    seed: 1,
    signal: new AbortController().signal,
  });
}

/** Sends visitors who all click; returns the views that each offer gained. */
async function viewsOf(visitors: number): Promise<ReadonlyMap<number, number>> {
  const before = await offers('Views');
  await send(visitors, { default: { click: 1, convert: 0 } });
  const after = await offers('Views');
  return new Map([...after].map(([page, views]) => [page, views - (before.get(page) ?? 0)]));
}

/** Pearson's statistic of observed counts against weights. */
function chiSquare(observed: readonly number[], weights: readonly number[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const share = sum(observed) / sum(weights);
  return sum(weights.map((weight, index) => ((observed[index] ?? 0) - weight * share) ** 2 / (weight * share)));
}

/** With one degree of freedom, a correct split exceeds this once in two million runs. */
const maxChiSquare = 25.3;

const edit = (page_id: number, change: object) => agent.data('edit_campaign_page', { campaign_id, page_id, ...change });

describe('visitors follow the changes of an agent', () => {
  test('shares of 80 and 20 split the visitors accordingly, and share 0 gets none', async () => {
    const before = await offers('Views');
    expect([...before.keys()]).toEqual(expect.arrayContaining([3, 4, 5]));
    await edit(3, { share: 80 });
    await edit(4, { share: 20 });
    await edit(5, { share: 0 });
    const views = await viewsOf(1000);
    const [many = 0, few = 0] = [views.get(3), views.get(4)];
    expect(many + few).toBe(1000);
    expect(views.get(5)).toBe(0);
    expect(chiSquare([many, few], [80, 20])).toBeLessThan(maxChiSquare);
  });

  test('an inactive offer gets none', async () => {
    await edit(4, { active: false });
    const views = await viewsOf(300);
    expect([views.get(3), views.get(4)]).toEqual([300, 0]);
  });

  test('an added offer gets its share', async () => {
    await edit(3, { share: 30 });
    const offer = { name: 'Rowing at home', url: 'https://example.com/rowing', payout: 24, share: 10 };
    await agent.data('add_offer_to_campaign', { campaign_id, ...offer });
    const known = await offers('Views');
    const added = Math.max(...known.keys());
    const views = await viewsOf(600);
    const observed = [views.get(3) ?? 0, views.get(added) ?? 0];
    expect(observed.reduce((total, count) => total + count)).toBe(600);
    expect(chiSquare(observed, [30, 10])).toBeLessThan(maxChiSquare);
  });
});

test('reports show the revenue of the postbacks, to the cent', async () => {
  const [revenueBefore, conversionsBefore] = [await offers('Revenue'), await offers('Conversions')];
  const sent = await send(600, { default: { click: 0.9, convert: 0.4, payout: [0.01, 49.99] } });
  const [revenue, conversions] = [await offers('Revenue'), await offers('Conversions')];
  for (const page of revenue.keys()) {
    const tally = sent.pages.get(page);
    expect(Math.round(100 * ((revenue.get(page) ?? 0) - (revenueBefore.get(page) ?? 0)))).toBe(tally?.cents);
    expect((conversions.get(page) ?? 0) - (conversionsBefore.get(page) ?? 0)).toBe(tally?.conversions);
  }
  expect(sent.pages.get(3)?.conversions).toBeGreaterThan(50);
});

describe('a visit close to midnight', () => {
  const moments = ['2026-03-08T04:59:30Z', '2026-03-08T05:00:30Z', '2026-03-09T03:59:30Z', '2026-03-09T04:00:30Z'];
  beforeAll(async () => {
    const campaigns = await read('list_campaigns', {});
    const link = String(campaigns.find((row) => Number(row['ID']) === untouched)?.['CampaignUrl']);
    for (const moment of moments) {
      now = new Date(moment);
      expect((await fetch(link, { redirect: 'manual' })).status).toBe(302);
    }
  });

  // 8 March has 23 hours in New York: from 05:00 to 04:00 the next day, in UTC.
  test.each([
    ['America/New_York', { '2026-03-07': 1, '2026-03-08': 2, '2026-03-09': 1 }],
    ['Europe/Berlin', { '2026-03-07': 0, '2026-03-08': 2, '2026-03-09': 2 }],
    ['Pacific/Honolulu', { '2026-03-07': 2, '2026-03-08': 2, '2026-03-09': 0 }],
  ] as const)('counts on its day in %s, across the change of the clocks', async (timezone, days) => {
    for (const [day, views] of Object.entries(days)) {
      const dates = { start_date: day, end_date: day, timezone };
      const [report] = await read('get_stats', { campaign_id: untouched, reports: ['campaign'], ...dates });
      expect(report?.['Views'], day).toBe(views);
    }
  });
});
