import { afterAll, describe, expect, test } from 'vitest';
import { landing, makeCampaign, money, offer } from './fixtures.ts';
import { countRecords, startLive } from './live-tracker.ts';

const campaign = makeCampaign('Landing Page Sequence', [landing(1), offer(2, { payout: money('7.5') })], { id: 1 });
const tracker = await startLive([campaign]);
afterAll(() => tracker.close());

/** A visitor who was sent to the offer. */
async function reachOffer(): Promise<string> {
  const { subid } = await tracker.visit(campaign);
  await tracker.get(`/base2.php?id=1&subid=${subid}`);
  return subid;
}

async function postback(query: Record<string, string>): Promise<Response> {
  return tracker.get(`/adclick.php?${new URLSearchParams(query)}`);
}

async function conversionsOf(subid: string) {
  return tracker.query(
    `SELECT conversions.* EXCLUDE (click_id, campaign_id, "at") FROM conversions JOIN visits USING (click_id) WHERE subid = $subid`,
    { subid },
  );
}

const plain = {
  offer_page: 102,
  status: null,
  transaction_id: null,
  custom1: null,
  custom2: null,
  custom3: null,
  custom4: null,
  custom5: null,
};

describe('a postback', () => {
  test('records a conversion of the offer that the visitor was sent to', async () => {
    const subid = await reachOffer();
    const response = await postback({ subid, revenue: '12.345678' });
    expect([response.status, await response.text()]).toEqual([200, 'OK\n']);
    expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '12.345678' }]);
  });

  test('replaces the revenue of an earlier one: 11 then 12 is 12', async () => {
    const subid = await reachOffer();
    await postback({ subid, revenue: '11' });
    await postback({ subid, revenue: '12' });
    expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '12.000000' }]);
  });

  test('with cladd adds to it: 11 then 12 is 23', async () => {
    const subid = await reachOffer();
    await postback({ subid, revenue: '11', cladd: 'true' });
    await postback({ subid, revenue: '12', cladd: 'true' });
    expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '23.000000' }]);
  });

  test('adds up however many come at once, to the cent', async () => {
    const subids = await Promise.all([reachOffer(), reachOffer(), reachOffer()]);
    const calls = subids.flatMap((subid) =>
      Array.from({ length: 20 }, () => postback({ subid, revenue: '0.1', cladd: 'true' })),
    );
    await Promise.all(calls);
    for (const subid of subids) expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '2.000000' }]);
  });

  test('keeps status, transaction ID and custom fields, until a later one says otherwise', async () => {
    const subid = await reachOffer();
    await postback({ subid, revenue: '5', status: 'pending', txid: 'T-1', custom1: 'a', custom5: 'ü & ?' });
    await postback({ subid, revenue: '5', status: 'approved', custom1: '' });
    expect(await conversionsOf(subid)).toEqual([
      { ...plain, revenue: '5.000000', status: 'approved', transaction_id: 'T-1', custom1: 'a', custom5: 'ü & ?' },
    ]);
  });

  test('without revenue is worth the payout of the offer', async () => {
    const subid = await reachOffer();
    await postback({ subid });
    expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '7.500000' }]);
  });

  test('may be a POST, and comes for visits of before a restart', async () => {
    const subid = await reachOffer();
    await postback({ subid, revenue: '1' });
    await tracker.restart();
    const response = await tracker.request(`/adclick.php?subid=${subid}&revenue=2&cladd=true`, { method: 'POST' });
    expect(response.status).toBe(200);
    expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '3.000000' }]);
  });

  test('may be a form in the body of a POST, which wins over the query string', async () => {
    const subid = await reachOffer();
    const form = new URLSearchParams({ subid, revenue: '12.50', status: 'new & paid', txid: 'T é 1', custom2: 'two' });
    const response = await tracker.request('/adclick.php?revenue=99&custom1=one', { method: 'POST', body: form });
    expect(response.status).toBe(200);
    expect(await conversionsOf(subid)).toEqual([
      { ...plain, revenue: '12.500000', status: 'new & paid', transaction_id: 'T é 1', custom1: 'one', custom2: 'two' },
    ]);
  });

  test('for a visitor who reached no offer counts for none', async () => {
    const { subid } = await tracker.visit(campaign);
    await postback({ subid, revenue: '3' });
    expect(await conversionsOf(subid)).toEqual([{ ...plain, offer_page: null, revenue: '3.000000' }]);
  });

  test('comes for a campaign that has ended, too', async () => {
    const subid = await reachOffer();
    await tracker.database.transaction((writer) => writer.execute('UPDATE campaigns SET active = false'));
    expect((await postback({ subid })).status).toBe(200);
    await tracker.database.transaction((writer) => writer.execute('UPDATE campaigns SET active = true'));
  });

  test('never makes a sum that cannot be kept: it stays at the largest amount', async () => {
    const subid = await reachOffer();
    await postback({ subid, revenue: '999999999999.999999' });
    expect((await postback({ subid, revenue: '1', cladd: '1' })).status).toBe(200);
    expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '999999999999.999999' }]);
  });
});

describe('a postback that cannot be taken is turned away, counted, and not recorded', () => {
  test.each([
    ['without a subid', { revenue: '1' }, 400, 'malformed'],
    ['with an unknown subid', { subid: 'abcdefgh_1_99999999', revenue: '1' }, 404, 'unknown-subid'],
    ['with a subid that is none', { subid: "' OR 1=1 --", revenue: '1' }, 404, 'unknown-subid'],
    ['with a revenue that is no amount', { revenue: '1,5' }, 400, 'malformed'],
    ['with a negative revenue', { revenue: '-5' }, 400, 'malformed'],
    ['with a cladd that is neither true nor false', { revenue: '5', cladd: 'maybe' }, 400, 'malformed'],
  ] as const)('%s', async (name, query, status, reason) => {
    const known = name === 'without a subid' ? {} : { subid: await reachOffer() };
    const before = { records: await countRecords(tracker), counted: tracker.turnedAway[reason] };
    const response = await postback({ ...known, ...query });
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(/\w\.\n$/);
    expect(tracker.turnedAway[reason]).toBe(before.counted + 1);
    expect(await countRecords(tracker)).toEqual(before.records);
  });

  test('with a body over 64 KB', async () => {
    const body = new URLSearchParams({ subid: await reachOffer(), custom1: 'x'.repeat(70_000) });
    const before = await countRecords(tracker);
    const response = await tracker.request('/adclick.php', { method: 'POST', body });
    expect(response.status).toBe(413);
    expect(await response.text()).toContain('64 KB');
    expect(tracker.turnedAway['too-large']).toBe(1);
    expect(await countRecords(tracker)).toEqual(before);
    expect((await postback({ subid: body.get('subid') ?? '' })).status).toBe(200);
  });

  test('without revenue, for a visitor who reached no offer', async () => {
    const { subid } = await tracker.visit(campaign);
    expect((await postback({ subid })).status).toBe(400);
    expect(await conversionsOf(subid)).toEqual([]);
  });
});
