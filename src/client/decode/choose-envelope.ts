import { ListedCells } from '../../api/cells.ts';
import { reportNamed } from '../../api/vocabulary.ts';
import { AnswerProblem } from './answer-problem.ts';
import { isAboutSize } from './part.ts';
import { isNounOf, type Payload, type Question } from './payload.ts';
import type { FoundReport } from './shapes/reports.ts';
import {
  boundTable,
  isEmpty,
  isFromXml,
  isLeaf,
  isList,
  isRecord,
  maxWrapperDepth,
  type Tree,
  type TreeRecord,
} from './tree.ts';
import { type Envelope, readEnvelope, ruleFor } from './verdict.ts';
import { isContainer } from './words.ts';

/**
 * Chooses the answer among the trees of a body. Several are one answer only if that can be shown: they are equal, one alone
 * holds what was asked for, or each holds rows of its own under the same columns.
 *
 * @throws AnswerProblem if nothing shows it
 */
export function chooseEnvelope(trees: readonly Tree[], question: Question): Envelope {
  const [first = null] = trees;
  if (trees.length === 1) return readEnvelope(first, question);
  const distinct = [...new Map(trees.map((tree) => [JSON.stringify(tree), tree])).values()];
  if (distinct.length === 1) return readEnvelope(first, question);
  if (question.reply === 'id' || question.reply === 'ok') return theReceipt(distinct, question);
  if (areRows(distinct)) return allLines(trees, distinct, question);
  if (distinct.length > maxTrees) throw new AnswerProblem('unreadable');
  const failed = distinct.map((tree) => readEnvelope(tree, question)).find(saysFailed);
  return failed ?? theRows(distinct, question);
}

/** More trees are read only as one row each. */
const maxTrees = 100;

const saysFailed = ({ complaint, denial, statesFailure }: Envelope) =>
  denial !== undefined || (complaint !== undefined && statesFailure);

/** The one answer to a write, without another that may be one, or that speaks against it. */
function theReceipt(trees: readonly Tree[], question: Question): Envelope {
  const envelopes = trees.slice(0, maxTrees).map((tree) => readEnvelope(tree, question));
  const [answer, ...others] = envelopes.filter((envelope) => ruleFor(envelope).verdict === 'ok');
  const isClear = envelopes.every((other) => other === answer || (other.complaint === undefined && !other.payload));
  if (!answer || others.length > 0 || !isClear || trees.length > maxTrees) throw new AnswerProblem('unreadable');
  return answer;
}

/** Whether each tree is a row: a flat record or list, with the same columns. */
export function areRows(trees: readonly Tree[]): boolean {
  const [first = null] = trees;
  const columns = columnsOf(first);
  return columns !== undefined && trees.every((tree) => isList(tree) === isList(first) && columnsOf(tree) === columns);
}

function columnsOf(tree: Tree): string | undefined {
  if (isLeaf(tree) || isEmpty(tree) || !Object.values(tree).every(isLeaf)) return undefined;
  return JSON.stringify(Object.keys(tree).sort());
}

function allLines(trees: readonly Tree[], distinct: readonly Tree[], question: Question): Envelope {
  const isTable = question.reply === 'rows' || question.reply === 'reports';
  if (!isTable || distinct.length < trees.length) throw new AnswerProblem('unreadable');
  const failed = distinct
    .slice(0, maxTrees)
    .map((tree) => readEnvelope(tree, question))
    .find(saysFailed);
  return failed ?? readEnvelope(trees, question);
}

/** How much a tree looks like what was asked for. */
function rank(tree: Tree, question: Question): number {
  if (isLeaf(tree) || isEmpty(tree)) return 0;
  if (holdsAsked(tree, question)) return 3;
  if (Object.values(tree).some((value) => !isLeaf(value) && !isEmpty(value))) return 2;
  return Object.keys(tree).length > 1 ? 1 : 0;
}

/** Whether a tree has a record or list under a name that was asked for. */
function holdsAsked(tree: Tree, question: Question, depth = 0): boolean {
  if (isLeaf(tree) || depth > maxWrapperDepth) return false;
  if (isList(tree)) return tree.length === 1 && holdsAsked(tree[0] ?? null, question, depth + 1);
  return Object.entries(tree).some(
    ([name, value]) =>
      !isLeaf(value) && (isAsked(name, question) || (isWrapper(name, tree) && holdsAsked(value, question, depth + 1))),
  );
}

/** Whether a field only wraps others: in XML the root element has any name. */
function isWrapper(name: string, record: TreeRecord): boolean {
  const isRoot = isFromXml(record) && Object.keys(record).length === 1 && reportNamed(name) === undefined;
  return isContainer(name) || isRoot;
}

function isAsked(name: string, { table, reports = [] }: Question): boolean {
  if (table !== undefined) return isNounOf(table, name) || isContainer(name);
  const report = reportNamed(name);
  return report !== undefined && (reports.includes(report) || reports.includes('all'));
}

/** The one tree that holds the rows, or the rows of several. */
function theRows(trees: readonly Tree[], question: Question): Envelope {
  const ranks = trees.map((tree) => rank(tree, question));
  const highest = Math.max(...ranks);
  const holders = trees.filter((_, index) => ranks[index] === highest).map((tree) => readEnvelope(tree, question));
  const [holder] = holders;
  if (highest === 0 || !holder) throw new AnswerProblem('unreadable');
  const answer = holders.length === 1 ? holder : joined(holders);
  const columns = new Set(tablesIn(answer).flatMap((table) => table.columns));
  const others = trees.filter((_, index) => ranks[index] !== highest);
  if (others.some((tree) => !isOfOtherReports(tree, question) && sharesColumn(tree, columns, question)))
    throw new AnswerProblem('unreadable');
  const said = others.flatMap((tree) => (isRecord(tree) ? Object.entries(tree).filter(isAboutSize) : []));
  return answer.payload
    ? { ...answer, payload: { ...answer.payload, extra: [...answer.payload.extra, ...said] } }
    : answer;
}

function tablesIn({ payload }: Envelope): readonly FoundReport[] {
  return payload?.kind === 'tables' ? payload.tables : [];
}

/** Whether all rows of a tree are under names of reports that were not asked for. */
function isOfOtherReports(tree: Tree, question: Question, depth = 0): boolean {
  if (!isRecord(tree) || depth > maxWrapperDepth) return false;
  const nested = Object.entries(tree).filter(([, value]) => !isLeaf(value) && !isEmpty(value));
  const isOther = ([name, value]: (typeof nested)[number]) =>
    isWrapper(name, tree)
      ? isOfOtherReports(value, question, depth + 1)
      : reportNamed(name) !== undefined && !isAsked(name, question);
  return nested.length > 0 && nested.every(isOther);
}

/** Whether a tree may hold more of the rows. */
function sharesColumn(tree: Tree, columns: ReadonlySet<string>, question: Question): boolean {
  const names = isRecord(tree) ? Object.keys(tree) : [];
  const inTables = tablesIn(readEnvelope(tree, question)).flatMap((table) => table.columns);
  return [...names, ...inTables].some((name) => columns.has(name));
}

function joined(envelopes: readonly Envelope[]): Envelope {
  const [first] = envelopes;
  const payloads = envelopes.map(({ payload }) => payload);
  const isJoinable = envelopes.every((envelope) => ruleFor(envelope).verdict === 'ok');
  const tables = isJoinable ? tablesIn(first as Envelope).map((table) => joinTables(table, envelopes)) : [];
  const areAll = envelopes.every((envelope) => tablesIn(envelope).length === tables.length);
  if (!first?.payload || tables.length === 0 || !areAll) throw new AnswerProblem('unreadable');
  const extra = payloads.flatMap((payload) => payload?.extra ?? []);
  return { ...first, payload: { ...first.payload, tables, extra } as Payload };
}

/** @throws AnswerProblem if the columns of the parts differ, or a row is in two of them */
function joinTables({ name, columns }: FoundReport, envelopes: readonly Envelope[]): FoundReport {
  const earlier = new Set<string>();
  const rows: (readonly (string | null)[])[] = [];
  for (const envelope of envelopes) {
    const part = tablesIn(envelope).find((table) => table.name === name);
    const order = columns.map((column) => part?.columns.indexOf(column) ?? -1);
    if (!part || order.includes(-1) || part.columns.length !== columns.length) throw new AnswerProblem('unreadable');
    const own = Array.from({ length: part.cells.rowCount }, (_, row) =>
      order.map((column) => part.cells.text(row, column)),
    );
    const keys = own.map((row) => JSON.stringify(row));
    if (keys.some((key) => earlier.has(key))) throw new AnswerProblem('unreadable');
    for (const key of keys) earlier.add(key);
    rows.push(...own);
  }
  boundTable(rows.length, columns.length);
  const cells = columns.map((_, column) => rows.map((row) => row[column] ?? null));
  return { name, columns, cells: new ListedCells(cells, rows.length), extra: [] };
}
