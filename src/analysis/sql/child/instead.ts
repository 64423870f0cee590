/** What to use in place of what a query may not, or what other databases call it. The first that matches is said. */
const advice: readonly { readonly name: RegExp; readonly use: string }[] = [
  { name: /^(date_format|to_char|format_date|formatdatetime)$/, use: `strftime("Date", '%Y-%m-%d')` },
  { name: /^(str_to_date|to_date|parse_date)$/, use: `strptime(text, '%d.%m.%Y')` },
  { name: /^(dateadd|adddate|date_sub_interval|timestampadd)$/, use: '"Date" + INTERVAL 3 DAY' },
  { name: /^(timestampdiff|months_between)$/, use: `date_diff('day', one, other)` },
  { name: /^(getdate|sysdate|curdate)$/, use: 'current_date' },
  { name: /^(nvl|isnull|zeroifnull|ifnull)$/, use: 'coalesce(a, b)' },
  { name: /^(safe_divide|div0|divide_safe)$/, use: 'a / b, which is empty where b is 0' },
  { name: /^(charindex|locate)$/, use: 'strpos(text, part)' },
  { name: /^(substring_index|parse_url)$/, use: 'split_part(text, separator, 1) or regexp_extract(text, pattern, 1)' },
  {
    name: /^(regexp_substr|regexp_like|regexp_count)$/,
    use: 'regexp_extract(text, pattern) or regexp_matches(text, pattern)',
  },
  { name: /^(to_number|safe_cast|convert|int|float|str)$/, use: 'TRY_CAST(x AS DOUBLE)' },
  { name: /^(percentile|percentile_approx|approx_percentile)$/, use: 'quantile_cont(x, 0.9)' },
  { name: /^(uniq|uniqexact|approx_distinct|count_distinct|countdistinct)$/, use: 'count(DISTINCT x)' },
  { name: /^(explode|flatten_array|string_to_table)$/, use: 'unnest(list)' },
  { name: /^(iff|decode_case)$/, use: 'if(condition, a, b)' },
  { name: /^(getvariable|setvariable|current_setting|getenv)$/, use: 'WITH for a value that is needed twice' },
  { name: /^(query|query_table)$/, use: 'the table itself in FROM' },
  { name: /^(histogram_values|summary)$/, use: 'histogram(x) or SUMMARIZE r1' },
  { name: /^(repeat_row|test_all_types)$/, use: 'range(10) or VALUES' },
  { name: /^pg_typeof$/, use: 'typeof(x)' },
  { name: /^(main|memory|temp|system)$/, use: 'the name of the table alone' },
  { name: /^(?:duckdb|pg(?!_sleep)|pragma|sqlite)_|^information_schema/, use: 'DESCRIBE r1 or SUMMARIZE r1' },
];

/** Said where nothing else can take its place: that nothing but the tables can be read. */
export const tablesAlone = 'It reads the tables of recent answers alone.';

/** Said of a function that is not known. */
export const functionsOfValues = 'The functions are those of DuckDB that work out a value from others.';

/**
 * @param name a function or table in lower case
 * @param otherwise what to say where nothing takes its place
 */
export function adviceFor(name: string, otherwise: string): string {
  const use = advice.find((entry) => entry.name.test(name))?.use;
  return use === undefined ? otherwise : `Use ${use}.`;
}
