import { workerData } from 'node:worker_threads';
import type { WatchData } from './process.ts';

/**
 * A thread that no query can block: it kills the process above a limit of memory, and when its parent is gone. Nothing gentler ends a
 * process while a function of DuckDB runs.
 */

const { isBusy, maxBytes, busyMs, idleMs } = workerData as WatchData;
const parent = process.ppid;

for (;;) {
  const busy = Atomics.load(isBusy, 0);
  Atomics.wait(isBusy, 0, busy, busy === 1 ? busyMs : idleMs);
  if (process.memoryUsage.rss() > maxBytes || !isParentAlive()) process.kill(process.pid, 'SIGKILL');
}

/** An orphan gets a new parent ID, but not on Windows, where the old parent just does not exist. */
function isParentAlive(): boolean {
  if (process.ppid !== parent) return false;
  try {
    process.kill(parent, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
