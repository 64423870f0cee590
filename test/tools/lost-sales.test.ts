import { expect, it } from 'vitest';
import { connect } from '../support/connect.ts';
import { listRows, startForeignTracker } from '../support/foreign-tracker.ts';

const now = new Date('2026-11-16T12:00:00Z');
const hoursAgo = (hours: number) =>
  new Date(now.getTime() - hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');

type OfAge = (age: number, network: string) => boolean;

/** A click each 12 minutes for 40 days, of which each second sells after an hour or later, but for those of some hours. */
async function ask(
  tool: string,
  args: Record<string, unknown>,
  isLost: OfAge,
  isIdle: OfAge = () => false,
  late: readonly number[] = [],
  delayOf = (_age: number) => 1,
) {
  const ofClick = (index: number) => ({
    CampaignID: '1',
    ...(index % 4 < 2 ? { Offer: 'Gym', OfferSource: 'Harbor' } : { Offer: 'Yoga', OfferSource: 'Peak' }),
  });
  const clicks = Array.from({ length: 40 * 120 }, (_, index) => ({ index, age: index / 5 })).filter(
    ({ age, index }) => !isIdle(age, ofClick(index).OfferSource),
  );
  const isSale = ({ index, age }: (typeof clicks)[number]) =>
    index % 2 === 0 && age > delayOf(age) && !isLost(age - 1, ofClick(index).OfferSource);
  const visits = clicks.map((click) => ({
    ...{
      Date: hoursAgo(click.age),
      SubID: `aaaaaaaa_1_${10_000 + click.index}`,
      ...ofClick(click.index),
      Clicked: '1',
      Cost: '0.1',
    },
    ...(isSale(click) ? { Converted: '1', Revenue: '1.00' } : { Converted: '0', Revenue: '0.00' }),
  }));
  const sales = clicks.filter(isSale).map(({ index, age }) => ({
    ...{
      Date: hoursAgo(age - delayOf(age)),
      VisitDate: hoursAgo(age),
      SubID: `aaaaaaaa_1_${10_000 + index}`,
      ...ofClick(index),
      Revenue: '1.00',
    },
  }));
  const ofOldVisits = late.map((age, index) => ({
    ...{
      Date: hoursAgo(age),
      VisitDate: hoursAgo(age + 100),
      SubID: `aaaaaaaa_1_${90_000 + index}`,
      ...ofClick(index),
      Revenue: '1.00',
    },
  }));
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"Search"}]',
    stats: '[]',
    visitorstats: listRows(visits),
    conversions: listRows([...ofOldVisits, ...sales]),
  });
  const { data } = await connect({ url: tracker.url, now: () => now });
  return data<{ summary: string; findings: { kind: string }[] }>(tool, args);
}

const explain = async (isLost: OfAge, isIdle?: OfAge, days = {}) =>
  (await ask('explain_change', { campaign_id: 1, ...days }, isLost, isIdle)).summary;

it('explain_change says first that sales of some hours were lost, though later ones came in', async () => {
  const summary = await explain((age) => age > 60 && age < 76);
  expect(summary).toMatch(
    /^Lost sales may explain (?:\d\d% of )?this: no sale came in from Fri 13 Nov 07:\d\d to Sat 14 Nov 00:\d\d/,
  );
  expect(await explain(() => false)).not.toContain('no sale came in');
});

it('explain_change says so of one network, and of none whose offers got no clicks', async () => {
  const isLost: OfAge = (age, network) => network === 'Peak' && age > 50 && age < 76;
  expect(await explain(isLost)).toMatch(
    /^Lost sales may explain (?:\d\d% of )?this: network Peak: no sale came in from Fri 13 Nov 07:\d\d to Sat 14 Nov 10:\d\d/,
  );
  const isIdle: OfAge = (age, network) => network === 'Peak' && age > 50 && age < 120;
  expect(await explain(isIdle, isIdle)).not.toContain('no sale came in');
});

it('explain_change says so of a few days, whose clicks alone are known', async () => {
  const days = { start_date: '2026-11-13', end_date: '2026-11-15' };
  expect(await explain((age) => age > 60 && age < 76, undefined, days)).toMatch(
    /^Lost sales may explain (?:\d\d% of )?this: no sale/,
  );
});

it('review_account calls no sales lost that stopped with all others, though some late ones came in', async () => {
  const { findings } = await ask('review_account', {}, (age) => age < 60, undefined, [40, 39, 38, 37]);
  expect(findings.map(({ kind }) => kind)).toEqual(['sales_stopped']);
});

it.each([
  ['review_account', {}],
  ['explain_change', { campaign_id: 1 }],
])('%s calls no sales lost that come later than before', async (tool, args) => {
  const isNone = () => false;
  const answer = await ask(tool, args, isNone, isNone, [], (age) => (age < 60 ? 31 : 1));
  expect(JSON.stringify(answer)).not.toContain('no sale came in');
});

it('explain_change says nothing of lost sales where there were no clicks', async () => {
  const isIdle = (age: number) => age > 60 && age < 90;
  expect(await explain(isIdle, isIdle)).not.toContain('no sale came in');
});
