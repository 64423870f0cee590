import { isSummed } from '../../../api/vocabulary.ts';
import { AnswerProblem } from '../answer-problem.ts';
import { type Field, isFromXml, isLeaf, isList, isRecord, type Tree, type TreeRecord } from '../tree.ts';
import { isContainer, isRow } from '../words.ts';
import { type FoundTable, tableWithColumns } from './build-table.ts';

export const isNumberedField = ([key]: Field): boolean => /^\d+$/.test(key);

/** The list in a field, which PHP may write as a record: `{"0":"Solo","1":"Banner"}`. */
function listIn(value: Tree): readonly Tree[] | undefined {
  if (isList(value)) return value;
  const names = isRecord(value) ? Object.keys(value) : [];
  return names.length > 1 && names.every((name, index) => name === String(index))
    ? Object.values(value as TreeRecord)
    : undefined;
}

/** Whether a field has several figures, which is a column and no cell. */
const isColumnOfFigures = ([name, value]: Field): boolean =>
  isSummed(name) && isList(value) && value.length > 1 && !value.some(isRecord);

/** Whether a row of XML is several whose tags between them were lost. */
export const areMergedRows = (row: Tree): boolean => {
  if (!isRecord(row) || !isFromXml(row)) return false;
  const lists = Object.entries(row).filter(([, value]) => isList(value) && value.length > 1);
  return lists.length > 1 && lists.some(isColumnOfFigures);
};

const isHolder = ([name]: Field): boolean => isContainer(name) || isRow(name);

/**
 * The rows of a record that has a list for each column.
 *
 * @param hasOnlyLists whether its plain values are about the answer
 * @throws AnswerProblem if nothing shows which cells make a row
 */
export function tableOfColumns(record: TreeRecord, hasOnlyLists: boolean): FoundTable | undefined {
  const fields: readonly Field[] = Object.entries(record);
  const nested = fields.filter(([, value]) => !isLeaf(value));
  const areColumns = hasOnlyLists && nested.some(isColumnOfFigures);
  if (nested.every(isNumberedField) || nested.length < 2 || (isFromXml(record) && !areColumns)) return undefined;
  const lists = nested.flatMap(([, value]) => {
    const list = listIn(value);
    return list?.every(isLeaf) ? [list] : [];
  });
  const heights = lists.map(({ length }) => length).sort((one, other) => one - other);
  const height = heights[heights.length >> 1] ?? 0;
  const odd = lists.filter(({ length }) => length !== height).length;
  const areLists = lists.length === nested.length;
  // A comma lost or added in one of many columns moves its cells.
  const isMoved = areLists && odd === 1 && lists.length > 2 && height > 2;
  if (isMoved || (areColumns && (odd > 0 || !areLists))) throw new AnswerProblem('unreadable');
  if (!areLists || odd > 0 || height === 0 || nested.some(isHolder)) return undefined;
  const rows = Array.from({ length: height }, (_, index) => lists.map((list) => list[index] ?? null));
  const names = nested.map(([name]) => name);
  return { ...tableWithColumns(names, rows), extra: fields.filter(([, value]) => isLeaf(value)) };
}
