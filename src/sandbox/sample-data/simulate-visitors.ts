import { dayMs, minuteMs } from '../../api/durations.ts';
import { type Campaign, type CampaignPage, pagesAfter, waysInto, weightOf } from '../rotation/choose-page.ts';
import { givenRows, type PlainRow, rowsGiven, type Writer } from '../store/database.ts';
import { type Day, equipment, hourWeights, origins } from './crowd.ts';
import type { OfferSource } from './setup.ts';
import { reviews, robotClickRate, type TrafficPlan } from './traffic-plans.ts';

export interface PlannedCampaign {
  readonly plan: TrafficPlan;
  readonly campaign: Campaign;
  /** The network of an offer, by the ID of its page. */
  readonly networkOf: (pageId: number) => OfferSource | undefined;
}

/** A day has up to this part more or fewer visitors than others of its weekday, and so has each campaign on it. */
const unrest = 0.06;

/**
 * Whatever is left to chance has a number here. A visitor's key is a number whose last six bits are free for it: the seed, the days
 * before today, the campaign, and which of its visitors on that day.
 */
const draws = [
  ...['crowd', 'hour', 'moment', 'keyword', 'ad', 'cost', 'Extra1', 'Extra2', 'Extra3', 'referrer', 'origin', 'device'],
  ...[
    'network',
    'host',
    'subid',
    'arrival',
    'sale',
    'pay',
    'isLate',
    'delay',
    'delay2',
    'luck',
    'transaction',
    'custom',
  ],
  // The last ones are drawn anew on each page.
  ...['interest', 'pause', 'pause2', 'next'],
] as const;
type Draw = (typeof draws)[number];
const drawsOfPage = 4;

/** DuckDB's hash of a number is the same in each process, and mixes all of its bits. */
const hashOf = (draw: Draw, key: string) => `hash(${key} + ${draws.indexOf(draw)})`;
/** SQL: from 0 up to, but not including, 1. */
const chance = (draw: Draw, key = 'key') => `((${hashOf(draw, key)} >> 11)::DOUBLE * ${2 ** -53})`;
/** SQL: a whole number from 0 to one less than `below`. */
const whole = (draw: Draw, below: number, key = 'key') => `(${hashOf(draw, key)} % ${below})::BIGINT`;
/** SQL: around 1, but sometimes much more (log-normal, Box-Muller). */
const skewed = (draw: Draw, draw2: Draw, key = 'key') =>
  `exp(0.8 * sqrt(-2 * ln(1 - ${chance(draw, key)})) * cos(2 * pi() * ${chance(draw2, key)}))`;

/** A row that is chosen from a list has its places among this many. */
const places = 1000;

/** Gives each row of a list places in proportion to its weight: from the first to before the end. */
function placed<Row extends { readonly weight: number }>(list: readonly Row[]) {
  const total = list.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  return list.map(({ weight, ...row }) => {
    const first = Math.round((sum / total) * places);
    sum += weight;
    return { ...row, first, ending: Math.round((sum / total) * places) };
  });
}

/** The tables that the statements read, each dropped at the end. */
function tablesOf(campaigns: readonly PlannedCampaign[], days: readonly Day[]): Readonly<Record<string, PlainRow[]>> {
  const pages = campaigns.flatMap((planned) => planned.campaign.pages.map((page) => [planned, page] as const));
  return {
    sample_days: days.map(({ daysAgo, start, end, weight }) => ({ days_ago: daysAgo, start, ending: end, weight })),
    sample_plans: campaigns.map(({ plan, campaign }) => ({
      campaign: campaign.id,
      visits: plan.visitsPerDay,
      since: plan.endedDaysAgo ?? 0,
      lowest: plan.cost?.[0] ?? null,
      highest: plan.cost?.[1] ?? null,
      bid: moneyOf(campaign.bid),
      has_external_id: campaign.tokens.some(({ slot }) => slot === 'ExternalID'),
    })),
    sample_pages: pages.map(([{ plan, networkOf }, page]) => {
      const { days: waits, rejects } = reviews[networkOf(page.pageId) ?? 'In-house'];
      const { rate = 0, converting } = plan.offers[page.pageId] ?? {};
      return {
        page: page.id,
        kind: page.kind,
        interest: plan.clickRates[page.pageId] ?? 0,
        broken_since: plan.broken?.page === page.pageId ? plan.broken.sinceDaysAgo : -1,
        rate,
        first_sale: converting?.first ?? null,
        every_sale: converting?.every ?? null,
        last_sale: converting?.last ?? null,
        shortest: waits[0],
        longest: waits[1],
        rejects_today: rejects[0],
        rejects_before: rejects[1],
      };
    }),
    chosen_hours: placed(hourWeights.map((weight, hour) => ({ hour, weight }))),
    chosen_words: campaigns.flatMap(wordsOf),
    chosen_origins: [true, false].flatMap((robots) => placed(origins.filter((one) => one.robots === robots))),
    chosen_devices: [true, false].flatMap((robots) => placed(equipment.filter((one) => one.robots === robots))),
    chosen_arrivals: campaigns.flatMap(({ campaign }) => {
      const ways = waysInto(campaign);
      return placed(ways.flatMap(({ path, pages }) => competing(pages).map((one) => ({ ...one, path })))).map(
        (one) => ({
          ...one,
          campaign: campaign.id,
        }),
      );
    }),
    chosen_moves: pages.flatMap(([planned, page]) => movesFrom(planned, page)),
    chosen_pays: pages.flatMap(([{ plan }, page]) =>
      placed(
        (plan.offers[page.pageId]?.pays ?? [moneyOf(page.payout)]).map((pay) => ({ page: page.id, pay, weight: 1 })),
      ),
    ),
  };
}

const moneyOf = (millionths: bigint) => Number(millionths) / 1e6;

/** Pages that compete, with the part of the visitors that each gets. */
function competing(pages: readonly CampaignPage[], part = 1) {
  const total = pages.reduce((sum, page) => sum + weightOf(page), 0);
  return pages.map((page) => ({ page: page.id, weight: (part * weightOf(page)) / total }));
}

function wordsOf({ plan }: PlannedCampaign): PlainRow[] {
  const evenly = (texts: readonly (string | null)[]) => texts.map((text) => ({ text, weight: 1 }));
  const lists: Readonly<Record<string, TrafficPlan['keywords'] | ReturnType<typeof evenly>>> = {
    Keyword: plan.keywords,
    AdValue: plan.ads,
    Referrer: evenly(plan.referrers),
    ...Object.fromEntries(Object.entries(plan.tokens ?? {}).map(([slot, texts]) => [slot, evenly(texts)])),
  };
  const ordinary = { cost: 1, clicks: 1, converts: true, robots: false };
  return Object.entries(lists).flatMap(([slot, words]) =>
    placed(words.map((word) => ({ slot, campaign: plan.campaign, ...ordinary, ...word }))),
  );
}

/** Visitors choose an option on the page that leads to the offers: in a sequence, on the last level. */
function movesFrom({ plan, campaign }: PlannedCampaign, from: CampaignPage): PlainRow[] {
  if (from.kind === 'offer') return [];
  const isLast = campaign.pages.every(({ kind, level }) => kind !== 'landing' || level <= from.level);
  const options = isLast && plan.options ? plan.options.map((weight, index) => [index + 1, weight] as const) : [];
  const after = (option?: number, weight = 1) => competing(pagesAfter(campaign, from, from.path, option), weight);
  const moves = options.length > 0 ? options.flatMap(([option, weight]) => after(option, weight)) : after();
  return placed(moves).map((move) => ({ ...move, from_page: from.id }));
}

/** SQL: the text of a further token, which the visitor's campaign may have. */
const token = (slot: Draw & `Extra${number}`) => joinedWord(slot, slot);
const joinedWord = (slot: string, draw: Draw) =>
  `LEFT JOIN chosen_words AS ${draw} ON ${draw}.slot = '${slot}' AND ${draw}.campaign = visitor.campaign AND ${draw}.place = ${whole(draw, places)}`;

/** SQL: letters and digits. */
const base36 = (number: string, digits: number) => `lower(to_base(${number}, 36, ${digits}))`;
const timestamp = (moment: string) => `make_timestamptz((${moment} * 1000)::BIGINT)`;
const hasHappened = (moment: string) => `${moment} <= $now`;
/** The key of a day, before its campaigns and visitors; a key has 31 bits for the seed, 5, 8, 14 and 6 for the draw. */
const keyOfDay = '(($seed::UBIGINT << 33) + (days_ago::UBIGINT << 28))';
const unsettled = (key: string) => `(1 + ${unrest} * (2 * ${chance('crowd', key)} - 1))`;

const arrivals = `
  CREATE TEMP TABLE arrivals AS
  WITH crowds AS (
    SELECT *, ${keyOfDay} + (campaign::UBIGINT << 20) AS key, visits * weight * ${unsettled(keyOfDay)} AS expected
    FROM sample_days, sample_plans WHERE days_ago >= since
  ), coming AS (
    SELECT * REPLACE (key + (unnest(range(round(expected * ${unsettled('key')})::BIGINT))::UBIGINT << 6) AS key) FROM crowds
  ), arriving AS (
    SELECT key, campaign, days_ago, start,
      floor(start + (hour + ${chance('moment')}) / ${hourWeights.length} * (ending - start))::BIGINT AS moment
    FROM coming LEFT JOIN chosen_hours ON place = ${whole('hour', places)}
    ORDER BY moment, key
  )
  SELECT row_number() OVER () AS click_id, * FROM arriving`;

const visitors = `
  CREATE TEMP TABLE visitors AS
  SELECT click_id, key, visitor.campaign, days_ago, start, moment, arrival.page, arrival.path, has_external_id,
    keyword.text AS keyword, ad.text AS ad_value, keyword.clicks * ad.clicks AS eagerness,
    keyword.robots OR ad.robots AS robots, keyword.converts AND ad.converts AS converts,
    coalesce((lowest + ${chance('cost')} * (highest - lowest)) * keyword.cost * ad.cost, bid)::DECIMAL(18, 4) AS cost
  FROM arrivals AS visitor LEFT JOIN sample_plans ON sample_plans.campaign = visitor.campaign
  ${joinedWord('Keyword', 'keyword')} ${joinedWord('AdValue', 'ad')}
  LEFT JOIN chosen_arrivals AS arrival
    ON arrival.campaign = visitor.campaign AND arrival.place = ${whole('arrival', places)}`;

/** Addresses come from the ranges reserved for documentation (RFC 5737, RFC 3849): no sample visitor is a real one. */
const address = `CASE WHEN visitor.robots THEN '203.0.113.' || ${whole('host', 64)}
  WHEN ${chance('network')} < 0.12 THEN '2001:db8:' || lower(to_hex(${whole('subid', 65_536)})) || '::' || lower(to_hex(1 + ${whole('host', 254)}))
  WHEN ${chance('network')} < 0.6 THEN '192.0.2.' || (1 + ${whole('host', 254)})
  ELSE '198.51.100.' || (1 + ${whole('host', 254)}) END`;

const visits = `
  INSERT INTO visits BY NAME
  SELECT click_id, ${base36(whole('subid', 36 ** 8), 8)} || '_' || visitor.campaign || '_' || lpad(click_id::VARCHAR, 8, '0') AS subid,
    visitor.campaign AS campaign_id, ${timestamp('moment')} AS "at", path, keyword, ad_value,
    Extra1.text AS extra1, Extra2.text AS extra2, Extra3.text AS extra3, visitor.cost, ${address} AS ip,
    CASE WHEN has_external_id THEN 'x' || ${base36('(click_id * 7919 + 100003)', 1)} END AS external_id,
    country, region, city, isp, user_agent, device, os, browser, referrer.text AS referrer
  FROM visitors AS visitor
  LEFT JOIN chosen_origins AS origin ON origin.robots = visitor.robots AND origin.place = ${whole('origin', places)}
  LEFT JOIN chosen_devices AS device ON device.robots = visitor.robots AND device.place = ${whole('device', places)}
  ${token('Extra1')} ${token('Extra2')} ${token('Extra3')} ${joinedWord('Referrer', 'referrer')}
  WHERE ${hasHappened('moment')}`;

const walks = `
  CREATE TEMP TABLE walks AS
  WITH RECURSIVE walked AS (
    SELECT click_id, key, campaign, days_ago, start, moment, page, NULL::INTEGER AS from_page, eagerness, robots, converts,
      0::UBIGINT AS depth FROM visitors
    UNION ALL
    SELECT click_id, key, campaign, days_ago, start,
      moment + floor(CASE WHEN robots THEN 80 + 800 * ${chance('pause', 'key + depth')}
        ELSE 2000 + 28000 * ${skewed('pause', 'pause2', 'key + depth')} END)::BIGINT,
      move.page, walked.page, eagerness, robots, converts, depth + ${drawsOfPage}
    FROM walked JOIN sample_pages ON sample_pages.page = walked.page AND days_ago > broken_since
    JOIN chosen_moves AS move ON move.from_page = walked.page AND move.place = ${whole('next', places, 'key + depth')}
    WHERE ${chance('interest', 'key + depth')} < CASE WHEN robots THEN ${robotClickRate} ELSE interest * eagerness END
  )
  FROM walked`;

const steps = `
  INSERT INTO steps BY NAME
  SELECT click_id, campaign AS campaign_id, ${timestamp('moment')} AS "at", page, from_page
  FROM walks WHERE ${hasHappened('moment')} ORDER BY click_id, moment`;

const subscribers = `
  INSERT INTO subscribers BY NAME
  SELECT click_id, campaign AS campaign_id, ${timestamp('moment')} AS "at", page AS thank_you_page
  FROM walks JOIN sample_pages USING (page) WHERE kind = 'thankyou' AND ${hasHappened('moment')} ORDER BY click_id`;

/**
 * Most conversions come within the hour, one in five after days. What a network says today of a sale of some days ago depends on
 * luck that is the same on each day; who is rejected waits no longer than others. Rejected sales are reported with no payout, and the
 * few sales of a story stay.
 */
const conversions = `
  INSERT INTO conversions BY NAME
  WITH sent AS (
    SELECT *, row_number() OVER (PARTITION BY page ORDER BY click_id) AS visitor, ${chance('luck')} AS luck
    FROM walks JOIN sample_pages USING (page) WHERE kind = 'offer'
  ), sold AS (
    SELECT *, moment + floor(least(${minuteMs} + ${skewed('delay', 'delay2')} *
        CASE WHEN ${chance('isLate')} < 0.8 THEN ${14 * minuteMs} ELSE ${1.4 * dayMs} END, ${6 * dayMs}))::BIGINT AS sold_at
    FROM sent
    WHERE coalesce((visitor - first_sale) % every_sale = 0 AND visitor BETWEEN first_sale AND last_sale, converts AND ${chance('sale')} < rate)
  ), aged AS (
    SELECT *, days_ago - floor((sold_at - start) / ${dayMs}) AS age FROM sold WHERE ${hasHappened('sold_at')}
  ), judged AS (
    SELECT *, CASE WHEN age < shortest + floor((luck * 1000) % 1 * (longest - shortest + 1)) THEN 'pending'
        WHEN luck < rejects_today + (rejects_before - rejects_today) * age / 30 AND first_sale IS NULL THEN 'rejected'
        ELSE 'approved' END AS status FROM aged
  )
  SELECT click_id, campaign AS campaign_id, ${timestamp('sold_at')} AS "at", judged.page AS offer_page,
    CASE WHEN status = 'rejected' THEN 0 ELSE pay END AS revenue, status,
    'T-' || to_base(${whole('transaction', 36 ** 6)}, 36, 6) AS transaction_id,
    CASE WHEN ${chance('custom')} < 0.7 THEN 'new customer' ELSE 'returning customer' END AS custom1
  FROM judged LEFT JOIN chosen_pays ON chosen_pays.page = judged.page AND place = ${whole('pay', places)}
  ORDER BY click_id`;

/**
 * Plays the visitors of all campaigns on some days, up to a moment. They are drawn in SQL, a set at a time: one by one they would
 * take ten times as long.
 *
 * @param now in milliseconds since 1970
 */
export async function simulateVisitors(
  writer: Writer,
  campaigns: readonly PlannedCampaign[],
  days: readonly Day[],
  { seed, now }: { readonly seed: number; readonly now: number },
): Promise<void> {
  const tables = Object.entries(tablesOf(campaigns, days));
  for (const [name, rows] of tables) {
    const select = name.startsWith('chosen') ? '* EXCLUDE (first, ending), unnest(range(first, ending)) AS place' : '*';
    await writer.execute(`CREATE TEMP TABLE ${name} AS SELECT ${select} FROM ${givenRows}`, rowsGiven(rows));
  }
  await writer.execute(arrivals, { seed });
  await writer.execute(visitors);
  await writer.execute(visits, { now });
  await writer.execute(walks);
  for (const statement of [steps, subscribers, conversions]) await writer.execute(statement, { now });
  for (const name of [...tables.map(([name]) => name), 'arrivals', 'visitors', 'walks'])
    await writer.execute(`DROP TABLE ${name}`);
}
