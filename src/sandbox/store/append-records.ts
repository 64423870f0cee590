import {
  BIGINT,
  DECIMAL,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import {
  type Conversion,
  type Money,
  originFields,
  type Step,
  type Subscriber,
  type Visit,
  type VisitorEvent,
} from '../rotation/records.ts';
import type { Writer } from './database.ts';
import { visitTokens } from './schema.ts';

export interface Records {
  readonly visits: Visit[];
  readonly steps: Step[];
  readonly subscribers: Subscriber[];
  readonly conversions: Conversion[];
}

type Column<Entry> = readonly [type: DuckDBType, read: (entry: Entry) => DuckDBValue];

const money = DECIMAL(18, 6);
/** The most that DuckDB takes in one chunk. */
const maxChunkRows = 2048;

// The Appender writes in the order of the columns in schema.ts.
const visits: readonly Column<Visit>[] = [
  [BIGINT, (visit) => BigInt(visit.clickId)],
  [VARCHAR, (visit) => visit.subid],
  [INTEGER, (visit) => visit.campaignId],
  [TIMESTAMPTZ, (visit) => moment(visit.at)],
  [INTEGER, (visit) => visit.path],
  ...visitTokens.map(({ slot }): Column<Visit> => [VARCHAR, (visit) => visit.tokens[slot] ?? null]),
  [money, (visit) => amount(visit.cost)],
  ...originFields.map((field): Column<Visit> => [VARCHAR, (visit) => visit.origin[field]]),
  [VARCHAR, (visit) => visit.referrer],
];

const event: readonly Column<VisitorEvent>[] = [
  [BIGINT, ({ clickId }) => BigInt(clickId)],
  [INTEGER, ({ campaignId }) => campaignId],
  [TIMESTAMPTZ, ({ at }) => moment(at)],
];

const steps: readonly Column<Step>[] = [...event, [INTEGER, (step) => step.page], [INTEGER, (step) => step.fromPage]];

const subscribers: readonly Column<Subscriber>[] = [...event, [INTEGER, (subscriber) => subscriber.thankYouPage]];

const conversions: readonly Column<Conversion>[] = [
  ...event,
  [INTEGER, (conversion) => conversion.offerPage],
  [money, (conversion) => amount(conversion.revenue)],
  [VARCHAR, (conversion) => conversion.status],
  [VARCHAR, (conversion) => conversion.transactionId],
  ...[0, 1, 2, 3, 4].map((field): Column<Conversion> => [VARCHAR, (conversion) => conversion.custom[field] ?? null]),
];

/** Writes records through DuckDB's Appender, as part of the writer's transaction. */
export async function appendRecords(writer: Writer, records: Records): Promise<void> {
  await append(writer, 'visits', visits, records.visits);
  await append(writer, 'steps', steps, records.steps);
  await append(writer, 'subscribers', subscribers, records.subscribers);
  await append(writer, 'conversions', conversions, records.conversions);
}

async function append<Entry>(
  writer: Writer,
  table: string,
  columns: readonly Column<Entry>[],
  entries: readonly Entry[],
): Promise<void> {
  if (entries.length === 0) return;
  const appender = await writer.connection.createAppender(table);
  try {
    const types = columns.map(([type]) => type);
    for (let start = 0; start < entries.length; start += maxChunkRows) {
      const part = entries.slice(start, start + maxChunkRows);
      const chunk = DuckDBDataChunk.create(types, part.length);
      for (const [index, [, read]] of columns.entries()) chunk.setColumnValues(index, part.map(read));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  } catch (error) {
    // Otherwise the garbage collector flushes the appender later, into the transaction of that moment.
    appender.clear();
    throw error;
  }
}

function moment(at: number): DuckDBTimestampTZValue {
  return new DuckDBTimestampTZValue(BigInt(at * 1000));
}

function amount(value: Money): DuckDBDecimalValue {
  return new DuckDBDecimalValue(value, money.width, money.scale);
}
