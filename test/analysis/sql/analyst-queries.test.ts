import { afterAll, expect, test } from 'vitest';
import { QueryEngine } from '../../../src/analysis/sql/engine.ts';
import { toPlainTable } from '../../support/tables.ts';
import { conversions, visitors } from './reports.ts';

const engine = new QueryEngine();
afterAll(() => engine.close());

const tables = [
  { name: 'r1', alias: 'visitors', table: visitors },
  { name: 'r2', alias: 'conversions', table: conversions },
];

/** Queries of analysts, each followed by its rows: rows separated by ;, cells by |, `~` is empty. */
const queries = String.raw`
SELECT "Device", count(*) AS visits FROM visitors GROUP BY 1 ORDER BY 2 DESC
  Mobile|2 ; Desktop|1
SELECT "Device", count(*) FILTER ("Cost" > 0.15) AS dear FROM visitors GROUP BY ALL ORDER BY ALL
  Desktop|1 ; Mobile|1
SELECT hour("Date") AS h, count(*) FROM visitors GROUP BY h HAVING count(*) > 1
  10|2
SELECT v."Keyword", sum(c."Revenue") AS revenue FROM visitors v JOIN conversions c USING ("SubID") GROUP BY 1 ORDER BY 1
  red shoes|12.5 ; ~|7.25
SELECT v."Keyword", coalesce(sum(c."Revenue"), 0) - sum(v."Cost") AS profit FROM visitors v LEFT JOIN conversions c USING ("SubID") GROUP BY 1 ORDER BY 2 DESC
  red shoes|12.3 ; ~|6.95 ; running shoes|-0.1
SELECT "SubID" FROM visitors ANTI JOIN conversions USING ("SubID") ORDER BY 1
  ab_1_001
SELECT "SubID" FROM visitors SEMI JOIN conversions USING ("SubID") ORDER BY 1
  ab_1_002 ; ab_1_003
SELECT "SubID", row_number() OVER (PARTITION BY "Device" ORDER BY "Date") AS n FROM visitors ORDER BY 1
  ab_1_001|1 ; ab_1_002|2 ; ab_1_003|1
SELECT "SubID", sum("Cost") OVER (ORDER BY "Date" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS moving FROM visitors ORDER BY "Date"
  ab_1_001|0.1 ; ab_1_002|0.3 ; ab_1_003|0.5
SELECT "SubID", lag("Date") OVER w, ntile(2) OVER w, percent_rank() OVER w FROM visitors WINDOW w AS (ORDER BY "Date") ORDER BY 1
  ab_1_001|~|1|0 ; ab_1_002|2026-11-01 10:15:00|1|0.5 ; ab_1_003|2026-11-01 10:45:00|2|1
SELECT "Device", "SubID" FROM visitors QUALIFY row_number() OVER (PARTITION BY "Device" ORDER BY "Cost" DESC) = 1 ORDER BY 1
  Desktop|ab_1_003 ; Mobile|ab_1_002
SELECT first_value("SubID" IGNORE NULLS) OVER (PARTITION BY "Device" ORDER BY "Date") FROM visitors ORDER BY 1 LIMIT 1
  ab_1_001
WITH by_device AS (SELECT "Device", sum("Cost") AS cost FROM visitors GROUP BY 1), whole AS (SELECT sum(cost) AS cost FROM by_device) SELECT "Device", round(100 * b.cost / w.cost, 1) AS percent FROM by_device b, whole w ORDER BY 1
  Desktop|50 ; Mobile|50
WITH RECURSIVE days(d) AS (SELECT DATE '2026-11-01' UNION ALL SELECT d + 1 FROM days WHERE d < DATE '2026-11-04') SELECT d, count("SubID") FROM days LEFT JOIN visitors ON "Date"::DATE = d GROUP BY d ORDER BY d
  2026-11-01|2 ; 2026-11-02|1 ; 2026-11-03|0 ; 2026-11-04|0
SELECT d::DATE AS day, count("SubID") FROM generate_series(TIMESTAMP '2026-11-01', TIMESTAMP '2026-11-03', INTERVAL 1 DAY) t(d) LEFT JOIN visitors ON "Date"::DATE = d GROUP BY 1 ORDER BY 1
  2026-11-01|2 ; 2026-11-02|1 ; 2026-11-03|0
PIVOT visitors ON "Device" IN ('Mobile', 'Desktop') USING count(*) GROUP BY "Keyword" ORDER BY "Keyword"
  red shoes|1|0 ; running shoes|1|0 ; ~|0|1
SELECT * FROM (SELECT "Keyword", "Device", "Cost" FROM visitors) PIVOT (sum("Cost") FOR "Device" IN ('Mobile', 'Desktop')) ORDER BY 1
  red shoes|0.2|~ ; running shoes|0.1|~ ; ~|~|0.3
UNPIVOT (SELECT "SubID", "Cost", "Views" FROM visitors) ON "Cost", "Views" INTO NAME measure VALUE value ORDER BY 1, 2 LIMIT 2
  ab_1_001|Cost|0.1 ; ab_1_001|Views|1
SELECT unnest(string_split('a,b,c', ',')) AS part
  a ; b ; c
SELECT word, count(*) AS n FROM (SELECT unnest(string_split("Keyword", ' ')) AS word FROM visitors) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2
  shoes|2 ; red|1
SELECT date_trunc('day', "Date") AS day, count(*) FROM visitors GROUP BY 1 ORDER BY 1
  2026-11-01 00:00:00|2 ; 2026-11-02 00:00:00|1
SELECT strftime("Date", '%Y-%m-%d') AS day, dayname("Date"), isodow("Date"), weekofyear("Date"), monthname("Date") FROM visitors ORDER BY 1 LIMIT 1
  2026-11-01|Sunday|7|44|November
SELECT time_bucket(INTERVAL 6 HOUR, "Date") AS bucket, count(*) FROM visitors GROUP BY 1 ORDER BY 1
  2026-11-01 06:00:00|2 ; 2026-11-02 18:00:00|1
SELECT date_diff('minute', min("Date"), max("Date")), max("Date") - INTERVAL 1 DAY, extract(hour FROM max("Date")), datepart('year', max("Date")) FROM visitors
  2205|2026-11-01 23:00:00|23|2026
SELECT "Date" AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC' FROM visitors ORDER BY "Date" LIMIT 1
  2026-11-01 15:15:00
SELECT try_strptime('01.11.2026', '%d.%m.%Y')::DATE, last_day(DATE '2026-02-01'), epoch(TIMESTAMP '2026-11-01 00:00:00'), make_date(2026, 11, 1), to_days(3), age(DATE '2026-11-03', DATE '2026-11-01')
  2026-11-01|2026-02-28|1793491200|2026-11-01|3 days|2 days
SELECT regexp_extract("Referrer", 'https?://([^/]+)', 1) AS host, count(*) FROM visitors GROUP BY 1 ORDER BY 2 DESC, 1
  news.example|2 ; shop.example|1
SELECT count(*) FROM visitors WHERE regexp_matches("Keyword", '^(?i)RUN') OR "Keyword" ILIKE '%hat%' OR "Keyword" SIMILAR TO 'x.*'
  1
SELECT regexp_replace("Keyword", '\s+', '-', 'g'), upper("Keyword"), length("Keyword"), left("Keyword", 3), split_part("Keyword", ' ', 2), replace("Keyword", 'shoes', 'boots') FROM visitors WHERE "SubID" = 'ab_1_001'
  running-shoes|RUNNING SHOES|13|run|shoes|running boots
SELECT string_agg(DISTINCT "Device", ', ' ORDER BY "Device"), list("SubID" ORDER BY "Date" DESC)[1], array_agg(DISTINCT "Device" ORDER BY "Device") FROM visitors
  Desktop, Mobile|ab_1_003|["Desktop","Mobile"]
SELECT list_transform([1, 2, 3], lambda x: x * 2), list_filter([1, 2, 3], x -> x > 1), [x + 1 FOR x IN [1, 2] IF x > 1], list_sum([1, 2]), list_sort([2, 1]), list_contains([1], 1), list_reduce([1, 2, 3], lambda a, b: a + b), list_avg([1, 2]), len([1])
  [2,4,6]|[2,3]|[3]|3|[1,2]|true|6|1.5|1
SELECT quantile_cont("Cost", 0.5), median("Cost"), percentile_cont(0.9) WITHIN GROUP (ORDER BY "Cost"), mode("Device"), stddev_samp("Cost") > 0, approx_count_distinct("Device"), quantile_disc("Cost", [0.25, 0.75]) FROM visitors
  0.2|0.2|0.28|Mobile|true|2|[0.1,0.3]
SELECT arg_max("SubID", "Cost"), min_by("SubID", "Cost"), arg_min("SubID", "Cost"), max("Cost", 2), count(DISTINCT "Device"), any_value("Device") IS NOT NULL, bool_or("Cost" > 0.3), count_if("Cost" > 0.15) FROM visitors
  ab_1_003|ab_1_001|ab_1_001|[0.3,0.2]|2|true|false|2
SELECT "Device", "Country", count(*) FROM visitors GROUP BY GROUPING SETS (("Device"), ("Country"), ()) ORDER BY ALL
  Desktop|~|1 ; Mobile|~|2 ; ~|DE|1 ; ~|US|2 ; ~|~|3
SELECT "Device", grouping("Device"), count(*) FROM visitors GROUP BY ROLLUP ("Device") ORDER BY 1
  Desktop|0|1 ; Mobile|0|2 ; ~|1|3
SELECT "Device", "Country", count(*) FROM visitors GROUP BY CUBE ("Device", "Country") ORDER BY ALL LIMIT 3
  Desktop|US|1 ; Desktop|~|1 ; Mobile|DE|1
SELECT "SubID", "Cost" FROM visitors UNION ALL BY NAME SELECT "SubID", "Revenue" FROM conversions ORDER BY ALL LIMIT 2
  ab_1_001|0.1|~ ; ab_1_002|0.2|~
SELECT "SubID" FROM visitors EXCEPT SELECT "SubID" FROM conversions ORDER BY 1
  ab_1_001
SELECT "SubID" FROM visitors INTERSECT SELECT "SubID" FROM conversions ORDER BY 1
  ab_1_002 ; ab_1_003
SELECT json_extract_string("Tokens", '$.source') AS source, count(*) FROM visitors GROUP BY 1 ORDER BY 2 DESC, 1
  push|2 ; pop|1
SELECT "Tokens"->>'$.source', "Tokens"::JSON->'bid', json_keys("Tokens"), json_array_length('[1,2]') FROM visitors ORDER BY "Date" LIMIT 1
  push|3|["source","bid"]|2
SELECT key, value FROM visitors, json_each("Tokens") WHERE "SubID" = 'ab_1_001' ORDER BY 1
  bid|3 ; source|"push"
SELECT c."SubID", v."SubID" FROM conversions c ASOF JOIN visitors v ON c."Date" >= v."Date" ORDER BY 1
  ab_1_002|ab_1_002 ; ab_1_003|ab_1_003
SELECT v."SubID", n FROM visitors v, LATERAL (SELECT count(*) AS n FROM conversions c WHERE c."SubID" = v."SubID") ORDER BY 1
  ab_1_001|0 ; ab_1_002|1 ; ab_1_003|1
SELECT CASE WHEN "Cost" < 0.15 THEN 'low' WHEN "Cost" < 0.25 THEN 'middle' ELSE 'high' END AS band, count(*) FROM visitors GROUP BY 1 ORDER BY 1
  high|1 ; low|1 ; middle|1
SELECT * EXCLUDE ("Referrer", "Tokens", "Views", "Country", "Keyword") REPLACE (round("Cost", 1) AS "Cost") FROM visitors ORDER BY "Date" LIMIT 1
  2026-11-01 10:15:00|ab_1_001|0.1|Mobile
SELECT max(COLUMNS('Cost|Views')) FROM visitors
  0.3|2
SELECT DISTINCT ON ("Device") "Device", "SubID" FROM visitors ORDER BY "Device", "Date"
  Desktop|ab_1_003 ; Mobile|ab_1_001
SELECT "SubID" FROM visitors WHERE "Cost" BETWEEN 0.15 AND 0.25 AND "Device" IN ('Mobile') AND NOT "Keyword" IS NULL
  ab_1_002
SELECT "SubID" FROM visitors WHERE "Cost" > (SELECT avg("Cost") FROM visitors) AND EXISTS (SELECT 1 FROM conversions)
  ab_1_003
SELECT width_bucket FROM (SELECT floor("Cost" / 0.2) AS width_bucket, count(*) AS n FROM visitors GROUP BY 1) ORDER BY 1
  0 ; 1
SELECT histogram("Device"), corr("Cost", "Views") < 2, regr_slope("Cost", "Views") < 2, entropy("Device") > 0 FROM visitors
  [{"key":"Desktop","value":"1"},{"key":"Mobile","value":"2"}]|true|true|true
SELECT TRY_CAST('x' AS INTEGER), '12.5'::DECIMAL(10, 2), 7 // 2, 7 % 2, 2 ** 3, nullif(1, 1), greatest(1, 2), round(2.567, 2), abs(-1), 1 / 0, if(true, 1, 2), ifnull(NULL, 3), format('{:.2f}', 1.5), printf('%d', 3)
  ~|12.50|3|1|8|~|2|2.57|1|~|1|3|1.50|3
SELECT {'a': 1, 'b': 'x'}, struct_pack(a := 1).a, map {'k': 1}['k'], typeof(1), hash('a') IS NOT NULL, md5('a')
  {"a":1,"b":"x"}|1|1|INTEGER|true|0cc175b9c0f1b6a831c399e269772661
SELECT url_decode('a%20b'), levenshtein('shoe', 'shoes'), jaro_winkler_similarity('a', 'a'), concat_ws('-', 'a', 'b'), trim(' a '), lpad('7', 3, '0'), starts_with('abc', 'a'), 'abc'[1:2], contains('abc', 'b'), strpos('abc', 'c'), 'a' || 'b'
  a b|1|1|a-b|a|007|true|ab|true|3|ab
FROM visitors SELECT "Device" ORDER BY 1 LIMIT 1
  Desktop
TABLE conversions ORDER BY 1 LIMIT 1
  ab_1_002|12.5|2026-11-02 08:00:00
VALUES (1, 'a'), (2, 'b')
  1|a ; 2|b
SELECT column_name, min, max, count FROM (SUMMARIZE SELECT "Cost" FROM visitors)
  Cost|0.1|0.3|3
DESCRIBE conversions
  SubID|VARCHAR|YES|~|~|~ ; Revenue|DOUBLE|YES|~|~|~ ; Date|TIMESTAMP|YES|~|~|~
SELECT count(*) FROM visitors TABLESAMPLE 100%
  3
SELECT sum(a."Cost") FROM visitors a, visitors b WHERE a."SubID" < b."SubID" AND date_diff('hour', a."Date", b."Date") < 24
  0.1
SELECT current_date > DATE '2020-01-01', now() > TIMESTAMP '2020-01-01', today() >= current_date
  true|true|true
SELECT "SubID".upper(), "Keyword".length() FROM visitors ORDER BY 1 LIMIT 1
  AB_1_001|13
`;

const pairs = [...queries.matchAll(/^(\S.*)\n {2}(.*)$/gm)].map(([, sql = '', rows = '']) => [sql, rows] as const);

test.each(pairs)('an analyst may ask: %s', async (sql, rows) => {
  const { table } = await engine.run({ sql, tables, wasDropped: () => false });
  const found = toPlainTable(table).rows.map((row) => row.map((cell) => cell ?? '~').join('|'));
  expect(found.join(' ; ')).toBe(rows);
});
