import { describe, expect, it } from 'vitest';
import type { AccountReview } from '../../src/tools/account-tools.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const now = new Date('2026-11-16T12:00:00Z');
const dayAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);

/** Twenty sales of a network a day over 60 days, decided after ten: it approves so many of twenty. */
const salesOf = (network: string, approved: (age: number) => number) =>
  Array.from({ length: 60 * 20 }, (_, index) => {
    const [age, turn] = [Math.floor(index / 20), (index * 7) % 20];
    const Status = age < 10 ? 'pending' : turn < approved(age) ? 'approved' : 'rejected';
    return {
      ...{ SubID: `aaaaaaaa_1_${100_000 + index}`, CampaignID: '1', OfferSource: network, Revenue: '10', Status },
      ...{ Date: `${dayAgo(age)} 10:00:00`, VisitDate: `${dayAgo(age)} 09:00:00` },
    };
  });

const oneVisit = [{ Date: `${dayAgo(1)} 10:00:00`, CampaignID: '1', Keyword: 'red' }];

async function review(
  conversions: readonly { readonly Date: string }[],
  args = {},
  visits: readonly object[] = oneVisit,
) {
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"Search"},{"ID":"2","Name":"Native"}]',
    visitorstats: JSON.stringify(visits),
    stats: '[]',
    conversions: ({ start = '', end = '' }) => ({
      body: JSON.stringify(conversions.filter(({ Date: at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end)),
    }),
  });
  const { call } = await connect({ url: tracker.url, now: () => now, timeoutMs: 30_000 });
  const result = await call('review_account', args);
  return { ...(result.structuredContent as unknown as AccountReview), text: textOf(result) };
}

describe('held money in a review', () => {
  const stuck = {
    ...salesOf('Harbor', () => 12)[0],
    Date: `${dayAgo(30)} 10:00:00`,
    Status: 'pending',
    SubID: 'bbbbbbbb_1_1',
  };

  it('is what is pending, what it will bring with a range, and sales that wait for too long', async () => {
    const { held_money, findings, text } = await review([...salesOf('Harbor', () => 12), stuck]);
    expect(held_money).toMatchObject({ pending: 2010 });
    const { amount = 0, low = 0, high = 0 } = held_money?.expected ?? {};
    expect([low < 1200 && 1200 < high, low < amount && amount < high]).toEqual([true, true]);
    expect(held_money?.late).toEqual([
      { network: 'Harbor', campaign_id: 1, subid: 'bbbbbbbb_1_1', booked: dayAgo(30), days: 30, amount: 10 },
    ]);
    expect(findings.filter(({ kind }) => kind === 'approvals_fell')).toEqual([]);
    expect(text).toContain('bbbbbbbb_1_1');
  });

  it('counts sales once that the list has twice in every cell', async () => {
    const sales = salesOf('Harbor', () => 12);
    const { held_money } = await review(sales.flatMap((sale) => [sale, sale]));
    expect(held_money).toMatchObject({ pending: 2000 });
  });

  it('has a network that approves less than before as a finding, and not the others', async () => {
    const sales = [...salesOf('Harbor', (age) => (age < 35 ? 8 : 13)), ...salesOf('Cove', () => 13)];
    expect((await review(sales)).findings.filter(({ kind }) => kind === 'approvals_fell')).toEqual([
      expect.objectContaining({ group: 'costs', campaign_id: 0, dimension: 'network', value: 'Harbor' }),
    ]);
  });

  it.each([
    ['decided at once', 0],
    ['paid after ten days', 10],
  ])(
    'has an offer of which more is rejected in one campaign since some days, and not its network: %s',
    async (_, days) => {
      const ofOffer = (Offer: string, rejected: number) =>
        Array.from({ length: 60 * 8 }, (_, index) => {
          const [age, turn] = [Math.floor(index / 8), (index * 7) % 20];
          const kept = age < days ? 'pending' : 'approved';
          return {
            ...{ SubID: `aaaaaaaa_1_${100_000 + index}`, CampaignID: '1', OfferSource: 'Harbor', Revenue: '10', Offer },
            ...{ Status: turn < (age < 3 ? rejected : 2) ? 'rejected' : kept },
            ...{ Date: `${dayAgo(age)} 10:00:00`, VisitDate: `${dayAgo(age)} 09:00:00` },
          };
        });
      const sales = [...ofOffer('Cash', 13), ...ofOffer('Gift', 2), ...ofOffer('Lamp', 2)];
      const findings = (await review(sales)).findings.filter(({ kind }) => kind === 'approvals_fell');
      const { findings: ofCampaign } = await review(sales, { campaign_ids: [1] });
      expect(ofCampaign.filter(({ kind }) => kind === 'approvals_fell')).toEqual(findings);
      const { findings: ofOther } = await review(sales, { campaign_ids: [2] });
      expect(ofOther.filter(({ kind }) => kind === 'approvals_fell')).toEqual([]);
      expect(findings).toEqual([
        expect.objectContaining({
          ...{ campaign_id: 1, campaign: 'Search', dimension: 'offer', value: 'Cash', group: 'costs' },
          what: expect.stringMatching(/^“Search”: offer Cash: about \d\d% of its sales are approved now, 90% before$/),
          began: `${dayAgo(2)} 00:00`,
          next: { tool: 'get_breakdown', arguments: expect.objectContaining({ campaign_id: 1, by: ['offer', 'day'] }) },
        }),
      ]);
    },
  );

  it('has a network of a sale every other day that approves none any more, with when that began, and none that lost a few', async () => {
    const fewOf = (network: string, isApproved: (age: number) => boolean) =>
      salesOf(network, (age) => (isApproved(age) ? 20 : 0)).filter((_, index) => index % 40 === 0);
    const stopped = fewOf('Harbor', (age) => age > 30 && age !== 40);
    const unlucky = fewOf('Cove', (age) => ![12, 20, 48].includes(age));
    const { findings, text } = await review([...stopped, ...unlucky]);
    expect(findings.filter(({ kind }) => kind === 'approvals_fell')).toEqual([
      expect.objectContaining({ value: 'Harbor', changed: { figure: 'approved_percent', before: 93, after: 0 } }),
    ]);
    expect(text).toContain('“Harbor” approves about 0% of its sales now, 93% before');
  });

  it('is nothing where the tracker lists no statuses', async () => {
    const { held_money } = await review(salesOf('Harbor', () => 12).map(({ Status: _, ...sale }) => sale));
    expect(held_money).toBeUndefined();
  });
});

describe('sales of a time that were lost', () => {
  const networks = ['Harbor', 'Cove'] as const;
  const hoursAgo = (hours: number) =>
    new Date(now.getTime() - hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  type Is = (network: string, age: number) => boolean;
  const never: Is = () => false;

  /** Of two networks, a sale and a click each half hour, and what a review tells of lost ones. */
  async function lostIn(isLost: Is, isIdle = never) {
    const moments = networks.flatMap((network) =>
      Array.from({ length: 48 * 30 }, (_, index) => ({ network, age: index / 2, offer: `${network} gym` })),
    );
    const sales = moments.flatMap(({ network, age, offer }, index) =>
      isLost(network, age)
        ? []
        : {
            ...{ SubID: `aaaaaaaa_1_${100_000 + index}`, CampaignID: '1', OfferSource: network, Offer: offer },
            ...{ Revenue: '10', Date: hoursAgo(age) },
          },
    );
    const visits = moments
      .filter(({ network, age }) => !isIdle(network, age))
      .sort((one, other) => one.age - other.age)
      .map(({ age, offer }, index) => ({
        ...{ Date: hoursAgo(age), CampaignID: '1', SubID: `aaaaaaaa_1_${500_000 + index}`, Offer: offer },
        ...{ Clicked: '1', Converted: '0', Revenue: '0', Cost: '0.1' },
      }));
    const { findings, text } = await review(sales, {}, visits);
    return { lost: findings.filter(({ kind }) => kind === 'sales_lost'), text };
  }

  it('are one finding, whose networks can send them again', async () => {
    const { lost, text } = await lostIn((_, age) => age > 30 && age < 44);
    expect(lost).toMatchObject([{ group: 'doubtful', campaign_id: 0, began: '2026-11-14 16:00' }]);
    expect(lost[0]?.what).toMatch(
      /^no sale came in from Sat 14 Nov 16:00 to Sun 15 Nov 06:00, where about 5[456], worth 5\d\d.*, are/,
    );
    expect(lost[0]?.money_a_day).toBeCloseTo((55 * 10) / 7, -1);
    expect(text).toContain('postbacks were probably lost');
  });

  it('are those of a network, if others came in', async () => {
    const { lost } = await lostIn((network, age) => network === 'Cove' && age > 30 && age < 44);
    expect(lost).toMatchObject([{ dimension: 'network', value: 'Cove' }]);
  });

  it('are none if there were no clicks, of all or of the network', async () => {
    const isIdle = (_: string, age: number) => age > 30 && age < 54;
    expect((await lostIn(isIdle, isIdle)).lost).toEqual([]);
    const ofCove: Is = (network, age) => network === 'Cove' && isIdle(network, age);
    expect((await lostIn(ofCove, ofCove)).lost).toEqual([]);
  });

  it('are no news after a week, and none are lost if all came', async () => {
    expect((await lostIn((_, age) => age > 230 && age < 244)).lost).toEqual([]);
    expect((await lostIn(never)).lost).toEqual([]);
  });
});
