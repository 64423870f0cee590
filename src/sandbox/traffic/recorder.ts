import { setTimeout as wait } from 'node:timers/promises';
import { listValue } from '@duckdb/node-api';
import type { Database, Row, Writer } from '../store/database.ts';
import { appendRecords } from './append-records.ts';
import { convert, type Postback } from './journey.ts';
import { parseMoney } from './money.ts';
import type { Conversion, Records, Step, Subscriber, Visit } from './records.ts';

/**
 * When a visitor is sent on: once its visit is committed, so that not even a kill loses what was answered; or as soon as the
 * visit is queued, which is several times as fast, and loses at most the last group to a kill.
 */
export type AnswerWhen = 'committed' | 'queued';

/** How long the first entry of a group waits for others to be written with it, in milliseconds. */
const groupMilliseconds: Readonly<Record<AnswerWhen, number>> = { committed: 1, queued: 100 };

type Target = Parameters<typeof convert>[0];

/** Entries that are committed together, in the order they came. */
interface Group {
  readonly visits: Visit[];
  readonly steps: Step[];
  readonly subscribers: Subscriber[];
  readonly postbacks: { readonly target: Target; readonly postback: Postback }[];
  readonly committed: Promise<void>;
}

/**
 * Writes what visitors do, in groups: one transaction for all that came in while the one before was written, since a commit
 * costs the same for one row as for a hundred.
 *
 * Entries are committed in the order they came, all of a group or none. A clean stop commits what is left.
 */
export class Recorder {
  readonly #database: Database;
  readonly #answerWhen: AnswerWhen;
  #lastClickId: number;
  #openGroup: Group | undefined;
  #lastGroup: Promise<unknown> = Promise.resolve();

  private constructor(database: Database, answerWhen: AnswerWhen, lastClickId: number) {
    this.#database = database;
    this.#answerWhen = answerWhen;
    this.#lastClickId = lastClickId;
  }

  /** One recorder a database: click IDs go on from the last one that is recorded. */
  static async open(database: Database, answerWhen: AnswerWhen): Promise<Recorder> {
    const [row] = await database.query('SELECT max(click_id) AS last FROM visits');
    return new Recorder(database, answerWhen, Number(row?.['last'] ?? 0));
  }

  nextClickId(): number {
    return ++this.#lastClickId;
  }

  /** Fulfilled once the visitor may be answered; rejected where that is after the commit, and the commit failed. */
  record({ visits = [], steps = [], subscribers = [] }: Omit<Records, 'conversions'>): Promise<void> {
    const group = this.#group();
    group.visits.push(...visits);
    group.steps.push(...steps);
    group.subscribers.push(...subscribers);
    return this.#answerWhen === 'committed' ? group.committed : Promise.resolve();
  }

  /** Records a conversion, or changes the one that the click has; fulfilled once that is committed. */
  recordPostback(target: Target, postback: Postback): Promise<void> {
    const group = this.#group();
    group.postbacks.push({ target, postback });
    return group.committed;
  }

  /** Waits until everything that was recorded before is committed. */
  async settle(): Promise<void> {
    await this.#lastGroup;
  }

  #group(): Group {
    if (this.#openGroup) return this.#openGroup;
    const committed = this.#lastGroup
      .then(() => wait(groupMilliseconds[this.#answerWhen]))
      .then(() => {
        this.#openGroup = undefined;
        return this.#database.transaction((writer) => write(writer, group), 'traffic');
      });
    const group: Group = { visits: [], steps: [], subscribers: [], postbacks: [], committed };
    this.#lastGroup = committed.catch((error: unknown) => {
      // Whoever waits for the commit is told; visitors who were sent on already can only be missed in the log.
      if (this.#answerWhen === 'queued') console.error('Visits could not be written and are lost.', error);
    });
    this.#openGroup = group;
    return group;
  }
}

async function write(writer: Writer, { postbacks, ...records }: Group): Promise<void> {
  const conversions = postbacks.length > 0 ? await replaceConversions(writer, postbacks) : [];
  await appendRecords(writer, { ...records, conversions });
}

/** Takes out the conversions that the postbacks change, and returns what is to be written instead. */
async function replaceConversions(writer: Writer, postbacks: Group['postbacks']): Promise<Conversion[]> {
  const clickIds = listValue([...new Set(postbacks.map(({ target }) => BigInt(target.clickId)))]);
  const earlier = await writer.query(
    `SELECT * EXCLUDE ("at"), epoch_ms("at") AS moment FROM conversions
     WHERE click_id IN (SELECT unnest($clickIds::BIGINT[]))`,
    { clickIds },
  );
  if (earlier.length > 0) {
    await writer.execute('DELETE FROM conversions WHERE click_id IN (SELECT unnest($clickIds::BIGINT[]))', {
      clickIds,
    });
  }
  const conversions = new Map(earlier.map(toConversion).map((conversion) => [conversion.clickId, conversion]));
  for (const { target, postback } of postbacks) {
    conversions.set(target.clickId, convert(target, postback, conversions.get(target.clickId)));
  }
  return [...conversions.values()];
}

function toConversion(row: Row): Conversion {
  const text = (column: string) => (row[column] === null ? null : String(row[column]));
  return {
    clickId: Number(row['click_id']),
    campaignId: Number(row['campaign_id']),
    at: Number(row['moment']),
    offerPage: row['offer_page'] === null ? null : Number(row['offer_page']),
    revenue: parseMoney(String(row['revenue'])) ?? 0n,
    status: text('status'),
    transactionId: text('transaction_id'),
    custom: [1, 2, 3, 4, 5].map((field) => text(`custom${field}`)),
  };
}
