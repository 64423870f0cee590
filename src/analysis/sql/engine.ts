import { Deadline } from '../../api/deadline.ts';
import { Failure } from '../../api/failure.ts';
import { Table } from '../../api/table.ts';
import { askForLess, complain, refuseDeep } from './complaint.ts';
import type { Answer, Question, Row } from './messages.ts';
import { loadTable, type NamedTable } from './named-table.ts';
import { QueryProcess } from './query-process.ts';

/** How long the process may take to start, and to be given tables, before a query runs. */
const maxLoadMs = 20_000;

/** In milliseconds. */
const usualTimes = {
  maxQuery: 5000,
  /** How long a query that is interrupted may take to end, before its process is killed. */
  farewell: 300,
  /** An idle process ends: it holds about 100 MB. */
  idle: 5 * 60_000,
};

const closed = 'the server ends';

/** `isWhole` is false if rows behind those of the table were not read. */
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
  readonly #stops = new Set<Deadline>();
  readonly #times: typeof usualTimes;
  #process: QueryProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(times: Partial<typeof usualTimes> = {}) {
    this.#times = { ...usualTimes, ...times };
  }

  /**
   * Runs a query, within 5 s once its turn has come. Throws a Failure that says what is wrong with it, and names the
   * tables and columns there are; or why it was stopped.
   */
  async run(query: Query): Promise<QueryResult> {
    refuseDeep(query.sql);
    const { signal: caller } = query;
    const stop = new Deadline();
    this.#stops.add(stop);
    const onCancel = () => stopQuery(stop, 'the call was cancelled');
    // A signal that has fired calls no listener any more.
    if (caller?.aborted) onCancel();
    caller?.addEventListener('abort', onCancel, { once: true });
    if (this.#isClosed) stopQuery(stop, closed);
    try {
      return await this.#turns.take(stop, () => {
        clearTimeout(this.#idle);
        return this.#runAlone(query, stop);
      });
    } finally {
      clearTimeout(this.#idle);
      if (this.#turns.isIdle) this.#idle = setTimeout(() => this.#process?.kill(), this.#times.idle).unref();
      caller?.removeEventListener('abort', onCancel);
      this.#stops.delete(stop);
    }
  }

  /** Ends the process for good; queries under way may take `withinMs` more. */
  close(withinMs = 0): void {
    const end = () => {
      this.#isClosed = true;
      for (const stop of this.#stops) stopQuery(stop, closed);
      this.#process?.kill();
    };
    if (withinMs === 0) end();
    else setTimeout(end, withinMs).unref();
  }

  /** Runs it in a new process if the one that is there dies of what an earlier query left behind. */
  async #runAlone(query: Query, stop: Deadline): Promise<QueryResult> {
    try {
      return await this.#runOnce(query, stop);
    } catch (error) {
      if (stop.hasEnded || !this.#process?.isLost) throw error;
      return this.#runOnce(query, stop);
    }
  }

  async #runOnce(query: Query, stop: Deadline): Promise<QueryResult> {
    const { sql, tables } = query;
    const database = await limit(stop, maxLoadMs, '', () => this.#started(stop.signal));
    let read: readonly NamedTable[] = [];
    const ask = async <Is extends Answer['is']>(question: Question, is: Is) => {
      const answer = await database.ask(question, stop.signal);
      stop.signal.throwIfAborted();
      if (answer.is !== is) throw complain(answer, { ...query, read });
      return answer as Extract<Answer, { is: Is }>;
    };
    const inTime = <Result>(work: () => Promise<Result>) => limit(stop, this.#times.maxQuery, askForLess, work);
    const names = tables.map(({ name, alias }) => ({ name, alias }));
    const { tables: readNames, missing } = await inTime(() => ask({ ask: 'read', sql, tables: names }, 'readable'));
    read = tables.filter(({ name }) => readNames.includes(name));
    await limit(stop, maxLoadMs, '', async () => {
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

/** Whatever stops a query ends its deadline, with the Failure that says why as the reason; the first counts. */
function stopQuery(stop: Deadline, why: string, next = ''): void {
  stop.cancel(new Failure(`The query was stopped: ${why}.`, next));
}

/** Does a part of the work, and stops the query if it takes longer. */
async function limit<Result>(stop: Deadline, ms: number, next: string, work: () => Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => stopQuery(stop, `it ran longer than ${ms / 1000} s`, next), ms);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** If more waited, the last would be answered when its caller has given up. */
const maxWaiting = 8;

/** One query at a time, in the order they came. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** Runs a query when its turn has come. Throws a Failure if too many wait, and the reason of the deadline if that ends first. */
  async take<Result>(stop: Deadline, work: () => Promise<Result>): Promise<Result> {
    stop.signal.throwIfAborted();
    if (this.#count > maxWaiting) {
      throw new Failure(
        `The query was not run: ${maxWaiting} others wait already.`,
        'Ask again when they are answered.',
      );
    }
    this.#count += 1;
    const before = this.#last;
    const run = stop.during(before).then(work);
    // One that stops waiting does not let the next ahead of those before it.
    this.#last = Promise.allSettled([before, run]);
    return run.finally(() => {
      this.#count -= 1;
    });
  }
}
