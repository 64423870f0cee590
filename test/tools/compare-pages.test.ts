import { describe, expect, it } from 'vitest';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

type Row = Readonly<Record<string, unknown>>;

const tracker = await startForeignTracker({ conversions: '[]' });
const { call, data, refusal } = await connect({ url: tracker.url });

interface Compared {
  query: Row;
  decision: { kind: string; page_id: string | null; name: string; text: string; views_needed?: number | null };
  pages: {
    page_id: string | null;
    name: string;
    epv: number;
    epv_low: number;
    epv_high: number;
    revenue: number;
    probability_best: number;
    recommended_share: number;
  }[];
  calls: { tool: string; arguments: Row }[];
  notices: string[];
}

function answerOffers(rows: readonly Row[]): void {
  tracker.answer('stats', JSON.stringify({ data: { offers: rows } }));
  tracker.taken();
}

const compare = (given: Row = {}) => data<Compared>('compare_pages', { campaign_id: 7, kind: 'offer', ...given });

const clear = [
  { PageID: 1, Name: 'Better', Share: 50, Views: 5000, Conversions: 250, Revenue: 5000 },
  { PageID: 2, Name: 'Worse', Share: 50, Views: 5000, Conversions: 100, Revenue: 2000 },
];

describe('compare_pages', () => {
  it('names a clear leader, with the calls that would set the shares', async () => {
    answerOffers(clear);
    const { decision, pages, calls } = await compare();
    expect(decision).toMatchObject({ kind: 'leader', page_id: '1', name: 'Better' });
    expect(pages[0]?.epv).toBeCloseTo(1, 1);
    expect(pages[0]?.epv_low).toBeLessThan(1);
    expect(pages[0]?.epv_high).toBeGreaterThan(1);
    expect(pages.reduce((sum, page) => sum + page.recommended_share, 0)).toBe(100);
    expect(calls).toEqual(
      pages.map((page) => ({
        tool: 'edit_campaign_page',
        arguments: { campaign_id: 7, page_id: Number(page.page_id), share: page.recommended_share },
      })),
    );
  });

  it('only reads', async () => {
    answerOffers(clear);
    await compare();
    expect(new Set(tracker.taken().map(({ path }) => path))).toEqual(new Set(['/api/stats/', '/api/conversions/']));
  });

  it('has no decision on little data, and says how many more views one takes', async () => {
    answerOffers([
      { PageID: 1, Name: 'Lucky', Share: 50, Views: 40, Conversions: 3, Revenue: 60 },
      { PageID: 2, Name: 'Unlucky', Share: 50, Views: 45, Conversions: 1, Revenue: 20 },
    ]);
    const { decision } = await compare();
    expect(decision.kind).toBe('no decision yet');
    expect(decision.views_needed).toBeGreaterThan(85);
    expect(decision.text).toMatch(/^No decision yet: "Lucky" is ahead/);
  });

  it('compares the last two weeks where no period is given, and echoes the dates', async () => {
    answerOffers(clear);
    const { query } = await compare();
    expect(query['period']).toBe('last_14_days');
    const sent = Object.fromEntries(tracker.taken()[0]?.parameters ?? []);
    expect(sent).toMatchObject({ camp: '7', report: 'offer', start: query['start_date'], end: query['end_date'] });
  });

  it('leaves pages out that get no traffic, and says so', async () => {
    answerOffers([
      ...clear,
      { PageID: 3, Name: 'Off', Share: 50, Inactive: 1, Views: 900, Conversions: 90, Revenue: 900 },
      { PageID: 4, Name: 'Zero', Share: 0, Inactive: 0, Views: 0, Conversions: 0, Revenue: 0 },
    ]);
    const { pages, notices } = await compare();
    expect(pages.map(({ name }) => name)).toEqual(['Better', 'Worse']);
    expect(notices).toContain('Left out, being inactive or without a share: "Off", "Zero".');
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
    expect(await refusal('compare_pages', { campaign_id: 7, kind: 'offer', group: 'path 9' })).toContain(
      'The groups are: "path 2", "path 1".',
    );
  });

  it.each(['Path 2', ' PATH 2 ', '2'])('knows the group "path 2" as %j too', async (group) => {
    const inPath = (path: number) => clear.map((row, index) => ({ ...row, PageID: path * 10 + index, Path: path }));
    answerOffers([...inPath(1), ...inPath(2)]);
    expect((await compare({ group })).pages.map((page) => page.page_id)).toEqual(['20', '21']);
  });

  it('refuses a number that fits several groups', async () => {
    const at = (level: number, path: number) => clear.map((row) => ({ ...row, Level: level, Path: path }));
    answerOffers([...at(1, 1), ...at(1, 2)]);
    expect((await compare({ group: '2' })).notices.join()).toContain('Compared: level 1, path 2.');
    expect(await refusal('compare_pages', { campaign_id: 7, kind: 'offer', group: '1' })).toContain(
      'The groups are: "level 1, path 1", "level 1, path 2".',
    );
  });

  it('calls nothing certain', async () => {
    answerOffers(clear);
    expect((await compare()).decision.text).toMatch(/best with more than 99\.9% probability\.$/);
  });

  it('says in the text that the rate is of views, not of clicks', async () => {
    answerOffers(clear);
    expect(textOf(await call('compare_pages', { campaign_id: 7, kind: 'offer' }))).toContain(
      'conversions per view in percent (95% interval)',
    );
  });

  it('says which column a report lacks, and which it has', async () => {
    answerOffers(clear.map(({ Name, Views, Conversions }) => ({ Name, Views, Conversions })));
    expect(await refusal('compare_pages', { campaign_id: 7, kind: 'offer' })).toMatch(
      /no column of numbers for revenue.*"Name", "Views", "Conversions"/,
    );
  });

  it('compares without page IDs, and gives no calls then', async () => {
    answerOffers(clear.map(({ PageID: _, ...row }) => row));
    const { decision, calls, notices } = await compare();
    expect(decision.kind).toBe('leader');
    expect(calls).toEqual([]);
    expect(notices).toContain('The report shows no page IDs, so no calls can be given.');
  });

  it.each(['OfferID', 'LandingPageID', 'lp_id', 'Landing ID'])(
    'takes no %s for a page ID: it is the ID of a predefined record',
    async (column) => {
      answerOffers(clear.map(({ PageID, ...row }) => ({ [column]: PageID, ...row })));
      const { pages, calls, notices } = await compare();
      expect(pages.map(({ page_id }) => page_id)).toEqual([null, null]);
      expect(calls).toEqual([]);
      expect(notices).toContain('The report shows no page IDs, so no calls can be given.');
    },
  );

  it.each(['Page ID', 'campaign_page_id', 'Page'])(
    'takes %s for the page ID, whatever stands beside it',
    async (column) => {
      answerOffers(
        clear.map(({ PageID, ...row }) => ({ ID: 90 + PageID, OfferID: 80 + PageID, [column]: PageID, ...row })),
      );
      expect((await compare()).calls.map((call) => call.arguments['page_id'])).toEqual([1, 2]);
    },
  );

  it('takes the tracker’s own total for no page', async () => {
    answerOffers([...clear, { PageID: '', Name: 'Total', Share: 100, Views: 10_000, Conversions: 350, Revenue: 7000 }]);
    const { pages, calls, notices } = await compare();
    expect(pages.map(({ name }) => name)).toEqual(['Better', 'Worse']);
    expect(calls).toHaveLength(2);
    expect(notices).toContain('The row "Total" is the tracker’s own total, and no page.');
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
    expect(calls.map((call) => call.arguments['page_id'])).toEqual([1, 2]);
    expect(notices).toContain(
      'The report calls the page IDs "ID", which may be those of predefined offers instead: check them in the tracker’s campaign before calling.',
    );
  });

  it('gives no calls where one page has no ID, or two have the same', async () => {
    answerOffers(clear.map((row, index) => (index === 0 ? row : { ...row, PageID: '' })));
    const partly = await compare();
    expect(partly.calls).toEqual([]);
    expect(partly.notices).toContain('The report shows no page ID of "Worse", so no calls can be given.');
    answerOffers(clear.map((row) => ({ ...row, PageID: 5 })));
    const same = await compare();
    expect(same.calls).toEqual([]);
    expect(same.notices).toContain('Several pages have the same ID in the report, so no calls can be given.');
  });

  it('leaves pages outside the comparison their part: the calls keep the sum of the shares', async () => {
    answerOffers(clear.map((row, index) => ({ ...row, Share: [40, 30][index] })));
    const { pages, calls, notices } = await compare();
    expect(pages.map((page) => page.recommended_share)).toEqual([95, 5]);
    expect(calls.map((call) => call.arguments['share'])).toEqual([66.5, 3.5]);
    expect(notices.join()).toContain('add up to 70, as they do now');
  });

  it.each([
    ['are unknown', [null, null]],
    ['would pass 100', [120, 120]],
  ])('gives percentages where shares %s', async (_, shares) => {
    answerOffers(clear.map((row, index) => ({ ...row, Share: shares[index] })));
    const { calls, notices } = await compare();
    expect(calls.map((call) => call.arguments['share'])).toEqual([95, 5]);
    expect(notices.join()).not.toContain('add up to');
  });

  it.each([
    [95, 5],
    [66.5, 3.5],
    [19, 1],
  ])('says that shares of %d and %d are as recommended already', async (...shares) => {
    answerOffers(clear.map((row, index) => ({ ...row, Share: shares[index] })));
    const { calls, notices } = await compare();
    expect(calls).toEqual([]);
    expect(notices).toContain('The shares are as recommended already.');
  });

  it('shows a negative revenue as it is, and says that it counts as 0', async () => {
    answerOffers(clear.map((row, index) => (index === 0 ? row : { ...row, Revenue: '-120.50' })));
    const { pages, notices } = await compare();
    expect(pages[1]?.revenue).toBe(-120.5);
    expect(notices).toContain('"Worse" has a negative revenue, as chargebacks bring about: it is compared as 0.');
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
    expect(pages[0]?.probability_best).toBeLessThan(0.95);
    tracker.answer('conversions', '[]');
  });

  it('compares by the sums alone where the conversion list cannot be had', async () => {
    answerOffers(clear);
    tracker.answer('conversions', () => ({ status: 404, body: 'none' }));
    expect((await compare()).decision.kind).toBe('leader');
    tracker.answer('conversions', '[]');
  });

  it.each([
    [{ kind: 'page' }, /kind must be one of offer, landing/],
    [{ start_date: '2026-11-05', end_date: '2026-11-01' }, /end_date 2026-11-01 is before start_date/],
    [{ period: 'today', start_date: '2026-11-01' }, /period cannot stand beside/],
  ])('refuses %o before anything is sent', async (given, message) => {
    tracker.taken();
    expect(await refusal('compare_pages', { campaign_id: 7, kind: 'offer', ...given })).toMatch(message);
    expect(tracker.taken()).toEqual([]);
  });

  it('has nothing to compare where one page gets all the traffic', async () => {
    answerOffers(clear.slice(0, 1));
    expect(await refusal('compare_pages', { campaign_id: 7, kind: 'offer' })).toContain('nothing to compare');
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
    expect(notices).toContain('Conversions in all: 1. The shares are better left as they are.');
  });

  it('says what a decision still lacks', async () => {
    answerOffers([
      { PageID: 1, Name: 'A', Share: 50, Views: 400, Conversions: 20, Revenue: 400 },
      { PageID: 2, Name: 'B', Share: 50, Views: 400, Conversions: 18, Revenue: 360 },
    ]);
    expect((await compare()).decision.text).toMatch(/Missing: .*a 95% probability to be best/);
  });

  it('compares nothing where no page had a view', async () => {
    answerOffers(clear.map((row) => ({ ...row, Views: 0, Conversions: 0, Revenue: 0 })));
    expect(await refusal('compare_pages', { campaign_id: 7, kind: 'offer' })).toMatch(/None of the offers had a view/);
  });
});
