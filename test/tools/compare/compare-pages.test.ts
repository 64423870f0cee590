import { afterEach, describe, expect, it } from 'vitest';
import type { Compared } from '../../support/answers.ts';
import { connect, textOf } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

type Row = Readonly<Record<string, unknown>>;

const tracker = await startForeignTracker({ conversions: '[]', visitorstats: '[]' });
const { client, call, data, refusal } = await connect({ url: tracker.url });

/** The shares that a call sets. */
const sharesIn = (call: Compared['calls'][number]) =>
  call.arguments['shares'] as readonly { page_id: number; share: number }[];

function answerOffers(rows: readonly Row[]): void {
  tracker.answer('stats', JSON.stringify({ data: { offers: rows } }));
  tracker.taken();
}

type DayRow = Readonly<Record<'PageID' | 'Views' | 'Conversions' | 'Revenue', number>> & Row;

/** Answers each request by the days it asks for, whose rows add up; the conversions are listed if there are any. */
function answerDays(rowsOf: (day: number) => readonly DayRow[], conversions: readonly Row[] = []): void {
  tracker.answer('stats', ({ start, end }) => {
    const sums = new Map<number, DayRow>();
    for (let day = 0; day < 14; day += 1) {
      if (dateOf(day) < String(start) || dateOf(day) > String(end)) continue;
      for (const row of rowsOf(day)) {
        const before = sums.get(row.PageID);
        const add = (key: 'Views' | 'Conversions' | 'Revenue') => row[key] + (before?.[key] ?? 0);
        sums.set(row.PageID, { ...row, Views: add('Views'), Conversions: add('Conversions'), Revenue: add('Revenue') });
      }
    }
    return { body: JSON.stringify({ data: { offers: [...sums.values()] } }) };
  });
  tracker.answer('conversions', JSON.stringify({ Rows: conversions }));
  tracker.taken();
}

/** The days of the usual period, the last one today. */
const dateOf = (day: number) => new Date(Date.now() - (13 - day) * 86_400_000).toISOString().slice(0, 10);

afterEach(() => {
  tracker.answer('conversions', '[]');
  tracker.answer('visitorstats', '[]');
});

const question = { campaign_id: 7, kind: 'offer' };
const compare = (given: Row = {}) => data<Compared>('compare_pages', { ...question, ...given });
const refused = (given: Row = {}) => refusal('compare_pages', { ...question, ...given });

const clear = [
  { PageID: 1, Name: 'Better', Share: 50, Views: 5000, Conversions: 250, Revenue: 5000 },
  { PageID: 2, Name: 'Worse', Share: 50, Views: 5000, Conversions: 100, Revenue: 2000 },
];

/** The same with other shares, and the traffic that goes with them. */
const clearOf = (shares: readonly number[]) =>
  clear.map((row, index) => {
    const views = Math.round((100_000 * (shares[index] ?? 0)) / ((shares[0] ?? 0) + (shares[1] ?? 0)));
    const conversions = Math.round((views * row.Conversions) / row.Views);
    return { ...row, Share: shares[index], Views: views, Conversions: conversions, Revenue: conversions * 20 };
  });

describe('compare_pages', () => {
  it('names a clear leader, with the calls that would set the shares', async () => {
    answerOffers(clear);
    const { decision, pages, calls } = await compare();
    expect(decision).toMatchObject({ kind: 'leader', page_id: '1', name: 'Better' });
    expect(pages[0]?.epv).toBeCloseTo(1, 1);
    expect(pages[0]?.epv_low).toBeLessThan(1);
    expect(pages[0]?.epv_high).toBeGreaterThan(1);
    expect(pages.reduce((sum, page) => sum + page.recommended_share, 0)).toBe(100);
    const shares = pages.map((page) => ({ page_id: Number(page.page_id), share: page.recommended_share }));
    expect(calls).toEqual([{ tool: 'set_shares', arguments: { campaign_id: 7, shares } }]);
  });

  it('names no leader that only its mix of visits makes, and says which page is better in each part', async () => {
    answerOffers(clear);
    const visitsOf = (offer: string, device: string, views: number, sales: number) =>
      Array.from({ length: views }, (_, index) => ({
        Date: `${dateOf(3)} 12:00:00`,
        ...{ Offer: offer, Device: device, Revenue: index < sales ? '20' : '0' },
      }));
    const mixed = [
      ...[...visitsOf('Better', 'Desktop', 4500, 248), ...visitsOf('Better', 'Phone', 507, 2)],
      ...[...visitsOf('Worse', 'Desktop', 500, 35), ...visitsOf('Worse', 'Phone', 4500, 65)],
    ];
    tracker.answer('visitorstats', JSON.stringify(mixed));
    const { decision, calls, notices } = await compare();
    expect(decision).toMatchObject({ kind: 'no decision yet', verdict: 'too early' });
    expect(decision.text).toContain('one order in all parts of the traffic');
    expect(calls).toEqual([]);
    expect(notices[0]).toBe(
      'On each device “Worse” earns more per view than “Better”: Desktop 1.4 and 1.1, Phone 0.289 and 0.0789. “Better” is ahead over all because it got more of the views of Desktop, so the parts decide: “Worse”.',
    );
    // With half the list, which is then not that of the report, nothing is said.
    tracker.answer('visitorstats', JSON.stringify(mixed.filter((_, index) => index % 2 === 0)));
    expect((await compare()).decision.kind).toBe('leader');
  });

  it('says of an offer whose payout fell that what it earned before is in the figures', async () => {
    const sold = (page: number, payout: (day: number) => number) =>
      Array.from({ length: 14 * 5 }, (_, index) => ({
        ...{ Date: `${dateOf(index % 14)} 12:00:00`, SubID: `a_7_${page}${index}`, PageID: page },
        ...{ Offer: page === 1 ? 'Better' : 'Worse', Revenue: payout(index % 14) },
      }));
    const paid = [1, 2].map((page) => sold(page, (day) => (page === 2 ? 20 : day < 9 ? 30 : 20)));
    const rows = paid.map((own, index) => ({
      ...{ PageID: index + 1, Name: index === 0 ? 'Better' : 'Worse', Share: 50, Views: 2000 },
      ...{ Conversions: own.length, Revenue: own.reduce((sum, { Revenue }) => sum + Revenue, 0) },
    }));
    answerOffers(rows);
    tracker.answer('conversions', JSON.stringify({ Rows: paid.flat() }));
    const { notices } = await compare();
    const said = notices.filter((notice) => notice.includes(' a sale instead of '));
    expect(said).toEqual([
      expect.stringMatching(
        `^“Better” pays 20\\.00 a sale instead of 30\\.00 since .*, and what it earned before is in the figures: .* start_date ${dateOf(9)}\\.$`,
      ),
    ]);
  });

  it('compares the last two weeks where no period is given, and echoes the dates', async () => {
    answerOffers(clear);
    const { query } = await compare();
    expect(query['period']).toBe('last_14_days');
    const sent = Object.fromEntries(tracker.taken()[0]?.parameters ?? []);
    expect(sent).toMatchObject({ camp: '7', report: 'offer', start: query['start_date'], end: query['end_date'] });
  });

  it('compares within one path, by default the one with most views', async () => {
    const inPath = (path: number, views: number) =>
      clear.map((row, index) => ({ ...row, PageID: path * 10 + index, Path: path, Views: views }));
    answerOffers([...inPath(1, 600), ...inPath(2, 900)]);
    const busiest = await compare();
    expect(busiest.pages.map((page) => page.page_id)).toEqual(['20', '21']);
    expect(busiest.notices.join()).toContain('the groups are "path 2", "path 1"');
    const other = await compare({ group: 'path 1' });
    expect(other.pages.map((page) => page.page_id)).toEqual(['10', '11']);
    for (const group of ['Path 1', ' PATH 1 ', '1']) expect((await compare({ group })).pages).toEqual(other.pages);
    expect(await refused({ group: 'path 9' })).toContain('The groups are: "path 2", "path 1".');
  });

  it('refuses a number that fits several groups', async () => {
    const at = (level: number, path: number) => clear.map((row) => ({ ...row, Level: level, Path: path }));
    answerOffers([...at(1, 1), ...at(1, 2)]);
    expect((await compare({ group: '2' })).notices.join()).toContain('Compared: level 1, path 2.');
    expect(await refused({ group: '1' })).toContain('The groups are: "level 1, path 1", "level 1, path 2".');
  });

  it('says in the text that the rate is of views, not of clicks', async () => {
    answerOffers(clear);
    expect(textOf(await call('compare_pages', question))).toContain('epv\tconversions per view in percent');
  });

  const withIds = (...ids: readonly unknown[]) => clear.map((row, index) => ({ ...row, PageID: ids[index] }));
  const withoutIds = clear.map(({ PageID: _, ...row }) => row);
  const renamed = (column: string) => clear.map(({ PageID, ...row }) => ({ [column]: PageID, ...row }));
  const noIds = 'The report shows no page IDs, so no calls can be given.';

  type Unnamed = [string, readonly Row[], readonly (string | null)[], string];
  it.each<Unnamed>([
    ['there are no page IDs', withoutIds, [null, null], noIds],
    ...['OfferID', 'LandingPageID', 'lp_id', 'Landing ID'].map(
      (column): Unnamed => [`there is ${column}, the ID of a predefined record`, renamed(column), [null, null], noIds],
    ),
    [
      'one page has no ID',
      withIds(1, ''),
      ['1', null],
      'The report shows no page ID of "Worse", so no calls can be given.',
    ],
    [
      'two have the same',
      withIds(5, 5),
      ['5', '5'],
      'Several pages have the same ID in the report, so no calls can be given.',
    ],
    [
      'a number does not hold the ID',
      withIds('9007199254740993', '12'),
      ['9007199254740993', '12'],
      'The page ID of "Better" is too large to be passed on exactly, so no calls can be given.',
    ],
  ])('names the leader and gives no calls where %s, and says why', async (_, rows, ids, notice) => {
    answerOffers(rows);
    const { decision, pages, calls, notices } = await compare();
    expect(decision).toMatchObject({ kind: 'leader', name: 'Better' });
    expect(pages.map(({ page_id }) => page_id)).toEqual(ids);
    expect(calls).toEqual([]);
    expect(notices).toContain(notice);
  });

  it.each(['Page ID', 'campaign_page_id', 'Page'])(
    'takes %s for the page ID, whatever stands beside it',
    async (column) => {
      answerOffers(
        clear.map(({ PageID, ...row }) => ({ ID: 90 + PageID, OfferID: 80 + PageID, [column]: PageID, ...row })),
      );
      expect((await compare()).calls.flatMap(sharesIn).map(({ page_id }) => page_id)).toEqual([1, 2]);
    },
  );

  const off = { PageID: 3, Name: 'Off', Share: 50, Inactive: 1, Views: 900, Conversions: 90, Revenue: 900 };
  const zero = { PageID: 4, Name: 'Zero', Share: 0, Inactive: 0, Views: 0, Conversions: 0, Revenue: 0 };

  it.each<[string, readonly Row[], string]>([
    ['get no traffic', [off, zero], 'Left out, because they are inactive or have no share: "Off", "Zero".'],
    ['had no view yet', [{ ...zero, Share: 50 }], 'Left out, because they had no views: "Zero".'],
    [
      'are the tracker’s own total',
      [{ PageID: '', Name: 'Total', Share: 100, Views: 10_000, Conversions: 350, Revenue: 7000 }],
      'The row "Total" is the tracker’s own total, not a page.',
    ],
  ])('leaves rows out that %s, and says so', async (_, rows, notice) => {
    answerOffers([...clear, ...rows]);
    const { pages, calls, notices } = await compare();
    expect(pages.map(({ name }) => name)).toEqual(['Better', 'Worse']);
    expect(calls.flatMap(sharesIn)).toHaveLength(2);
    expect(notices).toContain(notice);
  });

  const unseen = clear.map((row) => ({ ...row, Views: 0, Conversions: 0, Revenue: 0 }));

  it.each<[string, readonly Row[], RegExp]>([
    [
      'without a column that is needed',
      clear.map(({ Name, Views, Conversions }) => ({ Name, Views, Conversions })),
      /no column of numbers for revenue.*"Name", "Views", "Conversions"/,
    ],
    ['of one page, which gets all the traffic', clear.slice(0, 1), /nothing to compare/],
    ['of pages without a view', unseen, /None of the offers had a view/],
    ['of one page with a view', [...clear.slice(0, 1), ...unseen.slice(1)], /Only one of the offers had a view/],
  ])('refuses a report %s, and says so', async (_, rows, told) => {
    answerOffers(rows);
    expect(await refused()).toMatch(told);
  });

  it('takes a page column of names for names', async () => {
    answerOffers(clear.map(({ PageID: _, Name, ...row }) => ({ Page: Name, ...row })));
    const { pages } = await compare();
    expect(pages).toMatchObject([
      { page_id: null, name: 'Better' },
      { page_id: null, name: 'Worse' },
    ]);
  });

  it('uses a column that is called ID alone, and says to check it', async () => {
    answerOffers(clear.map(({ PageID, ...row }) => ({ ID: PageID, ...row })));
    const { calls, notices } = await compare();
    expect(calls.flatMap(sharesIn).map(({ page_id }) => page_id)).toEqual([1, 2]);
    expect(notices).toContain(
      'The report calls the page IDs "ID", which may be those of predefined offers instead: check them in the tracker’s campaign before calling.',
    );
  });

  it('leaves pages outside the comparison their part: the calls keep the sum of the shares', async () => {
    answerOffers(clearOf([40, 30]));
    const { pages, calls, notices } = await compare();
    expect(pages.map((page) => page.recommended_share)).toEqual([96, 4]);
    expect(calls.flatMap(sharesIn).map(({ share }) => share)).toEqual([67.2, 2.8]);
    expect(notices.join()).toContain('add up to 70, as they do now');
  });

  it.each([
    ['are unknown', [null, null]],
    ['would pass 100', [120, 120]],
  ])('gives percentages where shares %s', async (_, shares) => {
    answerOffers(clear.map((row, index) => ({ ...row, Share: shares[index] })));
    const { calls, notices } = await compare();
    expect(calls.flatMap(sharesIn).map(({ share }) => share)).toEqual([96, 4]);
    expect(notices.join()).not.toContain('add up to');
  });

  it.each([
    [96, 4],
    [67.2, 2.8],
    [24, 1],
  ])('says that shares of %d and %d are as recommended already', async (...shares) => {
    answerOffers(clearOf(shares));
    const { calls, notices } = await compare();
    expect(calls).toEqual([]);
    expect(notices).toContain('The shares are as recommended already.');
  });

  it('shows a negative revenue as it is, and says what brings it about', async () => {
    answerOffers(clear.map((row, index) => (index === 0 ? row : { ...row, Revenue: '-120.50' })));
    const { pages, notices } = await compare();
    expect(pages[1]?.revenue).toBe(-120.5);
    expect(notices).toContain('Negative revenue, from chargebacks: "Worse".');
  });

  it('takes the spread of payouts from the conversion list, so that one large sale decides nothing', async () => {
    const rows = [
      { PageID: 1, Name: 'Whale', Share: 50, Views: 2000, Conversions: 20, Revenue: 2190 },
      { PageID: 2, Name: 'Steady', Share: 50, Views: 2000, Conversions: 100, Revenue: 1000 },
    ];
    answerOffers(rows);
    const single = (offer: string, payouts: number[]) => payouts.map((revenue) => ({ Offer: offer, Revenue: revenue }));
    const payouts = [
      ...single('Whale', [2000, ...Array<number>(19).fill(10)]),
      ...single('Steady', Array<number>(100).fill(10)),
    ];
    tracker.answer('conversions', JSON.stringify({ Rows: payouts }));
    const { decision, pages } = await compare();
    expect(decision.kind).toBe('no decision yet');
    expect(pages[0]?.probability_best ?? 1).toBeLessThan(0.95);
    expect(decision.text).toContain(
      'One sale of 2000 makes this lead: without it, "Whale" has earned 81% less per view.',
    );
    expect(decision.lead).toMatchObject({ decisive_sale: 2000, percent_without_it: -81 });
  });

  it('compares by the sums alone where the conversion list cannot be had', async () => {
    answerOffers(clear);
    tracker.answer('conversions', () => ({ status: 404, body: 'none' }));
    expect((await compare()).decision.kind).toBe('leader');
  });

  it.each([
    [{ kind: 'page' }, /kind must be one of offer, landing/],
    [{ start_date: '2026-11-05', end_date: '2026-11-01' }, /end_date 2026-11-01 is before start_date/],
    [{ period: 'today', start_date: '2026-11-01' }, /period cannot stand beside/],
  ])('refuses %o before anything is sent', async (given, message) => {
    expect(await refused(given)).toMatch(message);
    expect(tracker.taken()).toEqual([]);
  });
});

describe('compare_pages on too little data', () => {
  it('leaves the shares as they are', async () => {
    answerOffers([
      { PageID: 1, Name: 'A', Share: 80, Views: 3, Conversions: 1, Revenue: 20 },
      { PageID: 2, Name: 'B', Share: 20, Views: 1, Conversions: 0, Revenue: 0 },
    ]);
    const { decision, calls, notices } = await compare();
    expect(decision.kind).toBe('no decision yet');
    expect(calls).toEqual([]);
    expect(notices).toContain('The shares are better left as they are: it is too early to change them.');
  });

  it('says what a decision still lacks', async () => {
    answerOffers([
      { PageID: 1, Name: 'A', Share: 50, Views: 400, Conversions: 20, Revenue: 400 },
      { PageID: 2, Name: 'B', Share: 50, Views: 400, Conversions: 18, Revenue: 360 },
    ]);
    expect((await compare()).decision.text).toMatch(
      /Missing: a lead too large to be chance.* Wait for about \d+ more views \(.* at today’s traffic; 8 in 10 such cases take between .+ and .+\) if the lead stays/,
    );
  });

  it('says why it cannot say what a verdict takes', async () => {
    answerOffers(
      [1, 2].map((id) => ({ PageID: id, Name: `Offer ${id}`, Share: 50, Views: 400, Conversions: 20, Revenue: 400 })),
    );
    const { decision } = await compare();
    expect(decision.needed?.['if_lead_stays']).toBe('so far no page is ahead of the other');
    answerOffers(
      [1, 2].map((id) => ({ PageID: id, Name: `Offer ${id}`, Share: 50, Views: 400, Conversions: 0, Revenue: 0 })),
    );
    expect((await compare()).decision.text).toBe('No decision yet: there are no conversions so far.');
  });
});

const day = (
  PageID: number,
  Views: number,
  Conversions: number,
  Revenue = Conversions * 20,
  more: Row = {},
): DayRow => ({
  ...{ PageID, Name: `Offer ${PageID}`, Share: 50, Views, Conversions, Revenue, ...more },
});

describe('compare_pages by days', () => {
  it('compares money without a list where every day pays the same, and says it in plain words', async () => {
    answerDays(() => [day(1, 400, 16), day(2, 400, 8)]);
    const { decision, pages } = await compare();
    expect(decision).toMatchObject({ kind: 'leader', verdict: 'clear', basis: 'money', page_id: '1', days: 14 });
    expect(decision.lead).toMatchObject({ over: 'Offer 2', percent: 100 });
    expect(decision.text).toMatch(
      /^"Offer 1" earns most: 0.8 per view, best with a chance of more than 99 in 100. Against "Offer 2": 100% more so far, between \d+% more and \d+% more.$/,
    );
    expect(pages[0]?.epv).toBe(0.8);
  });

  it('asks for each day once, and for none where the sums say nothing', async () => {
    answerDays(() => [day(1, 400, 16), day(2, 400, 8)]);
    await compare();
    const asked = tracker.taken().map(({ path, parameters }) => [path, Object.fromEntries(parameters)['start']]);
    expect(asked.filter(([path, start]) => path === '/api/stats/' && start !== dateOf(0))).toHaveLength(14);
    expect(asked.filter(([path]) => path === '/api/visitorstats/')).toHaveLength(1);
    expect(asked).toHaveLength(18);
    answerDays(() => [day(1, 400, 8), day(2, 400, 8)]);
    await compare();
    expect(tracker.taken()).toHaveLength(2);
  });

  it('has at most four requests in flight', async () => {
    answerDays(() => [day(1, 400, 16), day(2, 400, 8)]);
    let [now, max] = [0, 0];
    tracker.answer('stats', async ({ start, end }) => {
      now += 1;
      max = Math.max(max, now);
      await new Promise((resolve) => setTimeout(resolve, 10));
      now -= 1;
      const days = (Date.parse(String(end)) - Date.parse(String(start))) / 86_400_000 + 1;
      return {
        body: JSON.stringify({ data: { offers: [day(1, 400 * days, 16 * days), day(2, 400 * days, 8 * days)] } }),
      };
    });
    expect((await compare()).decision).toMatchObject({ verdict: 'clear', days: 14 });
    expect(max).toBeLessThanOrEqual(4);
  });

  it.each<[string, () => void]>([
    ['do not add up', () => tracker.answer('stats', JSON.stringify({ data: { offers: clear } }))],
    [
      'cannot be had',
      () =>
        tracker.answer('stats', ({ start, end }) =>
          start === end ? { status: 404, body: 'none' } : { body: JSON.stringify({ data: { offers: clear } }) },
        ),
    ],
  ])('judges by the sums where days %s, and says that changed shares mislead it', async (_, answer) => {
    answer();
    const { decision, notices } = await compare();
    expect(decision.kind).toBe('leader');
    expect(notices.join()).toContain('mislead if shares changed while the traffic itself changed');
  });

  it('neither leans, gives a chance nor calls by sums if shares must have changed', async () => {
    answerOffers(clear.map((row, index) => ({ ...row, Share: [20, 80][index] })));
    const { decision, pages, calls } = await compare();
    expect(decision).toMatchObject({ kind: 'no decision yet', verdict: 'too early' });
    expect(decision.text).toContain('Shares changed, so the sums do not show which is best.');
    expect(pages.map((page) => page.probability_best)).toEqual([null, null]);
    expect(calls).toEqual([]);
  });

  it('is over by the deadline of one call, though days never come', async () => {
    const hurried = await connect({ url: tracker.url, timeoutMs: 3000 });
    tracker.answer('stats', ({ start, end }) =>
      start === end
        ? new Promise((resolve) => setTimeout(() => resolve({ body: '[]' }), 20_000))
        : { body: JSON.stringify({ data: { offers: clear } }) },
    );
    const { notices } = await hurried.data<Compared>('compare_pages', question);
    expect(notices.join()).toContain('Single days could not be read');
  });

  it('ends with its caller, in the middle of the days', async () => {
    const cancellation = new AbortController();
    tracker.answer('stats', ({ start, end }) => {
      if (start !== end) return { body: JSON.stringify({ data: { offers: clear } }) };
      cancellation.abort();
      return new Promise((resolve) => setTimeout(() => resolve({ body: '[]' }), 20_000));
    });
    const call = client.callTool({ name: 'compare_pages', arguments: { campaign_id: 7, kind: 'offer' } }, undefined, {
      signal: cancellation.signal,
    });
    await expect(call).rejects.toThrow(/abort/i);
  });
});

describe('compare_pages on money', () => {
  /** Conversions of an offer, spread over the days, whose payouts vary. */
  const listed = (offer: Row, payouts: readonly number[]) =>
    payouts.map((Revenue, index) => ({ ...offer, Date: `${dateOf(index % 14)} 12:00:00`, Revenue }));
  const varied = (count: number) => Array.from({ length: count }, (_, index) => [10, 20, 30][index % 3] ?? 0);
  const rowsOf =
    (id: number, payouts: readonly number[], more: Row = {}) =>
    (index: number) => {
      const paid = payouts.filter((_, at) => at % 14 === index);
      return day(
        id,
        400,
        paid.length,
        paid.reduce((sum, value) => sum + value, 0),
        more,
      );
    };

  it('takes single payouts from a list that agrees with the report', async () => {
    const [better, worse] = [varied(280), varied(112)];
    answerDays(
      (index) => [rowsOf(1, better)(index), rowsOf(2, worse)(index)],
      [...listed({ Offer: 'Offer 1' }, better), ...listed({ Offer: 'Offer 2' }, worse)],
    );
    const { decision, notices } = await compare();
    expect(decision).toMatchObject({ basis: 'money', verdict: 'clear', page_id: '1' });
    expect(notices).toContain('Payouts vary: a page whose rare, large ones have not come yet looks poorer than it is.');
  });

  it.each([
    ['is missing', () => []],
    ['contradicts it', (payouts: readonly number[]) => payouts.slice(0, -9)],
  ])('compares by conversions where the list %s, with the break-even', async (_, shown) => {
    const [better, worse] = [varied(280), varied(112)];
    answerDays(
      (index) => [rowsOf(1, better)(index), rowsOf(2, worse)(index)],
      [...listed({ Offer: 'Offer 1' }, shown(better)), ...listed({ Offer: 'Offer 2' }, shown(worse))],
    );
    const { decision } = await compare();
    expect(decision).toMatchObject({ basis: 'conversions', verdict: 'clear', page_id: '1' });
    expect(decision.text).toContain(
      'It also earns more unless its conversions pay 60% less; so far they pay 0.3% more.',
    );
  });

  it('takes two pages of one name for two, also in the list', async () => {
    const same = { Name: 'Twin' };
    const [better, worse] = [varied(280), varied(112)];
    const days = (index: number) => [rowsOf(1, better, same)(index), rowsOf(2, worse, same)(index)];
    answerDays(days, [...listed({ Offer: 'Twin' }, better), ...listed({ Offer: 'Twin' }, worse)]);
    expect((await compare()).decision.basis).toBe('conversions');
    answerDays(days, [...listed({ Offer: 'Twin', PageID: 1 }, better), ...listed({ Offer: 'Twin', PageID: 2 }, worse)]);
    const { decision, pages } = await compare();
    expect(decision).toMatchObject({ basis: 'money', verdict: 'clear', page_id: '1' });
    expect(pages.map(({ page_id }) => page_id)).toEqual(['1', '2']);
  });

  it('counts a name against a page only if no page of the report shares it, whatever is compared', async () => {
    const payouts = varied(112);
    const off = day(3, 0, 0, 0, { Name: 'Offer 1', Inactive: 1 });
    answerDays(
      (index) => [rowsOf(1, payouts)(index), rowsOf(2, payouts)(index), off],
      [...listed({ Offer: 'Offer 1' }, payouts), ...listed({ Offer: 'Offer 2' }, payouts)],
    );
    expect((await compare()).decision.basis).toBe('conversions');
  });

  it('shows the revenue of the report, not what a view earns times the views', async () => {
    answerDays(() => [day(1, 400, 16, 0, { EPV: '0.8124' }), day(2, 400, 8, 0, { EPV: '0.4000' })]);
    tracker.answer(
      'stats',
      JSON.stringify({
        Rows: [
          { PageID: 1, Name: 'A', Share: 50, Views: 400, Conversions: 16, Revenue: '325', EPV: '0.8124' },
          { PageID: 2, Name: 'B', Share: 50, Views: 400, Conversions: 8, Revenue: '160', EPV: '0.4000' },
        ],
      }),
    );
    expect((await compare()).pages.map(({ revenue }) => revenue)).toEqual([325, 160]);
  });

  it('counts chargebacks as what they are', async () => {
    const sold = Array.from({ length: 280 }, (_, index) => (index % 10 === 0 ? -150 : 20));
    const steady = Array.from({ length: 280 }, () => 20);
    answerDays(
      (index) => [rowsOf(1, sold)(index), rowsOf(2, steady)(index)],
      [...listed({ Offer: 'Offer 1' }, sold), ...listed({ Offer: 'Offer 2' }, steady)],
    );
    const { decision, pages } = await compare();
    expect(decision).toMatchObject({ basis: 'money', name: 'Offer 2' });
    expect(pages[0]?.epv).toBe(0.15);
  });

  it('books a conversion on the day of its visit where the report does, which the list may tell', async () => {
    const payouts = varied(280);
    const early = { Offer: 'Offer 1', Revenue: 500, Date: `${dateOf(0)} 01:00:00`, VisitDate: '2020-01-01 10:00:00' };
    const visits = (offer: string, values: readonly number[]) =>
      listed({ Offer: offer }, values).map((row, index) => ({
        ...row,
        VisitDate: row.Date,
        Date: `${dateOf(Math.min((index % 14) + (index % 2), 13))} 23:00:00`,
      }));
    answerDays(
      (index) => [rowsOf(1, payouts)(index), rowsOf(2, varied(112))(index)],
      [early, ...visits('Offer 1', payouts), ...visits('Offer 2', varied(112))],
    );
    expect((await compare()).decision).toMatchObject({ basis: 'money', verdict: 'clear', page_id: '1' });
  });
});

describe('compare_pages claims no more than it knows', () => {
  it('names no page that converts more and has earned less, nor moves traffic to it', async () => {
    answerOffers([
      { PageID: 1, Name: 'A', Share: 50, Views: 2000, Conversions: 60, Revenue: 600 },
      { PageID: 2, Name: 'B', Share: 50, Views: 2000, Conversions: 20, Revenue: 740 },
    ]);
    const { decision, pages, calls } = await compare();
    expect(decision).toMatchObject({ kind: 'no decision yet', verdict: 'too early', basis: 'conversions' });
    expect(decision.text).toContain('money that leads as well by more than chance');
    expect(pages[0]?.probability_best).toBeLessThan(0.6);
    expect(pages.map((page) => page.recommended_share)).toEqual([50, 50]);
    expect(calls).toEqual([]);
  });

  /** Sales of an offer with the day of the visit and, so many days later, of the sale. */
  const sold = (id: number, perDay: number, delayOf: (index: number) => number) =>
    Array.from({ length: 14 }, (_, visit) => visit).flatMap((visit) =>
      Array.from({ length: perDay }, (_, index) => ({ visit, booked: visit + delayOf(index) }))
        .filter(({ booked }) => booked <= 13)
        .map(({ booked }) => ({ id, visit, booked })),
    );
  type Sold = ReturnType<typeof sold>;
  const listOf = (sales: Sold) =>
    sales.map(({ id, visit, booked }) => ({
      Offer: `Offer ${id}`,
      Revenue: 20,
      Date: `${dateOf(booked)} 12:00:00`,
      VisitDate: `${dateOf(visit)} 11:00:00`,
    }));
  const booked = (sales: Sold, on: 'visit' | 'booked', index: number, id: number, views = 400) =>
    day(id, views, sales.filter((sale) => sale.id === id && sale[on] === index).length);

  it('says that sales come late, and leaves out the days whose sales are still to come', async () => {
    const sales = [...sold(1, 12, () => 0), ...sold(2, 12, (index) => index % 6)];
    answerDays((index) => [1, 2].map((id) => booked(sales, 'visit', index, id)), listOf(sales));
    const { decision, notices } = await compare();
    expect(decision).toMatchObject({ verdict: 'too early', days: 9 });
    expect(notices.join()).toMatch(
      /Sales come late: 95% are in by \d days after the visit, so about \d+% of those from the last \d days \(\d+ sales\) are still to come\./,
    );
    expect(notices.join()).toContain('The last 5 days are measured, and left out of the verdict.');
  });

  it('counts sales that are booked on their own day on that of their visit, so that changed shares do not mislead', async () => {
    const sales = [...sold(1, 16, (index) => index % 4), ...sold(2, 4, (index) => index % 4)];
    const turned = sales.map((sale) => ({ ...sale, id: sale.visit >= 7 ? 3 - sale.id : sale.id }));
    const views = (index: number, id: number) => ((id === 1) === index < 7 ? 640 : 160);
    answerDays((index) => [1, 2].map((id) => booked(turned, 'booked', index, id, views(index, id))), listOf(turned));
    const { decision, notices } = await compare();
    expect(decision).toMatchObject({ verdict: 'too early', basis: 'money' });
    expect(decision.lead['percent']).toBe(0);
    expect(notices).toContain(
      `Left out, because shares had just changed: "${dateOf(7)}". Change shares once a week at most.`,
    );
  });

  it('asks what shares were before the first day, where their sales may fall into the period', async () => {
    answerDays((index) => [day(1, 400, 16), day(2, 400, index < 3 ? 2 : 8)]);
    expect((await compare()).notices.join()).not.toContain('shares had just changed');
    tracker.answer('stats', ({ start, end }) => {
      const [first, last] = [String(start), String(end)];
      const days = last < dateOf(0) ? 0 : (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
      const offers =
        days === 0 ? [day(1, 100, 1), day(2, 700, 7)] : [day(1, 400 * days, 16 * days), day(2, 400 * days, 8 * days)];
      return { body: JSON.stringify({ data: { offers } }) };
    });
    const { notices } = await compare();
    expect(notices.join()).toContain(
      `shares had just changed: ${[0, 1, 2, 3].map((index) => `"${dateOf(index)}"`).join(', ')}.`,
    );
  });

  it('names a page that is surely behind, and takes traffic from it alone though the leader is open', async () => {
    const part = (total: number, index: number) =>
      Math.floor((total * (index + 1)) / 14) - Math.floor((total * index) / 14);
    const totals = [
      [622, 46, 40],
      [463, 33, 30],
      [463, 12, 30],
    ] as const;
    answerDays((index) =>
      totals.map(([views, sales, Share], page) => {
        const sold = part(sales, index);
        return day(page + 1, part(views, index), sold, sold * 20, { Share });
      }),
    );
    const { decision, pages, calls, notices } = await compare();
    expect(decision.verdict).toBe('too early');
    expect(decision.text).toContain('Surely behind, whichever is best: "Offer 3".');
    expect(pages.map((page) => page.recommended_share)).toEqual([56, 42, 2]);
    expect(calls.map(sharesIn)).toEqual([
      [
        { page_id: 1, share: 56 },
        { page_id: 2, share: 42 },
        { page_id: 3, share: 2 },
      ],
    ]);
    expect(notices).toContain(
      'The call only takes traffic from what is surely behind; the other pages keep their split.',
    );
  });

  it('says what it takes for granted, and shows clicks that robots may explain', async () => {
    answerOffers(clear.map((row, index) => ({ ...row, Clicks: [2000, 1000][index] })));
    const { notices } = await compare();
    expect(notices.join()).toContain('Assumed: every view is a person');
    expect(notices.join()).toContain('Of the views of "Worse" 20% click, of those of "Better" 40%');
    answerOffers(clear.map((row) => ({ ...row, Clicks: 2000 })));
    expect((await compare()).notices.join()).not.toContain('Robots on the first');
  });
});

describe('compare_pages of odd pages', () => {
  it('reads no days of a period of one day, which alone is no clear verdict', async () => {
    answerOffers(clear);
    const { decision } = await compare({ period: 'today' });
    expect(decision).toMatchObject({ verdict: 'leaning', days: 1 });
    expect(tracker.taken()).toHaveLength(4);
  });

  it('counts all days of a period that is too long to read day by day', async () => {
    answerOffers(clear);
    expect((await compare({ start_date: dateOf(-186), end_date: dateOf(13) })).decision.days).toBe(200);
  });

  it('waits for a page that started yesterday', async () => {
    answerDays((index) => [day(1, 400, 16), ...(index < 12 ? [] : [day(2, 400, 4)])]);
    const { decision } = await compare();
    expect(decision.verdict).not.toBe('clear');
    expect(decision.text).toContain('five days with traffic for both');
  });

  it('says what waiting costs, and what it takes, in words that claim no more than is known', async () => {
    answerDays(() => [day(1, 400, 11), day(2, 400, 9)]);
    const result = await call('compare_pages', question);
    const { decision } = result.structuredContent as unknown as Compared;
    expect(decision.verdict).toBe('leaning');
    expect(decision.waiting_cost_per_day).toBeGreaterThan(0);
    expect(decision.risk_today_per_day).toBeGreaterThan(0);
    expect(textOf(result)).toMatch(/about 9 in 10|about 4 in 5|about 19 in 20/);
    expect(textOf(result)).toMatch(
      /Wait for about \d+ more views \(\d+ days at today’s traffic; 8 in 10 .+\) if the lead stays/,
    );
    expect(textOf(result)).toContain(`Ask again with start_date ${dateOf(0)}`);
  });

  it('stays small with 1,000 pages of long names: the closest are listed, the others counted', async () => {
    const name = 'x'.repeat(400);
    answerOffers(
      Array.from({ length: 1200 }, (_, index) => ({
        PageID: index + 1,
        Name: `${index} ${name}`,
        Share: index < 1100 ? 1 : 0,
        Views: 5000,
        Conversions: index === 700 ? 400 : 100 + (index % 7),
        Revenue: (index === 700 ? 400 : 100 + (index % 7)) * 20,
      })),
    );
    const result = await call('compare_pages', question);
    const { pages, others, calls, notices, decision } = result.structuredContent as unknown as Compared;
    expect(decision).toMatchObject({ page_id: '701', verdict: 'clear' });
    expect(pages).toHaveLength(20);
    expect(calls.flatMap(sharesIn)).toHaveLength(20);
    expect(others).toMatchObject({ pages: 980, views: 4_900_000 });
    expect(notices).toContain('Compared: the 1000 with most views of 1100.');
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(40_000);
    expect(textOf(result).length).toBeLessThan(40_000);
  });
});
