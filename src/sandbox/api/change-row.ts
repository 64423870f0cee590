import type { SqlParameters, Writer } from '../store/database.ts';

/** The columns of a table that an endpoint may change, with their SQL types; each is named as the argument that sets it. */
export type ColumnTypes = Readonly<Record<string, string>>;

/** The types of money columns. */
export const moneyType = 'DECIMAL(18, 6)';

/**
 * Sets the columns of one row that are given and leaves the others as they are.
 *
 * @param types the columns that may be set; of `changes`, only these are used
 * @param condition which row, in SQL over `key`
 * @returns whether there is such a row
 */
export async function changeRow(
  writer: Writer,
  table: string,
  types: ColumnTypes,
  changes: Readonly<Record<string, unknown>>,
  condition: string,
  key: SqlParameters,
): Promise<boolean> {
  const given = Object.entries(types).filter(([column]) => changes[column] !== undefined);
  const assignments = given.map(([column, type]) => `${column} = $${column}::${type}`);
  const values = Object.fromEntries(given.map(([column]) => [column, changes[column]])) as SqlParameters;
  const rows = await writer.query(`UPDATE ${table} SET ${assignments.join(', ')} WHERE ${condition} RETURNING 1`, {
    ...values,
    ...key,
  });
  return rows.length > 0;
}
