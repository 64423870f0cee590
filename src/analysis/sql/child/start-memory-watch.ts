import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** What the watching thread is given: one word of shared memory, 1 while a query runs, and its limits. */
export interface WatchData {
  readonly isBusy: Int32Array;
  readonly maxBytes: number;
  readonly busyMs: number;
  readonly idleMs: number;
}

/** DuckDB counts half of it by itself; what functions take beside that, and Node, has to fit into the rest. */
const maxBytes = 1024 ** 3;

/** Ten looks before a fast query has filled what is left of a small machine, and hardly any while there is none. */
const [busyMs, idleMs] = [10, 500];

/**
 * Starts the thread that ends this process where it takes too much memory, or outlives its parent.
 *
 * @returns to be told when a query begins and ends
 */
export function startMemoryWatch(): (isBusy: boolean) => void {
  const isBusy = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchData = { isBusy, maxBytes, busyMs, idleMs };
  new Worker(createRequire(import.meta.url).resolve('#query-memory-watch'), { workerData });
  return (busy) => {
    Atomics.store(isBusy, 0, busy ? 1 : 0);
    Atomics.notify(isBusy, 0);
  };
}
