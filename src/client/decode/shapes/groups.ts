import type { RawCell } from '../../../api/cells.ts';
import { isVisitorFact, nameOf } from '../../../api/vocabulary.ts';
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
} from '../tree.ts';
import { isContainer, isMeta, isNaming, isValue } from '../words.ts';
import { cellsOfRow, readByFirst, readPairs, type Shape } from './build-table.ts';

/** A named group of fields. */
export interface FoundGroup {
  readonly name: string;
  readonly fields: Fields;
}

interface FoundGroups {
  readonly groups: readonly FoundGroup[];
  readonly extra: readonly Field[];
  readonly shape?: string;
}

type Fields = readonly (readonly [name: string, value: RawCell])[];

/** The group for fields without one. */
const ungrouped = 'Visitor';

const isSpecified = nameOf('lookup', 'group');
const isVisitor = nameOf('answer', 'visitor');

const isFact = ([name, value]: Field) => isLeaf(value) && !isEmpty(value) && isVisitorFact(name);

interface ListSubject {
  readonly list: readonly Tree[];
  readonly depth: number;
}

/** A list of groups, or of the fields of one. */
export const groupListShapes: readonly Shape<ListSubject, FoundGroups>[] = [
  {
    name: 'named groups',
    examples: ['[{"name":"Geo Data","fields":{"Country":"US"}}]'],
    read: ({ list }) => {
      const named = list.map((item) => (isRecord(item) ? namedGroup(item) : undefined));
      return named.every((group) => group !== undefined) ? { groups: named, extra: [] } : undefined;
    },
  },
  {
    name: 'fields as pairs',
    examples: [
      '[{"name":"Country","value":"US"},{"name":"City","value":"Reno"}]',
      '[["Name","Value"],["Country","US"]]',
    ],
    read: ({ list }) => {
      const fields = pairsOf(list);
      return fields && { groups: [{ name: ungrouped, fields }], extra: [] };
    },
  },
  {
    name: 'wrapper in a list',
    examples: ['[{"Geo Data":{"Country":"US"}}]'],
    read: ({ list, depth }) => {
      const [only] = list;
      return list.length === 1 && only !== undefined ? (findGroups(only, depth + 1) ?? null) : undefined;
    },
  },
  {
    name: 'one group an item',
    examples: ['[{"Country":"US"},{"Country":"DE"}]'],
    read: ({ list }) => ({
      groups: list.map((item, index) => ({ name: `${ungrouped} ${index + 1}`, fields: fieldsOfGroup(item) })),
      extra: [],
    }),
  },
];

interface RecordSubject {
  readonly record: TreeRecord;
  readonly fields: readonly Field[];
  readonly nested: readonly Field[];
  /** Whether all plain values describe the answer. */
  readonly isWrapper: boolean;
  readonly depth: number;
}

/** A record of groups, one group, or a wrapper of groups. */
export const groupRecordShapes: readonly Shape<RecordSubject, FoundGroups>[] = [
  {
    name: 'one named group',
    examples: ['{"name":"Geo Data","fields":{"Country":"US"}}'],
    read: ({ record }) => {
      const group = namedGroup(record);
      return group && isSpecified(group.name) ? { groups: [group], extra: [] } : undefined;
    },
  },
  {
    name: 'groups by their names',
    examples: ['{"Status":"OK","Geo Data":{"Country":"US"}}'],
    read: ({ fields }) => (fields.some(([name]) => isSpecified(name)) ? keyedGroups(fields) : undefined),
  },
  {
    name: 'wrapper',
    examples: ['{"Status":"OK","Groups":{"Geo Data":{"Country":"US"}}}'],
    read: ({ fields, nested, isWrapper, depth }) => {
      const [first, ...others] = nested;
      if (!isWrapper || !first || others.length > 0 || isGroup(first)) return undefined;
      const found = findGroups(first[1], depth + 1);
      return found ? { ...found, extra: [...fields.filter((field) => field !== first), ...found.extra] } : null;
    },
  },
  {
    name: 'only fields about the answer',
    examples: ['{"Status":"OK","count":"0"}'],
    read: ({ fields, nested, isWrapper }) =>
      isWrapper && nested.length === 0 ? { groups: [], extra: fields } : undefined,
  },
  {
    name: 'groups by names of their own',
    examples: ['{"Place":{"Country":"US"},"Browser":{"OS":"iOS"}}', '{"Country":"US","OS":"iOS"}'],
    read: ({ fields }) => keyedGroups(fields),
  },
];

/**
 * Finds the groups of a lookup: keyed by name at any depth, a list of `{name, fields}`, or one flat record.
 *
 * @returns undefined if nothing can be a group
 */
export function findGroups(tree: Tree, depth = 0): FoundGroups | undefined {
  if (isEmpty(tree)) return { groups: [], extra: [] };
  if (isLeaf(tree) || depth > maxWrapperDepth) return undefined;
  if (isList(tree)) return readByFirst(groupListShapes, { list: tree, depth });
  const fields = Object.entries(tree);
  const nested = fields.filter(([, value]) => !isLeaf(value));
  // Beside nothing at all, a plain value that is no fact of a visitor describes the answer.
  const holdsNothing = nested.some(([name, value]) => isContainer(name) && isEmpty(value)) && !fields.some(isFact);
  const isWrapper =
    holdsNothing ||
    fields.every(([name, value]) => !isLeaf(value) || isMeta(name) || (isContainer(name) && isEmpty(value)));
  return readByFirst(groupRecordShapes, { record: tree, fields, nested, isWrapper, depth });
}

/** A record of plain values under a name that is not a wrapper's. */
function isGroup([name, value]: Field): boolean {
  if (isContainer(name) || isVisitor(name)) return false;
  return isRecord(value) && Object.values(value).every(isLeaf);
}

/** Each record is a group; plain values next to them form a group of their own. */
function keyedGroups(fields: readonly Field[]): FoundGroups {
  const loose = fields.filter(([name, value]) => isLeaf(value) && !isSpecified(name));
  const data = loose.filter(([name]) => !isMeta(name));
  const groups = fields
    .filter((field) => !loose.includes(field))
    .map(([name, value]) => ({ name, fields: fieldsOfGroup(value) }));
  const ungroupedFields = data.map(([name, value]) => [name, toCell(value)] as const);
  return {
    groups: data.length > 0 ? [{ name: ungrouped, fields: ungroupedFields }, ...groups] : groups,
    extra: loose.filter(([name]) => isMeta(name)),
  };
}

/** `{name: "Geo Data", fields: {...}}`, in XML `<Group name="Geo Data"><Country>DE</Country></Group>`. */
function namedGroup(record: TreeRecord): FoundGroup | undefined {
  const fields = Object.entries(record);
  const naming = fields.find(([name, value]) => isNaming(name) && typeof value === 'string');
  if (!naming) return undefined;
  const rest = fields.filter((field) => field !== naming);
  const [only] = rest;
  const isKnown = isSpecified(String(naming[1]));
  if (!isKnown && !rest.some(([, value]) => !isLeaf(value))) return undefined;
  const holdsFields = only !== undefined && rest.length === 1 && !isLeaf(only[1]);
  return { name: String(naming[1]), fields: holdsFields ? fieldsOfGroup(only[1]) : readFields(rest) };
}

function fieldsOfGroup(value: Tree): Fields {
  if (isEmpty(value)) return [];
  if (isLeaf(value)) return [['value', toCell(value)]];
  const items = itemsOf(value);
  const pairs = items && pairsOf(items);
  if (pairs) return pairs;
  if (isList(value)) {
    const [only] = value;
    if (value.length === 1 && isRecord(only)) return readFields(Object.entries(only));
    return value.map((item, index) => [String(index + 1), toCell(item)]);
  }
  return readFields(Object.entries(value));
}

/** The fields of a list of pairs, with names in each pair or in a heading row. */
function pairsOf(items: readonly Tree[]): Fields | undefined {
  const pairs = readPairs(items) ?? pairsUnderHeading(items);
  return pairs && readFields(pairs);
}

/** `[["Name", "Value"], ["Country", "US"]]`: the first row names the cells of the others. */
function pairsUnderHeading(items: readonly Tree[]): readonly Field[] | undefined {
  const [heading, ...rows] = items.map(cellsOfRow);
  const [name, value, ...more] = heading ?? [];
  const isHeading = typeof name === 'string' && isNaming(name) && typeof value === 'string' && isValue(value);
  if (!isHeading || more.length > 0) return undefined;
  const fields = rows.map((row): Field | undefined => {
    const [field, cell = null] = row ?? [];
    return row?.length === 2 && typeof field === 'string' && !isEmpty(field) ? [field, cell] : undefined;
  });
  if (fields.length === 0 || !fields.every((field) => field !== undefined)) return undefined;
  return new Set(fields.map(([field]) => field)).size === fields.length ? fields : undefined;
}

function readFields(fields: readonly Field[]): Fields {
  return fields.map(([name, value]) => [name, toCell(value)]);
}
