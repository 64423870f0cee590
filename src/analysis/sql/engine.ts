import { Failure } from '../../api/failure.ts';
import { Table } from '../../api/table.ts';
import { askForLess, complain, refuseDeep } from './complaint.ts';
import type { Answer, Question, Row } from './messages.ts';
import { loadTable, type NamedTable } from './named-table.ts';
import { QueryProcess } from './query-process.ts';

/** How long the process may take to start, and to be given tables, before a query runs. */
const maxLoadMs = 20_000;

/** In milliseconds. */
interface Times {
  readonly maxQuery: number;
  /** How long a query that is interrupted may take to end, before its process is killed. */
  readonly farewell: number;
  /** A process that nobody asks anything ends: it holds about 100 MB. */
  readonly idle: number;
}

const usualTimes: Times = { maxQuery: 5000, farewell: 300, idle: 5 * 60_000 };

const closed = 'the server ends';

/** The result of a query; `isWhole` is false where rows behind those of the table were not read. */
export interface QueryResult {
  readonly table: Table;
  readonly isWhole: boolean;
}

export interface Query {
  /** One SELECT over the tables. */
  readonly sql: string;
  /** What it may name, the oldest first; those it does name are loaded. A name stands for one table for ever. */
  readonly tables: readonly NamedTable[];
  /** Whether a table of this name was there and is kept no longer. */
  readonly wasDropped: (name: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs SQL over tables of recent answers, in a process of its own that can be killed: it starts with the first query, and
 * again after it was killed, and is given the tables anew.
 */
export class QueryEngine {
  readonly #turns = new Turns();
  /** The queries that run or wait. */
  readonly #stops = new Set<Stop>();
  readonly #times: Times;
  #process: QueryProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(times: Partial<Times> = {}) {
    this.#times = { ...usualTimes, ...times };
  }

  /**
   * Runs a query, within 5 s once its turn has come. Throws a Failure that says what is wrong with it, and names the
   * tables and columns there are; or why it was stopped.
   */
  async run(query: Query): Promise<QueryResult> {
    refuseDeep(query.sql);
    const stop = new Stop(query.signal);
    this.#stops.add(stop);
    if (this.#isClosed) stop.now(closed);
    try {
      return await this.#turns.take(stop.signal, () => {
        clearTimeout(this.#idle);
        return this.#runAlone(query, stop);
      });
    } finally {
      clearTimeout(this.#idle);
      if (this.#turns.isIdle) this.#idle = setTimeout(() => this.#process?.kill(), this.#times.idle).unref();
      stop.forget();
      this.#stops.delete(stop);
    }
  }

  /** Ends the process for good; queries under way may take `withinMs` more. */
  close(withinMs = 0): void {
    const end = () => {
      this.#isClosed = true;
      for (const stop of this.#stops) stop.now(closed);
      this.#process?.kill();
    };
    if (withinMs === 0) end();
    else setTimeout(end, withinMs).unref();
  }

  /** Runs it in a new process where the one that is there dies of what an earlier query left behind. */
  async #runAlone(query: Query, stop: Stop): Promise<QueryResult> {
    try {
      return await this.#runOnce(query, stop);
    } catch (error) {
      if (stop.signal.aborted || !this.#process?.isLost) throw error;
      return this.#runOnce(query, stop);
    }
  }

  async #runOnce(query: Query, stop: Stop): Promise<QueryResult> {
    const { sql, tables } = query;
    const database = await stop.within(maxLoadMs, '', () => this.#started(stop.signal));
    let read: readonly NamedTable[] = [];
    const ask = async <Is extends Answer['is']>(question: Question, is: Is) => {
      const answer = await database.ask(question, stop.signal);
      // What an interrupted query comes to is of no interest.
      stop.signal.throwIfAborted();
      if (answer.is !== is) throw complain(answer, { ...query, read });
      return answer as Extract<Answer, { is: Is }>;
    };
    const inTime = <Result>(work: () => Promise<Result>) => stop.within(this.#times.maxQuery, askForLess, work);
    const names = tables.map(({ name, alias }) => ({ name, alias }));
    const { tables: readNames, missing } = await inTime(() => ask({ ask: 'read', sql, tables: names }, 'readable'));
    read = tables.filter(({ name }) => readNames.includes(name));
    await stop.within(maxLoadMs, '', async () => {
      for (const { name, table } of read.filter((table) => missing.includes(table.name))) {
        for await (const question of loadTable(name, table)) await ask(question, 'done');
      }
    });
    return inTime(async () => {
      const { columns } = await ask({ ask: 'run' }, 'running');
      const rows: Row[] = [];
      for (;;) {
        const piece = await ask({ ask: 'next-rows' }, 'rows');
        for (const row of piece.rows) rows.push(row);
        if (piece.isLast) return { table: Table.fromRows('query', columns, rows), isWhole: piece.isWhole };
      }
    });
  }

  async #started(stop: AbortSignal): Promise<QueryProcess> {
    if (this.#process && (await this.#process.isThere(stop))) return this.#process;
    this.#process = undefined;
    this.#process = await QueryProcess.start(stop, this.#times.farewell);
    return this.#process;
  }
}

/** One signal for everything that can stop a query, with the Failure that says why as its reason. */
class Stop {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #onCancel = () => this.now('the call was cancelled');

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    // A signal that has fired tells its listeners nothing more.
    if (caller?.aborted) this.#onCancel();
    else caller?.addEventListener('abort', this.#onCancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  now(why: string, next = ''): void {
    this.#controller.abort(new Failure(`The query was stopped: ${why}.`, next));
  }

  /** Does a part of the work, and stops the query if it takes longer. */
  async within<Result>(milliseconds: number, next: string, work: () => Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.now(`it ran longer than ${milliseconds / 1000} s`, next), milliseconds);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  forget(): void {
    this.#caller?.removeEventListener('abort', this.#onCancel);
  }
}

/** More waiting queries than that are refused: the last would be answered when nobody waits for it any more. */
const maxWaiting = 8;

/** One query at a time, in the order they came. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  get isIdle(): boolean {
    return this.#count === 0;
  }

  /**
   * Runs a query when its turn has come.
   *
   * @throws Failure if too many wait, and the reason of the signal if it fires first
   */
  async take<Result>(stop: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    stop.throwIfAborted();
    if (this.#count > maxWaiting) {
      throw new Failure(
        `The query was not run: ${maxWaiting} others wait already.`,
        'Ask again when they are answered.',
      );
    }
    this.#count += 1;
    const before = this.#last;
    const stopped = new Promise<never>((_, reject) => {
      stop.addEventListener('abort', () => reject(stop.reason), { once: true });
    });
    const run = Promise.race([before, stopped]).then(work);
    // One that stops waiting does not let the next ahead of those before it.
    this.#last = Promise.allSettled([before, run]);
    return run.finally(() => {
      this.#count -= 1;
    });
  }
}
