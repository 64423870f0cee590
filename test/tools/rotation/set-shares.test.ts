import { describe, expect, it } from 'vitest';
import type { Receipt, Rotation } from '../../support/answers.ts';
import { askedPerson, type ConnectOptions, connect, textOf } from '../../support/connect.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

/** A client, and a tracker that keeps the shares it gets, except for edits that it refuses. */
async function startRotation(
  options: ConnectOptions = {},
  isRefused: (sent: Readonly<Record<string, string>>) => boolean = () => false,
) {
  const { tracker, offers, keepPage } = await startKeepingTracker();
  const [first] = offers;
  if (first) offers.push({ ...first, PageID: '6', Name: 'Alone', Path: '2', Share: '50' });
  tracker.answer('campaign/editpage', (sent) =>
    isRefused(sent) ? { body: '{"Status":"Error","Message":"Try later"}' } : keepPage(sent),
  );
  const writes = () => tracker.writes().map(({ sent }) => `${sent['pageid']}=${sent['share']}`);
  return { ...(await connect({ url: tracker.url, ...options })), tracker, writes, offers, keepPage };
}

const shares = [
  { page_id: 3, share: 10 },
  { page_id: 4, share: 70 },
];
const rotation = { campaign_id: 1, shares };

describe('a rotation', () => {
  it('shows every page of the group before and after', async () => {
    const { data, writes } = await startRotation();
    const dry = await data<Rotation>('set_shares', { ...rotation, dry_run: true });
    // The shares add up to 100, so each share is its percentage of the traffic.
    const pageOf = (page_id: string, name: string, before: number, after: number) => ({
      ...{ page_id, name, kind: 'offer', share_before: before, share_after: after },
      ...{ percent_before: before, percent_after: after },
    });
    const pages = [pageOf('3', 'FitTrack', 40, 10), pageOf('4', 'Home gym', 40, 70), pageOf('5', 'Yoga', 20, 20)];
    expect(dry.groups).toEqual([{ group: 'offers of path 1', pages }]);
    expect(writes()).toEqual([]);
  });

  it('is sent one request at a time, increases first, and read again', async () => {
    const { data, writes } = await startRotation();
    const done = await data<Rotation>('set_shares', rotation);
    expect(writes()).toEqual(['4=70', '3=10']);
    expect(done).toMatchObject({ done: true, change_id: expect.stringMatching(/^[\da-f]{12}$/) });
    expect(done.notices.join(' ')).toContain('Read again: the tracker has these shares now.');
  });

  it('is done if the tracker rounded the shares, and sends nothing when it is repeated', async () => {
    const { data, tracker, keepPage, writes } = await startRotation();
    tracker.answer('campaign/editpage', (sent) => keepPage({ ...sent, share: Number(sent['share']).toFixed(4) }));
    const given = { campaign_id: 1, shares: [{ page_id: 3, share: '33' }] };
    const { notices } = await data<Rotation>('set_shares', given);
    expect(notices).toContain('Read again: the tracker has these shares now.');
    expect(writes()).toEqual(['3=33']);
    const again = await data<Rotation>('set_shares', given);
    expect(again.notices).toContain('Nothing was sent: the tracker already has these shares.');
    expect(writes()).toEqual([]);
  });

  it('has a notice if an undo cannot restore a share that the reports do not show', async () => {
    const { data, offers } = await startRotation();
    Object.assign(offers[0] ?? {}, { Share: '' });
    const { notices } = await data<Rotation>('set_shares', { ...rotation, dry_run: true });
    expect(notices).toContain('The share before is not known, so undo_change cannot restore it.');
  });

  it('that is repeated sends nothing', async () => {
    const { data, writes } = await startRotation();
    await data('set_shares', rotation);
    writes();
    const again = await data<Rotation>('set_shares', rotation);
    expect(writes()).toEqual([]);
    expect(again.notices.join(' ')).toContain('the tracker already has these shares');
  });

  it('asks the person one question', async () => {
    const { questions, person } = askedPerson();
    const { data, writes } = await startRotation({ policy: { confirm: true }, person });
    await data('set_shares', rotation);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatch(/3 “FitTrack” \(offer\): share 40 -> 10, 40% -> 10% of the traffic/);
    expect(questions[0]).toContain('5 “Yoga” (offer): share 20, 20% of the traffic');
    expect(writes()).toEqual(['4=70', '3=10']);
  });

  it('is undone with one question that shows the effect on the group', async () => {
    const { questions, person } = askedPerson();
    const { data, writes, offers } = await startRotation({ policy: { confirm: true }, person });
    const { change_id } = await data<Rotation>('set_shares', rotation);
    writes();
    const dry = await data<Rotation>('undo_change', { change_id, dry_run: true });
    expect(dry.notices.join('\n')).toContain('- 3 “FitTrack” (offer): share 10 -> 40, 10% -> 40% of the traffic');
    await data('undo_change', { change_id });
    expect(questions).toHaveLength(2);
    expect(questions[1]).toMatch(/share: 10 -> 40.*share: 70 -> 40/s);
    expect(questions[1]).toContain('5 “Yoga” (offer): share 20, 20% of the traffic');
    expect(writes()).toEqual(['3=40', '4=40']);
    expect(offers.map(({ Share }) => Share)).toEqual(['40', '40', '20', '50']);
  });

  it('sends nothing if the person declines', async () => {
    const { person } = askedPerson({ action: 'decline' });
    const { refusal, writes } = await startRotation({ policy: { confirm: true }, person });
    expect(await refusal('set_shares', rotation)).toContain('Nothing was changed');
    expect(writes()).toEqual([]);
  });

  it.each<[string, (offers: { Name: string; Share: string }[]) => void, string]>([
    [
      'changed a share',
      (offers) => Object.assign(offers.find(({ Name }) => Name === 'FitTrack') ?? {}, { Share: '90' }),
      'share was 40 in the question and is 90.',
    ],
    [
      'deleted a page',
      (offers) => offers.splice(0, 1),
      'share was 40 in the question and is not shown now. Somebody changed it',
    ],
  ])('sends nothing if somebody %s while the person was asked', async (_, change, said) => {
    const changed: (() => void)[] = [];
    const person = () => {
      for (const change of changed) change();
      return { action: 'accept', content: { agree: true } } as const;
    };
    const { refusal, writes, offers } = await startRotation({ policy: { confirm: true }, person });
    changed.push(() => change(offers));
    expect(await refusal('set_shares', rotation)).toContain(said);
    expect(writes()).toEqual([]);
  });

  it('warns if the tracker accepted the writes but shows different shares', async () => {
    const { data, tracker } = await startRotation();
    tracker.answer('campaign/editpage', '{"Status":"OK"}');
    const { notices } = await data<Rotation>('set_shares', rotation);
    expect(notices.join(' ')).toMatch(/does not show what was set: 3 “FitTrack” \(offer\) has 40/);
  });

  it('says which other pages the tracker moved to keep a sum of 100', async () => {
    const { data, tracker, keepPage, offers } = await startRotation();
    tracker.answer('campaign/editpage', (sent) => {
      for (const offer of offers) if (offer.Name === 'Yoga') offer.Share = '5';
      return keepPage(sent);
    });
    const { notices } = await data<Rotation>('set_shares', rotation);
    expect(notices[0]).toBe('Read again: the tracker has these shares now.');
    expect(notices[1]).toMatch(/other shares than before, .*: 5 “Yoga” \(offer\) has 5 instead of 20\.$/);
  });
});

describe('a rotation that stops in the middle', () => {
  const rotation = { campaign_id: 1, shares: [...shares, { page_id: 5, share: 0 }] };

  it('reports its progress and how to continue or go back; the same call continues', async () => {
    let refusals = 1;
    const { refusal, data, writes } = await startRotation({}, ({ pageid }) => pageid === '5' && refusals-- > 0);
    const message = await refusal('set_shares', rotation);
    expect(message).toMatch(
      /stopped at page 5 to 0: .*Try later.*Done: page 4 to 70\. Not sent: page 3 to 10\..*\nIt is change [\da-f]{12}: list_changes shows it\.$/s,
    );
    expect(message).toMatch(/call set_shares again .* undo_change with change_id [\da-f]{12}/s);
    expect(writes()).toEqual(['4=70', '5=0']);
    await data('set_shares', rotation);
    expect(writes()).toEqual(['5=0', '3=10']);
  });

  it('can be undone', async () => {
    const { refusal, data, writes, offers } = await startRotation(
      {},
      ({ pageid, share }) => pageid === '5' && share === '0',
    );
    const message = await refusal('set_shares', rotation);
    writes();
    await data('undo_change', { change_id: /change_id ([\da-f]{12})/.exec(message)?.[1] });
    expect(writes()).toEqual(['4=40']);
    expect(offers.map(({ Share }) => Share)).toEqual(['40', '40', '20', '50']);
  });
});

describe('a rotation is refused before anything is sent, with', () => {
  it.each<[why: string, given: Readonly<Record<string, unknown>>, message: RegExp]>([
    ['a page twice', { shares: [...shares, { page_id: 3, share: 5 }] }, /names page 3 twice/],
    ['a negative share', { shares: [{ page_id: 3, share: -1 }] }, /must be a whole number from 0 to 100/],
    ['a share with a fraction', { shares: [{ page_id: 3, share: 12.5 }] }, /must be a whole number from 0 to 100/],
    ['a share above 100', { shares: [{ page_id: 3, share: 101 }] }, /must be a whole number from 0 to 100/],
    ['pages of several groups', { shares: [...shares, { page_id: 6, share: 5 }] }, /of path 1; offers of path 2/],
    ['a page that is not there', { shares: [{ page_id: 9, share: 5 }] }, /no page 9 .*3 “FitTrack” \(offer\)/s],
    ['no shares', { shares: [] }, /shares/],
  ])('%s', async (_, given, message) => {
    const { refusal, writes } = await startRotation();
    expect(await refusal('set_shares', { campaign_id: 1, ...given })).toMatch(message);
    expect(writes()).toEqual([]);
  });

  it('a campaign that the limits exclude', async () => {
    const { refusal, writes } = await startRotation({ policy: { limits: { campaigns: [7] } } });
    expect(await refusal('set_shares', rotation)).toMatch(/^set_shares was refused, .*TRACKER_ALLOW_CAMPAIGNS/);
    expect(writes()).toEqual([]);
  });
});

describe('a rotation warns of', () => {
  const dryRun = async (pageIds: readonly number[], share: number) => {
    const { call } = await startRotation();
    const shares = pageIds.map((page_id) => ({ page_id, share }));
    return textOf(await call('set_shares', { campaign_id: 1, shares, dry_run: true }));
  };

  it.each<[what: string, switchedOff: readonly number[], message: RegExp]>([
    ['a page that gets everything', [3, 5], /4 “Home gym” \(offer\) gets all traffic/],
    ['pages that lose all traffic', [5], /No traffic any more: 5 “Yoga” \(offer\)/],
    ['a group without any traffic', [3, 4, 5], /No page of the offers of path 1 would get traffic/],
  ])('%s', async (_, pageIds, message) => {
    expect(await dryRun(pageIds, 0)).toMatch(message);
  });

  it('a page that is alone in its group, unless it gets no traffic itself', async () => {
    const text = 'alone among the offers of path 2: its share has no effect';
    expect(await dryRun([6], 7)).toContain(text);
    expect(await dryRun([6], 0)).not.toContain('has no effect');
  });
});

it('switching off the only page of a group does not say that its share has no effect', async () => {
  const { data } = await startRotation();
  const given = { campaign_id: 1, page_id: 6, active: false, dry_run: true };
  const { notices } = await data<Receipt>('edit_campaign_page', given);
  expect(notices.join()).toContain('No page of the offers of path 2 would get traffic');
  expect(notices.join()).not.toContain('has no effect');
});
