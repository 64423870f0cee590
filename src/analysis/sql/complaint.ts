import { sayNotice } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { fromOutside, mention, type OutsideText, quoted, rawText } from '../../api/text/tracker-text.ts';
import { shownColumns } from '../columns/columns.ts';
import { unreadColumns, unreadNotes } from '../columns/unread.ts';
import type { Answer } from './messages.ts';
import type { NamedTable } from './named-table.ts';

/** Max characters of DuckDB's own message, which may hold a whole query or a cell, of what happened, and of the advice. */
const [maxMessage, maxHappened, maxAdvice] = [260, 300, 600];

/** The advice for a query that takes too much time or memory. */
export const askForLess = 'Ask for less: filter or group earlier.';

/** Max characters of one name, and of all column names. */
const [maxShownName, maxList] = [60, 400];

/** Max columns, tables that the query reads, and newest tables to name. */
const [maxColumns, maxListed, maxTables] = [25, 3, 10];

/** DuckDB parses by recursion: a query nested thousands deep crashes its process. */
const maxDepth = 100;

/** The limit of query_report. */
const maxLength = 10_000;

/**
 * Refuses what DuckDB would not survive parsing. Brackets in quoted texts count too, because types and JSON are parsed from them.
 * Throws a Failure that says what is too long or too deep.
 */
export function refuseDeep(sql: string): void {
  if (sql.length > maxLength) {
    throw new Failure(`The query was not run: it is longer than ${maxLength} characters.`, 'Shorten it.');
  }
  for (const [what, begins, ends] of [
    ['brackets', /[([{]/g, /[)\]}]/g],
    ['CASE', /\bcase\b/gi, /\bend\b/gi],
  ] as const) {
    if (depthOf(sql, begins, ends) <= maxDepth) continue;
    const next = 'Name the inner parts with WITH, or ask in several queries.';
    throw new Failure(`The query was not run: ${what} are nested deeper than ${maxDepth} levels.`, next);
  }
}

function depthOf(text: string, begins: RegExp, ends: RegExp): number {
  const steps = [
    ...[...text.matchAll(begins)].map(({ index }) => [index, 1] as const),
    ...[...text.matchAll(ends)].map(({ index }) => [index, -1] as const),
  ].sort(([one], [other]) => one - other);
  let depth = 0;
  let deepest = 0;
  for (const [, step] of steps) {
    depth = Math.max(0, depth + step);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

export interface RefusedQuery {
  /** All tables, the oldest first. */
  readonly tables: readonly NamedTable[];
  readonly read: readonly NamedTable[];
  /** Whether a table of this name existed and is no longer kept. */
  readonly wasDropped: (name: string) => boolean;
}

/** What is wrong with a query and what to do: the tables or columns. A few hundred clean characters. */
export function complain(answer: Answer, query: RefusedQuery): Failure {
  const { happened, next } = explain(answer, query);
  return new Failure(`${bound(happened, maxHappened)}.`, bound(next, maxAdvice));
}

type Complaint = { readonly happened: string; readonly next: string };

function explain(answer: Answer, query: RefusedQuery): Complaint {
  switch (answer.is) {
    case 'refused':
      return { happened: `The query failed: ${answer.what}`, next: answer.instead };
    case 'unknown-table':
      return explainUnknownTable(answer.name, query);
    case 'failed':
      return explainError(answer.message, query);
    case 'out-of-memory':
      return { happened: 'The query failed: it needs more than the available 512 MB of memory', next: askForLess };
    default:
      throw new TypeError(`${answer.is} does not answer that question`);
  }
}

function explainUnknownTable(name: string, { tables, wasDropped }: RefusedQuery): Complaint {
  const next = listTables(tables);
  if (!wasDropped(name)) return { happened: `The query failed: there is no table ${name}`, next };
  const happened = `${name} was dropped: only the newest tables are kept, 30 at most`;
  return { happened, next: `Ask the tracker again for what it held. ${next}` };
}

function explainError(error: OutsideText, { tables, read }: RefusedQuery): Complaint {
  const message = rawText(error);
  const listed = read.length > 0 ? listColumns(tables, read) : listTables(tables);
  // Sums of text fail, and how to cast it is not known either.
  const unread = unreadNotes(read.flatMap(({ table }) => unreadColumns(table))).map(sayNotice);
  const next = [...unread, message.startsWith('Parser Error') ? '' : listed].join(' ');
  return { happened: `The query failed: ${firstSentence(message)}`, next };
}

/** DuckDB's own message, without its guesses and its copy of the statement. */
function firstSentence(message: string): string {
  const [first = ''] = message.split(/\n\s*\n|\nLINE |\n?Did you mean|\n\s*Candidate/, 1);
  return quoted(fromOutside(first.trim().replace(/[.!]$/, '')), maxMessage);
}

function bound(text: string, maxLength: number): string {
  const clean = cleanText(text).trim();
  return clean.length > maxLength ? `${clean.slice(0, maxLength - 1).toWellFormed()}…` : clean;
}

function listColumns(tables: readonly NamedTable[], read: readonly NamedTable[]): string {
  const listed = read.slice(0, maxListed);
  const maxShown = Math.ceil(maxColumns / listed.length);
  const maxLength = Math.ceil(maxList / listed.length);
  const lists = listed.map((named) => {
    const { name, table } = named;
    const columns: string[] = [];
    let length = 0;
    for (const column of shownColumns(table).slice(0, maxShown)) {
      const shown = JSON.stringify(bound(column, maxShownName));
      length += shown.length;
      if (columns.length > 0 && length > maxLength) break;
      columns.push(shown);
    }
    const left = table.columns.length - columns.length;
    return `${name} (${kindOf(named, maxShownName)}): ${columns.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  });
  const others = tables.filter((table) => !listed.includes(table));
  const rest = others.length > 0 ? ` Other tables: ${namesOf(others, ({ name }) => name)}.` : '';
  return `The columns are: ${lists.join('; ')}.${rest}`;
}

/** The kind of a table, and its tracker if there are several. */
function kindOf({ table, tracker }: NamedTable, maxLength: number): string {
  const kind = mention(table.name, maxLength);
  return tracker === undefined ? kind : `${kind} of ${tracker}`;
}

function listTables(tables: readonly NamedTable[]): string {
  const show = (named: NamedTable) => `${named.name} (${kindOf(named, maxShownName / 2)})`;
  return `The tables are: ${namesOf(tables, show)}.`;
}

/** Only the oldest and the newest of many: the names between them are numbered. */
function namesOf(tables: readonly NamedTable[], show: (table: NamedTable) => string): string {
  const [oldest] = tables;
  if (!oldest || tables.length <= maxTables) return tables.map(show).join(', ');
  return [show(oldest), '…', ...tables.slice(1 - maxTables).map(show)].join(', ');
}
