import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { allowedFunctions, allowedTableFunctions } from '../../../src/analysis/sql/child/check-query.ts';

const connection = await (await DuckDBInstance.create(':memory:')).connect();

async function functionsOf(...types: readonly string[]): Promise<string[]> {
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT lower(function_name) FROM duckdb_functions()
     WHERE function_type IN (${types.map((type) => `'${type}'`).join(', ')}) ORDER BY 1`,
  );
  return reader.getRows().map(([name]) => String(name));
}

/** What no query may call, by reason; a function of a newer DuckDB is in none of these. */
const refused: Readonly<Record<string, RegExp>> = {
  'reads the server, its catalog or the session':
    /^(pg_\w+|has_\w+_privilege|inet_\w+|(col|obj|shobj)_description|format_(pg_)?type|map_to_pg_oid|current_(catalog|connection_id|database|query|query_id|role|schemas?|setting|transaction_id|user)|session_user|user|version|txid_current|in_search_path|get_block_size|stats)$/,
  'keeps or reads state': /^(nextval|currval|getvariable|setseed)$/,
  'waits, writes or fails on purpose': /^(sleep_ms|write_log|parse_duckdb_log_message|error)$/,
  'takes statements': /^json_(de)?serialize_\w+$/,
  'is a part of the database itself':
    /^(__internal_\w+|icu_\w+|create_sort_key|vector_type|cast_to_type|make_type|get_type|replace_type|can_cast_implicitly|combine|finalize|constant_or_null|is_histogram_other_bin|timetz_byte_comparable|unpivot_list|remap_struct|variant_(bytes_to_variant|normalize|to_parquet_variant))$/,
  'crashes the process on a value that is nested a million deep':
    /^(json_(contains|structure|group_structure|merge_patch)|variant_(extract|typeof))$/,
  'is about places on a map': /^st_\w+$/,
};

test('every allowed function is one of DuckDB', async () => {
  const known = new Set(await functionsOf('scalar', 'aggregate', 'macro', 'table'));
  expect([...allowedFunctions, ...allowedTableFunctions].filter((name) => !known.has(name))).toEqual([]);
});

test('every function of DuckDB is allowed, or refused for a reason', async () => {
  const names = await functionsOf('scalar', 'aggregate', 'macro');
  const judged = names.filter((name) => Object.values(refused).some((pattern) => pattern.test(name)));
  expect(names.filter((name) => !allowedFunctions.has(name) && !judged.includes(name))).toEqual([]);
  expect(judged.filter((name) => allowedFunctions.has(name))).toEqual([]);
});
