import { isEmptyColumn, shownColumns } from '../../analysis/columns/columns.ts';
import type { Table } from '../../api/table.ts';
import { parseJson } from '../../api/text/json.ts';
import { plainName } from '../../api/text/names.ts';
import { fromTracker, type NamedCell, rawCell, rawText, type TrackerText } from '../../api/text/tracker-text.ts';
import { extraSlots, tokenColumns, tokenSlots } from '../../api/token-slots.ts';
import { indexOfColumn, namesIn, type TableView, type View } from './view.ts';

/**
 * What a traffic source calls its tokens: Extra1 is "Match type" because its set-up says so. Trackers list the names flat, one
 * pair of columns a slot (`ExtraTokenName1`), or as a list of tokens inside one cell.
 */

/** The slots that hold a value of their own; what a cost is called is no name for the column of costs. */
const labelledSlots = tokenSlots.filter((slot) => slot !== 'Cost');

const slots: ReadonlyMap<string, string> = new Map(labelledSlots.map((slot) => [plainName(slot), slot]));

/** A slot by the plain names of the columns that hold its label: `ExtraTokenName1`, `ExtraName1`, `Extra1TokenName`, `Extra1Name`. */
const slotOfColumn: ReadonlyMap<string, string> = new Map(
  labelledSlots.flatMap((slot) => {
    const { name } = tokenColumns(slot);
    return [name, name.replace('Token', ''), `${slot}TokenName`, `${slot}Name`].map(
      (column) => [plainName(column), slot] as const,
    );
  }),
);

const slotOf = (column: string): string | undefined => slots.get(plainName(column));

/** The labels of a campaign's or traffic source's tokens by slot, read from the fields of its row. */
export function labelsOf(fields: readonly NamedCell[]): ReadonlyMap<string, TrackerText> {
  const labels = new Map<string, TrackerText>();
  for (const [column, cell] of fields) {
    const value = rawCell(cell)?.trim() ?? '';
    if (value === '') continue;
    const flat = slotOfColumn.get(plainName(rawText(column)));
    if (flat !== undefined) labels.set(flat, fromTracker(value));
    else if (value.startsWith('[') || value.startsWith('{'))
      for (const [slot, label] of nestedLabels(value)) labels.set(slot, fromTracker(label));
  }
  return labels;
}

/** `[{"Slot":"Extra1","Name":"Match type"}, ...]` or `{"Extra1":"Match type"}`. */
function nestedLabels(text: string): [slot: string, label: string][] {
  const tree = parseJson(text);
  const items: unknown[] = Array.isArray(tree)
    ? tree
    : Object.entries(tree ?? {}).map(([slot, name]) => ({ slot, name }));
  return items.flatMap((item): [string, string][] => {
    const entries = Object.entries(item ?? {}).map(([name, value]) => [plainName(name), value] as const);
    const slot = entries.map(([, value]) => slots.get(plainName(String(value)))).find((found) => found !== undefined);
    const label = entries.find(([name]) => name === 'name' || name === 'label' || name === 'tokenname')?.[1];
    return slot !== undefined && typeof label === 'string' && label.trim() !== '' ? [[slot, label.trim()]] : [];
  });
}

/** Whether labels are worth a question: a name that was asked for is no column, or a filled Extra slot is shown. */
export function needsLabels(tables: readonly Table[], view: View): boolean {
  if (tables.every(({ rowCount }) => rowCount === 0)) return false;
  return namesIn(view).some((name) => !isColumn(tables, name)) || tables.some((table) => showsExtra(table, view));
}

function isColumn(tables: readonly Table[], name: string): boolean {
  return tables.some((table) => indexOfColumn(shownColumns(table), name) !== undefined);
}

const extras: ReadonlySet<string | undefined> = new Set(extraSlots);

function showsExtra(table: Table, { columns }: View): boolean {
  const names = shownColumns(table);
  const shown = columns?.map((name) => indexOfColumn(names, name)) ?? [...names.keys()];
  return shown.some(
    (index) => index !== undefined && extras.has(slotOf(names[index] ?? '')) && !isEmptyColumn(table, index),
  );
}

/** The view with columns in the place of labels and slots, and with the labels to show. Trackers head a column with either. */
export function withLabels(tables: readonly Table[], view: View, labels: ReadonlyMap<string, string>): View {
  const { columns, where, sort_by } = view;
  const columnOf = (name: string) => {
    if (isColumn(tables, name)) return name;
    // As a heading of the text shows it: `Extra1 (Match type)`.
    const [, head = name] = /^(\S+) \(.*\)$/.exec(name.trim()) ?? [];
    const plain = plainName(head);
    const entry = [...labels].find(([slot, label]) => plainName(slot) === plain || plainName(label) === plain);
    return [head, ...(entry ?? [])].find((candidate) => isColumn(tables, candidate)) ?? name;
  };
  return {
    ...view,
    columns: columns?.map(columnOf),
    where: where?.map((condition) => ({ ...condition, column: columnOf(condition.column) })),
    sort_by: sort_by === undefined ? undefined : columnOf(sort_by),
    labels: new Map(tables.flatMap((table) => labelsOfColumns(table, labels))),
  };
}

/** Only what says more than the slot. */
function labelsOfColumns(table: Table, labels: ReadonlyMap<string, string>): [column: string, label: string][] {
  return shownColumns(table).flatMap((column): [string, string][] => {
    const label = labels.get(slotOf(column) ?? '');
    return label === undefined || plainName(label) === plainName(column) ? [] : [[column, label]];
  });
}

/** The labels of the columns that a table shows; nothing if it has none. */
export function labelsShown({ shown, columns }: TableView, { labels }: View): { labels?: Record<string, string> } {
  if (!labels) return {};
  const own = shown.flatMap((index) => {
    const column = columns[index] ?? '';
    const label = labels.get(column);
    return label === undefined ? [] : [[column, label] as const];
  });
  return own.length === 0 ? {} : { labels: Object.fromEntries(own) };
}
