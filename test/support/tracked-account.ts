import { startTracker } from '../sandbox/support/tracker.ts';

/** An account whose tracking is right, to put faults in. */

export const now = new Date('2026-06-15T22:00:00Z');
const linkKey = '0123456789abcdef0123456789abcdef';

/** Three campaigns of two sources, and one whose visits are all organic; 40 visits of each on each of 14 days, a sale of every tenth. */
const account = [
  `INSERT INTO settings VALUES ('time_zone', 'UTC')`,
  `INSERT INTO offer_sources VALUES ('Harbor')`,
  `INSERT INTO traffic_sources VALUES (1, 'Lighthouse Search'), (2, 'PropellerAds push'), (3, 'Organic'), (4, 'Adsterra pop')`,
  `INSERT INTO traffic_source_tokens VALUES
     (1, 'Keyword', 'Keyword', 'kw', '{keyword}'), (1, 'AdValue', 'Ad', 'ad', '{creative}'),
     (1, 'Extra1', 'Match type', 'match', '{matchtype}'), (1, 'ExternalID', 'Click', 'clid', '{clickid}'),
     (1, 'Cost', 'Cost', 'cost', '{cpc}'),
     (2, 'Keyword', 'Zone', 'zone', '{zoneid}'), (2, 'AdValue', 'Banner', 'banner', '{bannerid}'),
     (2, 'Cost', 'Cost', 'cost', '{cost}'), (2, 'ExternalID', 'Click', 'visitor', '\${SUBID}'),
     (4, 'Keyword', 'Placement', 'placement', '##PLACEMENT_ID##'), (4, 'AdValue', 'Banner', 'banner', '##BANNER_ID##'),
     (4, 'ExternalID', 'Click', 'click', '##SUB_ID_SHORT(action)##')`,
  `INSERT INTO campaigns SELECT id, name, 'Direct Link and Landing Page', '${linkKey}', source, true, 0, bid, 0, true, true
   FROM (VALUES (1, 'Boots', 1, 0.3), (2, 'Shoes', 1, 0.25), (3, 'Push', 2, 0.02), (4, 'Blog', 3, 0), (5, 'Pop', 4, 0.01)) AS c (id, name, source, bid)`,
  `INSERT INTO campaign_pages SELECT id * 100 + page, id, page, if(page = 1, 'landing', 'offer'), NULL, if(page = 1, 'Quiz ', 'Deal ') || id,
     'https://example.com/' || page, true, 50, 1, 1, if(page = 1, NULL, 'Harbor'), if(page = 1, 0, 10) FROM campaigns, (VALUES (1), (2)) AS p (page)`,
  `INSERT INTO visits (click_id, subid, campaign_id, "at", path, keyword, ad_value, extra1, external_id, cost, country)
   SELECT click, printf('%08x_%d_%08d', (click * 7919) % 4000000000, c.id, click), c.id,
     TIMESTAMPTZ '2026-06-02 00:30:00+00' + to_days(d::INTEGER) + to_minutes((i * 30)::INTEGER), 1,
     CASE WHEN c.id <> 4 AND NOT (c.id = 1 AND i % 25 = 0) THEN ['red', 'blue', 'green', '[exact] ' || c.id, 'brown'][1 + i % 5] END,
     CASE WHEN c.id <> 4 THEN 'ad-' || c.id || '-' || i % 2 END,
     CASE WHEN c.id < 3 THEN ['exact', 'broad'][1 + i % 2] END,
     CASE WHEN c.id <> 4 THEN 'x' || click END,
     CASE c.id WHEN 4 THEN 0 WHEN 5 THEN 0.01 WHEN 3 THEN 0.01 + (i % 7) / 500 ELSE 0.2 + (i % 9) / 50 END, 'US'
   FROM (SELECT *, d * 1000 + i * 5 + id AS click FROM campaigns, range(14) AS days (d), range(40) AS visits (i)) AS c`,
  `INSERT INTO steps SELECT click_id, campaign_id, "at", campaign_id * 100 + 2, NULL FROM visits`,
  `INSERT INTO conversions SELECT click_id, campaign_id, "at" + INTERVAL 1 HOUR, campaign_id * 100 + 2, 10, 'approved', 'T' || click_id,
     NULL, NULL, NULL, NULL, NULL FROM visits WHERE click_id % 50 = campaign_id`,
];

/** The day from which faults are put in. */
export const since = '2026-06-12';

export const set = (assignment: string, campaign = 1, from = since) =>
  `UPDATE visits SET ${assignment} WHERE campaign_id = ${campaign} AND "at" >= '${from}'`;

/** The account after some changes of its records. */
export const startTracked = (changes: readonly string[]) => startTracker([...account, ...changes], { now: () => now });
