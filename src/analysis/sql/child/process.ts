import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { fromOutside } from '../../../api/text/tracker-text.ts';
import { type Answer, interrupt, type Question, ready, type ToProcess } from '../messages.ts';

/** The process that runs queries, and that can be killed with whatever it is doing. Its standard output leads nowhere. */

/** Longer words of DuckDB are the query itself. */
const maxMessage = 4000;

/** What the watching thread is given: one word of shared memory, 1 while a query runs, and its limits. */
export interface WatchData {
  readonly isBusy: Int32Array;
  readonly maxBytes: number;
  readonly busyMs: number;
  readonly idleMs: number;
}

/** DuckDB counts half of it by itself; what functions take beside that, and Node, has to fit into the rest. */
const maxBytes = 1024 ** 3;

/** Ten looks before a fast query has filled what is left of a small machine, and hardly any without a query. */
const [busyMs, idleMs] = [10, 500];

const send = (message: Answer | typeof ready) => process.send?.(message);

// Its parent is gone, or has no more use for it; leaving in order would wait for a function that runs.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const setBusy = startMemoryWatch();
const { Database } = await import('./database.ts');
// Behind the thread that watches, which must come to its turn; ahead of the threads of the database, which need not.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const database = await Database.open();

process.on('message', async (message: ToProcess) => {
  if (message.ask === interrupt.ask) database.interrupt();
  else send(await answer(message));
});
send(ready);

async function answer(question: Question): Promise<Answer> {
  setBusy(true);
  try {
    return await database.answer(question);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { is: 'failed', message: fromOutside(message.slice(0, maxMessage)) };
  } finally {
    setBusy(false);
  }
}

/**
 * Starts the thread that ends this process if it takes too much memory, or outlives its parent. What it returns is called
 * when a query begins and ends.
 */
function startMemoryWatch(): (isBusy: boolean) => void {
  const isBusy = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchData = { isBusy, maxBytes, busyMs, idleMs };
  new Worker(createRequire(import.meta.url).resolve('#query-memory-watch'), { workerData });
  return (busy) => {
    Atomics.store(isBusy, 0, busy ? 1 : 0);
    Atomics.notify(isBusy, 0);
  };
}
