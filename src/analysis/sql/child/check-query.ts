import { fromOutside } from '../../../api/text/tracker-text.ts';
import type { Answer } from '../messages.ts';
import { isFreeName } from '../named-table.ts';

type Node = Readonly<Record<string, unknown>>;
type Refusal = Extract<Answer, { is: 'refused' }>;

/** The result of a check: the tables that the query names, in lower case, or why it is not run. */
export type Verdict =
  | { readonly is: 'allowed'; readonly tables: readonly string[] }
  | Extract<Answer, { is: 'refused' | 'unknown-table' | 'failed' }>;

/** The classes of expressions, as the parse tree calls them. */
const allowedExpressions: ReadonlySet<unknown> = new Set([
  ...['BETWEEN', 'CASE', 'CAST', 'COLLATE', 'COLUMN_REF', 'COMPARISON', 'CONJUNCTION', 'CONSTANT', 'FUNCTION'],
  ...['LAMBDA', 'LAMBDA_REF', 'OPERATOR', 'POSITIONAL_REFERENCE', 'STAR', 'SUBQUERY', 'WINDOW'],
]);

/** All other typed parts of a tree: queries, items of FROM, orders and limits. */
const allowedParts: ReadonlySet<unknown> = new Set([
  ...['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE'],
  ...['BASE_TABLE', 'EMPTY', 'EXPRESSION_LIST', 'JOIN', 'PIVOT', 'SHOW_REF', 'SUBQUERY', 'TABLE_FUNCTION'],
  ...['DISTINCT_MODIFIER', 'LIMIT_MODIFIER', 'LIMIT_PERCENT_MODIFIER', 'ORDER_MODIFIER'],
  ...['ASCENDING', 'DESCENDING', 'ORDER_DEFAULT'],
]);

const oneSelect: Refusal = {
  is: 'refused',
  what: 'Only one SELECT statement can be run, and nothing that changes data',
  instead: '',
};

/**
 * Checks a query by its parse tree, as DuckDB's `json_serialize_sql` writes it. Looks at every object of the tree and refuses anything
 * unknown, so nothing new in SQL gets past it.
 *
 * @param known the names of the tables it may read, in lower case
 */
export function checkQuery(sql: string, serialized: string, known: ReadonlySet<string>): Verdict {
  const tree = JSON.parse(serialized) as Node;
  if (tree['error'] === true) return refuseUnparsed(sql, tree);
  const statements = tree['statements'];
  if (!Array.isArray(statements) || statements.length !== 1) return oneSelect;
  const defined = new Set<string>();
  const named = new Set<string>();
  const tableCalls = new Set<unknown>();
  for (const node of nodesOf(statements)) {
    if (node['type'] === 'TABLE_FUNCTION') tableCalls.add(node['function']);
    const refusal =
      refuseKind(node) ??
      refuseFunction(node, tableCalls) ??
      refuseStructure(node) ??
      refuseVariant(node) ??
      refuseTable(node) ??
      refuseNames(node);
    if (refusal) return refusal;
    for (const name of definedNames(node)) defined.add(name.toLowerCase());
    if (node['type'] === 'BASE_TABLE') named.add(String(node['table_name']).toLowerCase());
  }
  const unknown = [...named].find((name) => !known.has(name) && !defined.has(name));
  if (unknown !== undefined) return refuseUnknown(unknown);
  return { is: 'allowed', tables: [...named].filter((name) => known.has(name)) };
}

/** The verdict on something other than a SELECT, or a query that cannot be parsed. */
function refuseUnparsed(sql: string, { error_type: type, error_message: message }: Node): Verdict {
  if (type === 'parser') return { is: 'failed', message: fromOutside(`Parser Error: ${message}`) };
  if (!String(message).startsWith('Only SELECT')) return { is: 'failed', message: fromOutside(String(message)) };
  if (!/\bpivot\b/i.test(sql)) return oneSelect;
  const example = `PIVOT r1 ON "Device" IN ('Mobile', 'Desktop') USING count(*)`;
  return { is: 'refused', what: 'A PIVOT needs its values in the query', instead: `Name them: ${example}.` };
}

/** All objects of a tree, outer ones first, without values and types of CASTs, which are only data. */
function* nodesOf(root: unknown): Generator<Node> {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const item of next) pending.push(item);
    if (typeof next !== 'object' || next === null || Array.isArray(next) || 'is_null' in next) continue;
    yield next as Node;
    for (const [key, value] of Object.entries(next)) if (key !== 'cast_type') pending.push(value);
  }
}

function refuseKind({ class: expression, type }: Node): Refusal | undefined {
  if (expression === 'PARAMETER') return refuse('A query takes no parameters', 'Write the values into it.');
  const isKnown =
    expression !== undefined ? allowedExpressions.has(expression) : type === undefined || allowedParts.has(type);
  return isKnown ? undefined : refuse(`${expression ?? type} is not available here`, tablesAlone);
}

function refuseFunction(node: Node, tableCalls: ReadonlySet<unknown>): Refusal | undefined {
  if (node['class'] !== 'FUNCTION' && node['class'] !== 'WINDOW') return undefined;
  const name = String(node['function_name']).toLowerCase();
  const isTable = tableCalls.has(node);
  if ((isTable ? allowedTableFunctions : allowedFunctions).has(name)) return undefined;
  return refuse(`${name}() is not available here`, adviceFor(name, isTable ? tablesAlone : functionsOfValues));
}

/** The functions that read a type from a text, by recursion. */
const takesStructure: ReadonlySet<unknown> = new Set([
  'from_json',
  'from_json_strict',
  'json_transform',
  'json_transform_strict',
]);

/** The limit on nesting in a query also limits a literal, but not a computed text. */
function refuseStructure({ class: expression, function_name: name, children }: Node): Refusal | undefined {
  if (expression !== 'FUNCTION' || !takesStructure.has(String(name).toLowerCase())) return undefined;
  const [, structure] = children as readonly Node[];
  if (structure === undefined || structure['class'] === 'CONSTANT') return undefined;
  return refuse(
    `The structure that ${name}() takes must be written in the query as a text`,
    `Write it as '{"a": "INTEGER"}'.`,
  );
}

/** A VARIANT may be nested as deep as its text is long, which crashes the process. */
function refuseVariant(node: Node): Refusal | undefined {
  if (!('cast_type' in node) || !JSON.stringify(node['cast_type']).includes('"VARIANT"')) return undefined;
  return refuse('VARIANT is not available here', 'Use JSON.');
}

function refuseTable(node: Node): Refusal | undefined {
  const { type, table_name: name, schema_name: schema, catalog_name: catalog, at_clause: at } = node;
  if (type === 'SHOW_REF' && (name !== undefined || node['query'] === undefined)) {
    return refuse('SHOW is not available here', 'Use DESCRIBE r1 or SUMMARIZE r1.');
  }
  if (type !== 'BASE_TABLE') return undefined;
  if (at !== undefined) return refuse('Tables have no versions here', tablesAlone);
  const qualifier = catalog ?? schema;
  if (qualifier === undefined) return undefined;
  return refuse(`${qualifier}.${name} is not available here`, adviceFor(String(qualifier).toLowerCase(), tablesAlone));
}

/** Outside its scope, the name of a CTE must not make DuckDB find anything else. */
function refuseNames(node: Node): Refusal | undefined {
  const odd = definedNames(node).find((name) => !isFreeName(name));
  const next = 'Use letters, digits and _, and no name of DuckDB’s own tables.';
  return odd === undefined ? undefined : refuse(`${odd} is not a valid name for WITH`, next);
}

function definedNames({ cte_map: ctes }: Node): readonly string[] {
  const { map } = (ctes ?? {}) as { readonly map?: readonly { readonly key: string }[] };
  return (map ?? []).map(({ key }) => key);
}

function refuseUnknown(name: string): Verdict {
  if (isFreeName(name)) return { is: 'unknown-table', name };
  return refuse(`${name} is not available here`, adviceFor(name, tablesAlone));
}

function refuse(what: string, instead: string): Refusal {
  return { is: 'refused', what, instead };
}

/** What to use instead of functions that are refused or belong to other databases. The first match counts. */
const advice: readonly { readonly name: RegExp; readonly use: string }[] = [
  { name: /^(date_format|to_char|format_date|formatdatetime)$/, use: `strftime("Date", '%Y-%m-%d')` },
  { name: /^(str_to_date|to_date|parse_date)$/, use: `strptime(text, '%d.%m.%Y')` },
  { name: /^(dateadd|adddate|date_sub_interval|timestampadd)$/, use: '"Date" + INTERVAL 3 DAY' },
  { name: /^(timestampdiff|months_between)$/, use: `date_diff('day', one, other)` },
  { name: /^(getdate|sysdate|curdate)$/, use: 'current_date' },
  { name: /^(nvl|isnull|zeroifnull|ifnull)$/, use: 'coalesce(a, b)' },
  { name: /^(safe_divide|div0|divide_safe)$/, use: 'a / b, which is empty if b is 0' },
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
  { name: /^json_(?:group_)?structure$/, use: 'json_keys(x) or json_type(x)' },
  { name: /^json_merge_patch$/, use: 'json_object(name, value, ...)' },
  { name: /^json_contains$/, use: 'json_extract_string(x, path) = value' },
  { name: /^pg_typeof$/, use: 'typeof(x)' },
  { name: /^(main|memory|temp|system)$/, use: 'the name of the table alone' },
  { name: /^(?:duckdb|pg(?!_sleep)|pragma|sqlite)_|^information_schema/, use: 'DESCRIBE r1 or SUMMARIZE r1' },
];

const tablesAlone = 'A query reads only the tables of recent answers.';

const functionsOfValues = 'Only DuckDB’s functions that compute a value from other values are available.';

/** What to use instead of a function or table, by its name in lower case. */
function adviceFor(name: string, otherwise: string): string {
  const use = advice.find((entry) => entry.name.test(name))?.use;
  return use === undefined ? otherwise : `Use ${use}.`;
}

/**
 * The functions that a query may call, by purpose: they compute a value from their arguments. All others read files, settings,
 * variables or the catalog, wait, write, are useless on a report, or crash the process on a value that is nested a million deep
 * (json_structure, json_merge_patch, json_contains, variants).
 */
const byPurpose: Readonly<Record<string, string>> = {
  // The names of `a + b`, `a LIKE b` and the like in a parse tree.
  operators: `
    !__postfix !~~ !~~* % & && * ** + - ->> / // <-> << <=> <@ >> @ @> ^ ^@ ilike_escape like_escape
    not_ilike_escape not_like_escape | || ~ ~~ ~~* ~~~
  `,
  aggregates: `
    any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last
    arg_min arg_min_null arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or bit_xor bitstring_agg
    bool_and bool_or corr count count_if count_star countif covar_pop covar_samp entropy favg first fsum
    group_concat histogram histogram_exact kahan_sum kurtosis kurtosis_pop last list listagg mad max max_by mean
    median min min_by mode product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile sem skewness stddev stddev_pop
    stddev_samp string_agg sum sum_no_overflow sumkahan var_pop var_samp variance
  `,
  windows: `
    cume_dist dense_rank fill first_value lag last_value lead nth_value ntile percent_rank rank rank_dense
    row_number
  `,
  numbers: `
    abs acos acosh add asin asinh atan atan2 atanh bin bit_count cbrt ceil ceiling cos cosh cot degrees divide
    equi_width_bins even exp factorial fdiv floor fmod gamma gcd geomean geometric_mean get_bit greatest
    greatest_common_divisor hash hex isfinite isinf isnan lcm least least_common_multiple lgamma ln log log10 log2
    mod multiply nextafter nullif pi pow power radians random round round_even roundbankers set_bit sign signbit sin
    sinh sqrt subtract tan tanh to_base to_binary to_hex trunc unbin wavg weighted_avg xor
  `,
  dates: `
    age ago century current_date current_localtime current_localtimestamp date_add date_diff date_part date_sub
    date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear days_in_month decade
    epoch epoch_ms epoch_ns epoch_us era get_current_time get_current_timestamp hour isodow isoyear julian last_day
    make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz microsecond millennium
    millisecond minute month monthname nanosecond normalized_interval now quarter second strftime strptime
    time_bucket timezone timezone_hour timezone_minute to_centuries to_days to_decades to_hours to_microseconds
    to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks to_years today
    transaction_timestamp try_strptime week weekday weekofyear year yearweek
  `,
  text: `
    alias ascii bar base64 bit_length bit_position bitstring char_length character_length chr concat concat_ws
    contains damerau_levenshtein decode editdist3 encode ends_with format formatReadableDecimalSize
    formatReadableSize format_bytes from_base64 from_binary from_hex gen_random_uuid hamming instr jaccard
    jaro_similarity jaro_winkler_similarity lcase left left_grapheme length length_grapheme levenshtein lower lpad
    ltrim md5 md5_number md5_number_lower md5_number_upper mismatches nfc_normalize octet_length ord parse_dirname
    parse_dirpath parse_filename parse_formatted_bytes parse_path position prefix printf regexp_escape
    regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array
    regexp_split_to_table repeat replace reverse right right_grapheme rpad rtrim sha1 sha256 split split_part
    starts_with str_split str_split_regex string_split string_split_regex string_to_array strip_accents strlen
    strpos substr substring substring_grapheme suffix switch to_base64 translate trim typeof ucase unhex unicode
    upper url_decode url_encode uuid uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7
  `,
  lists: `
    aggregate apply array_aggr array_aggregate array_append array_apply array_cat array_concat array_contains
    array_cosine_distance array_cosine_similarity array_cross_product array_distance array_distinct
    array_dot_product array_extract array_filter array_grade_up array_has array_has_all array_has_any array_indexof
    array_inner_product array_intersect array_length array_negative_dot_product array_negative_inner_product
    array_pop_back array_pop_front array_position array_prepend array_push_back array_push_front array_reduce
    array_resize array_reverse array_reverse_sort array_select array_slice array_sort array_to_string
    array_to_string_comma_default array_transform array_unique array_value array_where array_zip filter flatten
    generate_series generate_subscripts grade_up len list_aggr list_aggregate list_any_value list_append list_apply
    list_approx_count_distinct list_avg list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_cat
    list_concat list_contains list_cosine_distance list_cosine_similarity list_count list_distance list_distinct
    list_dot_product list_element list_entropy list_extract list_filter list_first list_grade_up list_has
    list_has_all list_has_any list_histogram list_indexof list_inner_product list_intersect list_kurtosis
    list_kurtosis_pop list_last list_mad list_max list_median list_min list_mode list_negative_dot_product
    list_negative_inner_product list_pack list_position list_prepend list_product list_reduce list_resize
    list_reverse list_reverse_sort list_select list_sem list_skewness list_slice list_sort list_stddev_pop
    list_stddev_samp list_string_agg list_sum list_transform list_unique list_value list_var_pop list_var_samp
    list_where list_zip range reduce unnest
  `,
  structs: `
    cardinality element_at enum_code enum_first enum_last enum_range enum_range_boundary map map_concat map_contains
    map_contains_entry map_contains_value map_entries map_extract map_extract_value map_from_entries map_keys
    map_values row struct_concat struct_contains struct_extract struct_extract_at struct_has struct_indexof
    struct_insert struct_keys struct_pack struct_position struct_update struct_values union_extract union_tag
    union_value
  `,
  json: `
    array_to_json from_json from_json_strict json json_array json_array_length json_exists json_extract
    json_extract_path json_extract_path_text json_extract_string json_group_array json_group_object json_keys
    json_object json_pretty json_quote json_transform json_transform_strict json_type json_valid json_value
    row_to_json to_json
  `,
};

/** Names in lower case, as DuckDB compares them. */
export const allowedFunctions: ReadonlySet<string> = new Set(
  Object.values(byPurpose).flatMap((names) => names.toLowerCase().trim().split(/\s+/)),
);

/** The functions that may be used as a table. */
export const allowedTableFunctions: ReadonlySet<string> = new Set(
  'range generate_series unnest json_each json_tree'.split(' '),
);
