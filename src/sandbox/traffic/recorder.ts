import { listValue } from '@duckdb/node-api';
import { Failure } from '../../api/failure.ts';
import { convert, type Postback } from '../rotation/journey.ts';
import { type Conversion, parseMoney, type Step, type Subscriber, type Visit } from '../rotation/records.ts';
import type { Database, Row, Writer } from '../store/database.ts';
import { TurnedAway } from './answers.ts';
import { appendRecords } from './append-records.ts';

/** Milliseconds that a group is collected at most. */
const maxWait = {
  /** A visitor was answered already: this is what a killed process can lose. */
  visitor: 100,
  /** An offer source waits for the commit. */
  postback: 25,
  /** After a write that failed. */
  retry: 1000,
} as const;

const never = Number.POSITIVE_INFINITY;

/** While so many steps are not written, new visitors wait for a write: a sender is slowed down, and loses nothing. */
const maxWaiting = 10_000;
/** Visitors are turned away after so many writes in a row that failed, and while so many wait for room. */
const maxFailures = 3;
const maxInLine = 10_000;

type Target = Parameters<typeof convert>[0];

interface PendingPostback {
  readonly target: Target;
  readonly postback: Postback;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Group {
  readonly visits: Visit[];
  readonly steps: Step[];
  readonly subscribers: Subscriber[];
  readonly postbacks: PendingPostback[];
}

const emptyGroup = (): Group => ({ visits: [], steps: [], subscribers: [], postbacks: [] });

/**
 * Writes what visitors do, in groups: one transaction for all that came in within 100 ms, since a commit costs the same for
 * one row as for a hundred. Visitors are sent on at once; a clean stop commits what is left, and a kill loses at most the
 * last group. A group is committed in the order it came, all or nothing. What cannot be written is kept and tried again.
 */
export class Recorder {
  readonly #database: Database;
  #lastClickId: number;
  #group = emptyGroup();
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = never;
  #waiting = 0;
  #failures = 0;
  #line: { readonly admit: () => void; readonly refuse: (reason: TurnedAway) => void }[] = [];

  private constructor(database: Database, lastClickId: number) {
    this.#database = database;
    this.#lastClickId = lastClickId;
  }

  /** One recorder a database: click IDs go on from the last recorded one. */
  static async open(database: Database): Promise<Recorder> {
    const [row] = await database.query('SELECT max(click_id) AS last FROM visits');
    return new Recorder(database, Number(row?.['last'] ?? 0));
  }

  nextClickId(): number {
    return ++this.#lastClickId;
  }

  /** Records now, or, while many steps wait, once a write has made room. Throws TurnedAway while visits cannot be written. */
  async whenRoom<Result>(record: () => Result): Promise<Result> {
    if (this.#failures >= maxFailures || this.#line.length >= maxInLine) throw overloaded();
    if (this.#waiting >= maxWaiting) await new Promise<void>((admit, refuse) => this.#line.push({ admit, refuse }));
    return record();
  }

  recordVisit(visit: Visit, step: Step): void {
    this.#group.visits.push(visit);
    this.#recordStep(step);
  }

  recordClick(step: Step, subscriber: Subscriber | undefined): void {
    if (subscriber) this.#group.subscribers.push(subscriber);
    this.#recordStep(step);
  }

  /**
   * Records a conversion, or changes that of the click; resolves when it is committed. If the database throws, nothing is
   * recorded, and the offer source has to try again.
   */
  recordPostback(target: Target, postback: Postback): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#group.postbacks.push({ target, postback, resolve, reject });
      this.#writeWithin(maxWait.postback);
    });
  }

  /** Commits what was recorded before now. If the database throws, it is kept and tried again. */
  async settle(): Promise<void> {
    // A write under way began before what came since.
    await this.#writing?.catch(() => undefined);
    await this.#write();
  }

  #recordStep(step: Step): void {
    this.#group.steps.push(step);
    this.#waiting++;
    this.#writeWithin(maxWait.visitor);
  }

  #writeWithin(milliseconds: number): void {
    const at = performance.now() + milliseconds;
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#dueAt = never;
      // A failure was logged, and its postbacks rejected.
      this.#write().catch(() => undefined);
    }, milliseconds);
  }

  /** Writes the group unless one is being written: what has come due by then follows at once. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeGroup().finally(() => {
      this.#writing = undefined;
      const { steps, postbacks } = this.#group;
      if (this.#dueAt !== never || (steps.length === 0 && postbacks.length === 0)) return;
      this.#writeWithin(this.#failures > 0 ? maxWait.retry : 0);
    });
    return this.#writing;
  }

  async #writeGroup(): Promise<void> {
    clearTimeout(this.#timer);
    this.#dueAt = never;
    const group = this.#group;
    if (group.steps.length === 0 && group.postbacks.length === 0) return;
    this.#group = emptyGroup();
    try {
      await this.#database.transaction((writer) => write(writer, group), 'traffic');
    } catch (error) {
      this.#failures++;
      if (this.#failures >= maxFailures) for (const { refuse } of this.#line.splice(0)) refuse(overloaded());
      console.error(
        `${group.steps.length} steps of visitors could not be written; they are kept and tried again.`,
        error instanceof Failure ? error.message : error,
      );
      for (const { reject } of group.postbacks) reject(error);
      this.#putBack(group);
      throw error;
    }
    this.#failures = 0;
    this.#waiting -= group.steps.length;
    for (const { admit } of this.#line.splice(0)) admit();
    for (const { resolve } of group.postbacks) resolve();
  }

  #putBack({ visits, steps, subscribers }: Group): void {
    const since = this.#group;
    this.#group = {
      visits: [...visits, ...since.visits],
      steps: [...steps, ...since.steps],
      subscribers: [...subscribers, ...since.subscribers],
      postbacks: since.postbacks,
    };
  }
}

function overloaded(): TurnedAway {
  return new TurnedAway('overloaded', 'The tracker cannot record more visits right now.', 'Try again in a moment.');
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
