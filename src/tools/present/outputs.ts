import * as z from 'zod';
import type { Query } from '../define-tool.ts';
import type { FromSchema } from '../json-schema.ts';

/** The shapes that tools return. Their types check what is sent, and a test parses what every tool sends. */

export type PresentedCell = string | number | null;

const isCell = (value: unknown): value is PresentedCell =>
  value === null || typeof value === 'number' || typeof value === 'string';

const cell = z
  .custom<PresentedCell>(isCell)
  .meta({ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] });

/** One check for all cells, because large answers have many; listed as a plain array, because many tools return rows. */
const row = z.custom<PresentedCell[]>((value) => Array.isArray(value) && value.every(isCell)).meta({ type: 'array' });

/** The arguments as resolved. */
export const query = z
  .custom<Query>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  .meta({ type: 'object' });
/** An item that is checked by its type alone: its fields would cost tokens in the listing. */
export const item = <Item>() => z.custom<Item>((value) => typeof value === 'object' && value !== null);

const notices = z.array(z.string());

const table = () =>
  z.object({
    name: z.string(),
    columns: z.array(z.string()),
    rows: z.array(row),
    total_rows: z.number(),
    offset: z.number(),
    next_offset: z.union([z.number(), z.null()]),
    units: z.record(z.string(), z.string()).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    totals: z.record(z.string(), z.number()).optional(),
    omitted_columns: z.array(z.string()).optional(),
  });

export const tablesOutput = () => z.object({ query, tables: z.array(table()), notices });

export const lookupOutput = () =>
  z.object({
    query,
    groups: z.array(z.object({ name: z.string(), fields: z.record(z.string(), cell) })),
    notices,
  });

export const receiptOutput = () =>
  z.object({
    operation: z.string(),
    dry_run: z.boolean(),
    done: z.boolean(),
    id: z.union([z.string(), z.null()]),
    change_id: z.union([z.string(), z.null()]),
    sent: z.record(z.string(), z.string()),
    before: z.record(z.string(), z.unknown()),
    notices,
  });

/** With what the tracker shows when it is read again. */
export const receiptReadAgain = () => receiptOutput().extend({ after: z.record(z.string(), z.unknown()).optional() });

export type PresentedTable = FromSchema<typeof table>;
export type PresentedTables = FromSchema<typeof tablesOutput>;
export type PresentedLookup = FromSchema<typeof lookupOutput>;
