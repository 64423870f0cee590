import { Worker } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';

/**
 * Loads and starts the embedded tracker.
 *
 * @throws Failure if DuckDB is not installed, the port cannot be used, or the file cannot be opened
 */
export async function startEmbeddedTracker(options: SandboxOptions): Promise<Sandbox> {
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

export type ThreadMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'ready'; readonly url: string; readonly apiKey: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface TrackerThread {
  /** Rejects with a Failure if DuckDB is not installed, and with any other error of the thread. */
  readonly started: Promise<{ readonly url: string; readonly apiKey: string }>;
  /**
   * Finishes the requests under way, or stops making sample data, then closes the database. If the process exited earlier, in the
   * middle of DuckDB's work, it would abort.
   */
  close(): Promise<void>;
}

/**
 * Starts an embedded tracker with sample data in memory, in its own thread, so that a server can answer its client while the data
 * is being made.
 */
export function startTrackerThread(onProgress?: (done: number, total: number) => void): TrackerThread {
  // The bundle puts the program of the thread next to the chunk with this code.
  const thread = new Worker(new URL('./tracker-thread.js', import.meta.url));
  const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const started = new Promise<{ url: string; apiKey: string }>((resolve, reject) => {
    thread.once('error', reject);
    thread.on('message', (message: ThreadMessage) => {
      if (message.kind === 'progress') onProgress?.(message.done, message.total);
      if (message.kind === 'failed') reject(new Failure(message.message));
      if (message.kind === 'ready') resolve({ url: message.url, apiKey: message.apiKey });
    });
  });
  // If no caller waits, the rejection must not count as unhandled.
  started.catch(() => undefined);
  return {
    started,
    close: () => {
      thread.postMessage('close');
      return exited;
    },
  };
}
