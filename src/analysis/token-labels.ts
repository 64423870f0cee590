import { plainName } from '../api/text/plain-name.ts';
import { fromTracker, type NamedCell, rawCell, rawText, type TrackerText } from '../api/text/tracker-text.ts';

/**
 * What a traffic source calls its tokens: Extra1 is "Match type" because its set-up says so. Trackers list the names flat, one
 * pair of columns a slot (`ExtraTokenName1`), or as a list of tokens inside one cell.
 */

/** `ExtraTokenName1`, `KeywordTokenName`, `Extra1Name`: the column that holds the name of a slot. */
const flatName = /^(keyword|advalue|externalid|cost)?(?:extra(\d{1,2})?)?(?:token)?name(\d{1,2})?$/;

/** A slot by its plain name. */
const slots: ReadonlyMap<string, string> = new Map(
  ['Keyword', 'AdValue', 'ExternalID', ...Array.from({ length: 15 }, (_, index) => `Extra${index + 1}`)].map(
    (slot) => [plainName(slot), slot] as const,
  ),
);

/** The labels of a campaign's or traffic source's tokens by slot, read from the fields of its row. */
export function labelsOf(fields: readonly NamedCell[]): ReadonlyMap<string, TrackerText> {
  const labels = new Map<string, TrackerText>();
  for (const [column, cell] of fields) {
    const value = rawCell(cell)?.trim() ?? '';
    if (value === '') continue;
    const flat = flatSlot(plainName(rawText(column)));
    if (flat !== undefined) labels.set(flat, fromTracker(value));
    else if (value.startsWith('[') || value.startsWith('{'))
      for (const [slot, label] of nestedLabels(value)) labels.set(slot, fromTracker(label));
  }
  return labels;
}

function flatSlot(column: string): string | undefined {
  const match = flatName.exec(column);
  if (!match) return undefined;
  const [, named, before, behind] = match;
  const number = before ?? behind;
  if (named !== undefined) return slots.get(named);
  return number !== undefined && column.includes('extra') ? slots.get(`extra${number}`) : undefined;
}

/** `[{"Slot":"Extra1","Name":"Match type"}, ...]` or `{"Extra1":"Match type"}`. */
function nestedLabels(text: string): [slot: string, label: string][] {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return [];
  }
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
