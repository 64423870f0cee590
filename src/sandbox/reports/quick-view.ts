import { groupColumns } from '../../api/endpoints.ts';
import { Refusal } from '../refusal.ts';
import type { Reader } from '../store/database.ts';
import { type MetricName, metricNames } from './metrics.ts';

/** How the target report is grouped, and its columns in their order. */
export interface QuickView {
  readonly groups: readonly string[];
  readonly metrics: readonly MetricName[];
}

/**
 * The Quick View with an ID, else the default one; undefined where no default is configured.
 *
 * Throws a Refusal for an ID that is not valid ("Stats" of the specification, qv).
 */
export async function findQuickView(reader: Reader, id?: number): Promise<QuickView | undefined> {
  const rows = await reader.query(
    `SELECT array_to_string(group_by, ',') AS groups, array_to_string(metrics, ',') AS metrics FROM quick_views
     WHERE ${id === undefined ? 'is_default' : 'id = $id::BIGINT'} ORDER BY id LIMIT 1`,
    id === undefined ? {} : { id },
  );
  const [row] = rows;
  if (!row && id !== undefined) {
    throw new Refusal('unknown-record', `qv ${id} is not a valid Quick View ID.`, await listQuickViews(reader));
  }
  if (!row) return undefined;
  return {
    groups: knownNames(String(row['groups']), groupColumns),
    metrics: knownNames(String(row['metrics']), metricNames),
  };
}

function knownNames<Name extends string>(list: string, known: readonly Name[]): Name[] {
  return list.split(',').flatMap((word) => known.find((name) => name === word) ?? []);
}

async function listQuickViews(reader: Reader): Promise<string> {
  const rows = await reader.query('SELECT id, name FROM quick_views ORDER BY id LIMIT 50');
  return rows.length > 0 ? `There are ${rows.map(({ id, name }) => `${id} (${name})`).join(', ')}.` : 'There is none.';
}
