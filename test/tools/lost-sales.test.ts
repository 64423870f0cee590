import { expect, it } from 'vitest';
import { connect } from '../support/connect.ts';
import { listRows, startForeignTracker } from '../support/foreign-tracker.ts';

const now = new Date('2026-11-16T12:00:00Z');
const hoursAgo = (hours: number) =>
  new Date(now.getTime() - hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');

/** A click each 12 minutes for 40 days, of which each second sells after an hour, but for those of some hours. */
async function explain(isLost: (age: number) => boolean, isIdle: (age: number) => boolean = () => false) {
  const clicks = Array.from({ length: 40 * 120 }, (_, index) => ({ index, age: index / 5 })).filter(
    ({ age }) => !isIdle(age),
  );
  const isSale = ({ index, age }: (typeof clicks)[number]) => index % 2 === 0 && age > 1 && !isLost(age - 1);
  const of = { CampaignID: '1', Offer: 'Gym' };
  const visits = clicks.map((click) => ({
    ...{ Date: hoursAgo(click.age), SubID: `aaaaaaaa_1_${10_000 + click.index}`, ...of, Clicked: '1', Cost: '0.1' },
    ...(isSale(click) ? { Converted: '1', Revenue: '1.00' } : { Converted: '0', Revenue: '0.00' }),
  }));
  const sales = clicks.filter(isSale).map(({ index, age }) => ({
    ...{
      Date: hoursAgo(age - 1),
      VisitDate: hoursAgo(age),
      SubID: `aaaaaaaa_1_${10_000 + index}`,
      ...of,
      Revenue: '1.00',
    },
  }));
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"Search"}]',
    stats: '[]',
    visitorstats: listRows(visits),
    conversions: listRows(sales),
  });
  const { data } = await connect({ url: tracker.url, now: () => now });
  return (await data<{ summary: string }>('explain_change', { campaign_id: 1 })).summary;
}

it('explain_change says first that sales of some hours were lost, though later ones came in', async () => {
  const summary = await explain((age) => age > 60 && age < 76);
  expect(summary).toMatch(
    /^Lost sales may explain this: no sale came in from Fri 13 Nov 07:\d\d to Sat 14 Nov 00:\d\d/,
  );
  expect(await explain(() => false)).not.toContain('no sale came in');
});

it('explain_change says nothing of lost sales where there were no clicks', async () => {
  const isIdle = (age: number) => age > 60 && age < 90;
  expect(await explain(isIdle, isIdle)).not.toContain('no sale came in');
});
