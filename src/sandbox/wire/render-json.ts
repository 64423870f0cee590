import { type Rows, type Tree, toWireText } from './tree.ts';

/** Writes a tree as JSON: fields as objects, rows as arrays of objects, every value a string. */
export function renderJson(tree: Tree): string {
  if (typeof tree === 'string') return JSON.stringify(toWireText(tree));
  if ('rows' in tree) return renderRows(tree);
  return `{${tree.entries.map(([name, value]) => `${JSON.stringify(toWireText(name))}:${renderJson(value)}`).join(',')}}`;
}

function renderRows({ columns, rows }: Rows): string {
  const names = columns.map((column) => `${JSON.stringify(toWireText(column))}:`);
  const renderRow = (row: Rows['rows'][number]) =>
    `{${names.map((name, index) => name + renderJson(row[index] ?? '')).join(',')}}`;
  return `[${rows.map(renderRow).join(',')}]`;
}
