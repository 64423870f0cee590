import { shownColumns } from '../../analysis/columns/shown-columns.ts';
import type { TablesReply } from '../../api/table.ts';
import { plainName } from '../../api/text/names.ts';
import { tokenColumns, tokenSlots } from '../../api/token-slots.ts';
import { foldNumbered } from '../present/numbered-names.ts';
import type { View } from '../present/view.ts';

/** The columns of the campaign list that say which token fills which slot: many, and rarely asked for. */
const tokenColumnNames: ReadonlySet<string> = new Set(
  tokenSlots.map(tokenColumns).flatMap(({ name, placeholder }) => [plainName(name), plainName(placeholder)]),
);

export const isTokenColumn = (column: string): boolean => tokenColumnNames.has(plainName(column));

/** What is not shown must be known to be there. */
export function asideNotice({ tables }: TablesReply, { isAside, columns }: View): string[] {
  if (!isAside || columns) return [];
  const aside = tables.flatMap((table) => shownColumns(table).filter(isAside));
  if (aside.length === 0) return [];
  return [`Left out unless named in columns: ${foldNumbered(aside).join(', ')}.`];
}
