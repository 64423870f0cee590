import type { Group } from '../../../api/replies.ts';
import type { Cell } from '../../../api/table.ts';
import { plainName } from '../../../api/text/plain-name.ts';
import { readPairs } from '../pairs.ts';
import {
  type Field,
  isEmpty,
  isLeaf,
  isList,
  isRecord,
  itemsOf,
  maxWrapperDepth,
  type Tree,
  type TreeRecord,
  toCell,
} from '../read/tree.ts';
import { isContainer, isMeta, isNaming } from '../verdict/words.ts';

interface FoundGroups {
  readonly groups: readonly Group[];
  readonly beside: readonly Field[];
}

/** What an answer without groups of its own is filed under. */
const ungrouped = 'Visitor';

/** The groups of the specification ("SubID lookup"), in the form `plainName` gives. */
const specifiedGroups = new Set(['campaigndata', 'geodata', 'devicedata', 'trafficsourcetokens', 'offersourcetokens']);

/**
 * Finds the groups of a lookup: keyed by name at any depth, a list of `{name, fields}`, or one flat record.
 *
 * @returns undefined where there is nothing that could be a group
 */
export function findGroups(tree: Tree, depth = 0): FoundGroups | undefined {
  if (isEmpty(tree)) return { groups: [], beside: [] };
  if (isLeaf(tree) || depth > maxWrapperDepth) return undefined;
  if (isList(tree)) return groupsOfList(tree, depth);
  const single = namedGroup(tree);
  if (single && specifiedGroups.has(plainName(single.name))) return { groups: [single], beside: [] };
  const fields = Object.entries(tree);
  if (fields.some(([name]) => specifiedGroups.has(plainName(name)))) return keyedGroups(fields);
  const nested = fields.filter(([, value]) => !isLeaf(value));
  const [first, ...others] = nested;
  const isWrapper = fields.every(
    ([name, value]) => !isLeaf(value) || isMeta(name) || (isContainer(name) && isEmpty(value)),
  );
  if (isWrapper && first && others.length === 0 && !isGroup(first)) {
    const found = findGroups(first[1], depth + 1);
    return found && { ...found, beside: [...fields.filter((field) => field !== first), ...found.beside] };
  }
  if (isWrapper && !first) return { groups: [], beside: fields };
  return keyedGroups(fields);
}

/** A record of plain values under a name that is more than a wrapper's. */
function isGroup([name, value]: Field): boolean {
  if (isContainer(name) || /^(click|visitor|visit|subid|groups?|lookup)$/.test(plainName(name))) return false;
  return isRecord(value) && Object.values(value).every(isLeaf);
}

/** Each record is a group; plain values beside them are a group by themselves. */
function keyedGroups(fields: readonly Field[]): FoundGroups {
  const loose = fields.filter(([name, value]) => isLeaf(value) && !specifiedGroups.has(plainName(name)));
  const own = loose.filter(([name]) => !isMeta(name));
  const groups = fields
    .filter((field) => !loose.includes(field))
    .map(([name, value]) => ({ name, fields: fieldsOfGroup(value) }));
  const ungroupedFields = own.map(([name, value]) => [name, toCell(value)] as const);
  return {
    groups: own.length > 0 ? [{ name: ungrouped, fields: ungroupedFields }, ...groups] : groups,
    beside: loose.filter(([name]) => isMeta(name)),
  };
}

function groupsOfList(list: readonly Tree[], depth: number): FoundGroups | undefined {
  const named = list.map((item) => (isRecord(item) ? namedGroup(item) : undefined));
  if (named.every((group) => group !== undefined)) return { groups: named, beside: [] };
  const pairs = cellsOfPairs(list);
  if (pairs) return { groups: [{ name: ungrouped, fields: pairs }], beside: [] };
  const [only] = list;
  if (list.length === 1 && only !== undefined) return findGroups(only, depth + 1);
  return {
    groups: list.map((item, index) => ({ name: `${ungrouped} ${index + 1}`, fields: fieldsOfGroup(item) })),
    beside: [],
  };
}

/** `{name: "Geo Data", fields: {...}}`, in XML `<Group name="Geo Data"><Country>DE</Country></Group>`. */
function namedGroup(record: TreeRecord): Group | undefined {
  const fields = Object.entries(record);
  const naming = fields.find(([name, value]) => isNaming(name) && typeof value === 'string');
  if (!naming) return undefined;
  const rest = fields.filter((field) => field !== naming);
  const [only] = rest;
  const isKnown = specifiedGroups.has(plainName(String(naming[1])));
  if (!isKnown && !rest.some(([, value]) => !isLeaf(value))) return undefined;
  const holdsFields = only !== undefined && rest.length === 1 && !isLeaf(only[1]);
  return { name: String(naming[1]), fields: holdsFields ? fieldsOfGroup(only[1]) : readFields(rest) };
}

function fieldsOfGroup(value: Tree): readonly (readonly [string, Cell])[] {
  if (isEmpty(value)) return [];
  if (isLeaf(value)) return [['value', toCell(value)]];
  const items = itemsOf(value);
  const pairs = items && cellsOfPairs(items);
  if (pairs) return pairs;
  if (isList(value)) {
    const [only] = value;
    if (value.length === 1 && isRecord(only)) return readFields(Object.entries(only));
    return value.map((item, index) => [String(index + 1), toCell(item)]);
  }
  return readFields(Object.entries(value));
}

function cellsOfPairs(items: readonly Tree[]): readonly (readonly [string, Cell])[] | undefined {
  return readPairs(items)?.map(([name, value]) => [name, toCell(value)] as const);
}

function readFields(fields: readonly Field[]): (readonly [string, Cell])[] {
  return fields.map(([name, value]) => [name, toCell(value)]);
}
