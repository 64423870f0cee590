import { reportNamed } from '../../../api/vocabulary.ts';
import { holdsNothing } from '../complaint.ts';
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
} from '../tree.ts';
import { isContainer, isMeta, isNaming, isPaging, isRow } from '../words.ts';
import { type FoundTable, readByFirst, type Shape, theOnly } from './build-table.ts';
import { findTable } from './tables.ts';

/** A table with its name: the report's name in the specification, or the tracker's own. */
export interface FoundReport extends FoundTable {
  readonly name: string;
}

export interface FoundReports {
  readonly reports: readonly FoundReport[];
  readonly extra: readonly Field[];
  readonly shape?: string;
}

interface Asked {
  readonly tree: Tree;
  /** The requested reports. If it is one, a table without a name is that report. */
  readonly asked: readonly string[];
}

/** A stats answer as a whole. */
export const statsShapes: readonly Shape<Asked, FoundReports>[] = [
  {
    name: 'reports by the names of the specification',
    examples: [
      '{"Reports":{"offer":[{"Offer":"Keto"}]}}',
      '<stats><report name="offer"><row><Offer>Keto</Offer><Views>1</Views></row></report></stats>',
    ],
    read: ({ tree }) => search(tree, 0),
  },
  {
    name: 'reports by names of their own',
    examples: ['{"By day":[{"Day":"1"}],"By country":[{"Country":"DE"}]}'],
    read: ({ tree }) => ownNames(tree, 0),
  },
  {
    name: 'one table',
    examples: ['[{"Offer":"Keto","Views":"1"}]'],
    read: ({ tree, asked }) => {
      const table = findTable(tree);
      const [only, ...others] = asked;
      const isNamed = only !== undefined && only !== 'all' && others.length === 0;
      if (table && holdsRowsInCell(table)) return null;
      if (!table || (table.columns.length === 0 && !isNamed)) return table && { reports: [], extra: table.extra };
      return { reports: [{ ...table, name: isNamed ? only : 'report' }], extra: [] };
    },
  },
];

/** Whether the only row is a wrapper, with several rows as the text of one cell. */
function holdsRowsInCell({ columns, cells }: FoundTable): boolean {
  return (
    cells.rowCount === 1 && columns.some((_, column) => /^\[(\{|\[.{0,10000}\],\[)/s.test(cells.text(0, column) ?? ''))
  );
}

interface RecordSubject {
  readonly record: TreeRecord;
  readonly keyed: FoundReports | undefined;
  /** The reports in one of its fields, unless the record itself holds several. */
  readonly inner: FoundReports | undefined;
}

/** A record that holds reports of the specification. */
export const reportRecordShapes: readonly Shape<RecordSubject, FoundReports>[] = [
  {
    name: 'reports in what is called like one',
    examples: ['{"campaign":{"id":"4","reports":{"offer":[{"Offer":"Keto"}]}}}'],
    read: ({ record, keyed, inner }) => {
      const [named] = keyed?.reports ?? [];
      if (!keyed || !inner || inner.reports.length === 0) return undefined;
      // Empty cells of a row may have names of reports.
      const areRows = Object.entries(record).every(
        ([name, value]) => isPaging(name) || isList(value) || (isRecord(value) && Object.keys(value).every(isRow)),
      );
      if (areRows && inner.reports.every(({ cells }) => cells.rowCount === 0)) return undefined;
      return inner.reports.every(({ name }) => name !== named?.name) ? (listOfNamed([record]) ?? inner) : undefined;
    },
  },
  {
    name: 'reports by name',
    examples: ['{"offer":[{"Offer":"Keto"}],"landing":[{"Page":"A"}]}'],
    read: ({ keyed }) => keyed,
  },
  {
    name: 'one named report',
    examples: ['{"report":"offer","rows":[{"Offer":"Keto"}]}'],
    read: ({ record }) => listOfNamed([record]),
  },
  { name: 'wrapper', examples: ['{"Status":"OK","Reports":{"offer":[{"Offer":"Keto"}]}}'], read: ({ inner }) => inner },
];

interface ListSubject {
  readonly list: readonly Tree[];
  readonly depth: number;
}

/** A list that holds reports of the specification. */
export const reportListShapes: readonly Shape<ListSubject, FoundReports>[] = [
  {
    name: 'named reports',
    examples: ['[{"report":"offer","rows":[{"Offer":"Keto"}]},{"report":"landing","rows":[{"Page":"A"}]}]'],
    read: ({ list }) => listOfNamed(list),
  },
  {
    name: 'wrapper in a list',
    examples: ['[{"offer":[{"Offer":"Keto"}]}]'],
    read: ({ list, depth }) => {
      const [only] = list;
      return list.length === 1 && isRecord(only) ? (search(only, depth + 1) ?? null) : undefined;
    },
  },
  {
    name: 'one report an item',
    examples: ['[{"offer":[{"Offer":"Keto"}]},{"landing":[{"Page":"A"}]}]'],
    read: ({ list }) => {
      // Records under one name each are rows of one report.
      const isOneRow = (item: Tree) => isRecord(item) && Object.values(item).every(isRecord);
      const isRepeated =
        list.length > 1 &&
        list.every(isOneRow) &&
        new Set(list.map((item) => Object.keys(item ?? {}).join())).size === 1;
      if (list.length > maxWrapperDepth || isRepeated) return undefined;
      const found: FoundReports[] = [];
      for (const item of list) {
        const keyed = isRecord(item) ? keyedReports(item) : undefined;
        if (!keyed) return undefined;
        found.push(keyed);
      }
      if (list.length === 0) return undefined;
      return { reports: found.flatMap(({ reports }) => reports), extra: found.flatMap(({ extra }) => extra) };
    },
  },
];

/** Finds the reports of a stats answer: keyed by name at any depth, a list of `{report, rows}`, or one table without a name. */
export function findReports(tree: Tree, asked: readonly string[]): FoundReports | undefined {
  const found = readByFirst(statsShapes, { tree, asked });
  return found && { ...found, reports: oneOfEachName(found.reports) };
}

function oneOfEachName(reports: readonly FoundReport[]): readonly FoundReport[] {
  const names = [...new Set(reports.map(({ name }) => name))];
  if (names.length === reports.length) return reports;
  return names.flatMap((name) => {
    const same = reports.filter((report) => report.name === name);
    return (
      theOnly(
        same,
        same.map(() => name),
      ) ?? []
    );
  });
}

function search(tree: Tree, depth: number): FoundReports | undefined {
  if (isLeaf(tree) || depth > maxWrapperDepth) return undefined;
  if (isList(tree)) return readByFirst(reportListShapes, { list: tree, depth });
  const keyed = keyedReports(tree);
  const inner = !keyed || keyed.reports.length === 1 ? searchFields(tree, depth) : undefined;
  return readByFirst(reportRecordShapes, { record: tree, keyed, inner });
}

function searchFields(record: TreeRecord, depth: number): FoundReports | undefined {
  const fields = Object.entries(record);
  const all = fields.map((field) => ({ field, found: search(field[1], depth + 1) }));
  const [first, ...others] = all.filter(({ found }) => found !== undefined);
  if (!first?.found) return undefined;
  // Reports may be in several wrappers.
  const more = others.filter(({ found }) => found?.reports.some(isFilledReport));
  const held = [first, ...more];
  const rest = fields.filter((field) => held.every((holder) => holder.field !== field));
  return {
    ...first.found,
    reports: held.flatMap(({ found }) => found?.reports ?? []),
    extra: [...rest, ...held.flatMap(({ found }) => found?.extra ?? [])],
  };
}

const isFilledReport = ({ name, cells }: FoundReport) => reportNamed(name) !== undefined && cells.rowCount > 0;

/** `{offer: [...], landing: [...]}`: a record with at least one report under a name of the specification. */
function keyedReports(record: TreeRecord): FoundReports | undefined {
  const fields = Object.entries(record);
  // An empty value is an empty report, unless other values show that the record is a row with a column called Offer.
  const saysEmpty = (name: string, value: Tree) => reportNamed(name) !== undefined && holdsNothing(value);
  const areCells = fields.some(
    ([name, value]) => isLeaf(value) && !isEmpty(value) && !isMeta(name) && !saysEmpty(name, value),
  );
  const canBeReport = (value: Tree) => !isLeaf(value) || (holdsNothing(value) && !areCells);
  if (!fields.some(([name, value]) => reportNamed(name) !== undefined && canBeReport(value))) return undefined;
  return collect(
    fields,
    (name, value) => canBeReport(value) && (reportNamed(name) !== undefined || (!isMeta(name) && !isLeaf(value))),
  );
}

/** Reports under names of the tracker's own: at least two lists of records side by side. */
function ownNames(tree: Tree, depth: number): FoundReports | undefined {
  if (!isRecord(tree) || depth > maxWrapperDepth) return undefined;
  const fields = Object.entries(tree);
  const lists = fields.filter(([, value]) => isList(value) && value.length > 0 && value.every(isRecord));
  if (lists.length > 1) {
    const found = collect(fields, (_, value) => isList(value));
    // Names that say nothing name no report.
    if (lists.every(([name]) => isContainer(name)))
      theOnly(
        found.reports,
        lists.map(([name]) => name),
      );
    return found;
  }
  for (const [name, value] of fields) {
    const found = isRecord(value) && isContainer(name) ? ownNames(value, depth + 1) : undefined;
    if (found) return { ...found, extra: [...fields.filter(([other]) => other !== name), ...found.extra] };
  }
  return undefined;
}

const isAboutPages = ([name, value]: Field): boolean =>
  isPaging(name) && isRecord(value) && Object.entries(value).every((field) => isLeaf(field[1]) || isAboutPages(field));

function collect(fields: readonly Field[], isReport: (name: string, value: Tree) => boolean): FoundReports {
  const reports: FoundReport[] = [];
  const extra: Field[] = [];
  for (const [name, value] of fields) {
    const table = isReport(name, value) && !isAboutPages([name, value]) ? findTable(value, isReportNoun) : undefined;
    if (table) reports.push({ ...table, name: reportNamed(name) ?? name });
    else extra.push([name, value]);
  }
  return { reports, extra };
}

function isReportNoun(name: string): boolean {
  return reportNamed(name) !== undefined;
}

/** `[{report: "offer", rows: [...]}, ...]`, in XML `<report name="offer"><row>...`. */
function listOfNamed(list: readonly Tree[]): FoundReports | undefined {
  const reports: FoundReport[] = [];
  for (const item of list) {
    const report = isRecord(item) ? namedReport(item) : undefined;
    if (!report) return undefined;
    reports.push(report);
  }
  return reports.some((report) => reportNamed(report.name) !== undefined) ? { reports, extra: [] } : undefined;
}

function namedReport(record: TreeRecord): FoundReport | undefined {
  const fields = Object.entries(record);
  // A record of plain values holds no rows; nearly all of them are rows themselves.
  if (fields.length > 1 && fields.every(([, value]) => isLeaf(value) && !isEmpty(value))) return undefined;
  const texts = fields.filter(
    ([name, value]) => typeof value === 'string' && (isNaming(name) || /^(id|code|slug)$/i.test(name)),
  );
  const naming =
    texts.find(([, value]) => reportNamed(String(value)) !== undefined) ?? texts.find(([name]) => isNaming(name));
  if (!naming) return undefined;
  const others = fields.filter((field) => field !== naming);
  const holdsRows =
    others.length === 0 || others.some(([name, value]) => !isLeaf(value) || (isContainer(name) && isEmpty(value)));
  if (!holdsRows) return undefined;
  // A second name, such as a title, is not a column.
  const titles = texts.filter((field) => field !== naming);
  const table = findTable(without(record, naming[0], ...titles.map(([name]) => name)), isReportNoun);
  return (
    table && {
      ...table,
      extra: [...titles, ...table.extra],
      name: reportNamed(String(naming[1])) ?? String(naming[1]),
    }
  );
}
