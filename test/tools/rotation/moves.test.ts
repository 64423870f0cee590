import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../support/answers.ts';
import { startApproving } from '../../support/approving.ts';
import { askedPerson, connect } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

/** A tracker with an offer alone in path 1 and two offers in path 2. */
async function startPaths() {
  const { tracker, offers } = await startKeepingTracker();
  for (const [index, Path] of ['1', '2', '2'].entries()) Object.assign(offers[index] ?? {}, { Path });
  return { tracker, offers };
}

const move = { campaign_id: 1, page_id: 3, path: 2 };
const noTraffic =
  'No page of the offers of path 1 would get traffic: the visitors of this group would have nowhere to go.';
const effect = [
  'Offers of path 1:',
  '- 3 “FitTrack” (offer): leaves this group, 100% -> 0% of the traffic',
  'Offers of path 2:',
  '- 3 “FitTrack” (offer): joins this group with share 40, 0% -> 40% of the traffic',
  '- 4 “Home gym” (offer): share 40, 66.7% -> 40% of the traffic',
  '- 5 “Yoga” (offer): share 20, 33.3% -> 20% of the traffic',
];

describe('moving a page to a different path shows the group it leaves and the group it joins', () => {
  it('in a dry run, to the person who is asked, and in the answer', async () => {
    const { tracker } = await startPaths();
    const { questions, person } = askedPerson();
    const { data } = await connect({ url: tracker.url, policy: { confirm: true }, person });
    for (const dry_run of [true, false]) {
      const { notices } = await data<Receipt>('edit_campaign_page', { ...move, dry_run });
      expect(notices).toContain(effect.join('\n'));
      expect(notices).toContain(noTraffic);
    }
    expect(questions).toEqual([expect.stringContaining(effect.join('\n'))]);
    expect(questions[0]).toContain(noTraffic);
  });

  it('in a proposal', async () => {
    const { tracker } = await startPaths();
    const server = await startApproving({ url: tracker.url });
    const proposal = await server.propose('edit_campaign_page', move);
    expect(proposal.effect).toEqual([...effect, noTraffic]);
    const found = await server.setup.proposals().get(proposal.proposal_id);
    expect(found.proposal.summary).toEqual([
      '“Search”: “FitTrack” 100% of the traffic of the offers of path 1 to 40% of the traffic of the offers of path 2, path 1 to 2',
    ]);
  });

  it('in an undo', async () => {
    const { tracker, offers } = await startPaths();
    const { data } = await connect({ url: tracker.url });
    const { change_id } = await data<Receipt>('edit_campaign_page', move);
    const { notices } = await data<Receipt>('undo_change', { change_id });
    expect(notices.join('\n')).toContain(
      [
        'Offers of path 2:',
        '- 3 “FitTrack” (offer): leaves this group, 40% -> 0% of the traffic',
        '- 4 “Home gym” (offer): share 40, 40% -> 66.7% of the traffic',
        '- 5 “Yoga” (offer): share 20, 20% -> 33.3% of the traffic',
        'Offers of path 1:',
        '- 3 “FitTrack” (offer): joins this group with share 40, 0% -> 100% of the traffic',
      ].join('\n'),
    );
    expect(offers[0]?.Path).toBe('1');
  });

  it('with the share and state that the same edit sets', async () => {
    const { tracker } = await startPaths();
    const { data } = await connect({ url: tracker.url });
    const edits = [
      [{ share: 60 }, 'joins this group with share 60, 0% -> 50% of the traffic'],
      [{ active: false }, 'joins this group with share 40, 0% of the traffic'],
    ] as const;
    for (const [edit, line] of edits) {
      const { notices } = await data<Receipt>('edit_campaign_page', { ...move, ...edit, dry_run: true });
      expect(notices.join('\n')).toContain(line);
    }
  });
});

it('moving a landing page to a different level shows both levels', async () => {
  const landing = ['1', '1', '2'].map((Level, index) => ({
    PageID: `${index + 1}`,
    Level,
    Share: '50',
    Inactive: '0',
  }));
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"Search"}]',
    stats: JSON.stringify({ Reports: { landing, offer: [] } }),
  });
  const { data } = await connect({ url: tracker.url });
  const given = { campaign_id: 1, page_id: 2, level: 2, dry_run: true };
  const { notices } = await data<Receipt>('edit_campaign_page', given);
  expect(notices).toContain('Page 1 (landing page) gets all traffic of the landing pages of level 1.');
  expect(notices.join('\n')).toContain(
    [
      'Landing pages of level 1:',
      '- 1 (landing page): share 50, 50% -> 100% of the traffic',
      '- 2 (landing page): leaves this group, 50% -> 0% of the traffic',
      'Landing pages of level 2:',
      '- 2 (landing page): joins this group with share 50, 0% -> 50% of the traffic',
      '- 3 (landing page): share 50, 100% -> 50% of the traffic',
    ].join('\n'),
  );
});

describe('a proposal to move a page is stale if', () => {
  it.each<[what: string, index: number, change: object]>([
    ['a share in the group it joins', 2, { Share: '80' }],
    ['a state in the group it joins', 1, { Inactive: '1' }],
    ['the path of the page', 0, { Path: '3' }],
  ])('%s has changed', async (_, index, change) => {
    const { tracker, offers } = await startPaths();
    const server = await startApproving({ url: tracker.url });
    const { proposal_id: id } = await server.propose('edit_campaign_page', move);
    Object.assign(offers[index] ?? {}, change);
    expect(await server.decided(id)).toMatchObject({ state: 'stale' });
    expect(tracker.writes()).toEqual([]);
  });

  it('a page was added to the group it joins, which was empty', async () => {
    const { tracker, offers } = await startPaths();
    const server = await startApproving({ url: tracker.url });
    const { proposal_id: id } = await server.propose('edit_campaign_page', { ...move, path: 3 });
    offers.push({ PageID: '9', Name: 'New', URL: 'https://new.example', Path: '3', Share: '5', Inactive: '0' });
    expect(await server.decided(id)).toMatchObject({ state: 'stale' });
  });
});

describe('the effect is not known, and a notice gives the reason, if', () => {
  it('the reports do not show the path of the pages', async () => {
    const { tracker, offers } = await startKeepingTracker();
    for (const offer of offers) Object.assign(offer, { Path: '' });
    const { data } = await connect({ url: tracker.url });
    const { notices } = await data<Receipt>('edit_campaign_page', { ...move, dry_run: true });
    expect(notices).toContain('The effect on traffic is not known: the reports do not show the path of every page.');
    expect(notices.join('\n')).toContain('- 3 “FitTrack” (offer): share 40, 40% -> unknown of the traffic');
  });

  it('an offer is added to one of several paths without naming it', async () => {
    const { tracker } = await startPaths();
    const { data } = await connect({ url: tracker.url });
    const given = { campaign_id: 1, name: 'New', url: 'https://new.example', share: 50, dry_run: true };
    const { notices } = await data<Receipt>('add_offer_to_campaign', given);
    expect(notices).toContain(
      'The effect on traffic is not known: there are several paths, and the tracker chooses one unless path is given.',
    );
    expect(notices.join('\n')).toContain('- new “New” (offer): share 0 -> 50, 0% -> unknown of the traffic');
  });
});
