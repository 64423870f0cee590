import { describe, expect, it } from 'vitest';
import { sayProfitChange } from '../../src/answer/profit-change.ts';
import { days, quiet, type Rates, type SpanVisit, simulateVisits } from '../analysis/change/visits.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

interface Explanation {
  readonly query: Record<string, unknown>;
  readonly summary: string;
  readonly change: number;
  readonly usual_change: number;
  readonly before: Record<string, number>;
  readonly after: Record<string, number>;
  readonly factors: readonly { factor: string; before: number; after: number; effect: number }[];
  readonly causes: readonly {
    what: string;
    where: object;
    placement?: object;
    change: number;
    carried: number;
    a_day?: number;
    since: string | null;
    is_sure: boolean;
  }[];
  readonly other_visits: number;
  readonly values: { rows: readonly (string | number)[][] };
  readonly notices: readonly string[];
}

const columns = ['LandingPage', 'Offer', 'Country', 'Device', 'OS', 'Keyword', 'ISP', 'Hour', 'Path'];

type Row = Readonly<Record<string, unknown>>;
type Dated = { readonly Date: string };

const latestFirst = (left: Dated, right: Dated) => (left.Date < right.Date ? 1 : -1);
const inSpan = (start: string, end: string) => (row: Dated) =>
  row.Date.slice(0, 10) >= start && row.Date.slice(0, 10) <= end;

interface Wire {
  readonly conversions?: readonly object[];
  /** Max rows of one answer. */
  readonly maximum?: number;
  readonly write?: (row: Row) => Row;
  readonly edit?: (visit: SpanVisit, index: number) => SpanVisit;
  /** The names of its tokens, as columns of the campaign list. */
  readonly tokens?: Row;
}

/** A tracker with the visits of 14 days in November, the latest first. */
async function startTracker(
  trouble: Partial<Rates>,
  { conversions = [], maximum = 1e6, write = (row) => row, edit = (visit) => visit, tokens = {} }: Wire = {},
) {
  const visits = simulateVisits(trouble, 1)
    .rows.map(edit)
    .map(({ day, values, clicks, conversions, cost, revenue }) => {
      const [page, offer, country, device, os, keyword, isp, hour, path] = values;
      return {
        Date: `${day} ${hour ?? ''}:30:00`,
        SubID: 'a_1_2',
        CampaignID: '1',
        Browser: 'Chrome',
        LandingPage: page ?? '',
        Offer: offer ?? '',
        Country: country ?? '',
        Device: device ?? '',
        OS: os ?? '',
        Keyword: keyword ?? '',
        ISP: isp ?? '',
        Path: path ?? '',
        Clicked: clicks,
        Converted: conversions,
        Cost: cost,
        Revenue: revenue,
      };
    })
    .sort(latestFirst);
  const asked: string[] = [];
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([{ ID: '1', Name: 'Search', ...tokens }]),
    conversions: JSON.stringify(conversions),
    visitorstats: ({ start = '', end = '' }) => {
      asked.push(`${start} ${end}`);
      return { body: JSON.stringify(visits.filter(inSpan(start, end)).slice(0, maximum).map(write)) };
    },
  });
  return { url: tracker.url, asked };
}

const monday = new Date('2026-11-16T10:00:00Z');

/** The timeout leaves time for a busy machine. */
const connectTo = (url: string, now = monday) => connect({ url, now: () => now, timeoutMs: 30_000 });

/** Explains the change in campaign 1 of a tracker. */
async function explain(trouble: Partial<Rates>, wire: Wire = {}, given: object = {}, now = monday) {
  const { url } = await startTracker(trouble, wire);
  return (await connectTo(url, now)).data<Explanation>('explain_change', { campaign_id: 1, ...given });
}

async function refusal(wire: Wire, given: object = {}) {
  const { url } = await startTracker({}, wire);
  return (await connectTo(url)).refusal('explain_change', { campaign_id: 1, ...given });
}

const sum = (numbers: readonly number[]) => Math.round(numbers.reduce((all, number) => all + number, 0) * 100) / 100;

const deadPage: Partial<Rates> = { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) };

describe('explain_change', () => {
  it('names the cause and its day in one sentence, and all parts add up to the cent', async () => {
    const { url, asked } = await startTracker(deadPage);
    const { data } = await connectTo(url);
    const found = await data<Explanation>('explain_change', { campaign_id: 1 });
    expect(found.summary).toMatch(
      /^Profit of Mon 9 Nov to Sun 15 Nov fell by [\d.]+ against Mon 2 Nov to Sun 8 Nov \(-?[\d.]+ to -?[\d.]+\): -[\d.]+ because landing page Quiz .* since Wed 11 Nov/,
    );
    expect(found.summary).toMatch(
      /from everything else, which .*Normal variation is up to [\d.,]+ either way \(19 times in 20\): this is more\.$/,
    );
    expect(found.causes[0]).toMatchObject({ since: '2026-11-11', is_sure: true });
    expect(sum(found.factors.map(({ effect }) => effect))).toBe(found.change);
    expect(sum([...found.causes.map(({ change }) => change), found.other_visits])).toBe(found.change);
    expect(sum([found.after['profit'] ?? 0, -(found.before['profit'] ?? 0)])).toBe(found.change);
    for (const { revenue = 0, cost = 0, profit } of [found.before, found.after])
      expect(sum([revenue, -cost])).toBe(profit);
    expect(found.factors[0]).toMatchObject({ before: found.before['views'], after: found.after['views'] });
    expect(Math.abs(found.change)).toBeGreaterThan(found.usual_change);
    // The second request proves that the first list is whole.
    expect(asked.slice(0, 2)).toEqual(['2026-11-02 2026-11-15', '2026-11-02 2026-11-02']);
  });

  it.each([0.0004, 0.0007, 0.0021])(
    'shows the difference of the two profits shown, as get_overview does: %f more cost per visit',
    async (more) => {
      const edit = (visit: SpanVisit): SpanVisit => ({
        ...visit,
        cost: visit.cost + (visit.isAfter ? more : 2 * more),
      });
      const { before, after, change, factors } = await explain({}, { edit });
      expect(change).toBe(sum([after['profit'] ?? 0, -(before['profit'] ?? 0)]));
      expect(sum(factors.map(({ effect }) => effect))).toBe(change);
    },
  );

  it('names the figure with the largest effect if no part of the traffic has a large one', async () => {
    const { summary, causes, change, factors } = await explain({});
    expect(causes).toEqual([]);
    const largest = Math.sign(change) * Math.max(...factors.map(({ effect }) => effect * Math.sign(change)));
    const signed = `${largest < 0 ? '' : '+'}${largest}`;
    expect(summary).toContain(`No single part of the traffic explains this; the main factor, ${signed}, is that it `);
    expect(summary).toMatch(/Normal variation is up to [\d.,]+ either way \(19 times in 20\): this may be chance\.$/);
  });

  it('lists no value that all visits have, and adds that values are not causes', async () => {
    const { url } = await startTracker(deadPage);
    const { call } = await connectTo(url);
    const text = textOf(await call('explain_change', { campaign_id: 1 }));
    expect(text).toContain('\nfactor\tbefore\tafter\tcarries\n');
    const title = 'Values whose profit moved most, often by chance. They overlap, and are no causes by themselves:\n';
    const [, values = ''] = text.split(title);
    expect(values).toMatch(/^What\tviews before/);
    expect(values).not.toMatch(/^campaign /m);
  });

  it('reports how many of the read visits are in the spans', async () => {
    const given = { start_date: '2026-11-12', end_date: '2026-11-15', compare_start: '2026-11-04' };
    const { before, after, notices } = await explain({}, {}, given);
    const count = (before['views'] ?? 0) + (after['views'] ?? 0);
    expect(notices.join(' ')).toContain(`Of these, ${count} are in the two spans.`);
  });

  it('says of visits that moved to another value that the others stopped, not all, with the day of the first one', async () => {
    const keyword = columns.indexOf('Keyword');
    const { causes } = await explain(
      {},
      {
        edit: (visit) =>
          visit.day < '2026-11-11' ? visit : { ...visit, values: visit.values.with(keyword, '{keyword}') },
      },
    );
    const [arrived, others] = causes.map(({ what }) => what);
    expect(arrived).toMatch(/^keyword “\{keyword\}” got more visits \(0 to \d+\) since Wed 11 Nov$/);
    expect(others).toMatch(/^other visits of campaign .* got fewer visits .*, none since Wed 11 Nov$/);
  });

  it('names the hours in which an offer sells nothing any more, as when a cap is reached at noon', async () => {
    const [offer, hour] = [columns.indexOf('Offer'), columns.indexOf('Hour')];
    const edit = (visit: SpanVisit) =>
      visit.day >= '2026-11-11' && visit.values[offer] === 'Cash' && Number(visit.values[hour]) >= 12
        ? { ...visit, conversions: 0, revenue: 0 }
        : visit;
    const { causes } = await explain({}, { edit });
    expect(causes[0]?.what).toMatch(/^hour 12-23 of offer Cash stopped selling \([\d.]+% before\) since Wed 11 Nov$/);
    expect(causes[0]?.where).toEqual({ offer: 'Cash', hour: '12-23' });
  });

  it('says of cost that stopped that it is probably missing', async () => {
    const { causes } = await explain({ cost: ({ keyword }) => (keyword === 'site0' ? 0 : 0.05) });
    expect(causes[0]?.what).toBe(
      'keyword site0 no longer costs anything (0.0500 before) since Wed 11 Nov: its cost is probably missing, which is no gain',
    );
  });

  it('tells what a visit cost before the day of the change and since then, and that clicks stopped on it', async () => {
    const dearer = await explain({ cost: ({ keyword }) => (keyword === 'site0' ? 0.5 : 0.05) });
    expect(dearer.causes[0]?.what).toBe('keyword site0 cost more per visit (0.0500 to 0.5000) since Wed 11 Nov');
    expect((await explain(deadPage)).causes[0]?.what).toMatch(
      /^landing page Quiz stopped getting clicks \([\d.]+% before\) since Wed 11 Nov$/,
    );
  });

  it('says first that spans have other weekdays, and which have the same ones', async () => {
    const first = async (given: object) => (await explain({}, {}, given)).notices[0];
    const said = 'With the same ones: compare_start 2026-11-07, compare_end 2026-11-08.';
    expect(await first({ start_date: '2026-11-14', end_date: '2026-11-15', compare_to: 'previous' })).toContain(said);
    expect(await first({ start_date: '2026-11-14', end_date: '2026-11-15' })).not.toContain('weekdays');
    expect(await first({ start_date: '2026-11-08', compare_to: 'previous', end_date: '2026-11-14' })).not.toContain(
      'weekdays',
    );
  });

  it('leaves open whether a trouble began before the later days, where they do not follow the earlier ones', async () => {
    const deadPage = { clickRate: ({ page }: { page: string }) => (page === 'Quiz' ? 0 : 0.3) };
    const since = async (given: object) => (await explain(deadPage, {}, given)).causes[0]?.what;
    expect(await since({ start_date: '2026-11-13', end_date: '2026-11-13' })).toMatch(/ since Fri 13 Nov or earlier$/);
    expect(await since({ start_date: '2026-11-10', end_date: '2026-11-13' })).toMatch(/ since Wed 11 Nov$/);
    expect(await since({ start_date: '2026-11-11', end_date: '2026-11-13', compare_to: 'previous' })).toMatch(
      / since Wed 11 Nov$/,
    );
  });

  it('compares nothing if a span has no visits', async () => {
    const { causes, summary } = await explain({}, {}, { start_date: '2026-11-02', end_date: '2026-11-04' });
    expect(summary).toMatch(/^There were no visits of .*, so nothing can be compared: profit of .* is -?[\d.]+\.$/);
    expect(causes).toEqual([]);
  });

  it('says of a campaign that is dark what stopped, and since when, though the later span has no visit', async () => {
    const dark = async (given: object) => explain({ visits: 0 }, {}, given);
    const cause = { factor: 'visits', is_sure: true };
    const inWeek = await dark({});
    expect(inWeek.causes).toMatchObject([
      { ...cause, since: '2026-11-11', what: expect.stringContaining('none since Wed 11 Nov') },
    ]);
    expect(inWeek.other_visits).toBe(0);
    const { causes, summary } = await dark({ start_date: '2026-11-13', end_date: '2026-11-15' });
    expect(causes).toMatchObject([
      { ...cause, since: '2026-11-13', what: expect.stringContaining('stopped getting visits') },
    ]);
    expect(summary).not.toMatch(/nothing can be compared|everything else/);
  });

  it('says of a campaign that is dark whether it is inactive now, alone and over the account', async () => {
    const whatOf = async (list: Row, campaign_id: number) => {
      const { causes } = await explain({ visits: 0 }, { tokens: list }, { campaign_id });
      return causes[0]?.what;
    };
    for (const id of [1, 0]) {
      expect(await whatOf({ Inactive: 1 }, id)).toMatch(/none since Wed 11 Nov: it is inactive now$/);
      expect(await whatOf({ Inactive: 0 }, id)).toMatch(/none since Wed 11 Nov$/);
    }
  });

  it('says that no cause is found before what may be chance', () => {
    const cause = {
      what: 'device Phone sold to more of its clicks',
      factor: 'sales_per_click',
      carried: 5,
      is_sure: false,
    };
    const sayWith = (causes: readonly (typeof cause)[]) =>
      sayProfitChange({
        ...{
          measure: 'Profit',
          isWhole: true,
          isCut: false,
          isFull: false,
          currency: undefined,
          change: 6,
          usual: 20,
          causes,
        },
        spans: {
          before: { start: '2026-11-02', end: '2026-11-08' },
          after: { start: '2026-11-09', end: '2026-11-15' },
        },
        ...{ before: { profit: 1, views: 9 }, after: { profit: 7, views: 9 }, factors: [] },
        restFactors: [{ factor: 'visits', before: 9, after: 9, effect: 0 }],
        ...{ expectedRevenue: undefined, toReject: 0, leftOut: undefined, lost: undefined, surelyLost: 0 },
      });
    const lead = '. No cause is found. Worth a look, though each may be chance: +5.00 because device Phone';
    expect(sayWith([cause])).toContain(lead);
    expect(sayWith([{ ...cause, is_sure: true }])).not.toContain('No cause is found');
  });

  it('says of a payout that doubled what it pays, and that a pixel that fires twice looks like this', async () => {
    const { causes } = await explain({ payout: (offer) => (offer === 'Cash' ? 6 : 2.5) });
    expect(causes[0]?.what).toBe(
      'offer Cash paid more per sale (3.00 to 6.00) since Wed 11 Nov, exactly double: a pixel that fires twice looks like this',
    );
  });

  it('says of sales that count twice since when they do, and that a pixel that fires twice looks like this', async () => {
    const edit = (visit: SpanVisit) =>
      visit.values[1] === 'Cash' && visit.day >= '2026-11-11'
        ? { ...visit, conversions: 2 * visit.conversions, revenue: 2 * visit.revenue }
        : visit;
    const { causes, notices } = await explain({}, { edit });
    expect(causes[0]).toMatchObject({ since: '2026-11-11', is_sure: true });
    expect(causes[0]?.what).toMatch(/^offer Cash counts each sale twice instead of once since Wed 11 Nov$/);
    expect(notices.join(' ')).toContain(
      'Each sale of offer Cash counts as 2 conversions instead of 1 since Wed 11 Nov: its pixel or postback may fire twice.',
    );
  });

  it('knows from the month before what an offer paid that sold nothing in the earlier days', async () => {
    const isEarly = ({ day, conversions }: SpanVisit) => day < '2026-11-11' && conversions > 0;
    const edit = (visit: SpanVisit) =>
      visit.values[1] === 'Cash' && isEarly(visit) ? { ...visit, conversions: 0, revenue: 0 } : visit;
    const sold = { CampaignID: '1', Offer: 'Cash', Status: 'approved' };
    const conversions = Array.from({ length: 20 }, (_, index) => {
      const day = `2026-${index < 12 ? `10-${20 + index}` : `11-${String(index - 1).padStart(2, '0')}`}`;
      const times = { VisitDate: `${day} 10:00:00`, Date: `${day} 11:00:00` };
      return { ...sold, ...times, SubID: `a_1_${index}`, Revenue: index < 12 ? '3' : '6' };
    });
    const trouble = { payout: (offer: string) => (offer === 'Cash' ? 6 : 2.5) };
    const { notices } = await explain(trouble, { edit, conversions });
    expect(notices.join(' ')).toContain('Offer Cash pays 6.00 a sale instead of 3.00 since Wed 11 Nov');
    const without = await explain(trouble, { edit });
    expect(without.notices.join(' ')).not.toContain('Offer Cash pays');
  });

  it('begins with a warning if it could read only a part', async () => {
    const { summary } = await explain({}, { maximum: 1200 });
    expect(summary).toMatch(/^In the part of the visits that could be read, profit of Mon 9 Nov /);
  });

  it.each([
    [{ compare_start: '2026-11-02' }, { compare_start: '2026-11-02', compare_end: '2026-11-04' }],
    [{ compare_end: '2026-11-06' }, { compare_start: '2026-11-04', compare_end: '2026-11-06' }],
  ])('compares spans of equal length if the call has only %o', async (given, spans) => {
    const { query } = await explain({}, {}, { start_date: '2026-11-11', end_date: '2026-11-13', ...given });
    expect(query).toMatchObject(spans);
  });

  it('compares only the past hours of a day that is not over', async () => {
    const found = await explain({}, {}, { start_date: '2026-11-15' }, new Date('2026-11-15T10:00:00Z'));
    const notice = '2026-11-15 is not over: on this day and 2026-11-08 the hours before 10:00';
    expect(found.notices.join(' ')).toContain(notice);
    expect(found.after['views']).toBeGreaterThan(300);
    expect(found.after['views']).toBeLessThan(700);
  });

  it('says of a day that has no whole hour yet that it is left out, not that hours before 0:00 are compared', async () => {
    const given = { start_date: '2026-11-09', end_date: '2026-11-16' };
    const found = await explain({}, {}, given, new Date('2026-11-16T00:20:00Z'));
    expect(found.notices.join(' ')).toContain('2026-11-16 has no whole hour yet: it and 2026-11-02 are left out.');
    expect(found.notices.join(' ')).not.toContain('0:00');
  });

  it('compares the same hours of days that the tracker cuts off, so that missing visits are not a change', async () => {
    const found = await explain({ visits: 1800 }, { maximum: 700 });
    // The list has 700 visits of each day; five of the later seven days have half as many again.
    expect((found.after['views'] ?? 0) / (found.before['views'] ?? 0)).toBeGreaterThan(1.2);
    const notice = /cut off by its own maximum on .*only the hours that both spans have are compared/;
    expect(found.notices.join(' ')).toMatch(notice);
  });

  const without = (name: string) => (row: Row) =>
    Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));

  it.each<[string, (row: Row) => Row, string, string]>([
    ['no cost', without('Cost'), 'Revenue', 'cost that can be read, so profit means revenue'],
    ['unreadable cost', (row) => ({ ...row, Cost: '35 points' }), 'Revenue', 'cost that can be read'],
    [
      ...(['no sales', without('Converted'), 'Profit'] as const),
      'conversions that can be read, so each visit with revenue counts as a sale',
    ],
  ])('explains as much as it can of a list with %s', async (_, write, figure, notice) => {
    const found = await explain(deadPage, { write });
    expect(found.summary).toMatch(new RegExp(`^${figure} of .* fell by`));
    expect(found.summary).toContain('because landing page Quiz');
    expect(found.before['conversions']).toBeGreaterThan(100);
    expect(found.notices.join(' ')).toContain(`has no ${notice}`);
  });

  it('treats a dash as an empty cell', async () => {
    const write = (row: Row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value === '' ? '-' : value]));
    const [dashes, empty] = [await explain(deadPage, { write }), await explain(deadPage)];
    expect(dashes.causes).toEqual(empty.causes);
    expect(dashes.values).toEqual(empty.values);
  });

  it.each<[string, (time: string, ...parts: string[]) => unknown]>([
    [
      'month first, with am and pm',
      (_, year, month, day, hour, rest) =>
        `${month}/${day}/${year} ${Number(hour) % 12}:${rest} ${Number(hour) < 12 ? 'AM' : 'PM'}`,
    ],
    ['day first', (_, year, month, day, hour, rest) => `${day}.${month}.${year} ${hour}:${rest}`],
    ['seconds since 1970', (time) => Date.parse(`${time}Z`) / 1000],
    ['times with a zone', (time) => `${time.replace(' ', 'T')}-08:00`],
  ])('reads times written as %s', async (_, format) => {
    const write = (row: Row) => {
      const [time = '', ...parts] = /^(\d+)-(\d+)-(\d+) (\d+):(.*)$/.exec(String(row['Date'])) ?? [];
      return { ...row, Date: format(time, ...parts) };
    };
    const { summary } = await explain(deadPage, { write });
    expect(summary).toMatch(/because landing page Quiz .* since Wed 11 Nov/);
  });

  it('names the placement that carries robots of a provider, and no value that names one visit', async () => {
    const edit = (visit: SpanVisit, index: number): SpanVisit => {
      if (visit.day < '2026-11-11' || index % 8 > 0) return visit;
      const values = visit.values.map((value, at) => (columns[at] === 'ISP' ? 'Hetzner' : value));
      return { ...visit, values, clicks: 1, conversions: 0, revenue: 0, cost: 0.2 };
    };
    let index = 0;
    const write = (row: Row) => {
      index += 1;
      const zone = row['ISP'] === 'Hetzner' ? 7 : index % 8;
      return { ...row, Extra1: `zone${zone}`, Extra2: `click${index}` };
    };
    const tokens = { ExtraTokenName1: 'Zone', ExtraTokenName2: 'External' };
    const { causes, values, notices } = await explain({}, { edit, write, tokens });
    expect(causes[0]?.where).toEqual({ isp: 'Hetzner' });
    expect(causes[0]?.placement).toEqual({ Zone: 'zone7' });
    expect(causes[0]?.what).toMatch(
      /^isp Hetzner \(nearly all from Zone zone7, which can be blocked\) .* since Wed 11 Nov\b.*: probably bots$/,
    );
    expect(values.rows.join()).not.toContain('click');
    expect(notices).toContain('placement: Zone.');
  });

  it('refuses a list without revenue', async () => {
    expect(await refusal({ write: without('Revenue') })).toContain('has no revenue that can be read');
  });

  it.each<[string, number, RegExp]>([
    ['refuses the list of all', 1e6, /campaign by campaign, because .* could not be read \(.*camp 0 is no campaign/],
    [
      'cuts that off within a day',
      1777,
      /campaign by campaign, because .* its own maximum of 1777 rows within one day/,
    ],
  ])('names the campaign and its token over the whole account, even if the tracker %s', async (_, maximum, notice) => {
    const visitsOf = (id: string, seed: number, visits: number, slot: string, trouble: Partial<Rates> = {}) =>
      simulateVisits(trouble, seed, { ...quiet, visits }).rows.map(
        ({ day, values, clicks, conversions, cost, revenue }) => ({
          ...{ Date: `${day} ${values[7]}:30:00`, CampaignID: id, LandingPage: values[0], [slot]: values[5] },
          ...{ Clicked: clicks, Converted: conversions, Cost: cost, Revenue: revenue },
        }),
      );
    const visits = [
      ...visitsOf('1', 1, 1200, 'Extra1'),
      ...visitsOf('2', 2, 1200, 'Extra4', { saleRate: () => 0 }),
    ].sort(latestFirst);
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify([
        { ID: '1', Name: 'Push', ExtraTokenName1: 'Zone' },
        { ID: '2', Name: 'Push', ExtraTokenName4: 'zone' },
      ]),
      conversions: '[]',
      visitorstats: ({ start = '', end = '', camp = '' }) => {
        if (camp === '0' && maximum > 1e5)
          return { status: 400, body: '{"Status":"Error","Message":"camp 0 is no campaign"}' };
        const found = visits.filter(({ CampaignID }) => ['0', CampaignID].includes(camp)).filter(inSpan(start, end));
        return { body: JSON.stringify(found.slice(0, maximum)) };
      },
    });
    const { data } = await connectTo(tracker.url);
    const found = await data<Explanation>('explain_change', {});
    expect(found.causes[0]?.what).toMatch(
      /^campaign “Push \(ID 2\)” stopped selling \([\d.]+% before\) since Wed 11 Nov$/,
    );
    // The token has a different slot in each campaign.
    const zones = found.values.rows.filter(([what]) => /^zone /i.test(String(what)));
    expect(zones.length).toBeGreaterThan(0);
    expect(found.notices.join(' ')).toMatch(notice);
    // The agent did not send this request.
    expect(found.notices.join(' ')).not.toContain('Correct the arguments');
    expect((found.before['views'] ?? 0) + (found.after['views'] ?? 0)).toBe(visits.length);
  });

  it('lists visits once that are a cause in their campaign and a value over all campaigns', async () => {
    const visitsOf = (id: string, trouble: Partial<Rates>) =>
      simulateVisits(trouble, Number(id), { ...quiet, visits: 600 }).rows.map(({ day, values, ...figures }) => ({
        ...{ Date: `${day} ${values[7]}:30:00`, CampaignID: id, LandingPage: `${values[0]} ${id}` },
        ...{ Clicked: figures.clicks, Converted: figures.conversions, Cost: figures.cost, Revenue: figures.revenue },
      }));
    const visits = [...visitsOf('1', {}), ...visitsOf('2', deadPage)].sort(latestFirst);
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify(['1', '2'].map((id) => ({ ID: id, Name: `Push ${id}` }))),
      conversions: '[]',
      visitorstats: ({ start = '', end = '' }) => ({ body: JSON.stringify(visits.filter(inSpan(start, end))) }),
    });
    const { causes, values } = await (await connectTo(tracker.url)).data<Explanation>('explain_change', {});
    expect(causes[0]?.where).toEqual({ campaign: 'Push 2', landing_page: 'Quiz 2' });
    expect(values.rows.filter(([what]) => String(what).includes('Quiz 2'))).toHaveLength(1);
  });

  it('does not say that there were no visits if a campaign could not be read', async () => {
    const refusalOf = (body: string) => ({ status: 400, body: JSON.stringify({ Status: 'Error', Message: body }) });
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify([
        { ID: '1', Name: 'Push' },
        { ID: '2', Name: 'Search' },
      ]),
      conversions: '[]',
      visitorstats: ({ camp }) => (camp === '1' ? { body: '[]' } : refusalOf('this list is locked')),
    });
    const refused = await (await connectTo(tracker.url)).refusal('explain_change', {});
    expect(refused).toMatch(/No visit .* was read, but not all .* Not read, .*2 “Search” .*this list is locked/);
    expect(refused).not.toContain('Neither');
  });

  it('adds the sales that are still expected if sales come late', async () => {
    const noon = (day: number) => `2026-11-${String(day).padStart(2, '0')} 12:00:00`;
    const conversions = Array.from({ length: 205 }, (_, index) => {
      const [day, delay] = [6 + (index % 10), Math.floor(index / 10) % 4];
      return { SubID: `a_1_${index}`, Date: noon(day), VisitDate: noon(day - delay), Revenue: '3.00' };
    });
    const { notices, summary } = await explain({}, { conversions });
    expect(summary).toMatch(/ Late sales are expected to bring [\d.]+ more\.$/);
    expect(notices.find((notice) => notice.startsWith('Sales come late'))).toMatch(
      /about \d+ more sales \(\d+ to \d+\) of these days’ visits are still to come, worth [\d.]+; \d+% \(\d+ to \d+%\) are in\.$/,
    );
  });

  it('names a share of the traffic that moved, and that this server did not change it', async () => {
    const { summary, causes } = await explain({ pages: { Quiz: 85, Story: 5, Video: 10 }, visits: 1800 });
    // First the visits that came besides: these earned, and which page they got did not matter.
    expect(causes.map(({ where }) => where)).toEqual([{ campaign: '1' }, { landing_page: 'Quiz' }]);
    expect(causes[1]).toMatchObject({ factor: 'visits', since: '2026-11-11' });
    expect(summary).toMatch(
      /landing page Quiz got 8\d% of the traffic instead of 4\d% since Wed 11 Nov: not changed by this server/,
    );
    // The pages earn about the same, so that visitors who get another one cost nothing.
    const { change = 0, carried = 0 } = causes[1] ?? {};
    expect(Math.abs(carried)).toBeLessThan(Math.abs(change) / 4);
  });

  it('says first that sales are late, if those may make up for a loss', async () => {
    const at = (day: number) => `2026-11-${String(day).padStart(2, '0')} 12:00:00`;
    const conversions = Array.from({ length: 205 }, (_, index) => {
      const [day, delay] = [6 + (index % 10), Math.floor(index / 10) % 4];
      return { SubID: `a_1_${index}`, Date: at(day), VisitDate: at(day - delay), Revenue: '3.00' };
    });
    let sold = 0;
    const edit = (visit: SpanVisit) => {
      if (!visit.isAfter || visit.revenue === 0) return visit;
      sold += 1;
      return sold % 12 === 0 ? { ...visit, conversions: 0, revenue: 0 } : visit;
    };
    const { summary, change } = await explain({}, { conversions, edit });
    expect(change).toBeLessThan(0);
    expect(summary).toMatch(
      /^Late sales may explain (?:\d\d% of )?this: they are expected to bring [\d.]+ more\. Profit of /,
    );
    expect(summary.match(/expected to bring/g)).toHaveLength(1);
  });

  it('says what late sales will bring to a cause that sold less, and not to one that sold more', async () => {
    const at = (day: number) => `2026-11-${String(day).padStart(2, '0')} 12:00:00`;
    const conversions = Array.from({ length: 205 }, (_, index) => {
      const [day, delay] = [6 + (index % 10), Math.floor(index / 10) % 4];
      return { SubID: `a_1_${index}`, Date: at(day), VisitDate: at(day - delay), Revenue: '3.00', Offer: 'Cash' };
    });
    const unsoldIf = (isChosen: (day: string) => boolean) => (visit: SpanVisit) =>
      isChosen(visit.day) && visit.values[columns.indexOf('Offer')] === 'Cash'
        ? { ...visit, conversions: 0, revenue: 0 }
        : visit;
    const firstOf = async (isUnsold: (day: string) => boolean) =>
      (await explain({ visits: 2000 }, { conversions, edit: unsoldIf(isUnsold) })).causes[0]?.what;
    expect(await firstOf((day) => day >= '2026-11-12')).toMatch(
      /^offer “?Cash”? .*\(late sales will probably bring [\d.]+\)/,
    );
    expect(await firstOf((day) => day < '2026-11-12')).toMatch(/^offer “?Cash”? sold to more of its clicks (?!.*late)/);
  });

  it('says what is lost a day of a country that ended within the day before, and not what its last visits had', async () => {
    let lost = 0;
    const edit = (visit: SpanVisit): SpanVisit => {
      const [, , country, , , , , hour] = visit.values;
      if (country !== 'DE' || visit.day < '2026-11-08') return visit;
      if (visit.day === '2026-11-08' && Number(hour) < 2) return visit;
      lost += visit.revenue - visit.cost;
      return { ...visit, day: '2026-10-01' };
    };
    const { causes } = await explain({}, { edit });
    expect(causes[0]).toMatchObject({
      since: '2026-11-08',
      what: expect.stringContaining('DE stopped getting visits'),
    });
    expect((causes[0]?.a_day ?? 0) / (-lost / 8)).toBeGreaterThan(0.65);
    expect((causes[0]?.a_day ?? 0) / (-lost / 8)).toBeLessThan(1.5);
  });

  it('names the part of a change that the cause carries, and one day for a payout and its cause', async () => {
    // A payout falls on the 12th, for an offer that also sells less. Some sales of the 11th come late and get it as well.
    let sold = 0;
    const edit = (visit: SpanVisit) => {
      if (visit.values[1] !== 'Cash' || visit.revenue === 0) return visit;
      sold += 1;
      if (visit.isAfter && sold % 3 === 0) return { ...visit, conversions: 0, revenue: 0 };
      const isNew = visit.day >= '2026-11-12' || (visit.day === '2026-11-11' && sold % 9 === 1);
      return { ...visit, revenue: isNew ? 1.2 : 3 };
    };
    const found = await explain({}, { edit });
    const [cause] = found.causes;
    expect(cause?.what).toMatch(/^offer Cash paid less per sale \(3\.00 to [\d.]+\) since /);
    expect(cause?.carried).toBeGreaterThan((cause?.change ?? 0) * 0.75);
    // Four of the seven days have it.
    expect(cause?.a_day).toBeLessThan((cause?.carried ?? 0) / 5);
    expect(cause?.a_day).toBeGreaterThan((cause?.carried ?? 0) / 3.5);
    expect(found.summary).toContain(
      `: -${-(cause?.carried ?? 0)} because ${cause?.what} (${cause?.a_day?.toFixed(2)} a day since then); `,
    );
    const [payout] = found.notices.filter((notice) => notice.startsWith('Offer Cash pays 1.20 a sale instead of 3.00'));
    const [, since] = / since (\w+ \d+ Nov)\.$/.exec(payout ?? '') ?? [];
    expect(cause?.what).toContain(` since ${since}`);
  });

  it('names a single sale that decides first, counts all visits, and names no value that all visits have', async () => {
    let large: SpanVisit | undefined;
    const edit = (visit: SpanVisit) => {
      if (large || visit.day !== '2026-11-12' || visit.revenue !== 3) return visit;
      large = visit;
      return { ...visit, revenue: 9000 };
    };
    const found = await explain({ visits: 2500 }, { edit });
    const [before, after] = [found.before['views'], found.after['views']];
    expect(found.factors.find(({ factor }) => factor === 'visits')).toMatchObject({ before, after });
    expect(found.after['views']).toBeGreaterThan(10_000);
    expect(found.values.rows.map(([what]) => what)).not.toContain('browser Chrome');
    expect(found.causes[0]?.what).toMatch(/ had one sale of 9,000\.00 on Thu 12 Nov$/);
    const without = `One sale of 9,000.00, of a visit on Thu 12 Nov, decides: without it profit rose by ${(found.change - 9000).toFixed(2)}.`;
    expect(found.notices).toContain(without);
  });

  it('says that profit did not move without the sale that decides, not that it moved by 0.00', async () => {
    const revenueByVisit = new Map([
      [0, 1],
      [10_000, 1],
      [10_001, 9000],
    ]);
    const edit = (visit: SpanVisit, index: number) => {
      const revenue = revenueByVisit.get(index) ?? 0;
      return { ...visit, cost: 0, conversions: Number(revenue > 0), revenue };
    };
    const { notices } = await explain({}, { edit });
    expect(notices.join('\n')).toMatch(/^One sale of 9,000\.00, .* decides: without it profit did not move\.$/m);
  });

  it('tells amounts that add up to the change, whatever else the visits of a cause did', async () => {
    const told = ({ summary }: Explanation) =>
      [...summary.matchAll(/([+-]?[\d,]+\.\d\d) (?:because|from everything else)/g)].map(([, amount = '']) =>
        Number(amount.replaceAll(',', '')),
      );
    const { url } = await startTracker(deadPage);
    const { data } = await connectTo(url);
    const found = await data<Explanation>('explain_change', { campaign_id: 1 });
    expect(told(found).length).toBeGreaterThan(1);
    expect(sum(told(found))).toBe(found.change);
  });

  it('gives a figure with enough digits to show that it moved', async () => {
    // As many visits and sales on each day.
    const edit = (visit: SpanVisit, index: number) => {
      const day = index < 14_000 ? (days[index % 14] ?? '') : '2026-10-01';
      const revenue = Math.floor(index / 14) % 15 > 0 ? 0 : day < '2026-11-09' ? 3 : 3.0012;
      return { ...visit, day, cost: 0, clicks: 1, conversions: Number(revenue > 0), revenue };
    };
    const { summary } = await explain({}, { edit });
    expect(summary).toContain('paid more per sale (3.000 to 3.001)');
  });

  const overlapping = { start_date: '2026-11-10', end_date: '2026-11-12', compare_start: '2026-11-08' };

  it.each([
    ['2026-11-14', '2026-11-15', '2026-11-02', '2026-11-02', '2026-11-01 to 2026-11-02'],
    ['2026-11-09', '2026-11-11', '2026-11-02', '2026-11-08', '2026-11-02 to 2026-11-04'],
    ['2026-11-14', '2026-11-15', '2026-11-04', '2026-11-06', '2026-11-05 to 2026-11-06'],
    ['2026-11-02', '2026-11-03', '2026-11-10', '2026-11-10', '2026-11-10 to 2026-11-11'],
  ])(
    'compares as many days where spans differ in length, if possible the same weekdays, and says so: %s to %s with %s to %s',
    async (...given) => {
      const [start_date, end_date, compare_start, compare_end, compared] = given;
      const { query, notices } = await explain({}, {}, { start_date, end_date, compare_start, compare_end });
      expect(`${query['compare_start']} to ${query['compare_end']}`).toBe(compared);
      expect(notices.join('\n')).toContain(
        `of ${compare_start} to ${compare_end} as many days are compared as of the later one: ${compared}.`,
      );
    },
  );

  it.each([
    [{ ...overlapping, compare_end: '2026-11-10' }, 'overlap'],
    [{ start_date: '2026-11-20', end_date: '2026-11-21' }, 'future'],
    [{ start_date: '2026-12-24' }, '2026-12-24 is in the future'],
    [{ start_date: '2026-11-12', end_date: '2026-11-10' }, '2026-11-12 comes after 2026-11-10. Give the earlier'],
    [{ start_date: '2026-08-01', end_date: '2026-11-12' }, 'too many'],
    [{ period: 'yesterday', start_date: '2026-11-12' }, 'cannot be combined with'],
    [
      { start_date: '2026-03-02', end_date: '2026-03-03' },
      'Neither Mon 23 Feb to Tue 24 Feb nor Mon 2 Mar to Tue 3 Mar has visits',
    ],
    [
      { start_date: '2026-03-02', end_date: '2026-03-02', compare_start: '2025-03-03' },
      'Neither Mon 3 Mar 2025 nor Mon 2 Mar 2026 has visits',
    ],
  ])('refuses %o', async (given, reason) => {
    expect(await refusal({}, given)).toContain(reason);
  });
});
