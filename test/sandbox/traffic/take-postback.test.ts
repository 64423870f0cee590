import { afterAll, describe, expect, test } from 'vitest';
import { landing, makeCampaign, money, offer } from './fixtures.ts';
import { expectTurnedAway, startLive } from './live-tracker.ts';

const campaign = makeCampaign('Landing Page Sequence', [landing(1), offer(2, { payout: money('7.5') })], { id: 1 });
const tracker = await startLive([campaign]);
afterAll(() => tracker.close());

/** Returns the subID of a visitor who was sent to the offer. */
async function reachOffer(): Promise<string> {
  const { subid } = await tracker.visit(campaign);
  await tracker.get(`/base2.php?id=1&subid=${subid}`);
  return subid;
}

const postback = (query: Record<string, string>) => tracker.get(`/adclick.php?${new URLSearchParams(query)}`);

const conversionsOf = (subid: string) =>
  tracker.query(
    `SELECT conversions.* EXCLUDE (click_id, campaign_id, "at") FROM conversions JOIN visits USING (click_id) WHERE subid = $subid`,
    { subid },
  );

const largest = { revenue: '999999999999.999999' };
const added = (revenue: string) => ({ revenue, cladd: 'true' });

const plain = {
  ...{ offer_page: 102, status: null, transaction_id: null },
  ...{ custom1: null, custom2: null, custom3: null, custom4: null, custom5: null },
};

describe('postbacks', () => {
  test.each(['GET', 'POST'])('count the last of a repeated parameter, on %s', async (method) => {
    const subid = await reachOffer();
    const query = `subid=nobody&revenue={payout}&revenue=1&subid=${subid}&revenue=12.5&txid=A&txid=B`;
    const sent = method === 'GET' ? [`?${query}`, {}] : ['?revenue=3', { method, body: query }];
    const response = await tracker.request(`/adclick.php${sent[0]}`, sent[1] as RequestInit);
    expect(response.status).toBe(200);
    expect(await conversionsOf(subid)).toMatchObject([{ revenue: '12.500000', transaction_id: 'B' }]);
  });

  test.each([
    ['record a conversion of the offer', [{ revenue: '12.345678' }], { revenue: '12.345678' }],
    ['replace the revenue: 11 then 12 is 12', [{ revenue: '11' }, { revenue: '12' }], { revenue: '12.000000' }],
    ['add the revenue with cladd: 11 then 12 is 23', ['11', '12'].map(added), { revenue: '23.000000' }],
    ['are worth the payout of the offer without revenue', [{}], { revenue: '7.500000' }],
    [
      'keep status, transaction ID and custom fields until a later one changes them',
      [
        { revenue: '5', status: 'pending', txid: 'T-1', custom1: 'a', custom5: 'ü & ?' },
        { revenue: '5', status: 'approved', custom1: '' },
      ],
      { revenue: '5.000000', status: 'approved', transaction_id: 'T-1', custom1: 'a', custom5: 'ü & ?' },
    ],
    ['never exceed the largest amount', [largest, { revenue: '1', cladd: '1' }], largest],
  ])('%s', async (_, queries: readonly Record<string, string>[], conversion) => {
    const subid = await reachOffer();
    for (const query of queries) {
      const response = await postback({ subid, ...query });
      expect([response.status, await response.text()]).toEqual([200, 'OK\n']);
    }
    expect(await conversionsOf(subid)).toEqual([{ ...plain, ...conversion }]);
  });

  test('that come at once add up to the cent', async () => {
    const subids = await Promise.all([1, 2, 3].map(reachOffer));
    const calls = subids.flatMap((subid) => Array.from({ length: 20 }, () => postback({ subid, ...added('0.1') })));
    await Promise.all(calls);
    for (const subid of subids) expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '2.000000' }]);
  });

  test('can be a POST, and can come for visits before a restart', async () => {
    const subid = await reachOffer();
    await postback({ subid, revenue: '1' });
    await tracker.restart();
    const response = await tracker.request(`/adclick.php?subid=${subid}&revenue=2&cladd=true`, { method: 'POST' });
    expect(response.status).toBe(200);
    expect(await conversionsOf(subid)).toEqual([{ ...plain, revenue: '3.000000' }]);
  });

  test('can be a form in the body of a POST, which wins over the query string', async () => {
    const subid = await reachOffer();
    const form = new URLSearchParams({ subid, revenue: '12.50', status: 'new & paid', txid: 'T é 1', custom2: 'two' });
    const response = await tracker.request('/adclick.php?revenue=99&custom1=one', { method: 'POST', body: form });
    expect(response.status).toBe(200);
    expect(await conversionsOf(subid)).toEqual([
      { ...plain, revenue: '12.500000', status: 'new & paid', transaction_id: 'T é 1', custom1: 'one', custom2: 'two' },
    ]);
  });

  test('for a visitor who reached no offer count for no offer', async () => {
    const { subid } = await tracker.visit(campaign);
    await postback({ subid, revenue: '3' });
    expect(await conversionsOf(subid)).toEqual([{ ...plain, offer_page: null, revenue: '3.000000' }]);
  });

  test('are taken for a campaign that has ended', async () => {
    const subid = await reachOffer();
    await tracker.database.transaction((writer) => writer.execute('UPDATE campaigns SET active = false'));
    expect((await postback({ subid })).status).toBe(200);
    await tracker.database.transaction((writer) => writer.execute('UPDATE campaigns SET active = true'));
  });
});

describe('a postback is turned away, and not recorded,', () => {
  test.each([
    ['without a subid', { subid: '', revenue: '1' }, 400, /has no subid/],
    ['with an unknown subid', { subid: 'abcdefgh_1_99999999', revenue: '1' }, 404, /No visitor/],
    ['with a malformed subid', { subid: "' OR 1=1 --", revenue: '1' }, 404, /No visitor/],
    ['if the revenue is not an amount', { revenue: '1,5' }, 400, /revenue must be an amount/],
    ['if the revenue is negative', { revenue: '-5' }, 400, /revenue must be an amount/],
    ['if cladd is neither true nor false', { revenue: '5', cladd: 'maybe' }, 400, /cladd must be/],
    ['if cladd is the name of a method', { revenue: '5', cladd: 'constructor' }, 400, /cladd must be/],
  ] as const)('%s', async (_, query, status, reason) => {
    const subid = await reachOffer();
    await expectTurnedAway(tracker, () => postback({ subid, ...query }), status, reason);
  });

  test('with a body over 64 KB', async () => {
    const subid = await reachOffer();
    const body = new URLSearchParams({ subid, custom1: 'x'.repeat(70_000) });
    const send = () => tracker.request('/adclick.php', { method: 'POST', body });
    await expectTurnedAway(tracker, send, 413, /64 KB/);
    expect((await postback({ subid })).status).toBe(200);
  });

  test('without revenue, if the visitor reached no offer', async () => {
    const { subid } = await tracker.visit(campaign);
    await expectTurnedAway(tracker, () => postback({ subid }), 400, /has no revenue/);
  });
});
