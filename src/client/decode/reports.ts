import { isContainer, isMeta, isNaming } from './names.ts';
import { type FoundTable, findTable } from './tables.ts';
import { isEmpty, isLeaf, isList, isRecord, plainName, type Tree, type TreeRecord } from './tree.ts';

/** A report found in an answer; `name` is the report's name in the specification, or the tracker's own. */
export interface FoundReport extends FoundTable {
  readonly name: string;
}

interface FoundReports {
  readonly reports: readonly FoundReport[];
  readonly beside: readonly (readonly [name: string, value: Tree])[];
}

const deepestWrapper = 12;

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
  const name = only !== undefined && only !== 'all' && others.length === 0 ? only : 'report';
  return table && { reports: [{ ...table, name }], beside: [] };
}

function specifiedName(name: string): string | undefined {
  const word = plainName(name).replace(/performance|reports?|stats?|statistics|pages?/g, '');
  return Object.hasOwn(reportWords, word) ? reportWords[word] : undefined;
}

function search(tree: Tree, depth: number): FoundReports | undefined {
  if (isLeaf(tree) || depth > deepestWrapper) return undefined;
  if (isList(tree))
    return listOfNamed(tree) ?? (tree.length === 1 && isRecord(tree[0]) ? search(tree[0], depth + 1) : undefined);
  const keyed = keyedReports(tree);
  if (keyed) return keyed;
  const single = listOfNamed([tree]);
  if (single) return single;
  for (const [name, value] of Object.entries(tree)) {
    const found = search(value, depth + 1);
    if (found)
      return { ...found, beside: [...Object.entries(tree).filter(([other]) => other !== name), ...found.beside] };
  }
  return undefined;
}

/** `{offer: [...], landing: [...]}`: a record with at least one report under a name of the specification. */
function keyedReports(record: TreeRecord): FoundReports | undefined {
  const fields = Object.entries(record);
  // An empty value is an empty report, unless other values show that the record is a row with a column called Offer.
  const isRow = fields.some(([name, value]) => isLeaf(value) && !isEmpty(value) && !isMeta(name));
  const canBeReport = (value: Tree) => !isLeaf(value) || (isEmpty(value) && !isRow);
  if (!fields.some(([name, value]) => specifiedName(name) !== undefined && canBeReport(value))) return undefined;
  return collect(
    fields,
    (name, value) => canBeReport(value) && (specifiedName(name) !== undefined || (!isMeta(name) && !isLeaf(value))),
  );
}

/** Reports under names of the tracker's own: at least two lists of records side by side. */
function ownNames(tree: Tree, depth: number): FoundReports | undefined {
  if (!isRecord(tree) || depth > deepestWrapper) return undefined;
  const fields = Object.entries(tree);
  const lists = fields.filter(([, value]) => isList(value) && value.length > 0 && value.every(isRecord));
  if (lists.length > 1) return collect(fields, (_, value) => isList(value));
  const nested = fields.filter(([name, value]) => isRecord(value) && isContainer(name));
  for (const [, value] of nested) {
    const found = ownNames(value, depth + 1);
    if (found) return found;
  }
  return undefined;
}

function collect(
  fields: readonly (readonly [string, Tree])[],
  isReport: (name: string, value: Tree) => boolean,
): FoundReports {
  const reports: FoundReport[] = [];
  const beside: (readonly [string, Tree])[] = [];
  for (const [name, value] of fields) {
    const table = isReport(name, value) ? findTable(value, (inner) => specifiedName(inner) !== undefined) : undefined;
    if (table) reports.push({ ...table, name: specifiedName(name) ?? name });
    else beside.push([name, value]);
  }
  return { reports, beside };
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
  const naming = fields.find(([name, value]) => isNaming(name) && typeof value === 'string');
  if (!naming) return undefined;
  const others = fields.filter((field) => field !== naming);
  const holdsRows =
    others.length === 0 || others.some(([name, value]) => !isLeaf(value) || (isContainer(name) && isEmpty(value)));
  const table = holdsRows ? findTable(Object.fromEntries(others)) : undefined;
  return table && { ...table, name: specifiedName(String(naming[1])) ?? String(naming[1]) };
}
