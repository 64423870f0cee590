import { parseJson } from '../api/text/json.ts';
import { plainName } from '../api/text/names.ts';
import { fromTracker, type NamedCell, rawCell, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import { tokenColumns, tokenSlots } from '../api/token-slots.ts';

/**
 * What a traffic source calls its tokens: Extra1 is "Match type" because its set-up says so. Trackers list the names flat, one
 * pair of columns a slot (`ExtraTokenName1`), or as a list of tokens inside one cell.
 */

/** The slots that hold a value of their own; what a cost is called is no name for the column of costs. */
const labelledSlots = tokenSlots.filter((slot) => slot !== 'Cost');

/** A slot by its plain name. */
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

/** The slot that a column of a report holds; undefined where it holds none. */
export const slotOf = (column: string): string | undefined => slots.get(plainName(column));

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
