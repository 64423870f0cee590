import {
  BIGINT,
  DECIMAL,
  type DuckDBAppender,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  ENUM,
  INTEGER,
  SQLNULL,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import type { Conversion, Money, Origin, Records, Step, Subscriber, Visit } from '../rotation/records.ts';
import type { Writer } from '../store/database.ts';
import { visitTokens } from '../store/schema.ts';

/** A column of a table: its type, and its value in a record. */
type Column<Entry> = readonly [type: DuckDBType, read: (entry: Entry) => DuckDBValue];

const money = DECIMAL(18, 6);
const chunkRows = 2048;
/** A chunk this small is not worth a look for repeated texts. */
const fewRows = 256;

const originFields = [
  'ip',
  'country',
  'region',
  'city',
  'isp',
  'userAgent',
  'device',
  'os',
  'browser',
] as const satisfies readonly (keyof Origin)[];

// The columns in the order of store/schema.ts, which is the order the Appender writes in.
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

const steps: readonly Column<Step>[] = [
  [BIGINT, (step) => BigInt(step.clickId)],
  [INTEGER, (step) => step.campaignId],
  [TIMESTAMPTZ, (step) => moment(step.at)],
  [INTEGER, (step) => step.page],
  [INTEGER, (step) => step.fromPage],
];

const subscribers: readonly Column<Subscriber>[] = [
  [BIGINT, (subscriber) => BigInt(subscriber.clickId)],
  [INTEGER, (subscriber) => subscriber.campaignId],
  [TIMESTAMPTZ, (subscriber) => moment(subscriber.at)],
  [INTEGER, (subscriber) => subscriber.thankYouPage],
];

const conversions: readonly Column<Conversion>[] = [
  [BIGINT, (conversion) => BigInt(conversion.clickId)],
  [INTEGER, (conversion) => conversion.campaignId],
  [TIMESTAMPTZ, (conversion) => moment(conversion.at)],
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
  entries: readonly Entry[] = [],
): Promise<void> {
  if (entries.length === 0) return;
  const appender = await writer.connection.createAppender(table);
  try {
    fill(appender, columns, entries);
    appender.closeSync();
  } catch (error) {
    // What it holds would be written when it is collected, into whatever transaction is under way then.
    appender.clear();
    throw error;
  }
}

function fill<Entry>(appender: DuckDBAppender, columns: readonly Column<Entry>[], entries: readonly Entry[]): void {
  for (let start = 0; start < entries.length; start += chunkRows) {
    const part = entries.slice(start, start + chunkRows);
    const values = columns.map(([, read]) => part.map(read));
    const types = columns.map(([type], index) => (type === VARCHAR ? textType(values[index] ?? []) : type));
    const chunk = DuckDBDataChunk.create(types, part.length);
    for (const [index, ofColumn] of values.entries()) {
      if (types[index] !== SQLNULL) chunk.setColumnValues(index, ofColumn);
    }
    appender.appendDataChunk(chunk);
  }
}

/**
 * The cheapest type that carries a column of text; the Appender casts it to VARCHAR. Handing over a text costs far more
 * than a number, and in a large chunk most columns hold few different texts, so those go as an ENUM: each text once.
 */
function textType(values: readonly DuckDBValue[]): DuckDBType {
  const maxDistinct = values.length < fewRows ? 0 : values.length / 4;
  const distinct = new Set<string>();
  let before: DuckDBValue = null;
  for (const value of values) {
    if (typeof value !== 'string' || value === before || distinct.has(value)) continue;
    // An ENUM keeps its members as C strings of UTF-8: these two would be cut short, or made equal.
    if (distinct.size >= maxDistinct || /\0|\p{Surrogate}/u.test(value)) return VARCHAR;
    distinct.add(value);
    before = value;
  }
  return distinct.size === 0 ? SQLNULL : ENUM([...distinct]);
}

function moment(at: number): DuckDBTimestampTZValue {
  return new DuckDBTimestampTZValue(BigInt(at * 1000));
}

function amount(value: Money): DuckDBDecimalValue {
  return new DuckDBDecimalValue(value, money.width, money.scale);
}
