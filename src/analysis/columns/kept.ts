import type { Table } from '../../api/table.ts';

/** Works something out of a table once, and keeps it as long as the table. */
export function keptWithTable<Value>(compute: (table: Table) => Value): (table: Table) => Value {
  return (table) => {
    const { known } = table;
    if (!known.has(compute)) known.set(compute, compute(table));
    return known.get(compute) as Value;
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
