import { isSummed, nameOf } from '../../../api/vocabulary.ts';
import { AnswerProblem } from '../answer-problem.ts';
import { hasNoRows, holdsNothing } from '../complaint.ts';
import {
  boundFields,
  boundTable,
  type Field,
  isEmpty,
  isFromXml,
  isLeaf,
  isList,
  isRecord,
  itemsOf,
  maxWrapperDepth,
  type Tree,
  type TreeRecord,
  without,
} from '../tree.ts';
import { isAroundLists, isContainer, isMeta, isRow, isValue } from '../words.ts';
import {
  cellsOfRow,
  emptyTable,
  type FoundTable,
  readByFirst,
  type Shape,
  tableOfLists,
  tableOfRows,
  theOnly,
  withHeader,
} from './build-table.ts';
import { areMergedRows, isNumberedField, tableOfColumns } from './columns.ts';

/** Rows of other days than those asked for. */
const isOtherTime = nameOf('answer', 'otherTime');

/** Whether a name means the listed records, such as `campaigns`. */
type IsNoun = (name: string) => boolean;

interface ListSubject {
  readonly list: readonly Tree[];
  readonly isNoun: IsNoun;
  readonly depth: number;
}

export const listShapes: readonly Shape<ListSubject, FoundTable>[] = [
  {
    name: 'wrapper in a list',
    examples: ['[{"Status":"OK","Rows":[{"ID":"4","Name":"Solo"}]}]'],
    read: ({ list, isNoun, depth }) => {
      const [only] = list;
      if (list.length !== 1 || !isRecord(only) || !wrapsRows(only, isNoun) || !isMetaOnly(only, isNoun))
        return undefined;
      return findTable(only, isNoun, depth + 1) ?? null;
    },
  },
  {
    name: 'a list around the records',
    examples: ['[[{"ID":"4","Name":"Solo"},{"ID":"7","Name":"Banner"}]]'],
    read: ({ list }) => {
      const [only] = list;
      const rows = list.length === 1 && only !== undefined && isList(only) ? rowsIn(only) : undefined;
      // Otherwise they are the cells of one row: `{"name":"ID","value":"4"}`.
      return rows?.some((row) => Object.keys(row).length < 2 || Object.keys(row).some(isValue)) === false
        ? tableOfRows(rows)
        : undefined;
    },
  },
  {
    name: 'lists of cells',
    examples: ['[["ID","Name"],["4","Solo"]]', '[["4","Solo"],["7","Banner"]]'],
    read: ({ list }) => {
      const lists = list.map((row) => (isRecord(row) && !isFromXml(row) ? undefined : cellsOfRow(row)));
      return lists.every((cells) => cells !== undefined) ? tableOfLists(lists) : undefined;
    },
  },
  {
    name: 'one list per column, in a list',
    examples: ['[{"ID":["4","7"],"Name":["Solo","Banner"]}]'],
    read: ({ list }) => {
      const [only] = list;
      const isOfLists = list.length === 1 && isRecord(only) && Object.values(only).every(isList);
      return isOfLists ? tableOfColumns(only, true) : undefined;
    },
  },
  {
    name: 'records under one name each',
    examples: ['[{"Campaign":{"ID":"4","Name":"Solo"}},{"Campaign":{"ID":"7","Name":"Banner"}}]'],
    read: ({ list }) => {
      const [first] = list;
      const [name, ...others] = isRecord(first) ? Object.keys(first) : [];
      if (name === undefined || others.length > 0) return undefined;
      const inner = list.map((row) => (isRecord(row) && Object.keys(row).length === 1 ? row[name] : undefined));
      return inner.every(isRecord) ? tableOfRows(inner) : undefined;
    },
  },
  {
    name: 'rows in groups',
    examples: ['[{"Country":"DE","row":[{"ID":"4","Views":"3"}]},{"Country":"FR","row":[{"ID":"7","Views":"1"}]}]'],
    read: ({ list, isNoun }) => {
      const [first] = list;
      const holder = Object.entries(isRecord(first) ? first : {}).find(([name]) => isNoun(name) || isRow(name));
      // Nearly always it is a cell, and the records are rows themselves.
      if (!holder || !rowsIn(holder[1]) || !list.every(isRecord)) return undefined;
      const [name] = holder;
      const groups = list.map((group) => ({ rows: rowsIn(group[name] ?? null), fields: without(group, name) }));
      const namesGroup = (fields: readonly Field[]) => fields.length > 0 && fields.every(isPlainName);
      if (!groups.every(({ fields }) => namesGroup(Object.entries(fields)))) return undefined;
      const rows = groups.flatMap((group) => group.rows?.map((row) => ({ ...group.fields, ...row })) ?? [null]);
      // Otherwise the lists in the records are about something else.
      return rows.every((row) => row !== null && Object.keys(row).some(isSummed)) ? tableOfRows(rows) : undefined;
    },
  },
  {
    name: 'records',
    examples: ['[{"ID":"4","Name":"Solo"},{"ID":"7","Name":"Banner"}]', '[[{"name":"ID","value":"4"}]]'],
    read: ({ list }) => {
      if (list.some(areMergedRows)) throw new AnswerProblem('unreadable');
      return tableOfRows(list);
    },
  },
];

/** A field that says what rows have in common, and no figure of them all. */
const isPlainName = ([name, value]: Field) => isLeaf(value) && !isSummed(name);

/** The records in a field: several, or one that XML has without a list. */
function rowsIn(value: Tree): readonly TreeRecord[] | undefined {
  const rows = isList(value) ? value : isFromXmlRecord(value) ? [value] : [];
  return rows.length > 0 && rows.every(isRecord) ? rows : undefined;
}

const isFromXmlRecord = (value: Tree): value is TreeRecord => isRecord(value) && isFromXml(value);

/** A record, and facts that several shapes need. */
interface RecordSubject {
  readonly record: TreeRecord;
  readonly fields: readonly Field[];
  /** The fields with more than a plain value. */
  readonly nested: readonly Field[];
  /** The fields with lists of records. */
  readonly lists: readonly Field[];
  /** The field that holds the rows, by its name. */
  readonly holder: Field | undefined;
  /** Whether all plain values describe the answer, so that the record is not a row. */
  readonly isMetaOnly: boolean;
  readonly isNoun: IsNoun;
  /** Finds the table inside one of the fields; the other fields become its `extra`. */
  readonly descend: (into: Field, value?: Tree) => FoundTable | null;
  /** The same, if no other field like it holds other rows. */
  readonly descendIntoOnly: (into: Field) => FoundTable | null;
}

/** A record that is the table, or holds it. */
export const recordShapes: readonly Shape<RecordSubject, FoundTable>[] = [
  {
    name: 'columns and rows',
    examples: [
      '{"columns":["ID","Name"],"rows":[["4","Solo"]]}',
      '{"fields":[{"name":"ID"},{"name":"Name"}],"data":[{"Name":"Solo","ID":"4"}]}',
    ],
    read: ({ record }) => withHeader(record),
  },
  {
    name: 'one list per column',
    examples: [
      '{"ID":["4","7"],"Name":["Solo","Banner"]}',
      '{"campaign":["Solo","Banner"],"Views":["4","7"]}',
      '{"ID":{"0":"4","1":"7"},"Name":{"0":"Solo","1":"Banner"}}',
    ],
    read: ({ record, isMetaOnly }) => tableOfColumns(record, isMetaOnly),
  },
  {
    name: 'rows under a name',
    examples: [
      '{"Status":"OK","Rows":[{"ID":"4","Name":"Solo"}]}',
      '<Response><Rows><Row><ID>4</ID><Name>Solo</Name></Row></Rows></Response>',
    ],
    read: ({ holder, isMetaOnly, lists, isNoun, descendIntoOnly }) => {
      if (!holder || !(isMetaOnly || lists.includes(holder)) || isOneRow(holder, isNoun)) return undefined;
      return descendIntoOnly(holder);
    },
  },
  {
    name: 'one row under its name',
    examples: ['{"campaign":{"ID":"4","Name":"Solo"}}'],
    read: ({ holder, isMetaOnly, lists, descend }) =>
      // `<campaigns><campaign>...`: one of possibly many is a row, not a wrapper of rows.
      holder && (isMetaOnly || lists.includes(holder)) ? descend(holder, [holder[1]]) : undefined,
  },
  {
    name: 'nothing under a name',
    examples: ['{"Offers":""}'],
    read: ({ fields, isNoun }) =>
      fields.length === 1 &&
      fields.every(([name, value]) => isEmpty(value) || ((isContainer(name) || isNoun(name)) && hasNoRows(value)))
        ? emptyTable()
        : undefined,
  },
  {
    name: 'one record',
    examples: ['{"ID":"4","Name":"Solo"}'],
    read: ({ record, isMetaOnly }) => (isMetaOnly ? undefined : tableOfRows([record])),
  },
  {
    name: 'rows in parts',
    examples: ['{"active":[{"ID":"4"}],"inactive":[{"ID":"7"}]}'],
    read: ({ fields, nested, lists, isNoun }) => {
      const holders = lists.length > 1 ? lists : nested;
      const parts = holders.map(([, value]) => recordsOf(value, isNoun));
      if (parts.length < 2 || !parts.every((rows) => rows !== undefined)) return undefined;
      const names = holders.map(([name]) => name);
      if (names.some(isOtherTime)) throw new AnswerProblem('several', names.join(', '));
      // Each row gets the name of its list.
      const isIndex = holders.every(([name], index) => name === String(index));
      const rows = parts.flatMap((part, index) =>
        isIndex ? part : part.map((row) => ({ key: names[index] ?? '', ...row })),
      );
      return { ...tableOfRows(rows), extra: fields.filter((field) => !holders.includes(field)) };
    },
  },
  {
    name: 'the first list',
    examples: ['{"Status":"OK","paused":[{"ID":"4","Name":"Solo"}]}'],
    read: ({ lists: [list], descend }) => list && descend(list),
  },
  {
    name: 'only fields about the answer',
    examples: ['{"Status":"OK","count":"0"}'],
    read: ({ fields, nested }) => (nested.length === 0 ? emptyTable([], fields) : undefined),
  },
  {
    name: 'records by a key',
    examples: ['{"4":{"Name":"Solo"},"7":{"Name":"Banner"}}', '{"Solo":{"Views":"3","Clicks":"1"}}'],
    read: keyedTable,
  },
  {
    name: 'one record of records',
    examples: ['{"Geo":{"Country":"DE"},"Tags":["a"]}'],
    read: ({ record, nested }) => (nested.length > 1 ? tableOfRows([record]) : undefined),
  },
  {
    name: 'wrapper',
    examples: ['{"campaigns_of_account":{"Rows":[{"ID":"4","Name":"Solo"}]}}'],
    read: ({ nested: [first], descend }) => first && descend(first),
  },
];

/**
 * Finds the rows in an answer of undocumented shape: a list of records, records keyed by an ID or a name, a header row and
 * lists, one list per column, one record instead of many, wrapped any number of times.
 *
 * @returns undefined if nothing can be a table
 */
export function findTable(tree: Tree, isNoun: IsNoun = () => false, depth = 0): FoundTable | undefined {
  if (isEmpty(tree)) return emptyTable();
  if (isLeaf(tree) || depth > maxWrapperDepth) return undefined;
  if (isList(tree)) {
    boundTable(tree.length);
    return readByFirst(listShapes, { list: tree, isNoun, depth });
  }
  boundFields(tree);
  return readByFirst(recordShapes, subjectOf(tree, isNoun, depth));
}

function subjectOf(record: TreeRecord, isNoun: IsNoun, depth: number): RecordSubject {
  const fields: readonly Field[] = Object.entries(record);
  const nested = fields.filter(([, value]) => !isLeaf(value));
  const lists = nested.filter(([, value]) => isList(value) && value.length > 0 && value.every(isRecord));
  const isHolding = (field: Field) => isWrapper(field) || isRow(field[0]) || isNoun(field[0]);
  const isNamed = ([name]: Field) => isNoun(name);
  const descend = (into: Field, value = into[1], used: readonly Field[] = [into]) => {
    const found = findTable(value, isNoun, depth + 1);
    return found ? { ...found, extra: [...fields.filter((field) => !used.includes(field)), ...found.extra] } : null;
  };
  const descendIntoOnly = (into: Field) => {
    const like = (lists.includes(into) ? lists : nested).filter(isNamed(into) ? isNamed : isHolding);
    const found = like.map((field) => descend(field, field[1], like));
    if (like.length === 1 || found.includes(null)) return descend(into);
    const names = like.map(([name]) => name);
    return (
      theOnly(
        found.flatMap((table) => table ?? []),
        names,
      ) ?? null
    );
  };
  return {
    record,
    fields,
    nested,
    lists,
    holder: lists.find(isNamed) ?? lists.find(isHolding) ?? nested.find(isNamed) ?? nested.find(isHolding),
    isMetaOnly: isMetaOnly(record, isNoun),
    isNoun,
    descend,
    descendIntoOnly,
  };
}

/** Records keyed by an ID or a name, as PHP writes a list with gaps. The key becomes a column unless the row has it anyway. */
function keyedTable({ record, nested, fields, isNoun }: RecordSubject): FoundTable | undefined {
  const isNumbered = nested.every(isNumberedField);
  const [first] = nested;
  if (!nested.every(([, value]) => isRecord(value) || (isNumbered && isList(value)))) return undefined;
  // A single record is in a wrapper, unless it is a row and the name is its key.
  const isKey = isNumbered || nested.length > 1 || (first && !isFromXml(record) && isKeyOfRow(first, isNoun));
  if (!isKey) return undefined;
  const isIndex = nested.every(([key], index) => key === String(index));
  const rows = nested.map(([key, value]) => {
    if (!isRecord(value)) return { key, value };
    const holdsKey = isIndex || Object.values(value).some((cell) => isLeaf(cell) && String(cell) === key);
    return holdsKey ? value : { key, ...value };
  });
  return { ...tableOfRows(rows), extra: fields.filter(([, value]) => isLeaf(value)) };
}

function isOneRow([name, value]: Field, isNoun: IsNoun): boolean {
  if (!isRecord(value)) return false;
  return isMetaOnly(value, isNoun) ? isRow(name) && !wrapsRows(value, isNoun) : true;
}

/** Whether a field could hold rows, and says that there are none. */
const isNothing = ([name, value]: Field, isNoun: IsNoun) =>
  (isContainer(name) && hasNoRows(value)) || (isNoun(name) && holdsNothing(value));

/** Whether all plain values describe the answer, so that the record is not a row. */
function isMetaOnly(record: TreeRecord, isNoun: IsNoun): boolean {
  const fields = Object.entries(record);
  return (
    fields.every((field) => !isLeaf(field[1]) || isMeta(field[0]) || isNothing(field, isNoun)) ||
    (fields.some((field) => isRowsField(field, isNoun)) && !fields.some(isOfRow))
  );
}

const namesOneRow = nameOf('row', 'name');

/** A plain value that only a row has. */
export const isOfRow = ([name, value]: Field) =>
  isLeaf(value) && !isEmpty(value) && (isSummed(name) || namesOneRow(name));

/** Whether a field is a wrapper, and not a row by its name: an offer may be called “Edges”. */
const isWrapper = ([name, value]: Field): boolean =>
  isContainer(name) && !(isAroundLists(name) && isRecord(value) && isRowByName(Object.entries(value)));

const isRowByName = (fields: readonly Field[]) => fields.every(([, value]) => isLeaf(value)) && fields.some(isOfRow);

/** Whether a field surely holds all rows, and be it none: frameworks write much beside them, such as `draw` or `took_ms`. */
function isRowsField([name, value]: Field, isNoun: IsNoun): boolean {
  const isHolder = isContainer(name) || isNoun(name);
  if (isList(value)) return (isHolder || isValue(name)) && !value.some(isLeaf);
  if (isRecord(value)) return isHolder && Object.entries(value).some((field) => isRowsField(field, isNoun));
  return value === null && isHolder && !isValue(name);
}

/** Whether a record holds rows. */
function wrapsRows(tree: Tree, isNoun: IsNoun): boolean {
  if (!isRecord(tree)) return false;
  return Object.entries(tree).some(
    ([name, value]) => !isLeaf(value) && (isContainer(name) || isRow(name) || isNoun(name)),
  );
}

/** Whether a field is a row under its key, such as a name, and not a wrapper. */
function isKeyOfRow([name, value]: Field, isNoun: IsNoun): boolean {
  return (
    !isWrapper([name, value]) &&
    !isRow(name) &&
    !isNoun(name) &&
    !isMeta(name) &&
    isRecord(value) &&
    Object.values(value).every(isLeaf) &&
    !Object.keys(value).every(isMeta)
  );
}

/** The records of a list. An XML element is a list if its children have the name of a row. */
function recordsOf(value: Tree, isNoun: IsNoun): readonly TreeRecord[] | undefined {
  const [child] = isRecord(value) ? Object.keys(value) : [];
  if (isRecord(value) && !(child !== undefined && (isRow(child) || isNoun(child)))) return undefined;
  const items = itemsOf(value);
  return items?.every(isRecord) ? items : undefined;
}
