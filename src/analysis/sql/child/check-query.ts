import { fromOutside } from '../../../api/text/tracker-text.ts';
import type { Answer } from '../messages.ts';
import { isFreeName } from '../named-table.ts';
import { allowedFunctions, allowedTableFunctions } from './allowed-functions.ts';

type Node = Readonly<Record<string, unknown>>;
type Refusal = Extract<Answer, { is: 'refused' }>;

/** What a query comes to by its parse tree: the tables it names, in lower case, or why it is not run. */
export type Verdict =
  | { readonly is: 'allowed'; readonly tables: readonly string[] }
  | Extract<Answer, { is: 'refused' | 'unknown-table' | 'failed' }>;

/** The classes of expressions, as the parse tree calls them. A parameter has no value here. */
const allowedExpressions: ReadonlySet<unknown> = new Set([
  ...['BETWEEN', 'CASE', 'CAST', 'COLLATE', 'COLUMN_REF', 'COMPARISON', 'CONJUNCTION', 'CONSTANT', 'FUNCTION'],
  ...['LAMBDA', 'LAMBDA_REF', 'OPERATOR', 'POSITIONAL_REFERENCE', 'STAR', 'SUBQUERY', 'WINDOW'],
]);

/** Everything else of a tree that has a type: queries, what stands in FROM, and what orders and limits. */
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
 * Checks a query by its parse tree, as `json_serialize_sql` of DuckDB writes it, with the names of tables it may read, in
 * lower case. Every object of the tree is looked at, and what is not known is refused, so that nothing new in SQL gets past
 * it.
 */
export function checkQuery(sql: string, serialized: string, known: ReadonlySet<string>): Verdict {
  const tree = JSON.parse(serialized) as Node;
  if (tree['error'] === true) return unparsed(sql, tree);
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

/** What was parsed as something else than a SELECT, or not at all. */
function unparsed(sql: string, { error_type: type, error_message: said }: Node): Verdict {
  if (type === 'parser') return { is: 'failed', message: fromOutside(`Parser Error: ${said}`) };
  if (!String(said).startsWith('Only SELECT')) return { is: 'failed', message: fromOutside(String(said)) };
  if (!/\bpivot\b/i.test(sql)) return oneSelect;
  const example = `PIVOT r1 ON "Device" IN ('Mobile', 'Desktop') USING count(*)`;
  return { is: 'refused', what: 'A PIVOT needs its values in the query', instead: `Name them: ${example}.` };
}

/** All objects of a tree, outer ones first. Values are data, and the type of a CAST can do nothing. */
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

/** The functions that read a type from a text, by functions that call themselves. */
const takesStructure: ReadonlySet<unknown> = new Set([
  'from_json',
  'from_json_strict',
  'json_transform',
  'json_transform_strict',
]);

/** A text that stands in the query is as short as the query, whose nesting is bounded; one that is worked out is not. */
function refuseStructure({ class: expression, function_name: name, children }: Node): Refusal | undefined {
  if (expression !== 'FUNCTION' || !takesStructure.has(String(name).toLowerCase())) return undefined;
  const [, structure] = children as readonly Node[];
  if (structure === undefined || structure['class'] === 'CONSTANT') return undefined;
  return refuse(
    `The structure that ${name}() takes must stand in the query as a text`,
    `Write it as '{"a": "INTEGER"}'.`,
  );
}

/** What is made a VARIANT may be nested as deep as its text is long, which ends the process. */
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

/** The name of a CTE must not be one that DuckDB would find something else by, out of sight of the CTE. */
function refuseNames(node: Node): Refusal | undefined {
  const odd = definedNames(node).find((name) => !isFreeName(name));
  const next = 'Use letters, digits and _, and no name of DuckDB’s own tables.';
  return odd === undefined ? undefined : refuse(`${odd} is no name for WITH`, next);
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
  { name: /^json_(?:group_)?structure$/, use: 'json_keys(x) or json_type(x)' },
  { name: /^json_merge_patch$/, use: 'json_object(name, value, ...)' },
  { name: /^json_contains$/, use: 'json_extract_string(x, path) = value' },
  { name: /^pg_typeof$/, use: 'typeof(x)' },
  { name: /^(main|memory|temp|system)$/, use: 'the name of the table alone' },
  { name: /^(?:duckdb|pg(?!_sleep)|pragma|sqlite)_|^information_schema/, use: 'DESCRIBE r1 or SUMMARIZE r1' },
];

const tablesAlone = 'It reads the tables of recent answers alone.';

const functionsOfValues = 'The functions are those of DuckDB that work out a value from others.';

/** What to use in place of a function or table, by its name in lower case. */
function adviceFor(name: string, otherwise: string): string {
  const use = advice.find((entry) => entry.name.test(name))?.use;
  return use === undefined ? otherwise : `Use ${use}.`;
}
