import type { EndpointArguments } from '../../api/endpoints.ts';
import { joinWords } from '../../api/rules.ts';
import { quoted, Refusal } from '../refusal.ts';
import type { Reader, SqlParameters, Writer } from '../store/database.ts';

/** Sets those of the columns that are among the changes, by their names. Returns whether there is such a row. */
export async function changeRow(
  writer: Writer,
  table: string,
  columns: readonly string[],
  changes: Readonly<Record<string, unknown>>,
  id: number,
): Promise<boolean> {
  const given = columns.filter((column) => changes[column] !== undefined);
  const assignments = given.map((column) => `${column} = $${column}`);
  const values = Object.fromEntries(given.map((column) => [column, changes[column]])) as SqlParameters;
  const rows = await writer.query(`UPDATE ${table} SET ${assignments.join(', ')} WHERE id = $id::BIGINT RETURNING 1`, {
    ...values,
    id,
  });
  return rows.length > 0;
}

export type PredefinedKind = 'landing' | 'offer';

interface PredefinedTable {
  readonly table: string;
  readonly label: string;
  /** What can be set, each named as its argument. */
  readonly columns: readonly string[];
}

const landingColumns = ['name', 'url', 'active', 'notes'];

export const predefinedTables: Readonly<Record<PredefinedKind, PredefinedTable>> = {
  landing: { table: 'landing_pages', label: 'landing page', columns: landingColumns },
  offer: { table: 'offers', label: 'offer', columns: [...landingColumns, 'source', 'payout'] },
};

/** A landing page's fields are among an offer's. */
export type NewRecord = EndpointArguments<'add_offer'>;
const initially = { active: true, notes: '', source: null, payout: 0 };

/**
 * Creates a predefined landing page or offer, active by default, and returns its ID; "Landing page management" and "Offer
 * management". Throws a Refusal for a source that is not configured.
 */
export async function addRecord(writer: Writer, kind: PredefinedKind, given: NewRecord): Promise<number> {
  await requireOfferSource(writer, given.source);
  const { table, columns } = predefinedTables[kind];
  const record: SqlParameters = { ...initially, ...given };
  const [row] = await writer.query(
    `INSERT INTO ${table} (id, ${columns.join(', ')})
     SELECT (SELECT coalesce(max(id), 0) + 1 FROM ${table}), ${columns.map((column) => `$${column}`).join(', ')}
     RETURNING id`,
    Object.fromEntries(columns.map((column) => [column, record[column] ?? null])),
  );
  return Number(row?.['id']);
}

/** Changes the given fields, and returns the ID. Throws a Refusal for an unknown ID or a source that is not configured. */
export async function editRecord(
  writer: Writer,
  kind: PredefinedKind,
  id: number,
  changes: Partial<NewRecord>,
): Promise<number> {
  await requireOfferSource(writer, changes.source);
  const { table, columns } = predefinedTables[kind];
  if (!(await changeRow(writer, table, columns, changes, id))) throw unknownRecord(kind, id);
  return id;
}

export function unknownRecord(kind: PredefinedKind, id: number): Refusal {
  return new Refusal('unknown-record', `There is no ${predefinedTables[kind].label} with ID ${id}.`);
}

export async function requireOfferSource(reader: Reader, source: string | undefined): Promise<void> {
  if (source === undefined) return;
  const rows = await reader.query('SELECT name FROM offer_sources ORDER BY name');
  const names = rows.map(({ name }) => String(name));
  if (names.includes(source)) return;
  const configured = names.length > 0 ? `Configured are ${joinWords(names, 'and')}.` : 'None is configured.';
  throw new Refusal('invalid', `source ${quoted(source)} is not an offer source of this tracker.`, configured);
}
