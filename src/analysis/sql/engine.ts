import { Deadline } from '../../api/deadline.ts';
import { Failure } from '../../api/failure.ts';
import { Table } from '../../api/table.ts';
import { askForLess, complain, refuseDeep } from './complaint.ts';
import type { Answer, Question } from './messages.ts';
import { loadTable, type NamedTable } from './named-table.ts';
import { QueryProcess } from './query-process.ts';

/** With more in the queue, the last would be answered after its caller has given up. */
const maxWaiting = 8;

/** In milliseconds. */
const defaultTimes = {
  maxQuery: 5000,
  /** For the process to start, and to load tables, before a query runs. */
  maxLoad: 20_000,
  /** An idle process ends: it holds about 100 MB. */
  idle: 5 * 60_000,
};

/** `isWhole` is false if more rows were left unread. */
export interface QueryResult {
  readonly table: Table;
  readonly isWhole: boolean;
  /** The names of the tables that the query read. */
  readonly read: readonly string[];
}

export interface Query {
  /** One SELECT over the tables. */
  readonly sql: string;
  /** The tables it may name, the oldest first; only the named ones are loaded. A name is never reused for a different table. */
  readonly tables: readonly NamedTable[];
  /** Whether a table of this name existed and is no longer kept. */
  readonly wasDropped: (name: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs SQL over tables of recent answers, in a separate process that can be killed. It starts with the first query and again after
 * it was killed, and then loads the tables anew. Queries run one at a time, in the order they came.
 */
export class QueryEngine {
  readonly #deadlines = new Set<Deadline>();
  readonly #times: typeof defaultTimes;
  #last: Promise<unknown> = Promise.resolve();
  #process: QueryProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(times: Partial<typeof defaultTimes> = {}) {
    this.#times = { ...defaultTimes, ...times };
  }

  /**
   * Runs a query, within 5 s once its turn has come. Throws a Failure that says what is wrong with it and lists the tables and
   * columns, or why it was stopped.
   */
  async run(query: Query): Promise<QueryResult> {
    refuseDeep(query.sql);
    const { signal: caller } = query;
    const deadline = new Deadline();
    if (this.#isClosed) stopQuery(deadline, 'the server is shutting down');
    if (caller?.aborted) stopQuery(deadline, 'the call was cancelled');
    deadline.signal.throwIfAborted();
    if (this.#deadlines.size > maxWaiting) {
      throw new Failure(
        `The query was not run: ${maxWaiting} others are already waiting.`,
        'Ask again when they are answered.',
      );
    }
    const onCancel = () => stopQuery(deadline, 'the call was cancelled');
    caller?.addEventListener('abort', onCancel, { once: true });
    this.#deadlines.add(deadline);
    const before = this.#last;
    const run = deadline.during(before).then(() => this.#runOrRetry(query, deadline));
    // If a query stops waiting, the next one must not overtake the earlier ones.
    this.#last = Promise.allSettled([before, run]);
    clearTimeout(this.#idle);
    try {
      return await run;
    } finally {
      caller?.removeEventListener('abort', onCancel);
      this.#deadlines.delete(deadline);
      if (this.#deadlines.size === 0) {
        this.#idle = setTimeout(() => this.#process?.kill(), this.#times.idle).unref();
      }
    }
  }

  /** Ends the process for good; queries under way may take `withinMs` more. */
  close(withinMs = 0): void {
    const end = () => {
      this.#isClosed = true;
      for (const deadline of this.#deadlines) stopQuery(deadline, 'the server is shutting down');
      this.#process?.kill();
    };
    if (withinMs === 0) end();
    else setTimeout(end, withinMs).unref();
  }

  /** Runs a query again in a new process if the current one ends, and earlier queries may be the cause. */
  async #runOrRetry(query: Query, deadline: Deadline): Promise<QueryResult> {
    try {
      return await this.#run(query, deadline);
    } catch (error) {
      if (deadline.hasEnded || !this.#process?.isLost) throw error;
      return this.#run(query, deadline);
    }
  }

  async #run(query: Query, deadline: Deadline): Promise<QueryResult> {
    if (!this.#process || this.#process.hasEnded) this.#process = new QueryProcess();
    const database = this.#process;
    // An interrupt would leave its memory, and some functions ignore it.
    const keep = deadline.onEnd(() => database.kill());
    try {
      return await this.#askAll(database, query, deadline);
    } finally {
      keep();
    }
  }

  async #askAll(database: QueryProcess, query: Query, deadline: Deadline): Promise<QueryResult> {
    const { sql, tables } = query;
    const { maxQuery, maxLoad } = this.#times;
    let read: readonly NamedTable[] = [];
    const ask = async <Is extends Answer['is']>(question: Question, is: Is) => {
      const answer = await deadline.during(database.ask(question));
      if (answer.is !== is) throw complain(answer, { ...query, read });
      return answer as Extract<Answer, { is: Is }>;
    };
    await limit(deadline, maxLoad, '', () => deadline.during(database.start()));
    const names = tables.map(({ name, alias }) => ({ name, alias }));
    const allowed = await limit(deadline, maxQuery, askForLess, () =>
      ask({ ask: 'check', sql, tables: names }, 'allowed'),
    );
    read = tables.filter(({ name }) => allowed.tables.includes(name));
    await limit(deadline, maxLoad, '', async () => {
      for (const { name, table } of read.filter((table) => allowed.missing.includes(table.name))) {
        for await (const question of loadTable(name, table)) await ask(question, 'done');
      }
    });
    const { columns, rows, isWhole } = await limit(deadline, maxQuery, askForLess, () => ask({ ask: 'run' }, 'rows'));
    return { table: Table.fromRows('query', columns, rows), isWhole, read: allowed.tables };
  }
}

/** Stops a query: the Failure that says why is the reason of its deadline. The first reason counts. */
function stopQuery(deadline: Deadline, why: string, next = ''): void {
  deadline.cancel(new Failure(`The query was stopped: ${why}.`, next));
}

/** Does a part of the work, and stops the query if that takes longer. */
async function limit<Result>(
  deadline: Deadline,
  ms: number,
  next: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setTimeout(() => stopQuery(deadline, `it ran longer than ${ms / 1000} s`, next), ms);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
