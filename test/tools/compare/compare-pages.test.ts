import { afterEach, describe, expect, it } from 'vitest';
import type { Compared } from '../../support/answers.ts';
import { connect, textOf } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

type Row = Readonly<Record<string, unknown>>;
type OfferRow = Row & Readonly<Record<'PageID' | 'Views' | 'Conversions' | 'Revenue', number>>;

const tracker = await startForeignTracker({ conversions: '[]', visitorstats: '[]' });
const { client, call, data, refusal } = await connect({ url: tracker.url });

afterEach(() => {
  tracker.answer('conversions', '[]');
  tracker.answer('visitorstats', '[]');
});

/** The days of the usual period: 0 to 13, where 13 is today. */
const dateOf = (day: number) => new Date(Date.now() - (13 - day) * 86_400_000).toISOString().slice(0, 10);
const allDays = Array.from({ length: 14 }, (_, day) => day);

const offer = (PageID: number, Views: number, Conversions: number, more: Row = {}): OfferRow => ({
  ...{ PageID, Name: `Offer ${PageID}`, Share: 50, Views, Conversions, Revenue: Conversions * 20 },
  ...more,
});

const bodyOf = (offers: readonly Row[]) => ({ body: JSON.stringify({ data: { offers } }) });

/** A page that sells twice as much as the other, over some days. */
const twice = (days: number) => [offer(1, 400 * days, 16 * days), offer(2, 400 * days, 8 * days)];
const daysIn = ({ start = '', end = '' }) => (Date.parse(end) - Date.parse(start)) / 86_400_000 + 1;

/** Answers with the same report for all days. */
function answerOffers(rows: readonly Row[]): void {
  tracker.answer('stats', bodyOf(rows).body);
  tracker.taken();
}

/** Answers with reports that add up over the days. */
function answerDays(rowsOn: (day: number) => readonly OfferRow[], conversions: readonly Row[] = []): void {
  tracker.answer('stats', ({ start, end }) => {
    const sums = new Map<number, OfferRow>();
    const days = allDays.filter((day) => dateOf(day) >= String(start) && dateOf(day) <= String(end));
    for (const row of days.flatMap(rowsOn)) {
      const before = sums.get(row.PageID);
      const add = (key: 'Views' | 'Conversions' | 'Revenue') => row[key] + (before?.[key] ?? 0);
      sums.set(row.PageID, { ...row, Views: add('Views'), Conversions: add('Conversions'), Revenue: add('Revenue') });
    }
    return bodyOf([...sums.values()]);
  });
  tracker.answer('conversions', JSON.stringify({ Rows: conversions }));
  tracker.taken();
}

const question = { campaign_id: 7, kind: 'offer' };

async function compare(given: Row = {}) {
  const compared = await data<Compared>('compare_pages', { ...question, ...given });
  const shares = compared.calls.flatMap(
    ({ arguments: set }) => set['shares'] as readonly { page_id: number; share: number }[],
  );
  return { ...compared, shares, noticeText: compared.notices.join() };
}

const refused = (given: Row = {}) => refusal('compare_pages', { ...question, ...given });

const better = offer(1, 5000, 250, { Name: 'Better' });
const worse = offer(2, 5000, 100, { Name: 'Worse' });
const clear = [better, worse];
const eachClear = (more: (row: OfferRow, index: number) => Row) =>
  clear.map((row, index) => ({ ...row, ...more(row, index) }));
const without = (column: string, row: Row) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== column));

it('has a page once that the report lists twice', async () => {
  answerOffers(clear);
  const { pages, decision } = await compare();
  answerOffers([better, ...clear, worse]);
  const twiceListed = await compare();
  expect(twiceListed.pages).toEqual(pages);
  expect(twiceListed.decision).toEqual(decision);
});

describe('without a verdict', () => {
  it('a page that broke lately is named, since its figures are those of better days too', async () => {
    answerDays((day) => [offer(1, 400, day < 11 ? 16 : 0), offer(2, 400, 16)]);
    const { noticeText } = await compare({ start_date: dateOf(0), end_date: dateOf(13) });
    const words = `had no sale in 1200 visits since ${dateOf(11)}: at the rate of the other pages of its group it would have 48`;
    expect(noticeText).toContain(`“Offer 1” ${words}. It may be broken`);
    expect(noticeText).not.toContain('“Offer 2” had');
  });

  it('the shares move only as far as the evidence goes', async () => {
    answerOffers([offer(1, 400, 22, { Share: 50 }), offer(2, 400, 10, { Share: 50 })]);
    const { decision, pages, shares, noticeText } = await compare();
    expect(decision).toMatchObject({ kind: 'no decision yet', verdict: 'leaning' });
    const carried = decision.evidence_percent / 100;
    expect(carried).toBeGreaterThan(0.2);
    expect(carried).toBeLessThan(0.8);
    const [up, down] = pages.map((page) => page.recommended_share);
    expect(up).toBeLessThanOrEqual(50 + Math.ceil(50 * carried));
    expect(up).toBeGreaterThan(50);
    expect((up ?? 0) + (down ?? 0)).toBe(100);
    expect(shares.map(({ share }) => share)).toEqual([up, down]);
    expect(noticeText).toContain('only as far as the evidence against it goes');
  });

  it('the lead is over the runner-up, and what is waited for is named apart', async () => {
    const rows = [offer(1, 2000, 100), offer(2, 2000, 70), offer(3, 60, 2, { Share: 1.5 })];
    answerOffers(rows);
    const { decision } = await compare();
    expect(decision.lead).toMatchObject({ over: 'Offer 2', percent: 43 });
    expect(decision.needed).toMatchObject({ over: 'Offer 3' });
    expect(decision.text).toContain('Against "Offer 2": 43% more');
    expect(decision.text).toContain('if the lead over "Offer 3" stays');
  });
});

describe('fewer than five conversions', () => {
  it('make no percentage and no chance', async () => {
    answerOffers([offer(1, 300, 4), offer(2, 300, 1)]);
    const { decision, pages } = await compare();
    expect(decision.lead).toMatchObject({ percent: null, low: null, high: null });
    expect(pages.map((page) => page.probability_best)).toEqual([null, null]);
    expect(decision.text).toContain('from 4 conversions: too few for a percentage or a chance');
    expect(decision.text).not.toContain('%');
  });

  it('of the runner-up alone leave the range of the lead', async () => {
    answerOffers([offer(1, 300, 40), offer(2, 300, 4)]);
    const { decision, pages } = await compare();
    expect(decision.lead['percent']).toBeNull();
    expect(decision.lead['low']).toBeGreaterThan(0);
    expect(pages.every((page) => page.probability_best !== null)).toBe(true);
  });
});

describe('traffic that does not fit the shares', () => {
  const off = 'does not fit the shares that are set';

  it('is told with the parts that pages got and should get', async () => {
    answerDays(() => [offer(1, 300, 12), offer(2, 100, 4)]);
    const { noticeText } = await compare();
    expect(noticeText).toContain(off);
    expect(noticeText).toContain('“Offer 1” got 75% and should get 50%; “Offer 2” got 25% and should get 50%');
    expect(noticeText).toContain('or a change elsewhere');
  });

  it('is not told of days before the last change of shares, nor where it fits', async () => {
    answerDays((day) => (day < 5 ? [offer(1, 350, 12), offer(2, 50, 4)] : [offer(1, 200, 12), offer(2, 200, 4)]));
    expect((await compare({ period: 'last_14_days' })).noticeText).not.toContain(off);
    answerDays(() => [offer(1, 205, 12), offer(2, 195, 4)]);
    expect((await compare()).noticeText).not.toContain(off);
  });

  it('may come from shares that changed if single days are not known', async () => {
    answerOffers([offer(1, 3000, 12), offer(2, 1000, 4)]);
    expect((await compare({ period: 'last_14_days' })).noticeText).toContain('or shares changed within these days');
  });
});

describe('the chances to be best', () => {
  it('add up to 100 with those of pages that are not shown', async () => {
    answerOffers(Array.from({ length: 30 }, (_, index) => offer(index + 1, 300, 5 + (index % 4), { Share: 3 })));
    const { pages, others } = await compare();
    const shown = pages.reduce((sum, page) => sum + (page.probability_best ?? 0), 0);
    expect(pages.length).toBe(20);
    expect(shown + Number(others?.['probability_best'])).toBeCloseTo(1, 9);
  });
});

describe('a clear leader', () => {
  it('is named, with the call that sets the shares', async () => {
    answerOffers(clear);
    const { decision, pages, calls } = await compare();
    expect(decision).toMatchObject({ kind: 'leader', page_id: '1', name: 'Better' });
    expect(pages[0]?.epv).toBeCloseTo(1, 1);
    expect(pages[0]?.epv_low).toBeLessThan(1);
    expect(pages[0]?.epv_high).toBeGreaterThan(1);
    expect(pages.reduce((sum, page) => sum + page.recommended_share, 0)).toBe(100);
    const shares = pages.map((page) => ({ page_id: Number(page.page_id), share: page.recommended_share }));
    expect(calls).toEqual([{ tool: 'set_shares', arguments: { campaign_id: 7, shares } }]);
    expect(textOf(await call('compare_pages', question))).toContain('epv\tconversions per view in percent');
  });

  it.each([
    ['clear', [offer(1, 5000, 250, { Name: 'a: "b"' }), worse], 'a: "b" converts most', /^5 conversions per 100/],
    [
      'leaning',
      [offer(1, 400, 22, { Name: 'a: b' }), offer(2, 400, 10)],
      'No decision yet, leaning to a: b',
      /^5\.5 conversions/,
    ],
    ['too early', [offer(1, 40, 2, { Name: 'a: b' }), offer(2, 40, 1)], 'No decision yet', /^"a: b" is ahead with/],
    ['too early', [offer(1, 40, 0), offer(2, 40, 0)], 'No decision yet', /^there are no conversions so far\.$/],
  ] as const)('gives views its verdict and its reason as data: %s', async (kind, rows, verdict, start) => {
    answerOffers(rows);
    const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
    const host = await connect({ url: tracker.url, capabilities });
    const given = { ...question, period: 'last_14_days' };
    tracker.answer('campaign/list', '[]');
    const { _meta, structuredContent } = await host.call('compare_pages', given);
    const { reason } = Object(_meta?.['tracker-mcp/headline']) as { reason: string };
    expect(_meta).toMatchObject({ 'tracker-mcp/headline': { verdict, reason: expect.stringMatching(start) } });
    const { decision } = await compare({ period: 'last_14_days' });
    expect(structuredContent).toMatchObject({ decision });
    expect(decision.verdict).toBe(kind);
    expect(decision.text.endsWith(`: ${reason}`)).toBe(true);
    expect((await call('compare_pages', given))._meta).toBeUndefined();
  });

  it('is doubted if it leads only by its mix of visits; the page that is better in each part is named', async () => {
    answerOffers(clear);
    const visits = (Offer: string, Device: string, views: number, sales: number) =>
      Array.from({ length: views }, (_, index) => ({
        ...{ Date: `${dateOf(3)} 12:00:00`, Offer, Device, Revenue: index < sales ? '20' : '0' },
      }));
    const mixed = [
      ...[...visits('Better', 'Desktop', 4500, 248), ...visits('Better', 'Phone', 507, 2)],
      ...[...visits('Worse', 'Desktop', 500, 35), ...visits('Worse', 'Phone', 4500, 65)],
    ];
    tracker.answer('visitorstats', JSON.stringify(mixed));
    const { decision, calls, notices } = await compare();
    expect(decision).toMatchObject({ kind: 'no decision yet', verdict: 'too early' });
    expect(decision.text).toContain('the same leader in all parts of the traffic');
    expect(calls).toEqual([]);
    expect(notices[0]).toBe(
      'On each device “Worse” earns more per view than “Better”: Desktop 1.4 and 1.1, Phone 0.289 and 0.0789. “Better” is ahead overall because it got more of the views of Desktop, so the parts decide: “Worse”.',
    );
    // Half the list does not match the report, so it is ignored.
    tracker.answer('visitorstats', JSON.stringify(mixed.filter((_, index) => index % 2 === 0)));
    expect((await compare()).decision.kind).toBe('leader');
  });

  it('is of the last two weeks by default, and the dates are echoed', async () => {
    answerOffers(clear);
    const { query } = await compare();
    expect(query['period']).toBe('last_14_days');
    const sent = Object.fromEntries(tracker.taken()[0]?.parameters ?? []);
    expect(sent).toMatchObject({ camp: '7', report: 'offer', start: query['start_date'], end: query['end_date'] });
  });

  const renamed = (column: string) => clear.map(({ PageID, ...row }) => ({ [column]: PageID, ...row }));
  const noIds = 'The report shows no page IDs';
  const withIds = (...ids: readonly unknown[]) => eachClear((_, index) => ({ PageID: ids[index] }));

  it.each<[string, readonly Row[], readonly (string | null)[], string]>([
    ['has no page IDs', clear.map((row) => without('PageID', row)), [null, null], noIds],
    ['has OfferID, an ID of predefined records', renamed('OfferID'), [null, null], noIds],
    ['has LandingPageID instead', renamed('LandingPageID'), [null, null], noIds],
    ['has lp_id instead', renamed('lp_id'), [null, null], noIds],
    ['has Landing ID instead', renamed('Landing ID'), [null, null], noIds],
    ['has one page without ID', withIds(1, ''), ['1', null], 'The report shows no page ID of "Worse"'],
    ['has an ID twice', withIds(5, 5), ['5', '5'], 'Several pages have the same ID in the report'],
    [
      ...(['has an ID too large for a number', withIds('9007199254740993', '12')] as const),
      ...([['9007199254740993', '12'], 'The page ID of "Better" is too large to be passed on exactly'] as const),
    ],
  ])('is named without calls, and with the reason, if the report %s', async (_, rows, ids, reason) => {
    answerOffers(rows);
    const { decision, pages, calls, notices } = await compare();
    expect(decision).toMatchObject({ kind: 'leader', name: 'Better' });
    expect(pages.map(({ page_id }) => page_id)).toEqual(ids);
    expect(calls).toEqual([]);
    expect(notices).toContain(`${reason}, so no calls can be given.`);
  });

  it.each(['Page ID', 'campaign_page_id', 'Page'])('has its page ID from %s before other IDs', async (id) => {
    answerOffers(clear.map(({ PageID, ...row }) => ({ ID: 90 + PageID, OfferID: 80 + PageID, [id]: PageID, ...row })));
    expect((await compare()).shares.map(({ page_id }) => page_id)).toEqual([1, 2]);
  });

  it('has its page ID from a column called ID alone, with the advice to check it', async () => {
    answerOffers(renamed('ID'));
    const { shares, notices } = await compare();
    expect(shares.map(({ page_id }) => page_id)).toEqual([1, 2]);
    expect(notices).toContain(
      'The report calls the page IDs "ID", which may be those of predefined offers instead: check them in the tracker’s campaign before calling.',
    );
  });

  it('has its name from a page column of names', async () => {
    answerOffers(clear.map(({ PageID: _, Name, ...row }) => ({ Page: Name, ...row })));
    const { pages } = await compare();
    expect(pages.map(({ page_id, name }) => [page_id, name])).toEqual([
      [null, 'Better'],
      [null, 'Worse'],
    ]);
  });
});

describe('the pages that are compared', () => {
  it('are of one path, by default the one with most views', async () => {
    const inPath = (path: number, views: number) =>
      eachClear((_, index) => ({ PageID: path * 10 + index, Path: path, Views: views }));
    answerOffers([...inPath(1, 600), ...inPath(2, 900)]);
    const busiest = await compare();
    expect(busiest.pages.map((page) => page.page_id)).toEqual(['20', '21']);
    expect(busiest.noticeText).toContain('the groups are "path 2", "path 1"');
    const { pages } = await compare({ group: 'path 1' });
    expect(pages.map((page) => page.page_id)).toEqual(['10', '11']);
    for (const group of ['Path 1', ' PATH 1 ', '1']) expect((await compare({ group })).pages).toEqual(pages);
    expect(await refused({ group: 'path 9' })).toContain('The groups are: "path 2", "path 1".');
  });

  it('are not chosen by a number that fits several groups', async () => {
    const inGroup = (level: number, path: number) => eachClear(() => ({ Level: level, Path: path }));
    answerOffers([...inGroup(1, 1), ...inGroup(1, 2)]);
    expect((await compare({ group: '2' })).noticeText).toContain('Compared: level 1, path 2.');
    expect(await refused({ group: '1' })).toContain('The groups are: "level 1, path 1", "level 1, path 2".');
  });

  const off = offer(3, 900, 90, { Name: 'Off', Inactive: 1 });
  const zero = offer(4, 0, 0, { Name: 'Zero', Share: 0 });
  const total = { PageID: '', Name: 'Total', Share: 100, Views: 10_000, Conversions: 350, Revenue: 7000 };

  it.each<[string, readonly Row[], string]>([
    ['get no traffic', [off, zero], 'Left out, because they are inactive or have no share: "Off", "Zero".'],
    ['had no view yet', [{ ...zero, Share: 50 }], 'Left out, because they had no views: "Zero".'],
    ['are the tracker’s own total', [total], 'The row "Total" is the tracker’s own total, not a page.'],
  ])('are without rows that %s, and a notice says so', async (_, rows, notice) => {
    answerOffers([...clear, ...rows]);
    const { pages, shares, notices } = await compare();
    expect(pages.map(({ name }) => name)).toEqual(['Better', 'Worse']);
    expect(shares).toHaveLength(2);
    expect(notices).toContain(notice);
  });

  const noRevenue = /no column of numbers for revenue.*"Name", "Share", "Views", "Conversions"/;
  const unseen = eachClear(() => ({ Views: 0, Conversions: 0, Revenue: 0 }));

  it.each<[string, readonly Row[], RegExp]>([
    ['without a needed column', clear.map((row) => without('Revenue', row)), noRevenue],
    ['of one page, which gets all the traffic', [better], /nothing to compare/],
    ['of pages without a view', unseen, /None of the offers had a view/],
    ['of one page with a view', [better, ...unseen.slice(1)], /Only one of the offers had a view/],
  ])('are refused in a report %s', async (_, rows, message) => {
    answerOffers(rows);
    expect(await refused()).toMatch(message);
  });

  it('are few of 1,000 with long names: the closest are listed, the others counted, and the answer stays small', async () => {
    const name = 'x'.repeat(400);
    answerOffers(
      Array.from({ length: 1200 }, (_, index) => {
        const more = { Name: `${index} ${name}`, Share: index < 1100 ? 1 : 0 };
        return offer(index + 1, 5000, index === 700 ? 400 : 100 + (index % 7), more);
      }),
    );
    const { pages, others, shares, notices, decision } = await compare();
    expect(decision).toMatchObject({ page_id: '701', verdict: 'clear' });
    expect([pages.length, shares.length]).toEqual([20, 20]);
    expect(others).toMatchObject({ pages: 980, views: 4_900_000 });
    expect(notices).toContain('Compared: the 1000 with most views of 1100.');
    const result = await call('compare_pages', question);
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(40_000);
    expect(textOf(result).length).toBeLessThan(40_000);
  });

  it.each([
    [{ kind: 'page' }, /kind must be one of offer, landing/],
    [{ start_date: '2026-11-05', end_date: '2026-11-01' }, /end_date 2026-11-01 is before start_date/],
    [{ period: 'today', start_date: '2026-11-01' }, /period cannot be combined with/],
  ])('are not read if %o is wrong', async (given, message) => {
    expect(await refused(given)).toMatch(message);
    expect(tracker.taken()).toEqual([]);
  });
});

describe('the shares of a call', () => {
  /** Pages whose views were split by these shares. */
  const withShares = (...shares: readonly number[]) =>
    eachClear((row, index) => {
      const Views = Math.round((100_000 * (shares[index] ?? 0)) / ((shares[0] ?? 0) + (shares[1] ?? 0)));
      const Conversions = Math.round((Views * row.Conversions) / row.Views);
      return { Share: shares[index], Views, Conversions, Revenue: Conversions * 20 };
    });

  it('keep their present sum, so that pages outside the comparison keep their part', async () => {
    answerOffers(withShares(40, 30));
    const { pages, shares, noticeText } = await compare();
    expect(pages.map((page) => page.recommended_share)).toEqual([96, 4]);
    expect(shares.map(({ share }) => share)).toEqual([67.2, 2.8]);
    expect(noticeText).toContain('add up to 70, as they do now');
  });

  it.each([
    ['are unknown', [null, null]],
    ['would exceed 100', [120, 120]],
  ])('are percentages if the present shares %s', async (_, present) => {
    answerOffers(eachClear((_, index) => ({ Share: present[index] })));
    const { shares, noticeText } = await compare();
    expect(shares.map(({ share }) => share)).toEqual([96, 4]);
    expect(noticeText).not.toContain('add up to');
  });

  it.each([
    [96, 4],
    [67.2, 2.8],
    [24, 1],
  ])('are not given if %d and %d are as recommended already', async (...shares) => {
    answerOffers(withShares(...shares));
    const { calls, notices } = await compare();
    expect(calls).toEqual([]);
    expect(notices).toContain('The shares are as recommended already.');
  });
});

describe('too little data', () => {
  it('leaves the shares as they are', async () => {
    answerOffers([offer(1, 3, 1, { Share: 80 }), offer(2, 1, 0, { Share: 20 })]);
    const { decision, calls, notices } = await compare();
    expect(decision.kind).toBe('no decision yet');
    expect(calls).toEqual([]);
    expect(notices).toContain('The shares are better left as they are: it is too early to change them.');
  });

  const wait =
    /Missing: a lead too large to be chance.* No verdict can come within a year at today’s traffic, even if the lead stays\./;
  const even = 'so far no page is ahead of the other';

  it.each([
    [20, 18, wait],
    [20, 20, new RegExp(`What it takes is unknown: ${even}\\.$`)],
    [0, 0, /^No decision yet: there are no conversions so far\.$/],
  ])('of %d and %d conversions is explained', async (first, second, words) => {
    answerOffers([offer(1, 400, first), offer(2, 400, second)]);
    const { decision } = await compare({ period: 'last_14_days' });
    expect(decision.text).toMatch(words);
    if (first === second && first > 0) expect(decision.needed?.['if_lead_stays']).toBe(even);
  });

  it('of one day is not read by days, and gives no clear verdict', async () => {
    answerOffers(clear);
    const { decision } = await compare({ period: 'today' });
    expect(decision).toMatchObject({ verdict: 'leaning', days: 1 });
    expect(tracker.taken()).toHaveLength(4);
  });

  it('of a page that started yesterday takes more days', async () => {
    answerDays((index) => [offer(1, 400, 16), ...(index < 12 ? [] : [offer(2, 400, 4)])]);
    const { decision } = await compare();
    expect(decision.verdict).not.toBe('clear');
    expect(decision.text).toContain('five days with traffic for both');
  });

  it('has a cost of waiting and a forecast, no more exact than the data', async () => {
    answerDays(() => [offer(1, 400, 11), offer(2, 400, 9)]);
    const { decision } = await compare();
    expect(decision.verdict).toBe('leaning');
    expect(decision.waiting_cost_per_day).toBeGreaterThan(0);
    expect(decision.risk_today_per_day).toBeGreaterThan(0);
    const text = textOf(await call('compare_pages', question));
    expect(text).toMatch(/about 9 in 10|about 4 in 5|about 19 in 20/);
    expect(text).toMatch(/more so far, between .+ less and .+ more, however often you ask\. Missing: a lead too large/);
    expect(text).toMatch(/Wait for about \d+ more views \(\d+ days at today’s traffic; 8 in 10 .+\) if the lead stays/);
  });

  it('asks for a fixed first day', async () => {
    const again = async (given?: Row) => (await compare(given)).noticeText.includes('Ask again with start_date ');
    answerDays(() => [offer(1, 400, 11), offer(2, 400, 9)]);
    expect(await again()).toBe(true);
    answerDays(() => twice(1));
    expect(await again()).toBe(false);
  });
});

describe('without dates', () => {
  const open = (days: number) => [offer(1, 40 * days, 2 * days), offer(2, 40 * days, days)];
  const ago = (days: number) => dateOf(14 - days);
  const firstAsked = async (given?: Row) => {
    const { decision, query } = await compare(given);
    expect(query).toMatchObject({ start_date: decision.since, end_date: given?.['end_date'] ?? dateOf(13) });
    const isUsual = decision.since === ago(14) && !given?.['start_date'];
    expect(Object(query)['period']).toBe(isUsual ? 'last_14_days' : undefined);
    return decision.since;
  };

  it('looks as far back as shares and pages stayed the same, up to 60 days', async () => {
    tracker.answer('stats', (given) => bodyOf(open(daysIn(given))));
    expect(await firstAsked()).toBe(ago(60));
    // Ahead of the last 30 days, the first page had all the traffic.
    tracker.answer('stats', (given) => {
      const old = Math.max(daysIn(given) - 30, 0);
      const [first = offer(1, 0, 0), ...others] = open(daysIn(given) - old);
      return bodyOf([{ ...first, Views: first.Views + 80 * old }, ...others]);
    });
    expect(await firstAsked()).toBe(ago(30));
    // The second page is new.
    tracker.answer('stats', (given) => {
      const old = Math.max(daysIn(given) - 10, 0);
      return bodyOf([offer(1, 40 * daysIn(given) + 40 * old, 9), offer(2, 40 * (daysIn(given) - old), 9)]);
    });
    expect(await firstAsked()).toBe(ago(14));
  });

  it('looks no further back than the first visit, and not at all if dates are given', async () => {
    answerDays(() => open(1));
    expect(await firstAsked()).toBe(ago(14));
    tracker.answer('stats', (given) => bodyOf(open(daysIn(given))));
    expect(await firstAsked({ period: 'last_14_days' })).toBe(ago(14));
    expect(await firstAsked({ start_date: ago(3), end_date: ago(1) })).toBe(ago(3));
  });

  it('takes the usual 14 days of pages with thousands of sales, or without known shares', async () => {
    tracker.answer('stats', (given) => bodyOf(twice(10 * daysIn(given))));
    expect(await firstAsked()).toBe(ago(14));
    tracker.answer('stats', (given) => bodyOf(open(daysIn(given)).map((row) => without('Share', row))));
    expect(await firstAsked()).toBe(ago(14));
  });

  it('a longer look that fails leaves the usual one', async () => {
    tracker.answer('stats', (given) =>
      daysIn(given) > 14 ? { status: 404, body: 'no' } : bodyOf(open(daysIn(given))),
    );
    expect(await firstAsked()).toBe(ago(14));
  });
});

describe('single days', () => {
  it('show that a page always pays the same, so that money is compared without a list', async () => {
    answerDays(() => twice(1));
    const { decision, pages } = await compare();
    expect(decision).toMatchObject({ kind: 'leader', verdict: 'clear', basis: 'money', page_id: '1', days: 14 });
    expect(decision.lead).toMatchObject({ over: 'Offer 2', percent: 100 });
    expect(decision.text).toMatch(
      /^"Offer 1" earns most: 0.80 per view, best with a chance of more than 99 in 100. Against "Offer 2": 100% more so far, between \d+% more and \d+% more.$/,
    );
    expect(pages[0]?.epv).toBe(0.8);
  });

  it('are read once each, and not at all if the sums show nothing', async () => {
    const days = { period: 'last_14_days' };
    answerDays(() => twice(1));
    await compare(days);
    const asked = tracker.taken().map(({ path, parameters }) => ({ path, ...Object.fromEntries(parameters) }));
    const reports = asked.filter(({ path }) => path === '/api/stats/') as { start?: string; end?: string }[];
    expect(reports.filter(({ start, end }) => start === end)).toHaveLength(14);
    expect(reports.filter(({ start }) => start === dateOf(11))).toHaveLength(2);
    expect(asked.filter(({ path }) => path === '/api/visitorstats/')).toHaveLength(1);
    expect(asked).toHaveLength(19);
    answerDays(() => [offer(1, 400, 8), offer(2, 400, 8)]);
    await compare(days);
    expect(tracker.taken()).toHaveLength(3);
  });

  it('are read with at most four requests at once', async () => {
    let [now, max] = [0, 0];
    tracker.answer('stats', async (given) => {
      now += 1;
      max = Math.max(max, now);
      await new Promise((resolve) => setTimeout(resolve, 10));
      now -= 1;
      return bodyOf(twice(daysIn(given)));
    });
    expect((await compare()).decision).toMatchObject({ verdict: 'clear', days: 60 });
    expect(max).toBeLessThanOrEqual(4);
  });

  const late = () => new Promise<{ body: string }>((resolve) => setTimeout(() => resolve({ body: '[]' }), 20_000));

  it.each<[string, () => { status: number; body: string } | { body: string }]>([
    ['do not add up', () => bodyOf(clear)],
    ['cannot be read', () => ({ status: 404, body: 'none' })],
  ])('that %s leave the sums, which mislead if shares changed', async (_, answerDay) => {
    tracker.answer('stats', ({ start, end }) => (start === end ? answerDay() : bodyOf(clear)));
    const { decision, noticeText } = await compare();
    expect(decision.kind).toBe('leader');
    expect(noticeText).toContain('which mislead if shares and traffic changed at the same time');
  });

  it('that are missing mean no verdict, chance or call if shares must have changed', async () => {
    answerOffers(eachClear((_, index) => ({ Share: [20, 80][index] })));
    const { decision, pages, calls } = await compare();
    expect(decision).toMatchObject({ kind: 'no decision yet', verdict: 'too early' });
    expect(decision.text).toContain('Shares changed, so the sums do not show which is best.');
    expect(pages.map((page) => page.probability_best)).toEqual([null, null]);
    expect(calls).toEqual([]);
  });

  it('of a period that is too long to read are still counted', async () => {
    answerOffers(clear);
    expect((await compare({ start_date: dateOf(-186), end_date: dateOf(13) })).decision.days).toBe(200);
  });

  it('that never arrive end with the deadline of the call', async () => {
    const hurried = await connect({ url: tracker.url, timeoutMs: 3000 });
    tracker.answer('stats', ({ start, end }) => (start === end ? late() : bodyOf(clear)));
    const { notices } = await hurried.data<Compared>('compare_pages', question);
    expect(notices.join()).toContain('Single days could not be read');
  });

  it('are not read any more once the caller cancels', async () => {
    const cancellation = new AbortController();
    tracker.answer('stats', ({ start, end }) => {
      if (start !== end) return bodyOf(clear);
      cancellation.abort();
      return late();
    });
    const { signal } = cancellation;
    const called = client.callTool({ name: 'compare_pages', arguments: question }, undefined, { signal });
    await expect(called).rejects.toThrow(/abort/i);
  });
});

describe('money', () => {
  const varied = (count: number) => Array.from({ length: count }, (_, index) => [10, 20, 30][index % 3] ?? 0);
  const [much, little] = [varied(280), varied(112)];
  /** One sale of an offer per payout, spread over the days. */
  const listed = (sale: Row, payouts: readonly number[]) =>
    payouts.map((Revenue, index) => ({ ...sale, Date: `${dateOf(index % 14)} 12:00:00`, Revenue }));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  /** The rows of a day for two offers that were paid these amounts. */
  const paid =
    (first: readonly number[], second: readonly number[], more: Row = {}) =>
    (day: number) =>
      [first, second].map((payouts, index) => {
        const today = payouts.filter((_, sale) => sale % 14 === day);
        return offer(index + 1, 400, today.length, { Revenue: sum(today), ...more });
      });
  const list = (...offers: readonly (readonly number[])[]) =>
    offers.flatMap((payouts, index) => listed({ Offer: `Offer ${index + 1}` }, payouts));

  const breakEven = 'It also earns more unless its conversions pay 60% less; so far they pay 0.3% more.';

  it.each<[string, 'money' | 'conversions', (payouts: readonly number[]) => readonly number[]]>([
    ['agrees with the report', 'money', (payouts) => payouts],
    ['is missing', 'conversions', () => []],
    ['contradicts it', 'conversions', (payouts) => payouts.slice(0, -9)],
  ])('is compared only if the list has every payout: one that %s means %s', async (_, basis, shown) => {
    answerDays(paid(much, little), list(shown(much), shown(little)));
    const { decision, noticeText } = await compare();
    expect(decision).toMatchObject({ basis, verdict: 'clear', page_id: '1' });
    expect(decision.text.includes(breakEven)).toBe(basis === 'conversions');
    const rareSales = 'Payouts vary: a page whose rare, large payouts have not come yet looks poorer';
    expect(noticeText.includes(rareSales)).toBe(basis === 'money');
  });

  it('comes from the sums if the conversion list fails', async () => {
    answerOffers(clear);
    tracker.answer('conversions', () => ({ status: 404, body: 'none' }));
    expect((await compare()).decision.kind).toBe('leader');
  });

  it('of two pages with one name is kept apart, also in the list', async () => {
    const days = paid(much, little, { Name: 'Twin' });
    const twin = { Offer: 'Twin' };
    answerDays(days, [...listed(twin, much), ...listed(twin, little)]);
    expect((await compare()).decision.basis).toBe('conversions');
    answerDays(days, [...listed({ ...twin, PageID: 1 }, much), ...listed({ ...twin, PageID: 2 }, little)]);
    const { decision, pages } = await compare();
    expect(decision).toMatchObject({ basis: 'money', verdict: 'clear', page_id: '1' });
    expect(pages.map(({ page_id }) => page_id)).toEqual(['1', '2']);
  });

  it('is assigned by name only if no other page of the report has it, compared or not', async () => {
    const off = offer(3, 0, 0, { Name: 'Offer 1', Inactive: 1 });
    answerDays((day) => [...paid(little, little)(day), off], list(little, little));
    expect((await compare()).decision.basis).toBe('conversions');
  });

  it('comes from the report, not from earnings per view times views', async () => {
    const earned = (Revenue: string, EPV: string) => ({ Revenue, EPV });
    answerOffers([offer(1, 400, 16, earned('325', '0.8124')), offer(2, 400, 8, earned('160', '0.4'))]);
    expect((await compare()).pages.map(({ revenue }) => revenue)).toEqual([325, 160]);
  });

  it('includes chargebacks', async () => {
    const sold = Array.from({ length: 280 }, (_, index) => (index % 10 === 0 ? -150 : 20));
    const steady = Array<number>(280).fill(20);
    answerDays(paid(sold, steady), list(sold, steady));
    const { decision, pages } = await compare();
    expect(decision).toMatchObject({ basis: 'money', name: 'Offer 2' });
    expect(pages[0]?.epv).toBe(0.15);
  });

  it('below 0 is shown as it is, with its cause', async () => {
    answerOffers([better, { ...worse, Revenue: '-120.50' }]);
    const { pages, notices } = await compare();
    expect(pages[1]?.revenue).toBe(-120.5);
    expect(notices).toContain('Negative revenue, from chargebacks: "Worse".');
  });

  it('of one large sale decides nothing, because the list shows how payouts vary', async () => {
    answerOffers([
      offer(1, 2000, 20, { Name: 'Whale', Revenue: 2190 }),
      offer(2, 2000, 100, { Name: 'Steady', Revenue: 1000 }),
    ]);
    const single = (Offer: string, payouts: number[]) => payouts.map((Revenue) => ({ Offer, Revenue }));
    const whale = single('Whale', [2000, ...Array<number>(19).fill(10)]);
    const steady = single('Steady', Array<number>(100).fill(10));
    tracker.answer('conversions', JSON.stringify({ Rows: [...whale, ...steady] }));
    const { decision, pages } = await compare();
    expect(decision.kind).toBe('no decision yet');
    expect(pages[0]?.probability_best ?? 1).toBeLessThan(0.95);
    expect(decision.text).toContain(
      'One sale of 2,000 makes this lead: without it, "Whale" has earned 81% less per view.',
    );
    expect(decision.lead).toMatchObject({ decisive_sale: 2000, percent_without_it: -81 });
  });

  /** Five sales a day of two offers. */
  const pay = (payouts: readonly ((day: number) => number)[], isListed = true) => {
    const sales = payouts.map((payout, offerIndex) =>
      Array.from({ length: 14 * 5 }, (_, index) => ({
        ...{ Date: `${dateOf(index % 14)} 12:00:00`, SubID: `a_7_${offerIndex}${index}`, PageID: offerIndex + 1 },
        ...{ Offer: offerIndex === 0 ? 'Better' : 'Worse', Revenue: payout(index % 14) },
      })),
    );
    answerOffers(
      sales.map((rows, index) => {
        const revenue = sum(rows.map(({ Revenue }) => Revenue));
        return offer(index + 1, 2000, rows.length, { Name: rows[0]?.Offer, Revenue: revenue });
      }),
    );
    const listed = isListed ? sales.flat() : sales.flat().filter((_, index) => index % 3 > 0);
    tracker.answer('conversions', JSON.stringify({ Rows: listed }));
  };
  const aboutPayouts = ({ notices }: { readonly notices: readonly string[] }) =>
    notices.filter((notice) => / a sale(?: instead of |, as asked)/.test(notice));

  it('from before a change of payout counts at what the offer pays now', async () => {
    pay([(day) => (day < 9 ? 30 : 20), () => 20]);
    const compared = await compare();
    expect(compared.pages[0]).toMatchObject({ revenue: 1400, valued_at: 20, booked_revenue: 1850, epv: 0.7 });
    expect(compared.pages[1]).not.toHaveProperty('valued_at');
    expect(compared.decision).toMatchObject({ basis: 'money', lead: { percent: 0 } });
    expect(aboutPayouts(compared)).toEqual([
      expect.stringMatching(
        /^“Better” pays 20\.00 a sale instead of 30\.00 since .*\. 45 sales before are valued at 20\.00 here: its revenue was 1,850\.00\.$/,
      ),
    ]);
  });

  it('from before a lower payout stays in the figures if the list and the report disagree, and a notice explains it', async () => {
    pay([(day) => (day < 9 ? 30 : 20), () => 20], false);
    const compared = await compare();
    expect(compared.pages[0]).toMatchObject({ revenue: 1850 });
    expect(aboutPayouts(compared)).toEqual([
      expect.stringMatching(
        `^“Better” pays 20\\.00 a sale instead of 30\\.00 since .*\\. The figures include its sales before: .* start_date ${dateOf(9)}\\.$`,
      ),
    ]);
  });

  it('that doubled exactly is not taken for the payout', async () => {
    pay([(day) => (day < 9 ? 20 : 40), () => 20]);
    const compared = await compare();
    expect(compared.pages[0]).not.toHaveProperty('valued_at');
    expect(aboutPayouts(compared).join()).toMatch(
      /pays 40\.00 a sale instead of 20\.00 .*, exactly double: a pixel that fires twice looks like this\. Its sales are counted as they paid; payouts values them all alike\./,
    );
    const asked = await compare({ payouts: [{ page_id: 1, payout: 20 }] });
    expect(asked.pages.map(({ revenue }) => revenue)).toEqual([1400, 1400]);
    expect(asked.decision.lead).toMatchObject({ percent: 0 });
  });

  it('can be asked at other payouts: the verdict is that of these', async () => {
    answerDays(() => [offer(1, 400, 16), offer(2, 400, 8)]);
    expect((await compare()).decision).toMatchObject({ page_id: '1', lead: { percent: 100 } });
    const whatIf = await compare({ payouts: [{ page_id: '2', payout: 80 }] });
    expect(whatIf.decision).toMatchObject({ basis: 'money', page_id: '2', lead: { percent: 100 } });
    expect(whatIf.pages[1]).toMatchObject({ revenue: 112 * 80, valued_at: 80, booked_revenue: 112 * 20, epv: 1.6 });
    expect(whatIf.query['payouts']).toEqual([{ page_id: 2, payout: 80 }]);
    expect(aboutPayouts(whatIf)).toEqual([
      '“Offer 2” is valued at 80.00 a sale, as asked: its revenue was 2,240.00 for 112 sales.',
    ]);
  });

  it('is not asked at payouts of pages that are not there, or of landing pages', async () => {
    answerOffers(clear);
    expect(await refused({ payouts: [{ page_id: 9, payout: 24 }] })).toContain(
      'payouts names page 9, which is not among the offers. The offers are: 1 “Better”, 2 “Worse”.',
    );
    tracker.answer('stats', JSON.stringify({ data: { landing: clear } }));
    expect(await refused({ kind: 'landing', payouts: [{ page_id: 1, payout: 24 }] })).toContain(
      'payouts are those of offers',
    );
  });

  it('is booked on the day of the visit if the report does so, as the list shows', async () => {
    const early = { Offer: 'Offer 1', Revenue: 500, Date: `${dateOf(0)} 01:00:00`, VisitDate: '2020-01-01 10:00:00' };
    const dated = list(much, little).map((row, index) => ({
      ...{ ...row, VisitDate: row.Date },
      Date: `${dateOf(Math.min((index % 14) + (index % 2), 13))} 23:00:00`,
    }));
    answerDays(paid(much, little), [early, ...dated]);
    expect((await compare()).decision).toMatchObject({ basis: 'money', verdict: 'clear', page_id: '1' });
  });
});

describe('a verdict', () => {
  it('is withheld if a page converts more and has earned less', async () => {
    answerOffers([offer(1, 2000, 60, { Revenue: 600 }), offer(2, 2000, 20, { Revenue: 740 })]);
    const { decision, pages, calls } = await compare();
    expect(decision).toMatchObject({ kind: 'no decision yet', verdict: 'too early', basis: 'conversions' });
    expect(decision.text).toContain('a lead in money too, by more than chance');
    expect(pages[0]?.probability_best).toBeLessThan(0.6);
    expect(pages.map((page) => page.recommended_share)).toEqual([50, 50]);
    expect(calls).toEqual([]);
  });

  /** Daily sales of an offer, each with the day of its visit and of its booking. */
  const sold = (id: number, perDay: number, delayOf: (index: number) => number) =>
    allDays.flatMap((visit) =>
      Array.from({ length: perDay }, (_, index) => ({ id, visit, booked: visit + delayOf(index) })).filter(
        ({ booked }) => booked <= 13,
      ),
    );
  type Sold = ReturnType<typeof sold>;
  const listOf = (sales: Sold) =>
    sales.map(({ id, visit, booked }) => ({
      ...{ Offer: `Offer ${id}`, Revenue: 20 },
      ...{ Date: `${dateOf(booked)} 12:00:00`, VisitDate: `${dateOf(visit)} 11:00:00` },
    }));
  const answerSold = (sales: Sold, on: 'visit' | 'booked', viewsOf = (_day: number, _id: number) => 400) => {
    const countOn = (day: number, id: number) => sales.filter((sale) => sale.id === id && sale[on] === day).length;
    answerDays((day) => [1, 2].map((id) => offer(id, viewsOf(day, id), countOn(day, id))), listOf(sales));
  };

  it('leaves out days with sales still to come', async () => {
    answerSold([...sold(1, 12, () => 0), ...sold(2, 12, (index) => index % 6)], 'visit');
    const { decision, noticeText } = await compare();
    expect(decision).toMatchObject({ verdict: 'too early', days: 9 });
    expect(noticeText).toMatch(
      /Sales come late: 95% are in by \d days after the visit, so about \d+ sales( \(\d+ to \d+\))?, \d+% of those from the last \d days, are still to come\./,
    );
    expect(noticeText).toContain(
      'The last 5 days are measured, and left out of the verdict until 95% of the sales of the slowest page are in.',
    );
    expect(decision.text).toMatch(
      /: 0% more on the 9 days that the verdict uses \(22% more on all 14\), between .+ less and .+ more, however often you ask\./,
    );
  });

  it('counts sales after a change of shares on the day of their visit', async () => {
    const sales = [...sold(1, 16, (index) => index % 4), ...sold(2, 4, (index) => index % 4)];
    const turned = sales.map((sale) => ({ ...sale, id: sale.visit >= 7 ? 3 - sale.id : sale.id }));
    answerSold(turned, 'booked', (day, id) => ((id === 1) === day < 7 ? 640 : 160));
    const { decision, notices } = await compare();
    expect(decision).toMatchObject({ verdict: 'too early', basis: 'money' });
    expect(decision.lead['percent']).toBe(0);
    expect(notices).toContain(
      `Left out, because shares had just changed: "${dateOf(7)}". Change shares once a week at most.`,
    );
  });

  it('leaves out the first days if shares changed just before them', async () => {
    answerDays((index) => [offer(1, 400, 16), offer(2, 400, index < 3 ? 2 : 8)]);
    expect((await compare()).noticeText).not.toContain('shares had just changed');
    tracker.answer('stats', (given) =>
      bodyOf(String(given['end']) < dateOf(0) ? [offer(1, 100, 1), offer(2, 700, 7)] : twice(daysIn(given))),
    );
    const dates = [0, 1, 2, 3].map((day) => `"${dateOf(day)}"`).join(', ');
    expect((await compare({ period: 'last_14_days' })).noticeText).toContain(`shares had just changed: ${dates}.`);
  });

  it('on close pages takes traffic only from a page that surely loses', async () => {
    const part = (total: number, day: number) => Math.floor((total * (day + 1)) / 14) - Math.floor((total * day) / 14);
    const totals = [
      [622, 46, 40],
      [463, 33, 30],
      [463, 12, 30],
    ] as const;
    answerDays((day) =>
      totals.map(([views, sales, Share], page) => offer(page + 1, part(views, day), part(sales, day), { Share })),
    );
    const { decision, pages, shares, notices } = await compare();
    expect(decision.verdict).toBe('too early');
    expect(decision.text).toContain('"Offer 3" is certainly not the best. No decision yet between the others');
    expect(pages.map((page) => page.recommended_share)).toEqual([56, 42, 2]);
    expect(shares).toEqual([56, 42, 2].map((share, page) => ({ page_id: page + 1, share })));
    expect(notices).toContain(
      'The call only takes traffic from what is surely behind; the other pages keep their split.',
    );
  });

  it('has a warning if robots may explain the clicks', async () => {
    answerOffers(eachClear((_, index) => ({ Clicks: [2000, 1000][index] })));
    const { noticeText } = await compare();
    expect(noticeText).toContain('Assumed: every view is a person');
    expect(noticeText).toContain('20% of the views of "Worse" click, and 40% of those of "Better"');
    for (const few of [1000, 850]) {
      answerOffers(eachClear((_, index) => ({ Clicks: [1000, few][index] })));
      expect((await compare()).noticeText).not.toContain('Robots among');
    }
  });
});
