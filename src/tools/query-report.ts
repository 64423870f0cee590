import * as z from 'zod';
import { unreadColumns, unreadNotes } from '../analysis/columns/unread.ts';
import { isQueryInstalled } from '../analysis/sql/named-table.ts';
import type { Note } from '../answer/notes.ts';
import type { Gap } from '../answer/table-notes.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import type { Table } from '../api/table.ts';
import { rawText } from '../api/text/tracker-text.ts';
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
  input: () =>
    z.strictObject({
      sql: z
        .string()
        .min(1)
        .max(10_000)
        .describe(
          'One SELECT, for example SELECT "Device", count(*) AS visits FROM visitors GROUP BY 1 ORDER BY 2 DESC',
        ),
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
      ...(isWhole ? [] : [{ code: 'only-first-rows', rows: table.rowCount } as const]),
      ...read.flatMap(gapNote),
      ...unreadNotes(read.flatMap((kept) => unreadColumns(kept.table))),
    ];
    // Columns of a query can have any name: an average called "cost" does not add up.
    const view = { sort_order: 'asc', limit, offset, hasTotals: false, currency: undefined } as const;
    return presentTables({ kind: 'tables', tables: [table], notices: [] }, given, view, notices, () => true);
  },
});

/** Whether a later call can query the tables of this one. */
function canQuery({ guard, recentTables }: CallContext): boolean {
  return recentTables !== undefined && isQueryInstalled() && guard.offers(queryReport);
}

function gapNote({ name, alias, gap }: KeptTable): Note[] {
  return gap === undefined ? [] : [{ code: 'queried-a-part', name, alias, gap }];
}

/**
 * Names the tables of an answer for query_report, without keeping them yet.
 * @param gap how they are incomplete; undefined if they are whole
 * @param alias the name of the latest
 */
export function nameForQuery(
  tables: readonly Table[],
  gap: Gap | undefined,
  context: CallContext,
  alias?: string,
): KeptTable[] {
  const { recentTables, trackerName, client } = context;
  const said: Gap | undefined = client.parts.size > 0 ? { lacks: 'rows' } : undefined;
  const kept = tables.filter((table) => table.rowCount > 0 && isKeepable(table));
  return canQuery(context) ? (recentTables?.name(kept, gap ?? said, trackerName, alias) ?? []) : [];
}

/** A notice for each table that is too large for query_report. */
export function tooLargeNotes(tables: readonly Table[], context: CallContext): Note[] {
  const megabytes = maxKeptText / 1024 ** 2;
  const tooLarge = canQuery(context) ? tables.filter((table) => !isKeepable(table)) : [];
  return tooLarge.map(({ name }) => ({ code: 'too-large-to-query', table: rawText(name), megabytes }));
}
