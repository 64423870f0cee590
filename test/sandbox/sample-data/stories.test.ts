import { describe, expect, test } from 'vitest';
import { loadSampleData } from '../../../src/sandbox/sample-data/load-sample-data.ts';
import { stories } from '../../../src/sandbox/sample-data/traffic-plans.ts';
import { Database, type SqlParameters } from '../../../src/sandbox/store/database.ts';
import { closeAfterTests } from '../../support/closing.ts';
import { copySampleData } from '../support/sample-data.ts';

/** Opens the data of each seed. */
const seeds: Readonly<Record<string, () => Promise<Database>>> = {
  '1': async () => Database.open(await copySampleData()),
  '20261120': async () => {
    const database = await Database.open();
    await loadSampleData(database, { seed: 20_261_120, now: new Date('2026-11-20T15:00:00Z') });
    return database;
  },
};

interface PageFigures {
  readonly page_id: number;
  readonly views: number;
  readonly conversions: number;
  readonly revenue: number;
  /** The sum of the squared revenues, for the variance. */
  readonly squares: number;
}

/** The difference of two means, in standard errors. */
function standardErrors(a: PageFigures, b: PageFigures, value: (of: PageFigures) => readonly [number, number]) {
  const estimate = (figures: PageFigures) => {
    const [sum, squares] = value(figures);
    const mean = sum / figures.views;
    return { mean, error: (squares / figures.views - mean ** 2) / figures.views };
  };
  const [first, second] = [estimate(a), estimate(b)];
  return (first.mean - second.mean) / Math.sqrt(first.error + second.error);
}

describe.each(Object.entries(seeds))('with seed %s', async (_, open) => {
  const database = await open();
  closeAfterTests(() => database.close());

  async function queryOne(sql: string, parameters: SqlParameters): Promise<Record<string, number>> {
    return (await database.query(sql, parameters))[0] as Record<string, number>;
  }

  async function figuresOf(campaign: number, page: number): Promise<PageFigures> {
    const figures = await queryOne(
      `SELECT page.page_id, count(*)::INTEGER AS views, count(conversion.click_id)::INTEGER AS conversions,
         coalesce(sum(revenue), 0)::DOUBLE AS revenue, coalesce(sum(revenue::DOUBLE ** 2), 0) AS squares
       FROM campaign_pages page JOIN steps ON steps.page = page.id
       LEFT JOIN conversions conversion ON conversion.click_id = steps.click_id AND conversion.offer_page = page.id
       WHERE page.campaign_id = $campaign AND page.page_id = $page GROUP BY page.page_id`,
      { campaign, page },
    );
    return figures as unknown as PageFigures;
  }

  test('one offer of campaign 1 clearly wins: thousands of views each, and earnings per view far apart', async () => {
    const { campaign, winner, loser } = stories.clearWinner;
    const [best, worse] = await Promise.all([figuresOf(campaign, winner), figuresOf(campaign, loser)]);
    expect(Math.min(best.views, worse.views)).toBeGreaterThan(2500);
    expect(best.revenue / best.views).toBeGreaterThan(1.4 * (worse.revenue / worse.views));
    expect(standardErrors(best, worse, ({ revenue, squares }) => [revenue, squares])).toBeGreaterThan(4);
  });

  test('one offer of campaign 4 only seems to win: few views, and a difference that chance explains', async () => {
    const { campaign, lucky, proven } = stories.luckyOffer;
    const [few, many] = await Promise.all([figuresOf(campaign, lucky), figuresOf(campaign, proven)]);
    expect(few.views).toBeLessThan(80);
    expect(few.conversions).toBeGreaterThanOrEqual(3);
    expect(few.conversions).toBeLessThanOrEqual(5);
    expect(few.revenue / few.views).toBeGreaterThan(1.1 * (many.revenue / many.views));
    expect(many.views).toBeGreaterThan(1000);
    expect(standardErrors(few, many, ({ conversions }) => [conversions, conversions])).toBeLessThan(1.64);
  });

  test('one keyword burns money: the highest cost per visit, many clicks, no conversion', async () => {
    const { campaign, keyword } = stories.moneyBurner;
    const keywords = await database.query(
      `SELECT visit.keyword, count(*)::INTEGER AS views, sum(visit.cost)::DOUBLE AS cost,
         count(*) FILTER (EXISTS (SELECT 1 FROM steps WHERE steps.click_id = visit.click_id AND from_page IS NOT NULL))::INTEGER AS clicks,
         count(*) FILTER (EXISTS (SELECT 1 FROM conversions WHERE conversions.click_id = visit.click_id))::INTEGER AS conversions
       FROM visits visit WHERE visit.campaign_id = $campaign GROUP BY visit.keyword`,
      { campaign },
    );
    const burner = keywords.find((row) => row['keyword'] === keyword);
    const others = keywords.filter((row) => row !== burner);
    expect(burner).toMatchObject({ conversions: 0 });
    expect(burner?.['cost']).toBeGreaterThan(1000);
    expect(burner?.['clicks']).toBeGreaterThan(800);
    const perVisit = (row: (typeof keywords)[number] | undefined) => Number(row?.['cost']) / Number(row?.['views']);
    for (const another of others) {
      expect(perVisit(burner)).toBeGreaterThan(1.2 * perVisit(another));
      expect(another['conversions']).toBeGreaterThan(0);
    }
  });

  test('one placement is clicked by robots: nearly always, within a second, by one user agent, for nothing', async () => {
    const { campaign, adValue } = stories.robots;
    const placements = `SELECT visit.ad_value = $adValue AS robots, count(*)::INTEGER AS views,
        count(step.click_id) / count(*) AS ctr, max(epoch_ms(step.at) - epoch_ms(visit.at))::DOUBLE AS slowest,
        min(epoch_ms(step.at) - epoch_ms(visit.at))::DOUBLE AS fastest, count(DISTINCT user_agent)::INTEGER AS agents,
        count(DISTINCT isp)::INTEGER AS networks, count(conversion.click_id)::INTEGER AS conversions
      FROM visits visit
      LEFT JOIN steps step ON step.click_id = visit.click_id AND step.from_page IS NOT NULL
      LEFT JOIN conversions conversion ON conversion.click_id = visit.click_id
      WHERE visit.campaign_id = $campaign GROUP BY 1`;
    const rows = await database.query(`SELECT * FROM (${placements}) ORDER BY robots`, { adValue, campaign });
    const [people, robots] = rows as unknown as Record<string, number>[];
    expect(robots).toMatchObject({ agents: 1, networks: 1, conversions: 0 });
    expect(robots?.['views']).toBeGreaterThan(1000);
    expect(robots?.['ctr']).toBeGreaterThan(0.93);
    expect(robots?.['slowest']).toBeLessThan(1000);
    expect(people?.['ctr']).toBeLessThan(0.4);
    expect(people?.['fastest']).toBeGreaterThan(1000);
    expect(people?.['agents']).toBeGreaterThan(5);
    expect(people?.['conversions']).toBeGreaterThan(50);
  });

  test('some visits have no keyword', async () => {
    const sql = 'SELECT avg((keyword IS NULL)::INTEGER) AS part FROM visits WHERE campaign_id = $campaign';
    const { part } = await queryOne(sql, { ...stories.emptyKeyword });
    expect(part).toBeGreaterThan(0.02);
    expect(part).toBeLessThan(0.06);
  });

  test('an offer pays different amounts', async () => {
    const amounts = await database.query(
      `SELECT revenue::VARCHAR AS revenue FROM conversions JOIN campaign_pages page ON page.id = offer_page
       WHERE page.campaign_id = $campaign AND page.page_id = $page AND status <> 'rejected' GROUP BY 1 ORDER BY 1`,
      { ...stories.payoutsVary },
    );
    expect(amounts.map(({ revenue }) => revenue)).toEqual(['28.000000', '32.000000', '36.000000']);
  });

  test('networks decide after days, and one rejects ever more', async () => {
    const rows = await database.query(
      `WITH latest AS (SELECT max("at") AS now FROM visits) SELECT source, conversion."at" >= now - INTERVAL 20 DAY AS recent,
         avg((status = 'pending')::INTEGER) FILTER (conversion."at" >= now - INTERVAL 2 DAY) AS pending,
         avg((status = 'rejected')::INTEGER) FILTER (status <> 'pending') AS rejected
       FROM latest, conversions conversion JOIN campaign_pages page ON page.id = offer_page GROUP BY ALL`,
    );
    const of = (network: string, recent: boolean) =>
      rows.find((row) => row['source'] === network && row['recent'] === recent) as Record<string, number>;
    const { network } = stories.strictNetwork;
    expect(of(network, true)['pending']).toBe(1);
    expect(of('In-house', true)['pending']).toBe(0);
    expect(of(network, true)['rejected']).toBeGreaterThan(1.5 * (of(network, false)['rejected'] ?? 1));
    expect(of(network, true)['rejected']).toBeGreaterThan(2 * (of('Summit Network', true)['rejected'] ?? 1));
    expect(of('In-house', true)['rejected']).toBe(0);
  });

  test('one landing page has no more clicks from one midnight on', async () => {
    const clicks = await database.query(
      `SELECT visit.at >= today - to_days($sinceDaysAgo::INTEGER) AS broken, count(*)::INTEGER AS views,
         count(click.click_id) / count(*) AS ctr
       FROM campaign_pages page
       JOIN steps visit ON visit.page = page.id AND visit.from_page IS NULL
       LEFT JOIN steps click ON click.click_id = visit.click_id AND click.from_page = page.id
       CROSS JOIN (SELECT date_trunc('day', max(visits.at)) AS today FROM visits)
       WHERE page.campaign_id = $campaign AND page.page_id = $page GROUP BY 1 ORDER BY 1`,
      { ...stories.brokenPage },
    );
    expect(clicks).toHaveLength(2);
    expect(clicks[0]?.['ctr']).toBeGreaterThan(0.35);
    expect(clicks[1]).toMatchObject({ broken: true, ctr: 0 });
    expect(clicks[1]?.['views']).toBeGreaterThan(700);
  });

  test('strangers typed keywords that steer, hide, overflow or run something', async () => {
    const { campaign, ...texts } = stories.strangersTexts;
    const sql = 'SELECT count(*)::INTEGER AS visits FROM visits WHERE campaign_id = $campaign AND keyword = $keyword';
    for (const [name, keyword] of Object.entries(texts)) {
      expect((await queryOne(sql, { campaign, keyword }))['visits'], name).toBeGreaterThan(10);
    }
    expect(texts.invisible).toMatch(/\u202E.*\u200B.*\u0007/u);
    expect(texts.long.length).toBeGreaterThan(2000);
  });
});
