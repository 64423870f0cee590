import type { ReplyKind, WrittenRecord } from '../../../api/endpoints.ts';
import { plainName } from '../../../api/text/names.ts';
import { nameOf } from '../../../api/vocabulary.ts';
import type { Field, Tree } from '../tree.ts';
import type { FoundTable } from './build-table.ts';
import { type FoundGroup, findGroups } from './groups.ts';
import { findReceipt } from './receipt.ts';
import { findReports } from './reports.ts';
import { findTable } from './tables.ts';

/** What was asked, as far as reading the answer depends on it. */
export interface Question {
  readonly reply: ReplyKind;
  /** The name of the one table of a `rows` reply. */
  readonly table?: string;
  /** What a write creates or changes. */
  readonly record?: WrittenRecord;
  /** The reports that were asked for, in a `reports` reply. */
  readonly reports?: readonly string[];
}

interface Found {
  /** What stood beside it. */
  readonly beside: readonly Field[];
  /** Whether anything is in it: rows, fields, an ID. */
  readonly holdsData: boolean;
  /** The shapes it was read by, from the outside to the inside. */
  readonly shape: string;
}

export type NamedTable = FoundTable & { readonly name: string };

/** What an answer carries. */
export type Payload = Found &
  (
    | { readonly kind: 'tables'; readonly tables: readonly NamedTable[] }
    | { readonly kind: 'groups'; readonly groups: readonly FoundGroup[] }
    | { readonly kind: 'receipt'; readonly id: string | null }
  );

/** @returns undefined if nothing in the answer could be what was asked for */
export function findPayload(tree: Tree, question: Question): Payload | undefined {
  return finders[question.reply](tree, question);
}

const finders: Readonly<Record<Question['reply'], (tree: Tree, question: Question) => Payload | undefined>> = {
  id: (tree, { record }) => receiptIn(tree, 'id', record),
  ok: (tree, { record }) => receiptIn(tree, 'ok', record),
  rows: (tree, { table: name = 'rows' }) => {
    const table = findTable(tree, (other) => isNounOf(name, other));
    return table && tablesWith([{ ...table, name }], table.beside, table.shape);
  },
  reports: (tree, { reports: asked = [] }) => {
    const found = findReports(tree, asked);
    if (!found) return undefined;
    const { reports, beside, shape } = found;
    const inside = [shape, reports[0]?.shape].filter(Boolean).join(' > ');
    return tablesWith(reports, [...beside, ...reports.flatMap((report) => report.beside)], inside);
  },
  groups: (tree) => {
    const found = findGroups(tree);
    if (!found) return undefined;
    const holdsData = found.groups.some(({ fields }) => fields.length > 0);
    return { ...found, kind: 'groups', holdsData, shape: found.shape ?? nothing };
  },
};

/** The shape of an answer that is empty. */
const nothing = 'nothing';

function tablesWith(tables: readonly NamedTable[], beside: readonly Field[], shape = nothing): Payload {
  return { kind: 'tables', tables, beside, holdsData: tables.some(({ cells }) => cells.rowCount > 0), shape };
}

function receiptIn(tree: Tree, kind: 'id' | 'ok', record: Question['record']): Payload | undefined {
  const found = findReceipt(tree, { kind, record });
  return found && { ...found, kind: 'receipt', holdsData: found.id !== null, shape: found.shape ?? nothing };
}

const isTrafficSource = nameOf('list', 'traffic_source');

/** `conversions` names conversions, conversion, conversionlist; `traffic_sources` also ts and sources. */
function isNounOf(table: string, name: string): boolean {
  const noun = plainName(table).replace(/s$/, '');
  const word = plainName(name)
    .replace(/(list|data|stats)$/, '')
    .replace(/s$/, '');
  return word === noun || (isTrafficSource(noun) && isTrafficSource(word));
}
