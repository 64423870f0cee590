import { describe, expect, it } from 'vitest';
import type { Rotation } from '../../support/answers.ts';
import { askedPerson, type ConnectOptions, connect, textOf } from '../../support/connect.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

const offer = (PageID: string, Name: string, Share: string, more = {}) => ({
  ...{ PageID, Name, URL: `https://${PageID}.example.com`, Path: '1', Share, Inactive: '0' },
  ...more,
});

const usual = [offer('3', 'FitTrack', '40'), offer('4', 'Home gym', '40'), offer('5', 'Yoga', '20')];

async function startGroup(given = usual, options: ConnectOptions = {}) {
  const { tracker, offers, keepPage } = await startKeepingTracker(given.map((page) => ({ ...page })));
  const connected = await connect({ url: tracker.url, ...options });
  const writes = () => tracker.writes().map(({ sent }) => `${sent['pageid']}=${sent['share']}`);
  const partOf = (pageId: string) => {
    const shares = offers.filter(({ Path, Inactive }) => Path === '1' && Inactive === '0');
    const total = shares.reduce((all, { Share }) => all + Number(Share), 0);
    return (Number(offers.find(({ PageID }) => PageID === pageId)?.Share) / total) * 100;
  };
  const set = (shares: readonly object[], more = {}) =>
    connected.data<Rotation>('set_shares', { campaign_id: 1, shares, ...more });
  const refused = (shares: readonly object[], more = {}) =>
    connected.refusal('set_shares', { campaign_id: 1, shares, ...more });
  return { ...connected, tracker, offers, keepPage, writes, partOf, set, refused };
}

describe('percent', () => {
  it('is reached, and the other pages keep their proportions', async () => {
    const { set, writes, partOf } = await startGroup();
    const dry = await set([{ page_id: 3, percent: 80 }], { dry_run: true });
    expect(dry.groups[0]?.pages).toMatchObject([
      { page_id: '3', share_before: 40, share_after: 84, percent_before: 40, percent_after: 80 },
      { page_id: '4', share_after: 14, percent_before: 40, percent_after: 13.3 },
      { page_id: '5', share_after: 7, percent_before: 20, percent_after: 6.7 },
    ]);
    expect(writes()).toEqual([]);
    const done = await set([{ page_id: 'home GYM', percent: '80%' }]);
    expect(done.notices.join(' ')).toContain('Read again: the tracker has these shares now.');
    expect(writes()).toEqual(['4=84', '5=7', '3=14']);
    expect(partOf('4')).toBe(80);
  });

  it('that is reached already sends nothing, also when it is repeated', async () => {
    const { set, writes } = await startGroup([offer('3', 'A', '33.3333'), offer('4', 'B', '66.6667')]);
    const { notices } = await set([{ page_id: 3, percent: 33.3 }]);
    expect(notices).toContain('Nothing was sent: the tracker already has these shares.');
    await set([{ page_id: 3, percent: 71.3 }]);
    expect(writes()).toHaveLength(2);
    await set([{ page_id: 3, percent: 71.3 }]);
    expect(writes()).toEqual([]);
  });

  it('of all traffic says who gets none any more', async () => {
    const { call, writes } = await startGroup();
    const text = textOf(await call('set_shares', { campaign_id: 1, shares: [{ page_id: 3, percent: 100 }] }));
    expect(text).toContain('Page 3 “FitTrack” (offer) gets all traffic of the offers of path 1.');
    expect(text).toContain('No traffic any more: 4 “Home gym” (offer), 5 “Yoga” (offer).');
    expect(writes()).toEqual(['3=100', '5=0', '4=0']);
  });

  it('that whole shares cannot reach says so before anything is sent, and takes no page’s traffic', async () => {
    const { set, writes } = await startGroup();
    const { notices } = await set([{ page_id: 3, percent: 99.9 }], { dry_run: true });
    expect(notices).toContain(
      '3 “FitTrack” (offer) gets 98% instead of 99.9%: whole shares from 1 to 100 come no nearer.',
    );
    await set([{ page_id: 3, percent: 99.9 }]);
    expect(writes()).toEqual(['3=100', '5=1', '4=1']);
  });

  it('takes no part in pages of other groups, that are off, or that have no traffic', async () => {
    const { set, writes, offers } = await startGroup([
      ...usual,
      offer('6', 'Off', '60', { Inactive: '1' }),
      offer('7', 'None', '0'),
      offer('8', 'Elsewhere', '50', { Path: '2' }),
    ]);
    const { groups } = await set([{ page_id: 5, percent: 50 }]);
    expect(groups.map(({ group }) => group)).toEqual(['offers of path 1']);
    expect(writes()).toEqual(['5=80']);
    expect(offers.map(({ Share }) => Share)).toEqual(['40', '40', '80', '60', '0', '50']);
  });

  it('is asked about with the shares that are sent, and undone with them', async () => {
    const { questions, person } = askedPerson();
    const { set, data, writes, offers } = await startGroup(usual, { policy: { confirm: true }, person });
    const { change_id } = await set([{ page_id: 3, percent: 80 }]);
    expect(questions[0]).toContain('3 “FitTrack” (offer): share 40 -> 84, 40% -> 80% of the traffic');
    expect(questions[0]).toContain('5 “Yoga” (offer): share 20 -> 7, 20% -> 6.7% of the traffic');
    writes();
    await data('undo_change', { change_id });
    expect(offers.map(({ Share }) => Share)).toEqual(['40', '40', '20']);
  });

  it('of several groups is of each group’s own traffic', async () => {
    const { set, refused, writes } = await startGroup([
      ...usual,
      offer('8', 'One', '50', { Path: '2' }),
      offer('9', 'Two', '50', { Path: '2' }),
    ]);
    const shares = [
      { page_id: 5, percent: 80 },
      { page_id: 8, percent: 75 },
    ];
    expect(await refused(shares)).toMatch(/of path 1; offers of path 2/);
    await set(shares, { several_groups: true });
    expect(writes()).toEqual(['5=80', '8=75', '9=25', '3=10', '4=10']);
  });

  it('that stopped in the middle is continued with shares, because proportions have moved', async () => {
    const { tracker, keepPage, refused, data, writes, partOf } = await startGroup();
    let refusals = 1;
    tracker.answer('campaign/editpage', (sent) =>
      sent['pageid'] === '4' && refusals-- > 0 ? { body: '{"Status":"Error","Message":"Try later"}' } : keepPage(sent),
    );
    const message = await refused([{ page_id: 3, percent: 80 }]);
    writes();
    const shares = /with shares (\[.*\]), not with percent/.exec(message)?.[1] ?? '';
    await data('set_shares', { campaign_id: 1, shares: JSON.parse(shares) });
    expect(writes()).toEqual(['4=14']);
    expect(partOf('3')).toBe(80);
  });
});

describe('percent is refused before anything is sent', () => {
  const all = (...percents: readonly number[]) => percents.map((percent, index) => ({ page_id: index + 3, percent }));

  it.each<[why: string, shares: readonly object[], message: RegExp, offers?: typeof usual]>([
    ['beside share', [{ page_id: 3, share: 5, percent: 80 }], /never both/],
    ['where another page has share', [all(80)[0] ?? {}, { page_id: 4, share: 5 }], /never both/],
    ['without either', [{ page_id: 3 }], /must have a share for each page, or a percent/],
    ['over 100', [{ page_id: 3, percent: 101 }], /percent must be a number from 0 to 100/],
    ['as a fraction', [{ page_id: 3, percent: 0.8 }], /percent must be 0, or from 1 to 100: 80 for 80%; got 0\.8/],
    ['below 0', [{ page_id: 3, percent: -1 }], /percent must be a number from 0 to 100/],
    ['as text', [{ page_id: 3, percent: 'most' }], /percent must be a number from 0 to 100; got "most"/],
    ['for several pages that sum to over 100', all(60, 50), /offers of path 1 sum to 110, which is over 100/],
    ['for all pages, below 100', all(50, 30, 10), /every page .* sum to 90, not 100/],
    ['for all pages, over 100', all(50, 30, 30), /sum to 110, which is over 100/],
    ['if no other page has traffic', all(80), /have share 0 .* get all traffic, not 80%/, noOthers('0')],
    ['if shares are unknown', all(80), /do not show the share of 4 “Home gym”/, noOthers('')],
    ['for a page that is alone', all(80), /every page .* sum to 80, not 100/, usual.slice(0, 1)],
    ['for a page that is off', all(80), /switched off: 3 “FitTrack”/, [offer('3', 'FitTrack', '9', { Inactive: '1' })]],
  ])('%s', async (_, shares, message, offers) => {
    const { refused, writes } = await startGroup(offers);
    expect(await refused(shares)).toMatch(message);
    expect(writes()).toEqual([]);
  });

  function noOthers(share: string) {
    return usual.map((page) => (page.PageID === '3' ? page : { ...page, Share: share }));
  }
});

it('percentages for all pages may miss 100 by their rounding', async () => {
  const { set, partOf } = await startGroup();
  await set([3, 4, 5].map((page_id) => ({ page_id, percent: 33.3 })));
  expect(partOf('5')).toBeCloseTo(100 / 3);
});
