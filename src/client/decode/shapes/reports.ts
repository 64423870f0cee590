import { memoize, plainName } from '../../../api/text/plain-name.ts';
import {
  type Field,
  isEmpty,
  isLeaf,
  isList,
  isRecord,
  maxWrapperDepth,
  type Tree,
  type TreeRecord,
  without,
} from '../read/tree.ts';
import { isContainer, isMeta, isNaming } from '../verdict/words.ts';
import type { FoundTable } from './build-table.ts';
import { findTable } from './tables.ts';

/** A report found in an answer; `name` is the report's name in the specification, or the tracker's own. */
interface FoundReport extends FoundTable {
  readonly name: string;
}

interface FoundReports {
  readonly reports: readonly FoundReport[];
  readonly beside: readonly Field[];
}

/** How trackers call the reports of the specification, in the form `plainName` gives, without "performance" and the like. */
const reportWords: Readonly<Record<string, string>> = {
  target: 'target',
  targets: 'target',
  ad: 'ad',
  ads: 'ad',
  landing: 'landing',
  landings: 'landing',
  lp: 'landing',
  lps: 'landing',
  thankyou: 'thankyou',
  thankyous: 'thankyou',
  offer: 'offer',
  offers: 'offer',
  campaign: 'campaign',
  campaigns: 'campaign',
};

const wordsAroundNames = /performance|reports?|stats?|statistics|pages?|summary|tables?|data|lists?|rows/g;

/**
 * Finds the reports of a stats answer: keyed by name at any depth, a list of `{report, rows}`, or one table without a name.
 *
 * @param asked the report names that were asked for; the only one of them names a table that has no name
 */
export function findReports(tree: Tree, asked: readonly string[]): FoundReports | undefined {
  const found = search(tree, 0) ?? ownNames(tree, 0);
  if (found) return found;
  const table = findTable(tree);
  const [only, ...others] = asked;
  const isNamed = only !== undefined && only !== 'all' && others.length === 0;
  if (!table || (table.columns.length === 0 && !isNamed)) return table && { reports: [], beside: table.beside };
  return { reports: [{ ...table, name: isNamed ? only : 'report' }], beside: [] };
}

const specifiedName = memoize((name): string | undefined => {
  const word = plainName(name).replace(wordsAroundNames, '');
  return Object.hasOwn(reportWords, word) ? reportWords[word] : undefined;
});

function search(tree: Tree, depth: number): FoundReports | undefined {
  if (isLeaf(tree) || depth > maxWrapperDepth) return undefined;
  if (isList(tree)) return searchList(tree, depth);
  const keyed = keyedReports(tree);
  // `{campaign: {id, reports: {offer: [...]}}}`: what is called like a report may hold them all.
  const inner = keyed?.reports.length === 1 || !keyed ? searchFields(tree, depth) : undefined;
  if (
    keyed &&
    !(inner && inner.reports.length > 0 && inner.reports.every(({ name }) => name !== keyed.reports[0]?.name))
  )
    return keyed;
  return listOfNamed([tree]) ?? inner;
}

function searchFields(record: TreeRecord, depth: number): FoundReports | undefined {
  for (const [name, value] of Object.entries(record)) {
    const found = search(value, depth + 1);
    if (found)
      return { ...found, beside: [...Object.entries(record).filter(([other]) => other !== name), ...found.beside] };
  }
  return undefined;
}

/** `[{report: "offer", rows: [...]}]`, `[{offer: [...]}, {landing: [...]}]`, or a list around one of these. */
function searchList(list: readonly Tree[], depth: number): FoundReports | undefined {
  const named = listOfNamed(list);
  if (named) return named;
  const [only] = list;
  if (list.length === 1 && isRecord(only)) return search(only, depth + 1);
  const keyed =
    list.length <= maxWrapperDepth ? list.map((item) => (isRecord(item) ? keyedReports(item) : undefined)) : [];
  if (keyed.length === 0 || !keyed.every((found) => found !== undefined)) return undefined;
  return { reports: keyed.flatMap((found) => found.reports), beside: keyed.flatMap((found) => found.beside) };
}

/** `{offer: [...], landing: [...]}`: a record with at least one report under a name of the specification. */
function keyedReports(record: TreeRecord): FoundReports | undefined {
  const fields = Object.entries(record);
  // An empty value is an empty report, unless other values show that the record is a row with a column called Offer.
  const isRow = fields.some(
    ([name, value]) => isLeaf(value) && !isEmpty(value) && !isMeta(name) && specifiedName(name) === undefined,
  );
  const canBeReport = (value: Tree) => !isLeaf(value) || (isEmpty(value) && !isRow);
  if (!fields.some(([name, value]) => specifiedName(name) !== undefined && canBeReport(value))) return undefined;
  return collect(
    fields,
    (name, value) => canBeReport(value) && (specifiedName(name) !== undefined || (!isMeta(name) && !isLeaf(value))),
  );
}

/** Reports under names of the tracker's own: at least two lists of records side by side. */
function ownNames(tree: Tree, depth: number): FoundReports | undefined {
  if (!isRecord(tree) || depth > maxWrapperDepth) return undefined;
  const fields = Object.entries(tree);
  const lists = fields.filter(([, value]) => isList(value) && value.length > 0 && value.every(isRecord));
  if (lists.length > 1) return collect(fields, (_, value) => isList(value));
  for (const [name, value] of fields) {
    const found = isRecord(value) && isContainer(name) ? ownNames(value, depth + 1) : undefined;
    if (found) return { ...found, beside: [...fields.filter(([other]) => other !== name), ...found.beside] };
  }
  return undefined;
}

function collect(fields: readonly Field[], isReport: (name: string, value: Tree) => boolean): FoundReports {
  const reports: FoundReport[] = [];
  const beside: Field[] = [];
  for (const [name, value] of fields) {
    const table = isReport(name, value) ? findTable(value, isReportNoun) : undefined;
    if (table) reports.push({ ...table, name: specifiedName(name) ?? name });
    else beside.push([name, value]);
  }
  return { reports, beside };
}

function isReportNoun(name: string): boolean {
  return specifiedName(name) !== undefined;
}

/** `[{report: "offer", rows: [...]}, ...]`, in XML `<report name="offer"><row>...`. */
function listOfNamed(list: readonly Tree[]): FoundReports | undefined {
  const reports: FoundReport[] = [];
  for (const item of list) {
    const report = isRecord(item) ? namedReport(item) : undefined;
    if (!report) return undefined;
    reports.push(report);
  }
  return reports.some((report) => specifiedName(report.name) !== undefined) ? { reports, beside: [] } : undefined;
}

function namedReport(record: TreeRecord): FoundReport | undefined {
  const fields = Object.entries(record);
  const texts = fields.filter(
    ([name, value]) => typeof value === 'string' && (isNaming(name) || /^(id|code|slug)$/i.test(name)),
  );
  const naming =
    texts.find(([, value]) => specifiedName(String(value)) !== undefined) ?? texts.find(([name]) => isNaming(name));
  if (!naming) return undefined;
  const others = fields.filter((field) => field !== naming);
  const holdsRows =
    others.length === 0 || others.some(([name, value]) => !isLeaf(value) || (isContainer(name) && isEmpty(value)));
  if (!holdsRows) return undefined;
  // A second name, such as a title, is no column of a row.
  const titles = texts.filter((field) => field !== naming);
  const table = findTable(without(record, naming[0], ...titles.map(([name]) => name)), isReportNoun);
  return (
    table && {
      ...table,
      beside: [...titles, ...table.beside],
      name: specifiedName(String(naming[1])) ?? String(naming[1]),
    }
  );
}
