import { expect, it } from 'vitest';
import { askedPerson, connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const link = 'http://t.example/base.php?c=1&key=abc';
const stats = { Reports: { campaign: [{ Views: '100', Cost: '10.00' }] } };
const tracker = await startForeignTracker({
  stats: JSON.stringify(stats),
  conversions: '[]',
  'campaign/edit': '{"Status":"OK"}',
});

const linked = 'This campaign’s link carries its own cost, so the bid counts only for visits that come without one.';
const entered = 'Cost is the entered bid for each view: no link carries a cost.';

it.each([
  ['with a cost in its link', { CampaignUrl: `${link}&cost={cpc}` }, linked, undefined],
  ['with a token for cost', { CampaignUrl: `${link}&b={{bid}}`, CostTokenParam: '{{bid}}' }, linked, undefined],
  ['with a link that has none', { CampaignUrl: `${link}&keyword={kw}` }, undefined, entered],
  ['with what may be a cost', { CampaignUrl: `${link}&bid={{price}}` }, undefined, undefined],
  ['with an unknown link', {}, undefined, undefined],
])(
  'a campaign %s: the question about its bid and the overview name the source of its cost',
  async (_, listed, ofBid, ofCost) => {
    tracker.answer('campaign/list', JSON.stringify([{ ID: '1', Name: 'Search', Bid: '0.1', ...listed }]));
    const { questions, person } = askedPerson();
    const { data } = await connect({ url: tracker.url, policy: { confirm: true }, person });
    const answers: { notices: string[] }[] = [];
    for (const dry_run of [true, false])
      answers.push(await data('edit_campaign', { campaign_id: 1, bid: 0.5, dry_run }));
    for (const { notices } of answers) expect(notices.includes(linked)).toBe(ofBid !== undefined);
    expect(questions).toEqual([
      `Edit campaign options?\n- campaign id: 1 (“Search”)\n- bid: 0.1 -> 0.5\n${ofBid === undefined ? '' : `${linked}\n`}This changes live traffic.`,
    ]);
    const overview = await data<{ notices: string[] }>('get_overview', { period: 'yesterday', compare_to: 'none' });
    expect(overview.notices.filter((notice) => notice.startsWith('Cost'))).toEqual(
      ofCost === undefined ? [] : [ofCost],
    );
  },
);

it('the overview names the campaigns that have only the entered bid as cost', async () => {
  const campaigns = [1, 2, 3, 4, 5, 6, 7, 8].map((ID) => ({
    ...{ ID, Name: `Campaign ${ID}`, CampaignUrl: ID === 8 ? `${link}&cost={cpc}` : link },
  }));
  tracker.answer('campaign/list', JSON.stringify(campaigns));
  const { data } = await connect({ url: tracker.url });
  const { notices } = await data<{ notices: string[] }>('get_overview', { period: 'yesterday', compare_to: 'none' });
  expect(notices).toContain('The cost of campaigns 1, 2, 3, 4, 5, 6 and 7 is the entered bid: no link carries it.');
  const shown = { period: 'yesterday', compare_to: 'none', columns: ['ID', 'Views'] };
  expect((await data<{ notices: string[] }>('get_overview', shown)).notices.join()).not.toContain('bid');
});

it('of many campaigns it names the traffic sources all of whose campaigns have only the entered bid', async () => {
  const sources = ['Push', 'Search', 'Native'];
  const campaigns = Array.from({ length: 30 }, (_, index) => ({
    ...{ ID: index + 1, Name: `Campaign ${index + 1}`, TrafficSource: sources[index % 3] },
    CampaignUrl: index % 3 < 2 || index === 2 ? link : `${link}&cost={cpc}`,
  }));
  tracker.answer('campaign/list', JSON.stringify(campaigns));
  const { data } = await connect({ url: tracker.url });
  const { notices } = await data<{ notices: string[] }>('get_overview', { period: 'yesterday', compare_to: 'none' });
  expect(notices).toContain(
    'The cost of all campaigns of Push and Search, and of campaign 3 is the entered bid: no link carries it.',
  );
});
