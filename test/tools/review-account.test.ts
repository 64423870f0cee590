import { describe, expect, it } from 'vitest';
import { Changes } from '../../src/guard/changes.ts';
import { Guard } from '../../src/guard/guard.ts';
import { listVisits, quiet, type Rates, simulateVisits, type Traits } from '../analysis/change/visits.ts';
import { connect, contextFor, textOf } from '../support/connect.ts';
import { startForeignTracker, writtenRows } from '../support/foreign-tracker.ts';

interface Reviewed {
  readonly as_of: string;
  readonly findings: readonly {
    kind: string;
    campaign_id: number;
    what: string;
    is_new: boolean;
    is_over?: true;
    next: object;
  }[];
  readonly looked: Readonly<Record<string, number>>;
  readonly not_judged: readonly { kinds: string[]; why: string; campaigns: number }[];
  readonly to_block?: readonly { campaign_id: number; dimension: string; values: string[] }[];
  readonly could_not_see: readonly string[];
  readonly notices: readonly string[];
}

const now = new Date('2026-11-16T00:00:00Z');
const usual = { ...quiet, visits: 500 };
const dead = { clickRate: ({ page }: { page: string }) => (page === 'Quiz' ? 0 : 0.3) };
const visitsOf = (id: number, trouble: object) =>
  listVisits(simulateVisits(trouble, id, usual, 13), String(id), now.getTime());
/** With a trouble from the fifth day on. */
const visitsAround = (trouble: object, first = 4) =>
  listVisits(simulateVisits(trouble, 1, usual, first), '1', now.getTime());
type ListedVisit = ReturnType<typeof listVisits>[number] & { readonly LandingPage?: string };
const visits = [...visitsOf(1, dead), ...visitsOf(2, {})];

/** Sales of a month, five a day, up to three days after their visits. */
const conversions = Array.from({ length: 31 * 5 }, (_, index) => {
  const dayText = (of: number) => new Date(Date.UTC(2026, 9, 16 + of)).toISOString().slice(0, 10);
  const day = Math.floor(index / 5);
  return {
    SubID: `a_1_${index}`,
    CampaignID: '1',
    Date: `${dayText(day)} 12:00:00`,
    VisitDate: `${dayText(day - ((index % 5) % 4))} 12:00:00`,
  };
});

/** Answers with the rows of the days that a request asks for. */
const listed =
  (rows: readonly (object & { readonly Date: string })[], maximum = 1e6) =>
  ({ start = '', end = '' }: Readonly<Record<string, string>>) => {
    const inSpan = rows.filter(({ Date: at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end);
    return { body: writtenRows(inSpan.slice(0, maximum)) };
  };

const tracker = await startForeignTracker({
  'campaign/list': '[{"ID":"1","Name":"Search"},{"ID":"2","Name":"Native"}]',
  conversions: JSON.stringify(conversions),
  visitorstats: listed(visits),
  'ts/list': '[{"ID":"5","Name":"Google Ads"},{"ID":"6","Name":"Taboola"}]',
});

const connected = () => connect({ url: tracker.url, now: () => now, timeoutMs: 30_000 });
const review = async () => (await connected()).data<Reviewed>('review_account');

it.each([
  ['compare_pages {"campaign_id":1,"kind":"offer"}', [1, 1]],
  ['get_breakdown {"campaign_id":1,"by":["offer"],"period":"last_14_days"}', [1, 2]],
])(
  'reports that a sale that decides the week is not by chance, and names a next call that can answer: %s',
  async (next, paths) => {
    const offer = paths.map((Path, index) => ({
      ...{ PageID: index + 1, Name: `Offer ${index}`, Path, Share: 50, Views: 300, Conversions: 9, Revenue: 90 },
    }));
    tracker.answer('stats', JSON.stringify({ offer }));

    const quietVisits = visitsOf(1, {});
    const sold = quietVisits.findIndex(({ Converted }) => Converted === '1');
    const largeSale = quietVisits.map((visit, index) => (index === sold ? { ...visit, Revenue: '9000.5' } : visit));
    tracker.answer('visitorstats', listed(largeSale));
    const { call } = await connected();
    const text = textOf(await call('review_account'));
    tracker.answer('visitorstats', listed(visits));
    expect(text).toMatch(/\n1 “Search”: one sale of 9,000\.50 decides [^;]*; not by chance\. Next: /);
    expect(text).toContain('\nDo not trust this figure:\n1 “Search”: one sale');
    expect(text).toContain('decides the last 7 days: without it their revenue is');
    expect(text).toContain(`Next: ${next}`);
    expect(text).toContain('\nIt could earn more: nothing sure.\n');
  },
);

it('names a finding with the next call, calls it new once, and reports how many late sales are in', async () => {
  const { data } = await connected();
  const first = await data<Reviewed>('review_account');
  expect(first.findings).toHaveLength(1);
  expect(first.findings[0]).toMatchObject({
    ...{ kind: 'page_without_clicks', campaign_id: 1, is_new: true },
    what: expect.stringMatching(/^“Search”: landing page Quiz: \d+ visits, 0 clicks in 24 hours/),
    next: { tool: 'get_breakdown', arguments: { campaign_id: 1 } },
    ...{ id: expect.stringMatching(/^\d{9}$/), group: 'costs', campaign: 'Search' },
    ...{ dimension: 'landing_page', value: 'Quiz', began: '2026-11-15 00:00' },
    changed: { figure: 'clicks', before: expect.any(Number), after: 0 },
  });
  expect(first.could_not_see).toEqual([]);
  expect(first.notices.find((notice) => notice.startsWith('Sales come late'))).toMatch(
    /2026-11-15 \d+% \(\d+ to \d+%\)/,
  );
  const second = await data<Reviewed>('review_account', { limit: 1 });
  expect(second.findings.map(({ is_new }) => is_new)).toEqual([false]);
});

it('names a page that is dead on one device alone, once, and a page that is dead on all without its devices', async () => {
  const onPhones = { clickRate: ({ page, device }: Traits) => (page === 'Quiz' && device === 'Phone' ? 0 : 0.3) };
  tracker.answer('visitorstats', listed([...visitsOf(1, onPhones), ...visitsOf(2, {})]));
  const { findings } = await review();
  tracker.answer('visitorstats', listed(visits));
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({
    kind: 'page_without_clicks',
    what: expect.stringMatching(/^“Search”: landing page Quiz on device Phone: \d+ visits, 0 clicks in 24 hours/),
    ...{ dimension: 'landing_page', value: 'Quiz', within: { device: 'Phone' } },
    next: { arguments: { by: ['landing_page', 'device'] } },
  });
  expect((await review()).findings.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^“Search”: landing page Quiz: \d+ visits/),
  ]);
});

it('names the system on which a page is clicked less, since when to the hour; the page where all who see it are, and the system where all who use it are', async () => {
  // A slow page is also behind the others, and they are better: what can be compared is read.
  tracker.answer('stats', '{"landing":[]}');
  const fallenIn = async (isSlow: (visit: Traits) => boolean) => {
    const slow = { clickRate: (visit: Traits) => (isSlow(visit) ? 0.1 : 0.3) };
    const rows = listVisits(simulateVisits(slow, 1, { ...usual, visits: 1000 }, 10), '1', now.getTime());
    tracker.answer('visitorstats', listed([...rows, ...visitsOf(2, {})]));
    const { findings } = await review();
    tracker.answer('visitorstats', listed(visits));
    return findings.filter(({ kind }) => kind === 'clicks_fell');
  };
  const [found, ...others] = await fallenIn(({ page, os }) => page === 'Quiz' && os === 'iOS');
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    ...{ dimension: 'landing_page', value: 'Quiz', within: { os: 'iOS' }, changed: { figure: 'clicks' } },
    what: expect.stringMatching(
      /^“Search”: landing page Quiz on os iOS: fewer of its visits click, and of others no fewer: \d+ clicks of/,
    ),
    began: expect.stringMatching(/^2026-11-1(1 2|2 0)/),
    next: { tool: 'get_breakdown', arguments: { by: ['landing_page', 'os'] } },
  });
  expect(await fallenIn(({ page }) => page === 'Quiz')).toMatchObject([{ dimension: 'landing_page', value: 'Quiz' }]);
  expect(await fallenIn(({ os }) => os === 'iOS')).toMatchObject([{ dimension: 'os', value: 'iOS' }]);
});

it('names a placement whose visits click less, and none where visits of all placements do', async () => {
  const fallenIn = async (isWorse: (visit: Traits) => boolean) => {
    const worse = { clickRate: (visit: Traits) => (isWorse(visit) ? 0.05 : 0.3) };
    const rows = listVisits(simulateVisits(worse, 1, { ...usual, visits: 1000 }, 11), '1', now.getTime());
    tracker.answer('visitorstats', listed([...rows, ...visitsOf(2, {})]));
    const { findings } = await review();
    tracker.answer('visitorstats', listed(visits));
    return findings.filter(({ kind }) => kind === 'clicks_fell');
  };
  expect(await fallenIn(({ keyword }) => keyword === 'site2')).toMatchObject([
    {
      ...{ dimension: 'keyword', value: 'site2', changed: { figure: 'clicks' } },
      what: expect.stringMatching(
        /^“Search”: .* site2: fewer of its visits click, and of others no fewer: \d+ clicks of/,
      ),
      began: expect.stringMatching(/^2026-11-1[23]/),
      next: {
        tool: 'get_breakdown',
        arguments: { by: ['keyword', 'day'], where: [{ column: 'keyword', op: '=', value: 'site2' }] },
      },
    },
  ]);
  expect(await fallenIn(() => true)).toEqual([]);
});

it('names an offer that stopped selling in one country, and a page that one system cannot click, each once', async () => {
  const trouble = {
    clickRate: ({ page, os }: Traits) => (page === 'Quiz' && os === 'Android' ? 0 : 0.3),
    saleRate: ({ country, offer }: Traits & { offer: string }) => (offer === 'Cash' && country === 'US' ? 0 : 0.2),
  };
  const large = { ...usual, visits: 2000, saleRate: () => 0.2 };
  const ill = listVisits(simulateVisits(trouble, 1, large, 11), '1', now.getTime());
  tracker.answer('visitorstats', listed([...ill, ...visitsOf(2, {})]));
  const { findings } = await review();
  tracker.answer('visitorstats', listed(visits));
  expect(findings).toHaveLength(2);
  expect(findings).toContainEqual(
    expect.objectContaining({
      ...{ kind: 'sales_stopped', dimension: 'offer', value: 'Cash', within: { country: 'US' } },
      what: expect.stringMatching(/^“Search”: offer Cash in country US: clicks go on, sales stopped/),
    }),
  );
  expect(findings).toContainEqual(
    expect.objectContaining({
      ...{ kind: 'page_without_clicks', dimension: 'landing_page', value: 'Quiz', within: { os: 'Android' } },
      what: expect.stringMatching(/landing page Quiz on os Android: \d+ visits, 0 clicks in 3 days/),
    }),
  );
});

/** With a trouble of three days in a large campaign, whose sales come at once. */
async function findingsIn(trouble: Partial<Rates>, rates: Partial<Rates> = {}) {
  const large = { ...usual, visits: 2000, saleRate: () => 0.2, ...rates };
  const ill = listVisits(simulateVisits(trouble, 1, large, 11), '1', now.getTime());
  tracker.answer('visitorstats', listed([...ill, ...visitsOf(2, {})]));
  tracker.answer('conversions', '[]');
  const { findings } = await review();
  tracker.answer('conversions', JSON.stringify(conversions));
  tracker.answer('visitorstats', listed(visits));
  return findings;
}

it.each<[string, object, Partial<Rates>]>([
  [
    'clicks_stopped',
    { dimension: 'device', value: 'Phone', within: { country: 'US' } },
    { clickRate: ({ device, country }) => (device === 'Phone' && country === 'US' ? 0 : 0.3) },
  ],
  ['clicks_stopped', { dimension: 'os', value: 'iOS' }, { clickRate: ({ os }) => (os === 'iOS' ? 0 : 0.3) }],
  ['sales_fell', { dimension: 'os', value: 'Android' }, { saleRate: ({ os }) => (os === 'Android' ? 0.05 : 0.2) }],
  ['sales_fell', { dimension: 'offer', value: 'Cash' }, { saleRate: ({ offer }) => (offer === 'Cash' ? 0.08 : 0.2) }],
  [
    'sales_stopped',
    { dimension: 'offer', value: 'Cash', within: { isp: 'Comcast' } },
    { saleRate: ({ offer, isp }) => (offer === 'Cash' && isp === 'Comcast' ? 0 : 0.2) },
  ],
  [
    'clicks_of_no_people',
    { dimension: 'isp', value: 'Amazon' },
    {
      clickRate: ({ isp }) => (isp === 'Amazon' ? 0.97 : 0.3),
      saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.2),
    },
  ],
  ['cost_rose', { dimension: 'country', value: 'US' }, { cost: ({ country }) => (country === 'US' ? 0.1 : 0.05) }],
  ['cost_rose', { dimension: 'isp', value: 'Comcast' }, { cost: ({ isp }) => (isp === 'Comcast' ? 0.12 : 0.05) }],
  [
    'cost_rose',
    { dimension: 'keyword', value: 'site0' },
    { cost: ({ keyword }) => (keyword === 'site0' ? 0.12 : 0.05) },
  ],
])('finds which part of the visits is in trouble, and tells it once: %s %o', async (kind, about, trouble) => {
  const findings = await findingsIn(trouble);
  const costs = findings.filter((finding) => 'group' in finding && finding.group === 'costs');
  expect(costs).toEqual([expect.objectContaining({ kind, campaign_id: 1, ...about })]);
});

it('tells what all of a campaign did of no part of its visitors: two offers that sell nothing, and a page that has no other', async () => {
  const told = async (trouble: Partial<Rates>, rates: Partial<Rates> = {}) =>
    (await findingsIn(trouble, rates)).map(
      (finding) => `${finding.kind} ${'value' in finding ? finding.value : 'campaign'}`,
    );
  const both = { saleRate: ({ offer }: { offer: string }) => (offer === 'Cash' ? 0.03 : 0) };
  expect((await told(both)).sort()).toEqual(['sales_stopped Cash', 'sales_stopped Gift']);
  expect(await told({ clickRate: () => 0.15 }, { pages: { Quiz: 1 } })).toEqual(['click_rate_fell campaign']);
});

it('names robots by the placement that can be blocked, not by the system that they have in common', async () => {
  const robots = visitsOf(1, {}).map((row, index) => {
    const isRobot = row['Keyword' as keyof typeof row] === 'site3' && row.Date > '2026-11-13';
    // Few people have that system, too.
    const seldom = index % 50 === 0 ? { ...row, OS: 'Linux' } : row;
    return isRobot ? { ...row, OS: 'Linux', Clicked: '1', Converted: '0', Revenue: '0' } : seldom;
  });
  tracker.answer('visitorstats', listed([...robots, ...visitsOf(2, {})]));
  const { findings, to_block } = await review();
  tracker.answer('visitorstats', listed(visits));
  expect(findings).toEqual([
    expect.objectContaining({ kind: 'clicks_of_no_people', dimension: 'keyword', value: 'site3' }),
  ]);
  expect(to_block).toEqual([{ campaign_id: 1, dimension: 'keyword', values: ['site3'] }]);
});

it.each<[string, (row: ListedVisit, index: number) => ListedVisit]>([
  ['cost_rose', (row) => ({ ...row, Cost: String(Number(row.Cost) * 1.5) })],
  [
    'changed_elsewhere',
    (row, index) => (row.LandingPage === 'Quiz' && index % 8 > 0 ? { ...row, LandingPage: 'Story' } : row),
  ],
])('says in which hour a step began, though it is found by days: %s', async (kind, change) => {
  const rows = visitsOf(1, {}).map((row, index) => (row.Date < '2026-11-11 14:00:00' ? row : change(row, index)));
  const stepped = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"Search"}]',
    conversions: '[]',
    visitorstats: listed(rows),
  });
  const { data } = await connect({ url: stepped.url, now: () => now, timeoutMs: 30_000 });
  const { findings } = await data<Reviewed>('review_account');
  const found = findings.filter((finding) => finding.kind === kind);
  expect(found).toEqual([expect.objectContaining({ began: expect.stringMatching(/^2026-11-11 1[345]:00$/) })]);
});

describe('shares that moved', () => {
  /** @param changedAt when this server changed something of the campaign */
  const reviewOf = async (trouble: object, changedAt?: Date) => {
    const sells = { ...quiet, saleRate: ({ page }: { page: string }) => (page === 'Quiz' ? 0.2 : 0.05) };
    const moved = await startForeignTracker({
      'campaign/list': '[{"ID":"1","Name":"Search"}]',
      conversions: '[]',
      visitorstats: listed(listVisits(simulateVisits(trouble, 1, sells, 9), '1', now.getTime())),
      'campaign/edit': '{"Status":"OK"}',
    });
    let clock = changedAt ?? now;
    const given = { url: moved.url, now: () => clock, timeoutMs: 30_000 };
    const changes = new Changes(undefined, undefined, given.now);
    const guard = new Guard({ readOnly: false, limits: {}, confirm: false }, undefined, changes);
    const { data } = await connect({ context: { ...contextFor(given), guard } });
    if (changedAt) await data('edit_campaign', { campaign_id: 1, priority: 2 });
    clock = now;
    interface Moved {
      readonly findings: readonly Readonly<{
        kind: string;
        value: string;
        what: string;
        money_a_day: number;
        next: unknown;
        changed: Readonly<Record<'earned_more_a_day' | 'low' | 'high', number>>;
      }>[];
    }
    const { findings } = await data<Moved>('review_account');
    const found = findings.find(({ kind }) => kind === 'changed_elsewhere');
    return found && { ...found, others: findings.filter((other) => other !== found && other.value === found.value) };
  };

  it('are told with what they cost a day, and its range', async () => {
    const found = await reviewOf({ pages: { Quiz: 10, Story: 45, Video: 45 } });
    // 30% of 1,200 visits click in 3 of 10 cases, and buy for 2.75 in 1 of 20 in place of 4.
    const cost = 0.3 * 1200 * 0.3 * 0.15 * 2.75;
    const { low = 0, high = 0, earned_more_a_day: more = 0 } = found?.changed ?? {};
    expect([low < -cost, high > -cost, high < 0]).toEqual([true, true, true]);
    expect(found?.money_a_day).toBe(-more);
    expect(found?.what).toMatch(/since then .* a day less was earned than by the old split \(90%: -.* to -.*\)/);
  });

  it('are not told where this server changed the campaign when they moved, and are where it did so later', async () => {
    const trouble = { pages: { Quiz: 10, Story: 45, Video: 45 } };
    expect(await reviewOf(trouble, new Date('2026-11-11T02:00:00Z'))).toBeUndefined();
    expect(await reviewOf(trouble, new Date('2026-11-15T20:00:00Z'))).toMatchObject({ value: 'Quiz' });
  });

  it('have their cost from the days before where a page has no visitors any more', async () => {
    const found = await reviewOf({ pages: { Story: 50, Video: 50 } });
    const cost = 0.4 * 1200 * 0.3 * 0.15 * 2.75;
    const { low = 0, high = 0 } = found?.changed ?? {};
    expect([low < -cost, high > -cost, high < 0]).toEqual([true, true, true]);
  });

  it('are one finding with the page that lost them and could earn more, and lead to the shares that are set', async () => {
    const found = await reviewOf({ pages: { Quiz: 4, Story: 48, Video: 48 } });
    expect(found).toMatchObject({ value: 'Quiz', next: { tool: 'compare_pages', arguments: { kind: 'landing' } } });
    expect(found?.others).toEqual([]);
  });
});

it('says not to trust the sales of an offer that count twice, since when, and how much they seem to bring', async () => {
  const twice = visitsAround({ countOf: (offer: string) => (offer === 'Cash' ? 2 : 1) }, 10);
  tracker.answer('visitorstats', listed([...twice, ...visitsOf(2, {})]));
  const { findings } = await review();
  tracker.answer('visitorstats', listed(visits));
  expect(findings).toMatchObject([
    {
      ...{ kind: 'sales_counted_twice', group: 'doubtful', campaign_id: 1, dimension: 'offer', value: 'Cash' },
      what: '“Search”: offer Cash: each sale counts as 2 conversions instead of 1: a pixel or postback may fire twice',
      ...{
        began: expect.stringMatching(/^2026-11-12 0/),
        changed: { figure: 'conversions_of_sale', before: 1, after: 2 },
      },
      ...{ money_a_day: expect.any(Number), next: { tool: 'list_conversions', arguments: { campaign_id: 1 } } },
    },
  ]);
});

it('names campaigns that lost, by chance or not, besides those of its findings', async () => {
  const losing = listVisits(simulateVisits({ cost: () => 0.115 }, 2, usual, 0), '2', now.getTime());
  tracker.answer('visitorstats', listed([...visitsOf(1, { cost: () => 0.3 }), ...losing]));
  const { findings, notices } = await review();
  tracker.answer('visitorstats', listed(visits));
  expect(findings).toMatchObject([{ kind: 'cost_rose', campaign_id: 1 }]);
  const lost = losing
    .filter(({ Date: at }) => at >= '2026-11-09')
    .reduce((sum, { Cost, Revenue }) => sum + Number(Cost) - Number(Revenue), 0);
  const [, told] =
    /^Lost in the last 7 days, by chance or not, and in no finding: 2 “Native” ([\d.]+)\.$/.exec(notices[0] ?? '') ??
    [];
  expect(Number(told)).toBeCloseTo(lost, 0);
});

it('says since when most of a page’s visitors cannot click, though a few others still did for days', async () => {
  const broken = visitsAround(
    {
      clickRate: ({ page, device, country }: Traits) =>
        page === 'Quiz' && device === 'Phone' ? Number(country === 'FR') * 0.15 : 0.3,
    },
    10,
  );
  tracker.answer('visitorstats', listed([...broken, ...visitsOf(2, {})]));
  const { findings } = await review();
  tracker.answer('visitorstats', listed(visits));
  expect(findings[0]).toMatchObject({
    ...{ campaign_id: 1, kind: 'page_without_clicks', dimension: 'landing_page', value: 'Quiz' },
    within: { device: 'Phone' },
    began: expect.stringMatching(/^2026-11-1(1 2[23]|2 0)/),
  });
});

it.each([
  ['to be blocked', 0, [{ campaign_id: 1, dimension: 'keyword', values: ['site0'] }]],
  ['not to be blocked where it earns more all the same', 0.9, undefined],
])('names the placement whose visits cost more, since when to the hour, %s', async (_, saleRate, blocked) => {
  const dear = visitsAround(
    {
      cost: ({ keyword }: Traits) => (keyword === 'site0' ? 0.25 : 0.05),
      saleRate: ({ keyword }: Traits) => (keyword === 'site0' ? saleRate : 0.12),
    },
    11,
  );
  tracker.answer('visitorstats', listed([...dear, ...visitsOf(2, {})]));
  const { findings, to_block } = await review();
  tracker.answer('visitorstats', listed(visits));
  expect(findings[0]).toMatchObject({
    ...{ kind: 'cost_rose', campaign_id: 1, dimension: 'keyword', value: 'site0' },
    what: expect.stringMatching(
      /^“Search”: keyword site0: a visit costs 0\.25 instead of 0\.0[45]\d*: \d+ visits in 3 days; visits a day \d+ before and \d+ since, profit a day -?[\d.]+ and -?[\d.]+$/,
    ),
    began: expect.stringMatching(/^2026-11-13 0/),
    changed: { figure: 'cost_a_visit', before: expect.closeTo(0.05), after: 0.25 },
  });
  expect(to_block).toEqual(blocked);
});

it('names the placement that carries the robots of a user agent, by its token, and lists it to be blocked', async () => {
  const people = visitsOf(1, {});
  const robots = people.filter(({ Date: at }, index) => at >= '2026-11-14' && index % 8 === 0);
  const isRobot = new Set(robots);
  const rows = people.map((visit, index) => ({
    ...visit,
    UserAgent: isRobot.has(visit) ? 'HeadlessChrome' : `Mozilla/${index % 5}`,
    AdValue: isRobot.has(visit) ? 'z7' : `z${index % 9}`,
    ...(isRobot.has(visit) ? { Clicked: '1', Converted: '0', Revenue: '0' } : {}),
  }));
  tracker.answer('campaign/list', '[{"ID":"1","Name":"Search","AdValueTokenName":"Feed"},{"ID":"2","Name":"Native"}]');
  tracker.answer('visitorstats', listed([...rows, ...visitsOf(2, {})]));
  const { findings, to_block } = await review();
  tracker.answer('visitorstats', listed(visits));
  tracker.answer('campaign/list', '[{"ID":"1","Name":"Search"},{"ID":"2","Name":"Native"}]');
  expect(findings.filter(({ kind }) => kind === 'clicks_of_no_people')).toMatchObject([
    {
      ...{ dimension: 'user_agent', value: 'HeadlessChrome', placement: { Feed: 'z7' } },
      what: expect.stringMatching(
        /^“Search”: user agent HeadlessChrome \(nearly all from Feed z7\): \d+ of \d+ visits click/,
      ),
      began: expect.stringMatching(/^2026-11-14/),
    },
  ]);
  expect(to_block).toContainEqual({ campaign_id: 1, dimension: 'Feed', values: ['z7'] });
});

it('has one finding for robots of a provider and of a user agent that are largely the same visits', async () => {
  const people = visitsOf(1, {});
  const robots = new Set(people.filter(({ Date: at }, index) => at >= '2026-11-14' && index % 8 === 0));
  const rows = people.map((visit, index) => ({
    ...visit,
    UserAgent: robots.has(visit) && index % 48 !== 0 ? 'HeadlessChrome' : `Mozilla/${index % 5}`,
    ISP: robots.has(visit) && index % 56 !== 0 ? 'Hosting Ltd' : visit.ISP,
    ...(robots.has(visit) ? { Clicked: '1', Converted: '0', Revenue: '0' } : {}),
  }));
  tracker.answer('visitorstats', listed([...rows, ...visitsOf(2, {})]));
  const { findings } = await review();
  tracker.answer('visitorstats', listed(visits));
  const found = findings.filter(({ kind }) => kind === 'clicks_of_no_people');
  expect(found).toHaveLength(1);
  expect(found[0]?.what).toMatch(/\(largely the same visits: (isp Hosting Ltd|user agent HeadlessChrome)\)/);
});

it('lists what can be blocked at the source, all of a token in one list, one value a line in the text', async () => {
  const burners = Object.fromEntries([101, 102, 103, 104, 105].map((zone) => [String(zone), 60]));
  const burning = visitsAround({
    keywords: { ...quiet.keywords, ...burners },
    cost: () => 0.05,
    saleRate: ({ keyword }: Traits) => (keyword in burners ? 0 : 0.2),
  });
  tracker.answer('visitorstats', listed([...burning, ...visitsOf(2, {})]));
  const { call } = await connected();
  const answer = await call('review_account');
  tracker.answer('visitorstats', listed(visits));
  const { findings, to_block } = answer.structuredContent as unknown as Reviewed;
  expect(findings.filter(({ kind }) => kind === 'burning_placement')).toHaveLength(3);
  expect(to_block).toHaveLength(1);
  expect(to_block?.[0]).toMatchObject({ campaign_id: 1, dimension: 'keyword' });
  expect(to_block?.[0]?.values.toSorted()).toEqual(Object.keys(burners));
  const [, pasted = ''] = textOf(answer).split('To block at the traffic source, campaign 1, keyword:\n');
  expect(pasted.split('\n').slice(0, 5).toSorted()).toEqual(Object.keys(burners));
});

it('says of what was so on all days that were looked at that it may be older', async () => {
  const burning = visitsAround({ saleRate: () => 0, cost: () => 0.2 }, 0);
  const weekBefore = burning.map(({ Date: at, ...visit }) => ({
    ...{
      Date: new Date(Date.parse(`${at.replace(' ', 'T')}Z`) - 7 * 86_400_000)
        .toISOString()
        .slice(0, 19)
        .replace('T', ' '),
    },
    ...visit,
  }));
  const sinceOf = async (rows: Parameters<typeof listed>[0]) => {
    tracker.answer('visitorstats', listed([...rows, ...visitsOf(2, {})]));
    const { findings } = await (await connected()).data<{ findings: { kind: string; since: string }[] }>(
      'review_account',
    );
    tracker.answer('visitorstats', listed(visits));
    return findings.find(({ kind }) => kind === 'loses_money')?.since;
  };
  expect(await sinceOf([...burning, ...weekBefore])).toBe('Sun 1 Nov or earlier');
  expect(await sinceOf(burning)).toBe('Mon 2 Nov 00:00');
});

it.each([
  ['Cost', 'losses and missing cost are not seen'],
  ['Clicked', 'pages without clicks and clicks of bots are not seen'],
])('reports the effect of a list without %s', async (column, effect) => {
  tracker.answer('visitorstats', listed(visits.map(({ [column as 'Cost']: _, ...visit }) => visit)));
  const { could_not_see: unseen } = await review();
  tracker.answer('visitorstats', listed(visits));
  expect(unseen.join(' ')).toContain(effect);
});

it.each([
  ['of single campaigns if the list of all is refused', { maximum: 1e6, refused: ['0', '2'] }],
  ['in parts if the list is cut off', { maximum: 400, refused: [] as string[] }],
])('learns how late sales come from conversions %s', async (_, { maximum, refused }) => {
  const many = Array.from({ length: 10 }, () => conversions).flat();
  const partIn = async (limit: number, no: readonly string[]) => {
    tracker.answer('conversions', (asked) => {
      if (no.includes(asked['camp'] ?? '')) return { status: 400, body: '{"Status":"Error","Message":"not here"}' };
      return listed(many, limit)(asked);
    });
    const { notices, could_not_see } = await review();
    expect(could_not_see).toEqual([]);
    return notices.flatMap((notice) => /2026-11-15 (\d+)%/.exec(notice)?.[1] ?? []).map(Number);
  };
  const [whole = 0] = await partIn(1e6, []);
  const [learned = 0] = await partIn(maximum, refused);
  expect(whole).toBeGreaterThan(0);
  expect(Math.abs(learned - whole)).toBeLessThan(8);
});

it('counts all sales as complete if the tracker does not show how late they come', async () => {
  tracker.answer('conversions', JSON.stringify(conversions.map(({ VisitDate: _, ...sale }) => sale)));
  const { notices, could_not_see } = await review();
  expect(notices).toContain(
    'The conversion list does not show how late sales come: the sales of the last days count as complete.',
  );
  expect(could_not_see).toEqual([]);
});

describe('a campaign of several', () => {
  const names = ['1', '2', '3'].map((ID) => ({ ID, Name: `C${ID}` }));
  /** @param maximum of the rows of a list of all campaigns */
  const reviewOne = async (own: readonly ListedVisit[], maximum: number) => {
    const asked: Readonly<Record<string, string>>[] = [];
    const all = [...own, ...visitsOf(2, {}), ...visitsOf(3, {})].sort((one, other) => (one.Date < other.Date ? 1 : -1));
    const several = await startForeignTracker({
      'campaign/list': JSON.stringify(names),
      conversions: '[]',
      visitorstats: (given) => {
        asked.push(given);
        const isAll = given['camp'] === '0';
        return listed(
          isAll ? all : all.filter((visit) => visit.CampaignID === given['camp']),
          isAll ? maximum : 1e6,
        )(given);
      },
    });
    const { data } = await connect({ url: several.url, now: () => now, timeoutMs: 30_000 });
    const { findings } = await data<Reviewed>('review_account', { campaign_ids: [1] });
    return { findings, others: asked.filter(({ camp }) => camp !== '1') };
  };

  it.each([1e6, 400])(
    'is read by itself, and of the others only the last days of their list: at most %d rows',
    async (maximum) => {
      const { findings, others } = await reviewOne(visitsOf(1, dead), maximum);
      expect(findings).toMatchObject([{ kind: 'page_without_clicks', campaign_id: 1 }]);
      expect(others.every(({ camp, start = '' }) => camp === '0' && start >= '2026-11-12')).toBe(true);
    },
  );

  it('is found to be dark, though it has no part of the last visits', async () => {
    const { findings } = await reviewOne(
      listVisits(simulateVisits({ visits: 0 }, 1, usual, 10), '1', now.getTime()),
      1e6,
    );
    expect(findings).toMatchObject([{ kind: 'campaign_dark', campaign_id: 1 }]);
  });
});

describe('the arguments', () => {
  const ofSources =
    '[{"ID":"1","Name":"Search","TrafficSource":"Google Ads"},{"ID":"2","Name":"Native","TrafficSource":"Taboola"}]';
  const asked = async (given: Readonly<Record<string, unknown>>) => {
    tracker.answer('campaign/list', ofSources);
    tracker.answer('visitorstats', listed([...visitsOf(1, dead), ...visitsOf(2, dead)]));
    const { data, refusal } = await connected();
    const answer = {
      data: () => data<Reviewed>('review_account', given),
      refusal: () => refusal('review_account', given),
    };
    return answer;
  };
  const campaignsIn = async (given: Readonly<Record<string, unknown>>) =>
    (await (await asked(given)).data()).findings.map((one) => one.campaign_id);

  it.each([
    [{}, [1, 2]],
    [{ campaign_ids: ['Native'] }, [2]],
    [{ traffic_source: 'google ads' }, [1]],
    [{ traffic_source: 'tab' }, [2]],
    [{ traffic_source: '6' }, [2]],
  ])('choose campaigns: %o', async (given, expected) => {
    expect((await campaignsIn(given)).toSorted()).toEqual(expected);
  });

  it('count the late sales of the chosen campaigns alone', async () => {
    tracker.answer('conversions', JSON.stringify(conversions));
    const lateIn = async (given: object) =>
      (await (await asked({ ...given })).data()).notices.filter((notice) => notice.startsWith('Sales come late'));
    expect(await lateIn({ campaign_ids: ['Search'] })).toHaveLength(1);
    expect(await lateIn({ campaign_ids: ['Native'] })).toEqual([]);
  });

  it('name a campaign that is inactive now, which is said', async () => {
    const inactiveIn = async (given: object) => {
      const answer = await asked({ ...given });
      tracker.answer('campaign/list', ofSources.replace('"Native"', '"Native","Inactive":"1"'));
      return (await answer.data()).notices.filter((notice) => notice.startsWith('Inactive now'));
    };
    expect(await inactiveIn({ campaign_ids: ['Native'] })).toEqual([
      'Inactive now, so that no visits are no trouble: 2 “Native”. Findings are of the days before.',
    ]);
    expect(await inactiveIn({ campaign_ids: ['Search'] })).toEqual([]);
    expect(await inactiveIn({})).toEqual([]);
  });

  it.each([
    [{ traffic_source: 'Outbrain' }, /No traffic source has “Outbrain” in its name\..*“Google Ads”, “Taboola”/],
    [{ traffic_source: 'a' }, /Several traffic sources have “a” in its name/],
    [{ traffic_source: 'Taboola', campaign_ids: [1] }, /None of these campaigns has that traffic source/],
    [{ campaign_ids: [7] }, /no campaign 7/],
    [{ period: 'today', end_date: '2026-11-15' }, /period cannot be combined/],
    [{ start_date: '2026-01-01' }, /looks back 92 days at most/],
    [{ start_date: '2026-12-01' }, /in the future/],
  ])('are refused with what to do: %o', async (given, why) => {
    expect(await (await asked(given)).refusal()).toMatch(why);
  });

  it('name days: as of the end of the last one, and what was found in them and is over by then', async () => {
    // Of so few visits some show trouble by chance: these show none.
    const calm: ListedVisit[] = listVisits(simulateVisits({}, 3, usual, 13), '1', now.getTime());
    // On one day of the past, and not on the days after it.
    const brokenOn = (day: string) =>
      calm.map((visit) =>
        visit.Date.startsWith(day) && visit.LandingPage === 'Quiz'
          ? { ...visit, Clicked: '0', Converted: '0', Revenue: '0' }
          : visit,
      );
    const found = async (given: Readonly<Record<string, unknown>>) => {
      tracker.answer('visitorstats', listed([...brokenOn('2026-11-12'), ...visitsOf(2, {})]));
      const { as_of, findings } = await (await connected()).data<Reviewed>('review_account', given);
      return [as_of, ...findings.map(({ kind, campaign_id, is_over }) => [kind, campaign_id, is_over])];
    };
    const page = ['page_without_clicks', 1];
    expect(await found({})).toEqual(['2026-11-16 00:00']);
    expect(await found({ end_date: '2026-11-12' })).toEqual(['2026-11-13 00:00', [...page, undefined]]);
    expect(await found({ start_date: '2026-11-10', end_date: '2026-11-14' })).toEqual([
      '2026-11-15 00:00',
      [...page, true],
    ]);
    tracker.answer('campaign/list', '[{"ID":"1","Name":"Search"},{"ID":"2","Name":"Native"}]');
    tracker.answer('visitorstats', listed(visits));
  });
});

it('says what it looked at, and what it could not look for and why, when it finds nothing', async () => {
  const few = visitsOf(2, {}).slice(0, 300);
  const silent = visitsAround({ clickRate: () => 0, cost: () => 0 }, 0);
  const silence = async (rows: typeof visits) => {
    tracker.answer('visitorstats', (asked) =>
      listed(rows.filter(({ CampaignID }) => ['0', CampaignID].includes(asked['camp'] ?? '')))(asked),
    );
    return (await connected()).data<Reviewed>('review_account');
  };
  const withoutClicks = await silence(silent);
  expect(withoutClicks.findings).toEqual([]);
  expect(withoutClicks.looked).toMatchObject({ campaigns: 2, campaigns_without_visits: 1, visits: silent.length });
  const lacking = (why: string) => withoutClicks.not_judged.find((one) => one.why === why);
  expect(lacking('no_clicks')).toMatchObject({
    campaigns: 1,
    kinds: expect.arrayContaining(['page_without_clicks', 'daily_cap']),
  });
  expect(lacking('no_cost')).toMatchObject({ campaigns: 1, kinds: expect.arrayContaining(['loses_money']) });
  expect(lacking('no_sales')).toMatchObject({ campaigns: 1, kinds: expect.arrayContaining(['payout_fell']) });
  expect(withoutClicks.not_judged.flatMap(({ kinds }) => kinds)).not.toContain('campaign_dark');
  expect(withoutClicks.notices.join('\n')).toMatch(/Not looked for: .*page without clicks[^(]* \(no clicks\)/);
  const small = await silence([...visitsOf(1, {}), ...few]);
  expect(small.not_judged.find(({ kinds }) => kinds.includes('campaign_dark'))).toMatchObject({
    ...{ why: 'too_few_days', campaigns: 1 },
  });
  expect(small.notices.join('\n')).toMatch(
    /^Not looked for, in so many of 2 campaigns: .*campaign dark 1[^(]* \(too few days\)/m,
  );
  tracker.answer('visitorstats', listed(visits));
});

it('says that sales may have stopped unseen in a campaign of which it could judge one placement alone', async () => {
  const rates = { ...quiet, visits: 45, keywords: { sports: 8, news: 2 }, saleRate: () => 0.09 };
  tracker.answer('visitorstats', listed(listVisits(simulateVisits({}, 1, rates), '1', now.getTime())));
  tracker.answer('conversions', '[]');
  const { not_judged: notJudged } = await review();
  expect(notJudged.find(({ kinds }) => kinds.includes('sales_stopped'))).toMatchObject({ why: 'too_few_visits' });
  tracker.answer('conversions', JSON.stringify(conversions));
  tracker.answer('visitorstats', listed(visits));
});
