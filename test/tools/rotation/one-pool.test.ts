import { describe, expect, it } from 'vitest';
import { apiKey, startTracker } from '../../sandbox/support/tracker.ts';
import type { Rotation } from '../../support/answers.ts';
import { connect, textOf } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

/** How the visitors of campaigns of one type come: so many by a landing page, and so many straight to an offer. */
const stories = {
  landing: { byLanding: 120, direct: 0, share: 50 },
  direct: { byLanding: 0, direct: 120, share: 0 },
  both: { byLanding: 60, direct: 60, share: 50 },
  few: { byLanding: 20, direct: 0, share: 50 },
  none: { byLanding: 0, direct: 0, share: 50 },
  changed: { byLanding: 120, direct: 0, share: 50 },
  mixed: { byLanding: 60, direct: 60, share: 50 },
} as const;

type Story = keyof typeof stories;
const idOf = (story: Story) => Object.keys(stories).indexOf(story) + 1;

/** A landing page and two offers with share 25 each. */
function campaignOf(story: Story): string[] {
  const id = idOf(story);
  const { byLanding, direct, share } = stories[story];
  const page = (of: number, kind: string, name: string, weight: number) =>
    `(${id * 10 + of}, ${id}, ${of}, '${kind}', NULL, '${name}', 'https://x.example/${of}', true, ${weight}, 1, 1, NULL, 20)`;
  const rows = `(SELECT ${id * 1000} + number AS click, number, TIMESTAMPTZ '2026-06-10 08:00:00+00' + number * INTERVAL 1 MINUTE AS moment FROM range(${byLanding + direct}) numbers(number))`;
  const offer = `${id * 10} + 2 + number % 2`;
  return [
    `INSERT INTO campaigns VALUES (${id}, '${story}', 'Direct Link and Landing Page', '${'0'.repeat(32)}', 1, true, 0, 0.1, 0, true, true)`,
    `INSERT INTO campaign_pages VALUES ${[page(1, 'landing', 'Quiz', share), page(2, 'offer', 'FitTrack', 25), page(3, 'offer', 'Yoga', 25)].join(', ')}`,
    `INSERT INTO visits (click_id, subid, campaign_id, "at", path, cost) SELECT click, 'a_' || click, ${id}, moment, 1, 0.1 FROM ${rows}`,
    `INSERT INTO steps SELECT click, ${id}, moment, ${id * 10 + 1}, NULL FROM ${rows} WHERE number < ${byLanding}`,
    `INSERT INTO steps SELECT click, ${id}, moment + INTERVAL 1 SECOND, ${offer}, if(number < ${byLanding}, ${id * 10 + 1}, NULL) FROM ${rows}`,
  ];
}

const now = () => new Date('2026-06-12T12:00:00Z');
const fixture = [`SET TimeZone = 'UTC'`, ...Object.keys(stories).flatMap((story) => campaignOf(story as Story))];
const tracker = await startTracker(fixture, { now });
const { data, call, refusal } = await connect({ url: tracker.url, apiKey, now });

async function sharesIn(story: Story) {
  const { Reports = {} } = await tracker.ask('stats', { camp: idOf(story), report: 'landing,offer' });
  const pages = [...(Reports['landing'] ?? []), ...(Reports['offer'] ?? [])];
  return pages.map((page) => [page['PageID'], Number(page['Share'])]);
}

const eighty = (story: Story) => ({ campaign_id: idOf(story), shares: [{ page_id: 2, percent: 80 }] });
const dryRun = (story: Story) => data<Rotation>('set_shares', { ...eighty(story), dry_run: true });

describe('percent in a campaign of direct links and landing pages', () => {
  it('is of the offers alone if all visitors come by landing pages, and sends nothing to those', async () => {
    const { groups, notices } = await dryRun('landing');
    expect(groups.map(({ group }) => group)).toEqual(['offers']);
    expect(groups[0]?.pages).toMatchObject([
      { page_id: '2', percent_before: 50, percent_after: 80 },
      { page_id: '3', percent_before: 50, percent_after: 20 },
    ]);
    expect(notices.join(' ')).not.toContain('pool');
    await data('set_shares', { ...eighty('changed') });
    const [landing, first, second] = await sharesIn('changed');
    expect(landing).toEqual(['1', 50]);
    expect(Number(first?.[1]) / Number(second?.[1])).toBe(4);
  });

  it('is of all pages if some come straight to offers', async () => {
    const { groups, notices } = await dryRun('both');
    expect(groups.map(({ group }) => group)).toEqual(['landing pages and offers']);
    expect(groups[0]?.pages).toMatchObject([
      { page_id: '1', percent_before: 50, percent_after: 13.3 },
      { page_id: '2', percent_before: 25, percent_after: 80 },
      { page_id: '3', percent_before: 25, percent_after: 6.7 },
    ]);
    expect(notices.join(' ')).toContain('share one pool');
  });

  it('is of all pages if all come straight to offers', async () => {
    const { groups } = await dryRun('direct');
    expect(groups[0]?.pages).toMatchObject([
      { page_id: '1', percent_before: 0, percent_after: 0 },
      { page_id: '2', percent_before: 50, percent_after: 80 },
      { page_id: '3', percent_before: 50, percent_after: 20 },
    ]);
  });

  it('takes no landing page out of the rotation unless it is named', async () => {
    const all = { campaign_id: idOf('mixed'), shares: [{ page_id: 2, percent: 100 }] };
    expect(await refusal('set_shares', all)).toMatch(/no landing page would get traffic.*percent 0/s);
    expect(await sharesIn('mixed')).toEqual([
      ['1', 50],
      ['2', 25],
      ['3', 25],
    ]);
    const landing = { campaign_id: idOf('mixed'), shares: [{ page_id: 1, percent: 100 }] };
    expect(await refusal('set_shares', landing)).toContain('no offer would get traffic');
    const named = { ...all, shares: [...all.shares, { page_id: 1, percent: 0 }] };
    expect((await data<Rotation>('set_shares', { ...named, dry_run: true })).groups[0]?.pages[0]).toMatchObject({
      ...{ page_id: '1', share_after: 0 },
    });
  });

  it.each(['few', 'none'] as const)('is refused while visits do not show how visitors come: %s', async (story) => {
    expect(await refusal('set_shares', eighty(story))).toMatch(
      /whether landing pages and offers compete .* too few visits.*Give share/s,
    );
  });
});

describe('a share whose part of the traffic is not known', () => {
  it('is set, and nobody is told a part', async () => {
    const shares = [{ page_id: 2, share: 60 }];
    const given = { campaign_id: idOf('none'), shares, dry_run: true };
    const { groups, notices } = await data<Rotation>('set_shares', given);
    expect(groups[0]?.pages[0]).toMatchObject({
      page_id: '2',
      share_after: 60,
      percent_before: null,
      percent_after: null,
    });
    expect(notices.join(' ')).toContain('The effect on traffic is not known');
    const write = { tool: 'edit_campaign_page', arguments: { campaign_id: idOf('none'), page_id: 2, share: 60 } };
    const text = textOf(await call('make_changes', { writes: [write], dry_run: true }));
    expect(text).toContain('The effect on traffic is not known');
    expect(text).not.toMatch(/\d% of the traffic/);
  });
});

it('an overview says the part of the traffic that a page gets of those it competes with', async () => {
  const { tables, notices } = await data<{
    tables: readonly { columns: readonly string[]; rows: readonly (readonly unknown[])[] }[];
    notices: readonly string[];
  }>('get_overview', { by: 'page', campaign_ids: [idOf('landing'), idOf('both'), idOf('few')] });
  const [{ columns, rows } = { columns: [], rows: [] }] = tables;
  const partOf = (campaign: Story, page: string) =>
    rows.find((row) => row.includes(campaign) && row.includes(page))?.[columns.indexOf('Traffic %')];
  expect(partOf('landing', 'FitTrack')).toBe(50);
  expect(partOf('landing', 'Quiz')).toBe(100);
  expect(partOf('both', 'FitTrack')).toBe(25);
  expect(partOf('few', 'FitTrack')).toBeNull();
  expect(notices.join(' ')).toMatch(/The pages of 4 “few” have no Traffic %: .*compete/);
});

it('visitors that cannot be read are told as the reason', async () => {
  const campaign = { ID: '1', Name: 'Search', Type: 'Direct Link and Landing Page' };
  const page = { Share: '50', Inactive: '0', Views: '10', Conversions: '1', Revenue: '1' };
  const foreign = await startForeignTracker({
    'campaign/list': JSON.stringify([campaign]),
    stats: JSON.stringify({ Reports: { landing: [{ PageID: '1', ...page }], offer: [{ PageID: '2', ...page }] } }),
    visitorstats: '{"Status":"Error","Message":"Not in your plan"}',
  });
  const connected = await connect({ url: foreign.url });
  const given = { campaign_id: 1, shares: [{ page_id: 2, percent: 80 }] };
  expect(await connected.refusal('set_shares', given)).toContain('Not in your plan');
  const asked = foreign.taken().filter(({ path }) => path === '/api/visitorstats/');
  expect(asked.map(({ sent }) => sent['rec'])).toEqual(['500']);
});
