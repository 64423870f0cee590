import { amountInWords } from '../api/rules.ts';
import { ownValue } from '../api/text/json.ts';
import { foldNumbered } from '../api/text/names.ts';
import { type Notice, sayNotice } from './notes.ts';
import { nameOf } from './words.ts';

export type ShownCell = string | number | null;

/**
 * What an answer shows, in order. Its text is drawn from it here, and a terminal and a spreadsheet draw the same blocks. A string is
 * a line; an empty one parts what is before it from what is after it.
 */
export type Block = string | Notice | Heading | SaidApart | TablePage | SmallTable | NamedValues | NextCall;

type BlockKind = Extract<Block, { is: string }>['is'];

/** What an answer is about, in a line. */
export type Heading = { readonly is: 'heading'; readonly text: string };

/** A line that a model and a person read in other words, or only one of them. */
export type SaidApart = { readonly is: 'apart'; readonly toModel: string | null; readonly toPerson: string | null };

/** A page of a table: its rows, how many there are, and their totals. */
export type TablePage = {
  readonly is: 'page';
  readonly page: ShownRows;
  /** Whether its rows are only those that match conditions. */
  readonly isFiltered: boolean;
  /** Columns of money with two decimals. */
  readonly cents: readonly string[];
};

export type ShownRows = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ShownCell[])[];
  readonly total_rows: number;
  readonly offset: number;
  readonly next_offset: number | null;
  readonly units?: Readonly<Record<string, string>> | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly totals?: Readonly<Record<string, number>> | undefined;
  readonly omitted_columns?: readonly string[] | undefined;
};

/** A small table, shown whole. */
export type SmallTable = {
  readonly is: 'table';
  readonly title?: string;
  readonly columns: readonly ShownColumn[];
  readonly rows: readonly (readonly ShownCell[])[];
};

export type ShownColumn = {
  readonly name: string;
  /** Its name where the format shows the unit. */
  readonly short?: string;
  /** The measure that decides its format, if not its name. */
  readonly measure?: string;
  readonly unit?: string | undefined;
  /** Whether amounts show that they are more. */
  readonly isSigned?: true;
  /** Whether each row has a figure of its own, such as visits or a ratio. */
  readonly isMixed?: true;
};

export type NamedValues = {
  readonly is: 'fields';
  readonly name: string;
  readonly fields: readonly (readonly [name: string, value: ShownCell])[];
};

/** A call that carries out what an answer recommends. */
export type NextCall = {
  readonly is: 'call';
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
};

/**
 * The text that a model reads: tables with tabs, which take the fewest tokens, apart from the lines around them.
 * @param said the notices that were said already
 */
export function blocksToText(blocks: readonly Block[], said: ReadonlyMap<Block, string>): string {
  const lines: string[] = [];
  let isApart = false;
  for (const block of blocks) {
    const text = said.get(block) ?? textOf(block);
    if (text === null) continue;
    const isTable = isOf(block, 'page') || isOf(block, 'table') || isOf(block, 'fields');
    if ((isApart || isTable) && lines.length > 0 && text !== '' && lines.at(-1) !== '') lines.push('');
    lines.push(text);
    isApart = isTable;
  }
  return lines.join('\n');
}

export const isOf = <Kind extends BlockKind>(block: Block, kind: Kind): block is Extract<Block, { is: Kind }> =>
  typeof block === 'object' && 'is' in block && block.is === kind;

function textOf(block: Block): string | null {
  if (typeof block === 'string') return block;
  if (!('is' in block)) return sayNotice(block);
  switch (block.is) {
    case 'heading':
      return block.text;
    case 'apart':
      return block.toModel;
    case 'page':
      return pageToText(block);
    case 'table':
      return tableToText(block);
    case 'fields':
      return fieldsToText(block);
    case 'call':
      return `${block.tool} ${JSON.stringify(block.arguments)}`;
  }
}

function tableToText({ title, columns, rows }: SmallTable): string {
  const heading = columns.map(({ name, unit }) => (unit === undefined || unit === '%' ? name : `${name} (${unit})`));
  const lines = rows.map((row) => row.map((cell, index) => (columns[index]?.isSigned ? signedCell(cell) : cell)));
  return [...(title === undefined ? [] : [title]), ...[heading, ...lines].map((cells) => cells.join('\t'))].join('\n');
}

const signedCell = (cell: ShownCell): ShownCell => (typeof cell === 'number' ? signed(cell) : cell);

/** An amount of money with its sign: -58.00, +12.50. */
export const signed = (amount: number): string => `${amount < 0 ? '-' : '+'}${amountInWords(Math.abs(amount))}`;

function fieldsToText({ name, fields }: NamedValues): string {
  const empty = fields.filter(([, value]) => value === null).map(([field]) => field);
  return [
    `${name}:`,
    ...fields.flatMap(([field, value]) => (value === null ? [] : [`  ${field}: ${value}`])),
    ...(empty.length > 0 ? [`  empty: ${empty.join(', ')}`] : []),
  ].join('\n');
}

/** Two decimals; more only if a tracker or network counts in parts of a cent. */
function inCents(cell: ShownCell): ShownCell {
  return typeof cell === 'number' && Math.abs(cell * 100 - Math.round(cell * 100)) < 1e-6 ? cell.toFixed(2) : cell;
}

function pageToText({ page, isFiltered, cents }: TablePage): string {
  const { name, columns, rows, total_rows: all, offset, next_offset: next, omitted_columns: omitted } = page;
  const range =
    rows.length === 0
      ? `no rows${all === 0 ? '' : ` here, ${all} in all`}`
      : `rows ${offset + 1}-${offset + rows.length} of ${all}`;
  const lines = [`${nameOf(name)}: ${range}${next === null ? '' : `; next_offset ${next}`}`];
  if (rows.length > 0 && columns.length > 0) {
    const after = [page.labels, page.units].filter((words) => words !== undefined);
    const heading = columns.map((column) => {
      const words = after.map((byColumn) => ownValue(byColumn, column));
      return column + words.map((word) => (word ? ` (${word})` : '')).join('');
    });
    lines.push(heading.join('\t'));
    const inWords =
      cents.length === 0
        ? (row: readonly ShownCell[]) => row
        : (row: readonly ShownCell[]) =>
            row.map((cell, index) => (cents.includes(columns[index] ?? '') ? inCents(cell) : cell));
    // One by one: 100,000 rows are too many arguments for one push.
    for (const row of rows) lines.push(inWords(row).join('\t'));
  }
  const totals = Object.entries(page.totals ?? {}).map(
    ([column, total]) => `${nameOf(column)} ${cents.includes(column) ? inCents(total) : total}`,
  );
  // The data has the totals of one row too, for views.
  const isRepeated = all === 1 && rows.length === 1;
  if (totals.length > 0 && !isRepeated)
    lines.push(`totals of ${isFiltered ? `the ${all} rows that match` : 'all rows'}: ${totals.join(', ')}`);
  if (omitted) lines.push(`empty in every row: ${foldNumbered(omitted, (column) => nameOf(column)).join(', ')}`);
  return lines.join('\n');
}
