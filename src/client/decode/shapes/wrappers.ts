import { type Field, isEmpty, isLeaf, isRecord, itemsOf, type Tree, type TreeRecord } from '../tree.ts';
import { isContainer, isMeta, isRow } from '../words.ts';

/** What tells a record that holds the rows of a table from one that is a row. */

/** Whether a name is what the table lists, such as `campaigns`. */
export type IsNoun = (name: string) => boolean;

/** One row under its own name, and no wrapper of rows. */
export function isOneRow([name, value]: Field, isNoun: IsNoun): boolean {
  if (!isRecord(value)) return false;
  return isHolder(value, isNoun) ? isRow(name) && !wrapsRows(value, isNoun) : true;
}

/** All plain values are about the answer, and none of a row. */
export function isHolder(record: TreeRecord, isNoun: IsNoun): boolean {
  return Object.entries(record).every(
    ([name, value]) => !isLeaf(value) || isMeta(name) || (isEmpty(value) && (isContainer(name) || isNoun(name))),
  );
}

/** A record that holds the rows rather than being one. */
export function wrapsRows(tree: Tree, isNoun: IsNoun): boolean {
  if (!isRecord(tree)) return false;
  return Object.entries(tree).some(
    ([name, value]) => !isLeaf(value) && (isContainer(name) || isRow(name) || isNoun(name)),
  );
}

/** A row under its key, such as a name: no wrapper, whose name would say nothing. */
export function isKeyOfRow([name, value]: Field, isNoun: IsNoun): boolean {
  return (
    !isContainer(name) &&
    !isRow(name) &&
    !isNoun(name) &&
    !isMeta(name) &&
    isRecord(value) &&
    Object.values(value).every(isLeaf) &&
    !Object.keys(value).every(isMeta)
  );
}

/** The records of a list; an XML element holds a list where its children are called like rows. */
export function recordsOf(value: Tree, isNoun: IsNoun): readonly TreeRecord[] | undefined {
  const [child] = isRecord(value) ? Object.keys(value) : [];
  if (isRecord(value) && !(child !== undefined && (isRow(child) || isNoun(child)))) return undefined;
  const items = itemsOf(value);
  return items?.every(isRecord) ? items : undefined;
}
