import { afterAll, describe, expect, test } from 'vitest';
import { setup } from '../support/fixture.ts';
import { startTracker } from '../support/tracker.ts';

const tracker = await startTracker(setup);
afterAll(() => tracker.close());

const url = 'https://new.example.com/page';

async function landingPage(id: string | number | undefined) {
  return (await tracker.stored(`SELECT name, url, active, notes FROM landing_pages WHERE id = ${id}`))[0];
}

async function offer(id: string | number | undefined) {
  return (await tracker.stored(`SELECT name, url, active, source, payout, notes FROM offers WHERE id = ${id}`))[0];
}

describe('adding', () => {
  test('a landing page returns its ID; it is active, without notes, and in no campaign', async () => {
    const before = await tracker.stored('SELECT count(*) AS pages FROM campaign_pages');
    const reply = await tracker.ask('lp/add', { name: 'New', url });
    expect(reply).toEqual({ Status: 'OK', ID: '3' });
    expect(await landingPage(3)).toEqual({ name: 'New', url, active: true, notes: '' });
    expect(await tracker.stored('SELECT count(*) AS pages FROM campaign_pages')).toEqual(before);
  });

  test('twice adds two', async () => {
    const first = await tracker.ask('offer/add', { name: 'Same', url });
    const second = await tracker.ask('offer/add', { name: 'Same', url });
    expect(Number(second.ID)).toBe(Number(first.ID) + 1);
  });

  test('an offer keeps every field', async () => {
    const form = { name: 'Full', url, inactive: 1, source: 'Summit & Co', payout: '12.345678', notes: 'a\nb' };
    const { ID } = await tracker.ask('offer/add', form);
    const { inactive: _, ...kept } = form;
    expect(await offer(ID)).toEqual({ ...kept, active: false });
  });

  test('an offer without source and payout has none, and is active', async () => {
    const { ID } = await tracker.ask('offer/add', { name: 'Plain', url, inactive: 0 });
    expect(await offer(ID)).toMatchObject({ active: true, source: null, payout: '0.000000' });
  });

  test('several at the same time gives each its own ID', async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => tracker.ask('lp/add', { name: `Page ${index}`, url })),
    );
    expect(new Set(replies.map(({ ID }) => ID)).size).toBe(12);
  });
});

describe('editing', () => {
  test('changes only the given fields', async () => {
    expect(await tracker.ask('lp/edit', { id: 1, name: 'Quiz 2' })).toEqual({ Status: 'OK', ID: '1' });
    expect(await landingPage(1)).toMatchObject({ name: 'Quiz 2', url: 'https://lp.example.com/quiz', notes: 'first' });
    await tracker.ask('lp/edit', { id: 1, inactive: 1 });
    expect(await landingPage(1)).toMatchObject({ name: 'Quiz 2', active: false });
    await tracker.ask('lp/edit', { id: 1, inactive: 0, url });
    expect(await landingPage(1)).toMatchObject({ active: true, url });
  });

  test('clears the notes with an empty text', async () => {
    await tracker.ask('lp/edit', { id: 1, notes: '' });
    expect(await landingPage(1)).toMatchObject({ notes: '' });
  });

  test('an offer sets source and payout, also to 0', async () => {
    const reply = await tracker.ask('offer/edit', { id: 1, source: 'Summit & Co', payout: 0 });
    expect(reply).toEqual({ Status: 'OK', ID: '1' });
    expect(await offer(1)).toMatchObject({ name: 'Gym', source: 'Summit & Co', payout: '0.000000' });
  });

  test('does not change the pages in campaigns', async () => {
    await tracker.ask('offer/edit', { id: 1, name: 'Renamed', inactive: 1 });
    expect(await tracker.stored('SELECT name, active FROM campaign_pages WHERE id = 104')).toEqual([
      { name: 'Gym', active: true },
    ]);
  });
});

describe('a refused request changes nothing', () => {
  const everything = () =>
    tracker.stored(
      'SELECT list(page ORDER BY page)::VARCHAR || (SELECT list(offer ORDER BY offer)::VARCHAR FROM offers AS offer) AS everything FROM landing_pages AS page',
    );

  test.each([
    ['lp/add', { url }, 'required parameter name is missing'],
    ['lp/add', { name: '', url }, 'required parameter name is missing'],
    ['lp/add', { name: 'New' }, 'required parameter url is missing'],
    ['lp/add', { name: ' ', url }, 'name must not be empty'],
    [
      'lp/add',
      { name: 'New', url: 'ftp://lp.example.com/' },
      'url must be a complete URL that starts with http:// or https://',
    ],
    ['lp/add', { name: 'New', url: 'lp.example.com' }, 'url must be a complete URL'],
    ['lp/add', { name: 'New', url: 'https://' }, 'url must be a complete URL'],
    ['lp/add', { name: 'New', url, inactive: 2 }, 'inactive must be 0 or 1'],
    ['lp/add', { name: 'New', url, inactive: 'true' }, 'inactive must be'],
    ['lp/edit', { id: 1 }, 'This changes nothing. Give at least one of name, url, inactive or notes.'],
    ['lp/edit', { id: 1, name: '' }, 'This changes nothing'],
    ['lp/edit', { name: 'New' }, 'required parameter id is missing'],
    ['lp/edit', { id: 99, name: 'New' }, 'There is no landing page with ID 99.'],
    ['lp/edit', { id: 4_294_967_295, name: 'New' }, 'There is no landing page with ID 4294967295.'],
    ['lp/edit', { id: '1 OR 1=1', name: 'New' }, 'id must be a whole number from 1'],
    ['lp/edit', { id: 0, name: 'New' }, 'id must be a whole number from 1'],
    ['lp/edit', { id: '1.5', name: 'New' }, 'id must be a whole number from 1'],
    ['lp/edit', { id: 1, url: 'javascript:alert(1)' }, 'url must be a complete URL'],
    [
      'offer/add',
      { name: 'New', url, source: 'Nobody' },
      'source "Nobody" is not an offer source of this tracker. Configured are Harbor and Summit & Co.',
    ],
    ['offer/add', { name: 'New', url, source: 'harbor' }, 'is not an offer source'],
    ['offer/add', { name: 'New', url, payout: -1 }, 'payout must be a number from 0'],
    ['offer/add', { name: 'New', url, payout: '1,5' }, 'payout must be a number from 0'],
    ['offer/add', { name: 'New', url, payout: '1e3' }, 'payout must be a number from 0'],
    ['offer/edit', { id: 1 }, 'Give at least one of name, url, inactive, source, payout or notes.'],
    ['offer/edit', { id: 99, payout: 1 }, 'There is no offer with ID 99.'],
    ['offer/edit', { id: 1, source: 'Nobody' }, 'is not an offer source'],
  ])('%s %j', async (path, form, message) => {
    const before = await everything();
    expect(await tracker.refusal(path, form)).toContain(message);
    expect(await everything()).toEqual(before);
  });
});
