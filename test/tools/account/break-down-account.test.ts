import { describe, expect, it } from 'vitest';
import { groupBy } from '../../../src/analysis/statistics/history.ts';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { copySampleData, sampleNow } from '../../sandbox/support/sample-data.ts';
import { apiKey, startTracker } from '../../sandbox/support/tracker.ts';
import { connect } from '../../support/connect.ts';
import { rowsAsked, startForeignTracker } from '../../support/foreign-tracker.ts';

const figures = ['Views', 'Clicks', 'Conversions', 'Cost', 'Revenue', 'Profit'];

/** The figures of each row by its values. */
function cellsOf({ tables: [table] }: PresentedTables): Map<string, number[]> {
  const columns = table?.columns ?? [];
  const cut = columns.slice(0, columns.indexOf('Views'));
  const cells = (row: readonly unknown[], names: readonly string[]) => names.map((name) => row[columns.indexOf(name)]);
  return new Map((table?.rows ?? []).map((row) => [cells(row, cut).join('/'), cells(row, figures).map(Number)]));
}

describe('the account, broken down', async () => {
  const tracker = await startTracker(
    [
      // One token is Extra2 in one traffic source and AdValue in another; two campaigns have one name.
      "UPDATE traffic_source_tokens SET name = 'placement' WHERE traffic_source_id = 1 AND slot = 'Extra2'",
      "UPDATE campaigns SET name = 'Home fitness, search' WHERE id = 2",
      // A view counts for the last offer that was seen, a sale for the offer that paid.
      `
        CREATE TABLE truth AS
        WITH visit AS (
          SELECT v.*, (SELECT min_by(p.name, s."at") FILTER (kind = 'landing') AS landing FROM steps s JOIN campaign_pages p ON p.id = s.page WHERE s.click_id = v.click_id) AS landing
          FROM visits v WHERE (v."at" AT TIME ZONE 'UTC')::DATE BETWEEN DATE '2026-06-09' AND DATE '2026-06-15'
        ), seen AS (
          SELECT click_id, max_by(p, s."at") FILTER (kind = 'offer') AS offer,
            bool_or(from_page IS NOT NULL OR type ILIKE '%direct%' AND kind = 'offer') AS clicked
          FROM steps s JOIN campaign_pages p ON p.id = s.page JOIN campaigns c ON c.id = p.campaign_id GROUP BY 1
        )
        SELECT visit.*, offer.name AS offer, offer.source AS network, 1 AS views, clicked::INT AS clicks, 0 AS sales, cost AS spent, 0 AS revenue
        FROM visit LEFT JOIN seen USING (click_id)
        UNION ALL
        SELECT visit.*, p.name, p.source, 0, 0, 1, 0, revenue
        FROM visit JOIN conversions c USING (click_id) LEFT JOIN campaign_pages p ON p.id = offer_page`,
    ],
    { file: await copySampleData(), now: () => sampleNow },
  );
  const { data } = await connect({ url: tracker.url, apiKey, now: () => sampleNow, timeoutMs: 60_000 });

  const at = `v."at" AT TIME ZONE 'UTC'`;
  // What a traffic source calls a feed is its placement, and a mailer has none.
  const placement =
    "coalesce(CASE campaign.traffic_source_id WHEN 1 THEN extra2 WHEN 2 THEN ad_value WHEN 4 THEN extra1 END, '(no placement)')";

  it.each<[by: readonly string[], value: string, where?: string, conditions?: readonly object[]]>([
    [['campaign'], "campaign.id || '/' || campaign.name"],
    [['Traffic source'], 'source.name'],
    [['landing_page'], "coalesce(landing, '(no landing page)')"],
    [['offer'], "coalesce(offer, '(no offer reached)')"],
    [['network'], "coalesce(network, '(no network)')"],
    [['network', 'country'], "coalesce(network, '(no network)') || '/' || country"],
    [['device', 'os'], "device || '/' || os"],
    [['day'], `strftime(${at}, '%Y-%m-%d')`],
    [['hour', 'traffic_source'], `strftime(${at}, '%H') || '/' || source.name`],
    [['weekday'], `dayname(${at})`],
    [['Placement'], `source.name || '/' || ${placement}`],
    [['campaign', 'placement'], `campaign.id || '/' || campaign.name || '/' || ${placement}`],
    [['Match type'], 'extra1', 'campaign.traffic_source_id = 1'],
    [['country'], 'country', "device = 'Mobile'", [{ column: 'Device', op: '=', value: 'mobile' }]],
    [
      ['day'],
      `strftime(${at}, '%Y-%m-%d')`,
      "country IN ('US', 'GB') AND offer LIKE '%a%'",
      [
        { column: 'country', op: 'in', values: ['us', 'gb'] },
        { column: 'offer', op: 'contains', value: 'a' },
      ],
    ],
    [
      ['network'],
      "coalesce(network, '(no network)')",
      'campaign.id = 2',
      [{ column: 'Campaign ID', op: '=', value: '2' }],
    ],
    [
      ['os', 'browser'],
      "os || '/' || browser",
      `hour(${at}) >= 18 AND ${placement} = '(no placement)'`,
      [
        { column: 'hour', op: '>=', value: '18' },
        { column: 'placement', op: 'empty' },
      ],
    ],
    [
      ['device'],
      'device',
      "campaign.traffic_source_id = 1 AND extra1 = 'exact'",
      [{ column: 'match type', op: '=', value: 'exact' }],
    ],
  ])('by %j has the figures of the tracker’s own tables', async (by, value, where = 'true', conditions = undefined) => {
    const rows = await tracker.stored(`
      SELECT ${value} AS value, sum(views)::DOUBLE, sum(clicks)::DOUBLE, sum(sales)::DOUBLE, sum(spent)::DOUBLE,
        sum(revenue)::DOUBLE, (sum(revenue) - sum(spent))::DOUBLE
      FROM truth v JOIN campaigns campaign ON campaign.id = campaign_id
        JOIN traffic_sources source ON source.id = campaign.traffic_source_id WHERE ${where} GROUP BY 1`);
    const truth = rows.map((row) => Object.values(row)) as [string, ...number[]][];
    const asked = { by, period: 'last_7_days', limit: 500, where: conditions };
    const cells = cellsOf(await data('get_breakdown', asked));
    expect(truth.length).toBeGreaterThan(0);
    expect([...cells.keys()].sort()).toEqual(truth.map(([name]) => name).sort());
    for (const [name, ...sums] of truth) {
      for (const [index, sum] of sums.entries()) {
        const difference = Math.abs((cells.get(name)?.[index] ?? Number.NaN) - sum);
        expect(difference, `${name} ${figures[index]}`).toBeLessThan(0.0051);
      }
    }
  });
});

describe('the day that is not over, broken down', async () => {
  const tracker = await startTracker([], { file: await copySampleData(), now: () => sampleNow });
  const { data } = await connect({ url: tracker.url, apiKey, now: () => sampleNow, timeoutMs: 60_000 });
  const before = new Date(sampleNow.getTime() - 86_400_000);
  const time = before.toISOString().slice(0, 16);

  it.each([
    ['of the account', {}, 'true'],
    ['of one campaign', { campaign_id: 1 }, 'v.campaign_id = 1'],
  ])(
    'is compared with the day before up to the same minute: visits and sales until then, %s',
    async (_, given, where) => {
      const rows = await tracker.stored(
        `SELECT device, count(*)::DOUBLE AS views, count(c.click_id)::DOUBLE AS sales,
         coalesce(sum(c.revenue), 0)::DOUBLE AS revenue
       FROM visits v LEFT JOIN conversions c ON c.click_id = v.click_id AND c."at" < $end::TIMESTAMPTZ
       WHERE ${where} AND v."at" >= $start::TIMESTAMPTZ AND v."at" < $end::TIMESTAMPTZ GROUP BY 1`,
        { start: `${time.slice(0, 10)}T00:00:00Z`, end: new Date(Date.parse(`${time}:00Z`) + 60_000).toISOString() },
      );
      const { tables, notices } = await data<PresentedTables>('get_breakdown', {
        by: ['device'],
        period: 'today',
        ...given,
      });
      const names = ['Views before', 'Conversions before', 'Revenue before'];
      const [table] = tables;
      const cells = table?.rows.map((row) => [row[0], ...names.map((name) => row[table.columns.indexOf(name)])]);
      expect(rows.length).toBeGreaterThan(2);
      expect(new Set(cells)).toEqual(new Set(rows.map((row) => Object.values(row))));
      expect(notices[0]).toBe(
        `Before: ${time.slice(0, 10)} up to ${time.slice(11)}, since ${sampleNow.toISOString().slice(0, 10)} is not over.`,
      );
    },
  );

  it('is compared with nothing by day, and whole days are not compared', async () => {
    for (const given of [
      { by: ['day', 'device'], period: 'today' },
      { by: ['device'], period: 'yesterday' },
    ]) {
      const { tables } = await data<PresentedTables>('get_breakdown', given);
      expect(tables[0]?.columns.join()).not.toContain('before');
    }
  });
});

const now = () => new Date('2026-06-10T12:00:00Z');
const week = { start_date: '2026-06-03', end_date: '2026-06-09' };

type Visit = Readonly<Record<string, string>>;

/** Every third of 180 campaigns has 5, 10, 15 or 20 visits a day. Every fifth visit has a sale. Latest first. */
const visits = Array.from({ length: 40 }, (_, day) => day)
  .flatMap((day) => Array.from({ length: 24 * 60 }, (_, minute) => ({ day, minute, index: minute % 72 })))
  .filter(({ minute, index }) => index < 60 && minute / 72 < 5 * (1 + (index % 4)))
  .map(({ day, minute, index }): Visit => {
    const at = Date.parse('2026-06-09T23:59:00Z') - (day * 24 * 60 + minute) * 60_000;
    const isSold = Math.floor(minute / 72) % 5 === 0;
    return {
      Date: new Date(at).toISOString().replace('T', ' ').slice(0, 19),
      SubID: `s_${index * 3 + 1}_${day}x${minute}`,
      CampaignID: String(index * 3 + 1),
      Offer: index % 2 === 0 ? 'Even' : 'Odd',
      ...Object.fromEntries(['Extra1', 'Extra4'].map((slot) => [slot, `${slot} ${index % 3}`])),
      Clicked: '1',
      Converted: isSold ? '1' : '0',
      Cost: '0.5',
      Revenue: isSold ? '2' : '',
    };
  });

const visitsByCampaign = groupBy(visits, ({ CampaignID }) => CampaignID);

/** One token in different slots; half of the campaigns do not have it. */
const campaigns = Array.from({ length: 180 }, (_, index) => ({
  ID: String(index + 1),
  Name: `C${index + 1}`,
  ...(index % 6 === 0 ? { [`ExtraTokenName${index % 12 === 0 ? 1 : 4}`]: 'Zone' } : { ExtraTokenName2: 'Other' }),
}));

interface Account {
  /** Max rows of an answer. */
  readonly maximum?: number | undefined;
  /** Changes the list of all campaigns. The tracker refuses the list if this throws. */
  readonly all?: ((rows: readonly Visit[]) => readonly Visit[]) | undefined;
  /** Called before each list. The tracker refuses the list if this throws. */
  readonly onList?: (campaign: string) => Promise<void> | void;
  readonly sales?: readonly Visit[];
  readonly listed?: readonly Visit[];
  readonly sources?: string;
  readonly timeoutMs?: number;
}

const refused = { status: 400, body: '{"Status":"Error","Message":"camp 0 is no campaign"}' };

async function startAccount({
  maximum,
  all = (rows) => rows,
  onList,
  sales,
  listed = campaigns,
  sources = '[]',
  timeoutMs = 30_000,
}: Account) {
  const inDays = (asked: Readonly<Record<string, string>>) =>
    rowsAsked(asked['camp'] === '0' ? visits : (visitsByCampaign.get(asked['camp'] ?? '') ?? []), asked);
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(listed),
    'ts/list': sources,
    stats: (given) => ({ body: JSON.stringify([{ Views: String(inDays(given).length) }]) }),
    visitorstats: async (given) => {
      const { camp = '' } = given;
      try {
        await onList?.(camp);
        const rows = inDays(given);
        return { body: JSON.stringify((camp === '0' ? all(rows) : rows).slice(0, maximum)) };
      } catch {
        return refused;
      }
    },
    conversions: ({ camp }) => (sales || camp !== '0' ? { body: JSON.stringify(sales ?? []) } : refused),
  });
  const { data, refusal } = await connect({ url: tracker.url, now, timeoutMs });
  return {
    refusal,
    async ask(given: Readonly<Record<string, unknown>>) {
      tracker.taken();
      const answer = await data<PresentedTables>('get_breakdown', { ...week, limit: 500, ...given });
      const read = tracker.taken().filter(({ path }) => path === '/api/visitorstats/');
      const lists = read.map(({ parameters }) => new Map(parameters).get('camp') ?? '');
      const cells = cellsOf(answer);
      return { cells, noticeText: answer.notices.join(' '), totals: answer.tables[0]?.totals, lists };
    },
  };
}

/** The figures of each campaign in a week. */
const byId = () =>
  new Map(
    Array.from({ length: 60 }, (_, index) => {
      const views = 7 * 5 * (1 + (index % 4));
      const sold = views / 5;
      return [`${index * 3 + 1}/C${index * 3 + 1}`, [views, views, sold, views / 2, sold * 2, sold * 2 - views / 2]];
    }),
  );

describe('a list of all campaigns', () => {
  it.each([
    // Whole, as the list of its oldest day proves.
    [undefined, 2, 0, /all campaigns, in 2 answers, none cut off/],
    [10_000, 2, 0, /5250 visits/],
    [5250, 2, 0, /none cut off/],
    // All days except the oldest are whole; a list with the first day is halved.
    [2500, 4, 0, /none cut off/],
    // A list that is nearly as long as the maximum is proved whole, too.
    [777, 11, 0, /none cut off/],
    // One day is too long: the lists of its campaigns are read.
    [700, 7, 60, /campaign by campaign, because .* its own maximum of 700 rows within one day/],
    [
      250,
      8,
      60,
      /from 5250 visits of the visitor lists of 60 campaigns, in 60 answers\. 120 campaigns had no visits in the part/,
    ],
    // The lists of some campaigns are cut off, too.
    [100, 7, 30 + 15 * 3 + 15 * 2, /from 5250 visits/],
  ])('that ends at %s rows takes %i requests, and %i for single campaigns', async (maximum, account, single, words) => {
    const { ask } = await startAccount({ maximum, sales: [] });
    const { cells, lists, noticeText } = await ask({ by: ['campaign'] });
    expect(cells).toEqual(byId());
    const forAll = lists.filter((camp) => camp === '0').length;
    expect([forAll, lists.length - forAll]).toEqual([account, single]);
    expect(noticeText).toMatch(words);
  });

  it.each<[string, Account['all']]>([
    ['the latest rows last', (rows) => rows.slice(0, 1600).reverse()],
    ['only the oldest rows', (rows) => rows.slice(-1600)],
  ])('that has %s is halved until it is whole', async (_, all) => {
    const { ask } = await startAccount({ all });
    const { cells, lists } = await ask({ by: ['campaign'] });
    expect([cells, lists]).toEqual([byId(), Array(10).fill('0')]);
  });

  it('that is cut off within one day is used for the other days', async () => {
    const all: Account['all'] = (rows) =>
      rows.flatMap((row) => (row['Date']?.startsWith('2026-06-05') ? [row, row] : row));
    const { ask } = await startAccount({ maximum: 777, all, sales: [] });
    const { cells, noticeText, lists } = await ask({ by: ['campaign'] });
    expect([cells, lists.filter((camp) => camp !== '0').length]).toEqual([byId(), 60]);
    expect(noticeText).toContain(
      'For days before 2026-06-05 and after 2026-06-05: 4500 visits of the list of all campaigns',
    );
  });

  const without = (column: string) => (rows: readonly Visit[]) => rows.map(({ [column]: _, ...row }) => row);

  const refuse = () => {
    throw new Error('camp 0');
  };

  it.each<[string, Account['all'], RegExp]>([
    ['that is refused', refuse, /could not be read \(.*camp 0 is no campaign/],
    ['without a campaign', without('CampaignID'), /names no campaigns/],
    ['of one campaign alone', (rows) => rows.filter(({ CampaignID }) => CampaignID === '1'), /has only one campaign/],
    ['that is empty', () => [], /is empty/],
  ])('%s is replaced by the lists of single campaigns, first of campaigns with sales', async (_, all, words) => {
    const sales = [{ CampaignID: '178', SubID: 'x' }];
    const { ask } = await startAccount({ all, sales });
    const { cells, lists, noticeText } = await ask({ by: ['campaign'] });
    expect(cells).toEqual(byId());
    // One more for each proves that the longest lists are whole.
    const single = lists.filter((camp) => camp !== '0');
    expect([single.slice(0, 4).includes('178'), single.length]).toEqual([true, 184]);
    expect(noticeText).toMatch(words);
  });

  it.each([
    ['one campaign', '1', 5],
    ['no campaign', undefined, undefined],
  ])('with %s on a day is trusted if earlier days have several', async (_, id, views) => {
    const all: Account['all'] = (rows) =>
      rows.filter(({ Date: at = '', CampaignID }) => at < '2026-06-09' || CampaignID === id);
    const { ask } = await startAccount({ all });
    const { totals, lists } = await ask({ by: ['Extra1'], start_date: '2026-06-09' });
    expect([totals?.['Views'], lists]).toEqual([views, ['0', '0']]);
  });

  it('with names alone is enough, unless two campaigns have the same name', async () => {
    const named = (rows: readonly Visit[]) =>
      rows.map(({ CampaignID, ...row }) => ({ ...row, Campaign: `C${CampaignID}` }));
    const { ask } = await startAccount({ all: named });
    expect((await ask({ by: ['campaign'] })).lists).toHaveLength(2);
    const listed = campaigns.map((campaign) => (campaign.ID === '4' ? { ...campaign, Name: 'C1' } : campaign));
    const all: Account['all'] = (rows) =>
      named(rows.map((row) => (row['CampaignID'] === '4' ? { ...row, CampaignID: '1' } : row)));
    const twice = await startAccount({ all, listed });
    const { cells, noticeText, lists } = await twice.ask({ by: ['campaign'] });
    expect([cells.get('1/C1')?.[0], cells.get('4/C1')?.[0], lists.length]).toEqual([35, 70, 66]);
    expect(noticeText).toContain('does not tell campaigns with the same name apart');
    expect((await twice.ask({ by: ['Offer'] })).lists).toHaveLength(2);
  });
});

it('a list of campaigns that cannot be read is not reported as empty', async () => {
  const tracker = await startForeignTracker({
    'campaign/list': () => ({ status: 400, body: '{"Status":"Error","Message":"the list is locked"}' }),
    visitorstats: '[]',
    conversions: '[]',
  });
  const { refusal } = await connect({ url: tracker.url, now });
  for (const tool of ['get_breakdown', 'explain_change']) {
    expect(await refusal(tool, tool === 'get_breakdown' ? { ...week, by: ['offer'] } : {})).toContain(
      'the list is locked',
    );
  }
});

it('a campaign that hangs and one that fails do not affect the others', async () => {
  const onList = async (camp: string) => {
    if (camp === '4') throw new Error();
    if (camp === '7') await new Promise((resolve) => setTimeout(resolve, 9000).unref());
  };
  const { ask } = await startAccount({ maximum: 700, sales: [], onList, timeoutMs: 9000 });
  const { cells, noticeText } = await ask({ by: ['campaign'] });
  const read = byId();
  read.delete('4/C4');
  read.delete('7/C7');
  expect(cells).toEqual(read);
  expect(noticeText).toMatch(/Not read, and in no row and no total: 7 “C7” \(.*\); 4 “C4” \(.*\)/);
});

describe('a token', () => {
  it('is read from its slot in each campaign; visits without it are in no total, and a notice counts them', async () => {
    const { ask } = await startAccount({});
    const { cells, noticeText, totals } = await ask({ by: ['zone'] });
    expect([...cells.keys()].sort()).toEqual(['Extra1 0', 'Extra1 1', 'Extra1 2', 'Extra4 0', 'Extra4 1', 'Extra4 2']);
    expect(totals?.['Views']).toBe(2100);
    expect(noticeText).toContain('3150 visits of campaigns that have no token of this name are in no row');
  });

  it('that no campaign has is refused, with the existing names', async () => {
    const { refusal } = await startAccount({});
    expect(await refusal('get_breakdown', { ...week, by: ['zome'] })).toMatch(
      /no "zome"; did you mean "Zone"\?.*“Other” \(Extra2\)/s,
    );
  });

  it('whose names could not be read is refused with the reason', async () => {
    const listed = campaigns.map(({ ID, Name }) => ({ ID, Name, TrafficSource: 'Native' }));
    const { refusal } = await startAccount({ listed, sources: '{"Status":"Error","Message":"not today"}' });
    expect(await refusal('get_breakdown', { ...week, by: ['zone'] })).toMatch(
      /no "zone".* The names of its tokens could not be read: .*“not today”/s,
    );
  });

  it('is recommended instead of its slot, if that is a different token in each campaign', async () => {
    const nameAt = (index: number) => ({ ExtraTokenName1: index % 2 ? 'Feed' : 'Zone' });
    const { ask } = await startAccount({ listed: campaigns.map((row, index) => ({ ...row, ...nameAt(index) })) });
    const { noticeText, totals } = await ask({ by: ['Extra1'] });
    expect(totals?.['Views']).toBe(5250);
    expect(noticeText).toContain('Extra1 is a different token in each campaign');
  });
});

describe('a network', () => {
  const sales = [
    { SubID: 's_1_0x0', Offer: 'Even', OfferSource: 'Harbor', Revenue: '2' },
    { SubID: 'other', Offer: 'Odd', OfferSource: 'Meadow', Revenue: '2' },
  ];

  it('of an offer comes from the conversion list if only that has it, and not from a token', async () => {
    const listed = campaigns.map((row) => ({ ...row, ExtraTokenName3: 'Network' }));
    const { ask } = await startAccount({ sales, listed });
    const { cells, noticeText } = await ask({ by: ['network'] });
    expect(noticeText).toContain('There is also a token named network: cut by Extra3 for it.');
    expect([...cells].map(([network, [views]]) => [network, views])).toEqual([
      ['Meadow', 3150],
      ['Harbor', 2100],
    ]);
  });

  it('that no list names is refused', async () => {
    const { refusal } = await startAccount({});
    expect(await refusal('get_breakdown', { ...week, by: ['network'] })).toContain(
      'The visitor list of this tracker has no "network", and its conversion list names none',
    );
  });
});

it('placements with clicks and no sale take one call, worst first, with totals over these rows', async () => {
  const all: Account['all'] = (rows) =>
    rows.map((row) => ({ ...row, Converted: row['Extra1'] === 'Extra1 2' ? '1' : '0' }));
  const { ask } = await startAccount({ all });
  const where = [
    { column: 'Clicks', op: '>=', value: '50' },
    { column: 'Conversions', op: '=', value: '0' },
  ];
  const { cells, totals, noticeText } = await ask({ by: ['Zone'], where, sort_by: 'Profit', sort_order: 'asc' });
  const rows = [...cells.values()];
  expect(rows.every(([, clicks = 0, sales]) => clicks >= 50 && sales === 0)).toBe(true);
  expect([rows.length, totals?.['Views']]).toEqual([4, rows.reduce((sum, [views = 0]) => sum + views, 0)]);
  expect(noticeText).toContain('4 of 6 rows');
});

describe('placement', () => {
  const visit = (campaign: string, slots: object, subid = `a_${campaign}`) => ({
    ...{ SubID: subid, CampaignID: campaign, Date: '2026-11-19 10:00:00' },
    ...{ Extra1: '', Extra2: '', Clicked: '1', Converted: '0', Cost: '0.10', Revenue: '0', ...slots },
  });

  async function startSources() {
    const sources = [
      { ID: '1', Name: 'PushHouse', Tokens: [{ Slot: 'Extra1', Name: 'Zone', Parameter: 'zone' }] },
      { ID: '2', Name: 'Panorama', Tokens: [{ Slot: 'Extra2', Name: 'Own', Parameter: 'sub-site' }] },
      { ID: '3', Name: 'Mailer', Tokens: [{ Slot: 'Extra1', Name: 'List', Parameter: 'list' }] },
    ].map((source) => ({ ...source, Tokens: JSON.stringify(source.Tokens) }));
    const visits = [
      ...[visit('1', { Extra1: '7' }), visit('1', { Extra1: '7' }, 'b'), visit('1', {}, 'c')],
      ...[visit('2', { Extra1: 'a', Extra2: '7' }), visit('3', { Extra1: 'weekly' })],
    ];
    const own = await startForeignTracker({
      'campaign/list': JSON.stringify(
        sources.map(({ ID, Name }) => ({ ID, Name: `Campaign ${ID}`, TrafficSource: Name })),
      ),
      'ts/list': JSON.stringify(sources),
      visitorstats: ({ camp = '0' }) => ({
        body: JSON.stringify(visits.filter(({ CampaignID }) => ['0', CampaignID].includes(camp))),
      }),
      conversions: '[]',
      stats: '{"campaign":[]}',
    });
    const { data } = await connect({ url: own.url, now: () => new Date('2026-11-20T12:00:00Z') });
    const days = { start_date: '2026-11-19', end_date: '2026-11-19' };
    return (args: object) => data<PresentedTables>('get_breakdown', { ...days, by: ['placement'], ...args });
  }

  it('is read from the token of each traffic source, which is said, and kept apart by source', async () => {
    const ask = await startSources();
    const { tables, notices } = await ask({});
    expect(new Set(tables[0]?.rows.map((row) => row.slice(0, 3).join('/')))).toEqual(
      new Set(['PushHouse/7/2', 'PushHouse/(no placement)/1', 'Panorama/7/1', 'Mailer/(no placement)/1']),
    );
    expect(notices).toContain('placement: Zone in PushHouse, Own in Panorama, none in Mailer.');
  });

  it('of one campaign has no source, and none where its source has no such token', async () => {
    const ask = await startSources();
    const [one, none] = [await ask({ campaign_id: 2 }), await ask({ campaign_id: 3 })];
    expect(one.tables[0]?.rows.map((row) => row.slice(0, 2))).toEqual([['7', 1]]);
    expect([none.tables[0]?.total_rows, none.tables[0]?.omitted_columns?.[0]]).toEqual([1, 'Placement']);
    expect(none.notices).toContain('placement: none in Mailer.');
  });
});
