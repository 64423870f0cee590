import { Failure } from '../api/failure.ts';
import type { Table } from '../api/table.ts';
import { cleanNames, cleanText } from '../api/text/clean-text.ts';

/** That many names of columns help to correct a query. */
const mostColumns = 25;

/** That many of the newest tables are named. */
const mostTables = 10;

/** A table that queries can name. */
export interface NamedTable {
  readonly name: string;
  readonly table: Table;
}

/** A query that DuckDB refused, and what it could have asked for. */
export interface RefusedQuery {
  readonly sql: string;
  /** The tables there are, the oldest first. */
  readonly tables: readonly NamedTable[];
  /** Those that the query names. */
  readonly named: readonly NamedTable[];
  /** Whether a table of this name was there and is no more. */
  readonly wasDropped: (name: string) => boolean;
}

/** What DuckDB says about a query, and what to do about it: the likely mistake, or else what there is to ask for. */
export function complain(error: unknown, { sql, tables, named, wasDropped }: RefusedQuery): Failure {
  const message = (error instanceof Error ? error.message : String(error)).replace(
    /^Failed to extract statements: /,
    '',
  );
  const failed = `The query failed: ${quote(message)}.`;
  if (message.includes('operations are disabled by configuration')) {
    return new Failure(failed, 'It reads the tables of recent answers alone.');
  }
  const missing = /Table with name (\w+) does not exist/.exec(message)?.[1];
  if (missing !== undefined && wasDropped(missing)) {
    return new Failure(
      `${missing} was dropped: only the newest tables are kept, 30 at most.`,
      `Ask the tracker again for what it held. ${listTables(tables)}`,
    );
  }
  const mistake = textInDoubleQuotes(message, sql) ?? nameWithoutAs(message, sql);
  const listed = named.length > 0 ? listColumns(tables, named) : listTables(tables);
  return new Failure(failed, mistake ?? (message.startsWith('Parser Error') ? '' : listed));
}

/** DuckDB's own words, without its guesses and the listing of the statement behind them. */
function quote(message: string): string {
  const [first = ''] = message.split(/\n\s*\n|\nLINE |\n?Did you mean|\n\s*Candidate/);
  return cleanText(first).trim().slice(0, 300).replace(/[.!]$/, '');
}

/** A text in double quotes is read as the name of a column. */
function textInDoubleQuotes(message: string, sql: string): string | undefined {
  const column = /Referenced column "(.*)" not found/.exec(message)?.[1];
  if (column === undefined) return undefined;
  const [before] = sql.split(`"${column}"`);
  const isCompared = before !== sql && /(?:[=<>]|\blike|\bilike|\bin\s*\([^()]*)\s*$/i.test(before ?? '');
  return isCompared
    ? `If ${JSON.stringify(cleanText(column))} is a text, use single quotes for text: '${cleanText(column)}'. Double quotes are for names of columns.`
    : undefined;
}

/** These begin a clause where they stand alone, so that DuckDB stumbles over what follows them. */
const clauseWords = /^(?:group|order|limit|offset|having|where|window|filter|fetch|for)$/i;

/** Many words of SQL, such as end or cost, name a column only behind AS. */
function nameWithoutAs(message: string, sql: string): string | undefined {
  if (!message.startsWith('Parser Error')) return undefined;
  const near = /at or near "(\w+|,)"/.exec(message)?.[1]?.toLowerCase();
  const names = [...sql.matchAll(/(?<=[\w")\]]\s+)(?<!\b(?:as|select|by)\s+)([a-z_]+)\s*(?=,|\bfrom\b|$)/gi)];
  const name = names.map(([, word = '']) => word).find((word) => word.toLowerCase() === near || clauseWords.test(word));
  return name === undefined ? undefined : `If ${name} is meant as a name, write AS before it: AS "${name}".`;
}

function listColumns(tables: readonly NamedTable[], named: readonly NamedTable[]): string {
  const most = Math.ceil(mostColumns / named.length);
  const lists = named.map(({ name, table }) => {
    const columns = cleanNames(table.columns.slice(0, most)).map((column) => JSON.stringify(column));
    const more = table.columns.length > most ? ` and ${table.columns.length - most} more` : '';
    return `${name} (${cleanText(table.name)}): ${columns.join(', ')}${more}`;
  });
  const others = tables.filter((table) => !named.includes(table));
  const rest = others.length > 0 ? ` Other tables: ${namesOf(others, ({ name }) => name)}.` : '';
  return `The columns are: ${lists.join('; ')}.${rest}`;
}

function listTables(tables: readonly NamedTable[]): string {
  return `The tables are: ${namesOf(tables, ({ name, table }) => `${name} (${cleanText(table.name)})`)}.`;
}

/** The oldest and the newest, since what lies between can be told from them. */
function namesOf(tables: readonly NamedTable[], show: (table: NamedTable) => string): string {
  const [oldest] = tables;
  if (!oldest || tables.length <= mostTables) return tables.map(show).join(', ');
  return [show(oldest), '…', ...tables.slice(1 - mostTables).map(show)].join(', ');
}
