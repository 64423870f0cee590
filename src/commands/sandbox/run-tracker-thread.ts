import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import type { ThreadMessage } from './embedded-tracker.ts';

/** The program of the thread that `startTrackerThread` starts: an embedded tracker, until a message closes it. */

const post = (message: ThreadMessage) => parentPort?.postMessage(message);

const closing = new Promise<void>((resolve) => {
  parentPort?.once('message', () => resolve());
});

try {
  const { url, apiKey, close } = await startEmbeddedTracker(workerData);
  post({ kind: 'ready', url, apiKey });
  await closing;
  await close();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  post({ kind: 'failed', message: error.message });
  // An open port would keep the thread alive.
  parentPort?.close();
}

/** @throws Failure if DuckDB is not installed, the port cannot be used, or the file cannot be opened */
async function startEmbeddedTracker(options: SandboxOptions) {
  const { startSandbox } = await import('../../sandbox/sandbox.ts').catch((error: unknown) => {
    throw isMissingDatabase(error)
      ? new Failure('The embedded tracker needs DuckDB, which is not installed.', 'Run: npm install @duckdb/node-api')
      : error;
  });
  return startSandbox(options);
}

/** npm silently skips an optional dependency that has no build for the machine. */
function isMissingDatabase(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /MODULE_NOT_FOUND/.test(String(error.code)) &&
    /duckdb/.test(error.message)
  );
}
