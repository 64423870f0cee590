import { type Field, isLeaf, isRecord, type Tree, type TreeRecord } from './read/tree.ts';
import { isNaming, isValue } from './verdict/words.ts';

/** `{name: "Country", value: "DE"}` and nothing else is a field under its own name; undefined where it is not that. */
export function readPair(record: TreeRecord): Field | undefined {
  const fields = Object.entries(record);
  if (fields.length > 2) return undefined;
  const naming = fields.find(([name, value]) => isNaming(name) && isLeaf(value));
  const other = fields.find((field) => field !== naming);
  if (!naming || !other || !isValue(other[0])) return undefined;
  return [String(naming[1]), other[1]];
}

/** The fields that a list of pairs makes; undefined where something else is among them, or two have one name. */
export function readPairs(items: readonly Tree[]): readonly Field[] | undefined {
  const fields: Field[] = [];
  for (const item of items) {
    const pair = isRecord(item) ? readPair(item) : undefined;
    if (!pair) return undefined;
    fields.push(pair);
  }
  return fields.length > 0 && new Set(fields.map(([name]) => name)).size === fields.length ? fields : undefined;
}
