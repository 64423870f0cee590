import type { Table } from '../../api/table.ts';

/** Works something out of a table once, and keeps it as long as the table. */
export function keptWithTable<Value>(compute: (table: Table) => Value): (table: Table) => Value {
  const known = new WeakMap<Table, { readonly value: Value }>();
  return (table) => {
    const found = known.get(table) ?? { value: compute(table) };
    known.set(table, found);
    return found.value;
  };
}

/** The same for a column of a table, by its index. */
export function keptWithColumn<Value>(
  compute: (table: Table, column: number) => Value,
): (table: Table, column: number) => Value {
  const knownOf = keptWithTable(() => new Map<number, { readonly value: Value }>());
  return (table, column) => {
    const known = knownOf(table);
    const found = known.get(column) ?? { value: compute(table, column) };
    known.set(column, found);
    return found.value;
  };
}
