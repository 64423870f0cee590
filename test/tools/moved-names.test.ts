import { beforeEach, describe, expect, it } from 'vitest';
import { startApproving } from '../support/approving.ts';
import { askedPerson, connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

/** A tracker whose names move while a server knows the old ones. */

const campaigns = [
  { ID: '5', Name: 'Fit' },
  { ID: '9', Name: 'Other' },
];
const offers = [
  { PageID: '13', Name: 'Gym', Path: '1', Share: '40', Inactive: '0' },
  { PageID: '14', Name: 'Yoga', Path: '1', Share: '60', Inactive: '0' },
];
const figures = { Views: '10', Clicks: '2', Conversions: '1', Revenue: '1' };
const listed = () => ({ body: JSON.stringify(campaigns.map((one) => ({ ...one, Bid: '0.10' }))) });
const tracker = await startForeignTracker({
  'campaign/list': listed,
  stats: () => ({
    body: JSON.stringify({ Reports: { landing: [], offer: offers.map((page) => ({ ...page, ...figures })) } }),
  }),
  'campaign/edit': '{"Status":"OK"}',
  'campaign/editpage': '{"Status":"OK"}',
  'offer/addtocamp': '{"Status":"OK"}',
});
const name = (...names: readonly string[]) => {
  for (const [index, Name] of names.entries()) Object.assign(campaigns[index] ?? {}, { Name });
};

type Noticed = { readonly notices: readonly string[] };
const read = (campaign_id: unknown) => ({ campaign_id, reports: ['offer'], period: 'today' });
const requested = () => tracker.taken().map(({ path }) => path.replace(/^\/api\/|\/$/g, ''));

beforeEach(() => {
  name('Fit', 'Other');
  offers.forEach((page, index) => {
    page.Name = index === 0 ? 'Gym' : 'Yoga';
  });
  tracker.taken();
});

/** A server that knows the names from before they move. */
async function startKnowing(options = {}) {
  const connected = await connect({ url: tracker.url, ...options });
  await connected.data('get_stats', read('Fit'));
  tracker.taken();
  return connected;
}

const writes: readonly (readonly [tool: string, given: object])[] = [
  ['edit_campaign', { bid: 0.2 }],
  ['edit_campaign_page', { page_id: 13, share: 20 }],
  ['set_shares', { shares: [{ page_id: 13, share: 20 }] }],
  ['add_offer_to_campaign', { name: 'Swim', url: 'https://swim.example.com', path: 1 }],
];

describe.each(writes)('%s after a name moved', (tool, given) => {
  it('goes to the campaign that bears the name now, and says so', async () => {
    const { data } = await startKnowing();
    name('Old', 'Fit');
    const { notices } = await data<Noticed>(tool, { campaign_id: 'fit', ...given });
    expect(notices[0]).toBe('Campaign 9: “Fit”.');
    expect(tracker.writes().map(({ sent }) => sent['campaignid'])).toEqual(['9']);
  });

  it('is refused if no campaign bears the name any more, and nothing is sent', async () => {
    const { refusal } = await startKnowing();
    name('Old');
    expect(await refusal(tool, { campaign_id: 'Fit', ...given })).toContain('matches no campaign');
    expect(tracker.writes()).toEqual([]);
  });

  it('by ID shows the name of now, never the old one', async () => {
    const { questions, person } = askedPerson();
    const { data } = await startKnowing({ policy: { confirm: true }, person });
    name('Renamed');
    const { notices } = await data<Noticed>(tool, { campaign_id: 5, ...given });
    expect(notices[0]).toBe('Campaign 5: “Renamed”.');
    expect(questions[0]).toContain('“Renamed”');
    expect(questions[0]).not.toContain('“Fit”');
  });

  it('by name asks the person about one name, and reads the list once before it asks', async () => {
    const { questions, person } = askedPerson();
    const before: string[] = [];
    const asked = (question: string) => {
      before.push(...requested());
      return person(question);
    };
    const { data } = await startKnowing({ policy: { confirm: true }, person: asked });
    name('Old', 'FIT');
    await data(tool, { campaign_id: 'Fit', ...given });
    expect([...(questions[0] ?? '').matchAll(/“(fit|old|other)”/gi)].map(([text]) => text)).toEqual(['“FIT”', '“FIT”']);
    expect(before.filter((path) => path === 'campaign/list')).toHaveLength(1);
  });

  it('that was approved is refused if its campaign has a different name by then', async () => {
    const server = await startApproving({ url: tracker.url });
    const { proposal_id: id } = await server.propose(tool, { campaign_id: 'Fit', ...given });
    await server.setup.decide(id);
    name('Old', 'Fit');
    await server.look();
    expect(await server.stateOf(id)).toMatchObject({
      state: 'stale',
      message: expect.stringContaining('the name of campaign 5 is not what it was'),
    });
    expect(tracker.writes()).toEqual([]);
  });

  it('that was approved is sent if its campaign has the same name', async () => {
    const server = await startApproving({ url: tracker.url });
    const { proposal_id: id } = await server.propose(tool, { campaign_id: 'Fit', ...given });
    await server.setup.decide(id);
    name('Fit', 'Renamed');
    await server.look();
    expect(await server.stateOf(id)).toMatchObject({ state: 'done' });
    expect(tracker.writes()).toHaveLength(1);
  });
});

it('a write that was proposed while no names could be read is sent when it is approved', async () => {
  const server = await startApproving({ url: tracker.url });
  tracker.answer('campaign/list', () => ({ status: 400, body: 'no' }));
  const { proposal_id: id } = await server.propose('edit_campaign_page', { campaign_id: 5, page_id: 13, share: 20 });
  tracker.answer('campaign/list', listed);
  expect(await server.decided(id)).toMatchObject({ state: 'done' });
});

it('a write by the name of a page reads the pages before and after it once, and once what they got lately', async () => {
  const { data } = await startKnowing();
  const given = { campaign_id: 5, page_id: 'gym', share: 20 };
  const { notices } = await data<Noticed>('edit_campaign_page', given);
  expect(notices[0]).toBe('Campaign 5: “Fit”; page 13: “Gym”.');
  expect(requested().toSorted()).toEqual(['campaign/editpage', 'campaign/list', 'stats', 'stats', 'stats']);
});

it('a write after a write reads the names anew', async () => {
  const { data } = await startKnowing();
  await data('edit_campaign_page', { campaign_id: 'Fit', page_id: 'Gym', share: 20 });
  offers.forEach((page, index) => {
    page.Name = index === 0 ? 'Yoga' : 'Gym';
  });
  name('Other', 'Fit');
  const { notices } = await data<Noticed>('edit_campaign_page', { campaign_id: 'Fit', page_id: 'Gym', share: 20 });
  expect(notices[0]).toBe('Campaign 9: “Fit”; page 14: “Gym”.');
});
