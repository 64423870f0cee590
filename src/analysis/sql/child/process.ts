import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { fromOutside } from '../../../api/text/tracker-text.ts';
import { type Answer, type Question, ready } from '../messages.ts';

/** The process that runs queries; it can be killed at any moment. Its standard output is ignored. */

/** What follows in a longer error of DuckDB is the query itself. */
const maxMessage = 4000;

/** The input of the memory watch. */
export interface WatchData {
  /** Shared memory: 1 while a query runs. */
  readonly isBusy: Int32Array;
  readonly maxBytes: number;
  /** How often it checks while a query runs. */
  readonly busyMs: number;
  readonly idleMs: number;
}

/** DuckDB limits itself to half of it; Node, and what functions allocate on their own, must fit into the rest. */
const maxBytes = 1024 ** 3;

/** Ten checks before a fast query can fill a small machine, and hardly any without a query. */
const [busyMs, idleMs] = [10, 500];

const send = (message: Answer | typeof ready) => process.send?.(message);

// The parent is gone or no longer needs it; a normal exit would wait for the function that runs.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const setBusy = startMemoryWatch();
const { Database } = await import('./database.ts');
// Lower than the memory watch, which must always get its turn, and inherited by the threads that the database starts next.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const database = await Database.open();

process.on('message', async (question: Question) => send(await answer(question)));
send(ready);

async function answer(question: Question): Promise<Answer> {
  setBusy(true);
  try {
    return await database.answer(question);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (message.startsWith('Out of Memory Error')) return { is: 'out-of-memory' };
    return { is: 'failed', message: fromOutside(message.slice(0, maxMessage)) };
  } finally {
    setBusy(false);
  }
}

/** Starts the memory watch. The returned function must be called when a query begins and ends. */
function startMemoryWatch(): (isBusy: boolean) => void {
  const isBusy = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchData = { isBusy, maxBytes, busyMs, idleMs };
  new Worker(createRequire(import.meta.url).resolve('#query-memory-watch'), { workerData });
  return (busy) => {
    Atomics.store(isBusy, 0, busy ? 1 : 0);
    Atomics.notify(isBusy, 0);
  };
}
