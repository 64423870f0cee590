import type { Cell, Column } from './columns.ts';
import type { ReportTable } from './result.ts';

/** Columns that name what a row is about, best first. */
const naming = [/^name$/i, /name$/i];
const identifying = /(^|[^a-z])id$|[a-z]ID$/i;

/** A table with the columns that name its rows ahead of the others, the best of them first. */
export interface NamedRows {
  readonly table: ReportTable;
  /** How many columns at the beginning name a row together; 0 where none does. */
  readonly nameCount: number;
}

/**
 * Puts what names the rows first, since the first column stays in sight: a name where there is one, else the texts ahead of the
 * figures, such as a day and a device.
 *
 * @param columns of the table, in its order
 */
export function nameFirst(table: ReportTable, columns: readonly Column[]): NamedRows {
  const isName = (pattern: RegExp) => columns.findIndex(({ name, isNumeric }) => !isNumeric && pattern.test(name));
  const named = naming.map(isName).find((index) => index >= 0);
  if (named === undefined) {
    const firstFigure = columns.findIndex(({ isNumeric }) => isNumeric);
    return { table, nameCount: firstFigure < 0 ? Math.min(1, columns.length) : firstFigure };
  }
  const others = [...columns.keys()].filter((index) => index !== named);
  const isId = (index: number) => identifying.test(columns[index]?.name ?? '');
  // Nobody reads an ID, and some look for one.
  const order = [named, ...others.filter((index) => !isId(index)), ...others.filter(isId)];
  return {
    table: {
      ...table,
      columns: order.map((index) => table.columns[index] ?? ''),
      rows: table.rows.map((row) => order.map((index) => row[index] ?? null)),
    },
    nameCount: 1,
  };
}

/** What each row is called; rows of one name are told apart by their ID, where they have one. */
export function namesOf({ table: { columns, rows, offset }, nameCount }: NamedRows): string[] {
  const names = rows.map((row, index) =>
    nameCount === 0
      ? `Row ${offset + index + 1}`
      : row
          .slice(0, nameCount)
          .map((cell) => cellText(cell) || '(empty)')
          .join(' · '),
  );
  const id = columns.findIndex((column) => identifying.test(column));
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return names.map((name, index) => {
    const own = cellText(rows[index]?.[id] ?? null);
    return (count.get(name) ?? 0) > 1 && own !== '' ? `${name} · ${own}` : name;
  });
}

function cellText(cell: Cell): string {
  return cell === null ? '' : String(cell);
}
