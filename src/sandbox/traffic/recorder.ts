import { listValue } from '@duckdb/node-api';
import { Failure } from '../../api/failure.ts';
import { convert, type Postback } from '../rotation/journey.ts';
import { type Conversion, parseMoney, type Step, type Subscriber, type Visit } from '../rotation/records.ts';
import { appendRecords, type Records } from '../store/append-records.ts';
import type { Database, Row, Writer } from '../store/database.ts';
import { TurnedAway } from './http.ts';

/** How long records are collected before they are written. A killed process can lose the visits of that time. */
const collectMs = 100;
/** The same for postbacks, whose senders wait for the commit. */
const collectPostbacksMs = 20;
/** The wait after a write that failed. */
const retryMs = 1000;

/** With this many unwritten steps, further visitors wait for a write: the sender slows down, and loses nothing. */
const maxUnwritten = 10_000;
const maxWaitingVisitors = 10_000;
/** After this many failed writes in a row, visitors are turned away. */
const maxFailures = 3;

type Target = Parameters<typeof convert>[0];

interface PendingPostback {
  readonly target: Target;
  readonly postback: Postback;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Records that are written in one transaction. Each visit and each subscriber comes with a step. */
interface Group extends Omit<Records, 'conversions'> {
  readonly postbacks: PendingPostback[];
}

const emptyGroup = (): Group => ({ visits: [], steps: [], subscribers: [], postbacks: [] });
const isEmpty = ({ steps, postbacks }: Group) => steps.length === 0 && postbacks.length === 0;

/**
 * Writes what visitors do, in groups, because a commit takes as long for one row as for a hundred. Visitors are redirected
 * before the write; a clean stop writes what is left, and a kill loses at most the last group. Groups are written in order.
 * A group that cannot be written is kept and tried again.
 */
export class Recorder {
  readonly #database: Database;
  #lastClickId: number;
  #group = emptyGroup();
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Steps that are not written yet, including those of the write under way. */
  #unwritten = 0;
  #failures = 0;
  #waitingVisitors: { readonly admit: () => void; readonly refuse: (reason: TurnedAway) => void }[] = [];

  private constructor(database: Database, lastClickId: number) {
    this.#database = database;
    this.#lastClickId = lastClickId;
  }

  /** Opens the only recorder of a database. Click IDs continue after the last recorded one. */
  static async open(database: Database): Promise<Recorder> {
    const [row] = await database.query('SELECT max(click_id) AS last FROM visits');
    return new Recorder(database, Number(row?.['last'] ?? 0));
  }

  nextClickId(): number {
    return ++this.#lastClickId;
  }

  /** Calls `record` now, or after a write if too many steps are unwritten. Throws TurnedAway while writing fails. */
  async whenRoom<Result>(record: () => Result): Promise<Result> {
    if (this.#failures >= maxFailures || this.#waitingVisitors.length >= maxWaitingVisitors) throw overloaded();
    if (this.#unwritten >= maxUnwritten) {
      await new Promise<void>((admit, refuse) => this.#waitingVisitors.push({ admit, refuse }));
    }
    return record();
  }

  recordVisit(visit: Visit, step: Step): void {
    this.#group.visits.push(visit);
    this.recordClick(step, undefined);
  }

  recordClick(step: Step, subscriber: Subscriber | undefined): void {
    if (subscriber) this.#group.subscribers.push(subscriber);
    this.#group.steps.push(step);
    this.#unwritten++;
    this.#writeLater(collectMs);
  }

  /**
   * Records a conversion, or changes the earlier one of the visitor; resolves once it is committed. If the database throws,
   * nothing is recorded, and the offer source has to try again.
   */
  recordPostback(target: Target, postback: Postback): Promise<void> {
    return new Promise((resolve, reject) => {
      const { postbacks } = this.#group;
      if (postbacks.length === 0) this.#stopTimer();
      postbacks.push({ target, postback, resolve, reject });
      this.#writeLater(collectPostbacksMs);
    });
  }

  /** Commits everything recorded so far. If the database throws, it is kept and tried again. */
  async flush(): Promise<void> {
    // A write under way does not include the latest records.
    await this.#writing?.catch(() => undefined);
    await this.#write();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #writeLater(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The failure was logged, and its postbacks were rejected.
      this.#write().catch(() => undefined);
    }, milliseconds);
  }

  /** Writes the group, unless a write is under way. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeGroup().finally(() => {
      this.#writing = undefined;
      if (isEmpty(this.#group)) return;
      const waitMs = this.#group.postbacks.length > 0 ? collectPostbacksMs : collectMs;
      this.#writeLater(this.#failures > 0 ? retryMs : waitMs);
    });
    return this.#writing;
  }

  async #writeGroup(): Promise<void> {
    this.#stopTimer();
    const group = this.#group;
    if (isEmpty(group)) return;
    this.#group = emptyGroup();
    try {
      await this.#database.transaction((writer) => write(writer, group), 'traffic');
    } catch (error) {
      this.#failures++;
      if (this.#failures >= maxFailures) for (const { refuse } of this.#waitingVisitors.splice(0)) refuse(overloaded());
      console.error(
        `${group.steps.length} steps of visitors could not be written; they are kept and tried again.`,
        error instanceof Failure ? error.message : error,
      );
      for (const { reject } of group.postbacks) reject(error);
      this.#putBack(group);
      throw error;
    }
    this.#failures = 0;
    this.#unwritten -= group.steps.length;
    for (const { admit } of this.#waitingVisitors.splice(0)) admit();
    for (const { resolve } of group.postbacks) resolve();
  }

  #putBack({ visits, steps, subscribers }: Group): void {
    const newer = this.#group;
    this.#group = {
      visits: [...visits, ...newer.visits],
      steps: [...steps, ...newer.steps],
      subscribers: [...subscribers, ...newer.subscribers],
      postbacks: newer.postbacks,
    };
  }
}

function overloaded(): TurnedAway {
  return new TurnedAway(503, 'The tracker cannot record more visits right now.', 'Try again in a moment.');
}

async function write(writer: Writer, { postbacks, ...records }: Group): Promise<void> {
  const conversions = postbacks.length > 0 ? await replaceConversions(writer, postbacks) : [];
  await appendRecords(writer, { ...records, conversions });
}

/** Deletes the conversions that the postbacks change, and returns the conversions to write instead. */
async function replaceConversions(writer: Writer, postbacks: Group['postbacks']): Promise<Conversion[]> {
  const clickIds = listValue([...new Set(postbacks.map(({ target }) => BigInt(target.clickId)))]);
  const earlier = await writer.query(
    `DELETE FROM conversions WHERE click_id IN (SELECT unnest($clickIds::BIGINT[]))
     RETURNING * EXCLUDE ("at"), epoch_ms("at") AS moment`,
    { clickIds },
  );
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
