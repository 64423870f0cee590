import { join } from 'node:path';
import type { BenchFigures } from '../../build/bench-figures.ts';
import type { reportNames } from '../../src/api/endpoints.ts';
import { readStats } from '../../src/sandbox/reports/stats.ts';
import { insertSetup } from '../../src/sandbox/sample-data/load-sample-data.ts';
import { Database, type Reader } from '../../src/sandbox/store/database.ts';

/** Measures the six reports over many visits, each next to hand-written SQL for the same figures. */

const now = new Date('2026-11-20T18:00:00Z');
const sizes = [10_000, 1_000_000];
const turns = 5;
/** The campaign of the sample setup with pages of every kind. */
const campaign = 6;
const page = (pageId: number) =>
  `(SELECT id FROM campaign_pages WHERE campaign_id = ${campaign} AND page_id = ${pageId})`;

/** Over 30 days, with 50 keywords and 5 ads: one visitor in 3 subscribes, one in 9 reaches the offer, one in 45 converts. */
const fill = (visits: number) => [
  `INSERT INTO visits BY NAME SELECT 10000000 + i AS click_id, 'bench_6_' || i AS subid, ${campaign} AS campaign_id,
     '2026-10-23'::TIMESTAMPTZ + to_microseconds((i * 2500000000000 // ${visits})::BIGINT) AS "at", 1 AS path, 0.2 AS cost,
     'keyword ' || i * 7919 % 50 AS keyword, 'ad ' || i * 31 % 5 AS ad_value
   FROM range(${visits}) AS numbers(i)`,
  `INSERT INTO steps SELECT click_id, campaign_id, "at", ${page(1)}, NULL FROM visits`,
  `INSERT INTO steps SELECT click_id, campaign_id, "at" + INTERVAL 20 SECOND, ${page(3)}, ${page(1)}
   FROM visits WHERE click_id % 3 = 0`,
  `INSERT INTO subscribers SELECT click_id, campaign_id, "at", page FROM steps WHERE page = ${page(3)}`,
  `INSERT INTO steps SELECT click_id, campaign_id, "at" + INTERVAL 40 SECOND, ${page(4)}, ${page(3)}
   FROM visits WHERE click_id % 9 = 0`,
  `INSERT INTO conversions BY NAME SELECT click_id, campaign_id, "at" + INTERVAL 1 HOUR AS "at", 29 AS revenue,
     ${page(4)} AS offer_page
   FROM visits WHERE click_id % 45 = 0`,
];

type ReportName = Exclude<(typeof reportNames)[number], 'all'>;

const isWithin = `visits."at" >= '2026-10-22'::DATE AND visits."at" < '2026-11-21'::DATE`;
const figures = `count(*) AS views, count(clicked.click_id) AS clicks, count(conversions.click_id) AS conversions,
  count(subscribers.click_id) AS subscribers, sum(visits.cost) AS cost, sum(revenue) AS revenue`;
const byVisit = (group: string) => `
  SELECT ${group} AS name, ${figures} FROM visits
  LEFT JOIN (SELECT DISTINCT click_id FROM steps WHERE campaign_id = ${campaign} AND from_page IS NOT NULL) AS clicked USING (click_id)
  LEFT JOIN conversions ON conversions.click_id = visits.click_id
  LEFT JOIN subscribers ON subscribers.click_id = visits.click_id
  WHERE visits.campaign_id = ${campaign} AND ${isWithin} GROUP BY 1 ORDER BY views DESC`;
const pagesOf = (kind: string) =>
  `(SELECT id FROM campaign_pages WHERE campaign_id = ${campaign} AND kind = '${kind}')`;
const byPage = (kind: string) => `
  SELECT page.name, ${figures} FROM campaign_pages AS page
  JOIN (SELECT DISTINCT click_id, page FROM steps WHERE page IN ${pagesOf(kind)}) AS seen ON seen.page = page.id
  JOIN visits ON visits.click_id = seen.click_id
  LEFT JOIN (SELECT DISTINCT click_id, from_page FROM steps WHERE from_page IN ${pagesOf(kind)}) AS clicked
    ON clicked.click_id = seen.click_id AND clicked.from_page = page.id
  LEFT JOIN conversions ON conversions.click_id = visits.click_id
  LEFT JOIN subscribers ON subscribers.click_id = visits.click_id
  WHERE page.kind = '${kind}' AND visits.campaign_id = ${campaign} AND ${isWithin} GROUP BY page.name`;

const byHand: Readonly<Record<ReportName, string>> = {
  target: byVisit('keyword'),
  ad: byVisit('ad_value'),
  landing: byPage('landing'),
  thankyou: byPage('thankyou'),
  offer: byPage('offer'),
  campaign: byVisit('visits.campaign_id'),
};

/** Measures each report at all sizes. Returns lines to print, and the times at the largest size. */
export async function measureReports(
  folder: string,
): Promise<{ readonly lines: readonly string[]; readonly reports: BenchFigures['reports'] }> {
  const lines = ['', 'Reports in ms, in brackets the ratio to the same figures by hand (goal: at most 1.5):'];
  const columns = new Map<ReportName, string[]>();
  let reports = { visits: 0, min_ms: 0, max_ms: 0 };
  for (const visits of sizes) {
    const times: number[] = [];
    const database = await Database.open(join(folder, `${visits}.duckdb`));
    await database.transaction(insertSetup);
    await database.transaction(async (writer) => {
      for (const statement of fill(visits)) await writer.execute(statement);
    });
    for (const name of Object.keys(byHand) as ReportName[]) {
      const [ours, hand] = await inTurns(database, name);
      times.push(ours);
      columns.set(name, [
        ...(columns.get(name) ?? []),
        `${ours.toFixed(0)} (${(ours / hand).toFixed(2)})`.padStart(16),
      ]);
    }
    await database.close();
    reports = { visits, min_ms: Math.min(...times), max_ms: Math.max(...times) };
  }
  lines.push(['visits'.padEnd(10), ...sizes.map((size) => size.toLocaleString('en').padStart(16))].join(''));
  for (const [name, cells] of columns) lines.push([name.padEnd(10), ...cells].join(''));
  return { lines, reports };
}

/** The medians of the report and of the hand-written SQL in milliseconds, measured in turn. */
async function inTurns(database: Database, name: ReportName): Promise<readonly [ours: number, hand: number]> {
  const question = { campaign_id: campaign, reports: [name], start_date: '2026-10-22', end_date: '2026-11-20' };
  const candidates = [
    (reader: Reader) => readStats(reader, question, now),
    (reader: Reader) => reader.query(byHand[name]),
  ] as const;
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn <= turns; turn++) {
    for (const [index, work] of candidates.entries()) {
      const start = performance.now();
      await database.snapshot<unknown>(work);
      if (turn > 0) times[index]?.push(performance.now() - start);
    }
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  return [median(times[0]), median(times[1])];
}
