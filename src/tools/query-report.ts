import * as z from 'zod';
import { describeUnread, unreadColumns } from '../analysis/columns/unread.ts';
import { isQueryInstalled } from '../analysis/sql/named-table.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import type { Table } from '../api/table.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { mention } from '../api/text/tracker-text.ts';
import { type CallContext, defineTool } from './define-tool.ts';
import { tablesOutput } from './present/outputs.ts';
import { presentTables } from './present/tables.ts';
import { isKeepable, type KeptTable, maxKeptText } from './recent-tables.ts';

/** SQL over the tables of recent answers. */
export const queryReport = defineTool({
  name: 'query_report',
  title: 'Query recent results with SQL',
  description:
    'One SELECT (DuckDB SQL) over the tables of the newest 30 results, each with all its rows and columns. ' +
    'A result names its tables in its notices: r1, r2, ...; the latest of a kind also goes by its name: visitors, conversions, target, campaigns, overview. ' +
    'Use it to join or group what was read, such as visitors by IP. Quote column names with double quotes. At most 5 s; it asks the tracker nothing.',
  access: 'read',
  input: z.strictObject({
    sql: z
      .string()
      .min(1)
      .max(10_000)
      .describe('One SELECT, for example SELECT "Device", count(*) AS visits FROM visitors GROUP BY 1 ORDER BY 2 DESC'),
    limit: is.whole(1, 500, 'Rows, 1 to 500; default 25').default(25),
    offset: is.whole(0, 1_000_000, 'Default 0').default(0),
  }),
  output: tablesOutput,
  asksNoTracker: true,
  run: async (given, { recentTables, signal }) => {
    const { sql, limit, offset } = given;
    if (!recentTables || recentTables.isEmpty) {
      throw new Failure(
        'There is nothing to query yet.',
        'Call get_stats, list_visitors or another tool that reads tables first.',
      );
    }
    const { table, isWhole, read } = await recentTables.query(sql, signal);
    const notices = [
      ...(isWhole ? [] : [`Only the first ${table.rowCount} rows were read: group or filter in the query.`]),
      ...read.flatMap(gapNotice),
      ...describeUnread(read.flatMap((kept) => unreadColumns(kept.table))),
    ];
    // Columns of a query can have any name: an average called "cost" does not add up.
    const view = { sort_order: 'asc', limit, offset, hasTotals: false, currency: undefined } as const;
    return presentTables({ kind: 'tables', tables: [table], notices }, given, view, [], () => true);
  },
});

/** Whether a later call can query the tables of this one. */
function canQuery({ guard, recentTables }: CallContext): boolean {
  return recentTables !== undefined && isQueryInstalled() && guard.offers(queryReport);
}

function gapNotice({ name, alias, gap }: KeptTable): string[] {
  if (gap === undefined) return [];
  return [`${alias === undefined ? name : `${alias} (${name})`} ${gap}: counts and sums are too low.`];
}

/**
 * Names the tables of an answer for query_report, without keeping them yet.
 * @param gap how they are incomplete, to follow their name in a sentence; undefined if they are whole
 * @param alias the name of the latest
 */
export function nameForQuery(
  tables: readonly Table[],
  gap: string | undefined,
  context: CallContext,
  alias?: string,
): KeptTable[] {
  const { recentTables, trackerName } = context;
  const kept = tables.filter((table) => table.rowCount > 0 && isKeepable(table));
  return canQuery(context) ? (recentTables?.name(kept, gap, trackerName, alias) ?? []) : [];
}

/** A notice for each table that is too large for query_report. */
export function tooLargeNotices(tables: readonly Table[], context: CallContext): string[] {
  if (!canQuery(context)) return [];
  return tables
    .filter((table) => !isKeepable(table))
    .map(
      ({ name }) =>
        `${mention(name, maxNameLength)} is too large for query_report, which keeps ${maxKeptText / 1024 ** 2} MB of text.`,
    );
}
