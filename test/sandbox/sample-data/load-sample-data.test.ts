import { afterAll, describe, expect, test } from 'vitest';
import { campaignTypeNames } from '../../../src/api/campaign-types.ts';
import { groupColumns } from '../../../src/api/endpoints.ts';
import { listDays } from '../../../src/sandbox/sample-data/crowd.ts';
import { loadSampleData } from '../../../src/sandbox/sample-data/load-sample-data.ts';
import { Database } from '../../../src/sandbox/store/database.ts';
import { copySampleData, sampleNow } from '../support/sample-data.ts';

const evening = sampleNow;
const morning = new Date('2026-06-15T09:15:00Z');
const tables = ['visits', 'steps', 'subscribers', 'conversions'] as const;

/** Makes sample data, and returns its digest. */
async function load(seed: number, now: Date) {
  const database = await Database.open();
  await loadSampleData(database, { seed, now });
  const result = await digest(database, evening);
  await database.close();
  return result;
}

/** The row count and a digest of each table up to a moment. */
async function digest(database: Database, until: Date): Promise<unknown> {
  const digestOf = (table: string) =>
    `SELECT count(*) AS rows, bit_xor(hash(row_text)) AS digest
     FROM (SELECT entry::VARCHAR AS row_text FROM ${table} AS entry WHERE entry.at <= $until::TIMESTAMPTZ)`;
  return Promise.all(tables.map((table) => database.query(digestOf(table), { until: until.toISOString() })));
}

const database = await Database.open(await copySampleData());
afterAll(() => database.close());

async function queryOne(sql: string): Promise<Record<string, unknown>> {
  return (await database.query(sql))[0] ?? {};
}

/** Checks that a query finds no row that breaks a rule. */
async function expectNone(sql: string): Promise<void> {
  expect(await database.query(`${sql} LIMIT 5`)).toEqual([]);
}

test('the same seed and day give the same data, and a later hour only adds to it', async () => {
  expect(await load(1, morning)).toEqual(await digest(database, morning));
});

test('a different seed gives different data', async () => {
  expect(await load(2, morning)).not.toEqual(await digest(database, morning));
});

test.each([
  ['America/New_York', '2026-03-09T12:00:00Z', [24, 23, 24]],
  ['America/New_York', '2026-11-02T12:00:00Z', [24, 25, 24]],
  ['UTC', '2026-03-09T12:00:00Z', [24, 24, 24]],
])('days of %s until %s go from midnight to midnight, even if the clocks change', async (zone, now, hours) => {
  const days = await listDays(database, zone, new Date(now), 3);
  expect(days.map(({ start, end }) => (end - start) / 3_600_000)).toEqual(hours);
  expect(days.slice(1).map(({ start }) => start)).toEqual(days.slice(0, -1).map(({ end }) => end));
});

test('there are 60,000 visits on the last 30 days of the time zone of the settings, none in the future', async () => {
  const { visits } = await queryOne('SELECT count(*)::INTEGER AS visits FROM visits');
  expect(visits).toBeGreaterThanOrEqual(59_500);
  expect(visits).toBeLessThan(64_000);
  expect(await queryOne(`SELECT value FROM settings WHERE name = 'time_zone'`)).toEqual({ value: 'UTC' });
  const days = await queryOne(
    `SELECT count(DISTINCT day)::INTEGER AS days, min(day)::VARCHAR AS first, max(day)::VARCHAR AS last
     FROM (SELECT timezone('UTC', visit.at)::DATE AS day FROM visits visit)`,
  );
  expect(days).toEqual({ days: 30, first: '2026-05-17', last: '2026-06-15' });
  for (const table of tables) {
    const { newest } = await queryOne(`SELECT epoch_ms(max(entry.at))::DOUBLE AS newest FROM ${table} AS entry`);
    expect(newest).toBeLessThanOrEqual(evening.getTime());
  }
});

test('the evening is busier than the small hours, and every day has visits of every hour', async () => {
  const hours = await database.query(
    `SELECT hour(timezone('UTC', visit.at)) AS hour, count(*)::INTEGER AS visits FROM visits visit GROUP BY 1 ORDER BY 1`,
  );
  const visits = hours.map((row) => Number(row['visits']));
  expect(visits).toHaveLength(24);
  expect(visits[20]).toBeGreaterThan(5 * Number(visits[3]));
});

describe('the setup', () => {
  test('covers every campaign type, an inactive campaign and a campaign without visits', async () => {
    const campaigns = await database.query(
      `SELECT type, active, (SELECT count(*) FROM visits visit WHERE visit.campaign_id = campaign.id)::INTEGER AS visits
       FROM campaigns campaign`,
    );
    expect(campaigns.length).toBeGreaterThanOrEqual(8);
    expect(new Set(campaigns.map((row) => row['type']))).toEqual(new Set(campaignTypeNames));
    expect(campaigns.filter((row) => row['active'] === false)).toHaveLength(1);
    expect(campaigns.filter((row) => row['visits'] === 0)).toHaveLength(1);
  });

  test('has three Quick Views with groups of the API, the first the default', async () => {
    const views = await database.query('SELECT group_by, metrics, is_default FROM quick_views ORDER BY id');
    expect(views.map((view) => view['is_default'])).toEqual([true, false, false]);
    for (const view of views) {
      expect(view['metrics']).not.toEqual([]);
      expect(groupColumns).toEqual(expect.arrayContaining(view['group_by'] as unknown as string[]));
    }
  });

  test('is consistent: unique page IDs, complete URLs, known offer sources, 32 hex digits as link keys', async () => {
    await expectNone('SELECT campaign_id FROM campaign_pages GROUP BY campaign_id, page_id HAVING count(*) > 1');
    await expectNone(
      `SELECT url FROM (SELECT url FROM landing_pages UNION ALL SELECT url FROM offers UNION ALL SELECT url FROM campaign_pages)
       WHERE NOT regexp_full_match(url, 'https?://[a-z.]*example\\.(com|net|org)/.*')`,
    );
    await expectNone('SELECT id FROM offers WHERE source NOT IN (SELECT name FROM offer_sources)');
    await expectNone(`SELECT id FROM campaigns WHERE NOT regexp_full_match(link_key, '[0-9a-f]{32}')`);
    await expectNone('SELECT link_key FROM campaigns GROUP BY link_key HAVING count(*) > 1');
  });
});

describe('the records', () => {
  test('agree: every visit has one arrival, every step and conversion has a visit, and SubIDs are unique', async () => {
    const counts = await queryOne(
      'SELECT count(*) = count(DISTINCT subid) AS distinct_subids, count(*) = max(click_id) AS numbered FROM visits',
    );
    expect(counts).toEqual({ distinct_subids: true, numbered: true });
    await expectNone(
      `SELECT click_id FROM visits LEFT JOIN steps USING (click_id, campaign_id)
       GROUP BY click_id HAVING count(*) FILTER (steps.page IS NOT NULL AND from_page IS NULL) <> 1`,
    );
    await expectNone('SELECT click_id FROM steps ANTI JOIN visits USING (click_id, campaign_id)');
    await expectNone(
      `SELECT conversions.click_id FROM conversions
       ANTI JOIN steps ON steps.click_id = conversions.click_id AND steps.page = conversions.offer_page
         AND steps.at < conversions.at`,
    );
  });

  test('of a path campaign are on the path of the visit', async () => {
    await expectNone(
      `SELECT visits.click_id FROM visits JOIN campaigns ON campaigns.id = visits.campaign_id
       JOIN steps USING (click_id) JOIN campaign_pages page ON page.id = steps.page
       WHERE campaigns.type IN ('Multiple Path', 'Email FollowUp') AND page.path <> visits.path`,
    );
  });

  test('have subscribers only for campaigns that capture leads', async () => {
    const sql = 'SELECT DISTINCT type FROM subscribers JOIN campaigns ON campaigns.id = subscribers.campaign_id';
    expect(await database.query(sql)).toEqual([{ type: 'Lead Capture' }]);
  });

  test('have only the tokens that the traffic source declares', async () => {
    const slots = ['Keyword', 'AdValue', 'Extra1', 'Extra2', 'Extra3', 'Extra4', 'ExternalID'];
    const columns: Record<string, string> = { AdValue: 'ad_value', ExternalID: 'external_id' };
    for (const slot of slots) {
      await expectNone(
        `SELECT '${slot}', click_id FROM visits JOIN campaigns ON campaigns.id = visits.campaign_id
         WHERE ${columns[slot] ?? slot} IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM traffic_source_tokens token WHERE token.slot = '${slot}'
             AND token.traffic_source_id = campaigns.traffic_source_id)`,
      );
    }
  });

  test('have addresses reserved for documentation', async () => {
    await expectNone(
      `SELECT DISTINCT ip FROM visits WHERE ip IS NULL
       OR NOT regexp_full_match(ip, '(192\\.0\\.2|198\\.51\\.100|203\\.0\\.113)\\.[0-9]+|2001:db8:[0-9a-f:]+')`,
    );
  });

  test('have device, system and browser of every visitor, on all three kinds of device', async () => {
    await expectNone('SELECT click_id FROM visits WHERE os IS NULL OR browser IS NULL');
    const devices = await database.query('SELECT DISTINCT device FROM visits ORDER BY device');
    expect(devices.map(({ device }) => device)).toEqual(['Desktop', 'Mobile', 'Tablet']);
  });

  test('are split over the pages by their shares', async () => {
    const { distance } = await queryOne(
      `SELECT sum((views - expected) ** 2 / expected) AS distance FROM (
         SELECT count(*) AS views, any_value(share)::DOUBLE / 100 * sum(count(*)) OVER () AS expected
         FROM steps JOIN campaign_pages page ON page.id = steps.page
         WHERE page.campaign_id = 1 AND page.kind = 'offer' GROUP BY page.id)`,
    );
    // Chi-square with 2 degrees of freedom, exceeded by chance once in 1000.
    expect(distance).toBeLessThan(13.8);
  });

  test('have conversions minutes to days after the click', async () => {
    const { soonest, median, latest } = await queryOne(
      `SELECT min(wait)::DOUBLE AS soonest, median(wait)::DOUBLE AS median, max(wait)::DOUBLE AS latest FROM (
         SELECT (epoch_ms(conversion.at) - epoch_ms(step.at)) / 60000 AS wait FROM conversions conversion
         JOIN steps step ON step.click_id = conversion.click_id AND step.page = conversion.offer_page)`,
    );
    expect(soonest).toBeGreaterThan(1);
    expect(median).toBeGreaterThan(5);
    expect(median).toBeLessThan(60);
    expect(latest).toBeGreaterThan(24 * 60);
  });
});
