import type { EndpointArguments } from '../../api/endpoints.ts';
import { joinWords } from '../../api/rules.ts';
import { quoted, Refusal } from '../refusal.ts';
import type { Reader, SqlParameters, Writer } from '../store/database.ts';

/** SQL types of the columns that an endpoint may change, each named as its argument. */
export type ColumnTypes = Readonly<Record<string, string>>;

export const moneyType = 'DECIMAL(18, 6)';

/**
 * Sets the columns of one row that are given and leaves the others as they are.
 *
 * @param types the columns that may be set; of `changes`, only these are used
 * @param condition which row, in SQL over `key`
 * @returns whether there is such a row
 */
export async function changeRow(
  writer: Writer,
  table: string,
  types: ColumnTypes,
  changes: Readonly<Record<string, unknown>>,
  condition: string,
  key: SqlParameters,
): Promise<boolean> {
  const given = Object.entries(types).filter(([column]) => changes[column] !== undefined);
  const assignments = given.map(([column, type]) => `${column} = $${column}::${type}`);
  const values = Object.fromEntries(given.map(([column]) => [column, changes[column]])) as SqlParameters;
  const rows = await writer.query(`UPDATE ${table} SET ${assignments.join(', ')} WHERE ${condition} RETURNING 1`, {
    ...values,
    ...key,
  });
  return rows.length > 0;
}

/** The kinds of pages that exist apart from campaigns. */
export type PredefinedKind = 'landing' | 'offer';

interface PredefinedTable {
  readonly table: string;
  readonly label: string;
  readonly types: ColumnTypes;
}

const landingTypes = { name: 'VARCHAR', url: 'VARCHAR', active: 'BOOLEAN', notes: 'VARCHAR' };

export const predefinedTables: Readonly<Record<PredefinedKind, PredefinedTable>> = {
  landing: { table: 'landing_pages', label: 'landing page', types: landingTypes },
  offer: { table: 'offers', label: 'offer', types: { ...landingTypes, source: 'VARCHAR', payout: moneyType } },
};

/** A landing page's fields are among an offer's. */
export type NewRecord = EndpointArguments<'add_offer'>;
const initially = { active: true, notes: '', source: null, payout: 0 };

/**
 * Creates a predefined landing page or offer, active by default; "Landing page management" and "Offer management".
 *
 * @returns the ID it got
 * @throws Refusal for a source that is not configured
 */
export async function addRecord(writer: Writer, kind: PredefinedKind, given: NewRecord): Promise<number> {
  await requireOfferSource(writer, given.source);
  const { table, types } = predefinedTables[kind];
  const [row] = await writer.query(`SELECT coalesce(max(id), 0) + 1 AS id FROM ${table}`);
  const id = Number(row?.['id']);
  const record: SqlParameters = { ...initially, ...given };
  const columns = Object.keys(types);
  await writer.execute(
    `INSERT INTO ${table} (id, ${columns.join(', ')})
     VALUES ($id, ${columns.map((column) => `$${column}::${types[column]}`).join(', ')})`,
    { id, ...Object.fromEntries(columns.map((column) => [column, record[column] ?? null])) },
  );
  return id;
}

/** Changes the given fields. Throws a Refusal for an unknown ID or a source that is not configured. */
export async function editRecord(
  writer: Writer,
  kind: PredefinedKind,
  id: number,
  changes: Partial<NewRecord>,
): Promise<void> {
  await requireOfferSource(writer, changes.source);
  const { table, types } = predefinedTables[kind];
  if (!(await changeRow(writer, table, types, changes, 'id = $id::BIGINT', { id }))) throw unknownRecord(kind, id);
}

export function unknownRecord(kind: PredefinedKind, id: number): Refusal {
  return new Refusal('unknown-record', `There is no ${predefinedTables[kind].label} with ID ${id}.`);
}

/** Throws a Refusal if a source is given that is not among the configured offer sources. */
export async function requireOfferSource(reader: Reader, source: string | undefined): Promise<void> {
  if (source === undefined) return;
  const rows = await reader.query('SELECT name FROM offer_sources ORDER BY name');
  const names = rows.map(({ name }) => String(name));
  if (names.includes(source)) return;
  const configured = names.length > 0 ? `Configured are ${joinWords(names, 'and')}.` : 'None is configured.';
  throw new Refusal('invalid', `source ${quoted(source)} is not an offer source of this tracker.`, configured);
}
