import type { ReplyKind, WrittenRecord } from '../../api/endpoints.ts';
import { plainName } from '../../api/text/names.ts';
import { nameOf } from '../../api/vocabulary.ts';
import { type FoundGroup, findGroups } from './shapes/groups.ts';
import { findReceipt } from './shapes/receipt.ts';
import { type FoundReport, findReports } from './shapes/reports.ts';
import { findTable } from './shapes/tables.ts';
import type { Field, Tree } from './tree.ts';

/** What the reader of an answer needs to know about the request, and of the headers. */
export interface Question {
  readonly reply: ReplyKind;
  /** The name of the one table of a `rows` reply. */
  readonly table?: string | undefined;
  /** The kind of record that a write creates or changes. */
  readonly record?: WrittenRecord | undefined;
  /** The requested reports of a `reports` reply. */
  readonly reports?: readonly string[] | undefined;
  /** What the headers of the answer say about its pages. */
  readonly paging?: readonly Field[] | undefined;
}

interface FoundData {
  /** The fields next to the data. */
  readonly extra: readonly Field[];
  /** Whether it has any rows, fields, or an ID. */
  readonly holdsData: boolean;
  /** The names of the shapes that fitted, from the outside to the inside. */
  readonly shape: string;
}

/** What an answer carries. */
export type Payload = FoundData &
  (
    | { readonly kind: 'tables'; readonly tables: readonly FoundReport[] }
    | { readonly kind: 'groups'; readonly groups: readonly FoundGroup[] }
    | { readonly kind: 'receipt'; readonly id: string | null }
  );

/** @returns undefined if nothing in the answer can be what was asked for */
export function findPayload(tree: Tree, question: Question): Payload | undefined {
  return finders[question.reply](tree, question);
}

const finders: Readonly<Record<Question['reply'], (tree: Tree, question: Question) => Payload | undefined>> = {
  id: (tree, { record }) => receiptIn(tree, 'id', record),
  ok: (tree, { record }) => receiptIn(tree, 'ok', record),
  rows: (tree, { table: name = 'rows' }) => {
    const table = findTable(tree, (other) => isNounOf(name, other));
    return table && tablesWith([{ ...table, name }], table.extra, table.shape);
  },
  reports: (tree, { reports: asked = [] }) => {
    const found = findReports(tree, asked);
    if (!found) return undefined;
    const { reports, extra, shape } = found;
    const inside = [shape, reports[0]?.shape].filter(Boolean).join(' > ');
    return tablesWith(reports, [...extra, ...reports.flatMap((report) => report.extra)], inside);
  },
  groups: (tree) => {
    const found = findGroups(tree);
    if (!found) return undefined;
    const holdsData = found.groups.some(({ fields }) => fields.length > 0);
    return { ...found, kind: 'groups', holdsData, shape: found.shape ?? emptyShape };
  },
};

const emptyShape = 'nothing';

function tablesWith(tables: readonly FoundReport[], extra: readonly Field[], shape = emptyShape): Payload {
  return { kind: 'tables', tables, extra, holdsData: tables.some(({ cells }) => cells.rowCount > 0), shape };
}

function receiptIn(tree: Tree, kind: 'id' | 'ok', record: Question['record']): Payload | undefined {
  const found = findReceipt(tree, { kind, record });
  return found && { ...found, kind: 'receipt', holdsData: found.id !== null, shape: found.shape ?? emptyShape };
}

const isTrafficSource = nameOf('list', 'traffic_source');

/** `conversions` also fits conversion and conversionlist; `traffic_sources` also ts and sources. */
export function isNounOf(table: string, name: string): boolean {
  const noun = plainName(table).replace(/s$/, '');
  const word = plainName(name)
    .replace(/(list|data|stats)$/, '')
    .replace(/s$/, '');
  return word === noun || (isTrafficSource(noun) && isTrafficSource(word));
}
