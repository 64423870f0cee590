import { Worker } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';

/**
 * Loads and starts the embedded tracker; nothing of it is loaded before.
 *
 * @throws Failure if its database is not installed, the port cannot be used, or the file cannot be opened
 */
export async function startEmbeddedTracker(options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import('../../sandbox/sandbox.ts').catch((error: unknown) => {
    throw isMissingDatabase(error)
      ? new Failure('The embedded tracker needs DuckDB, which is not installed.', 'Run: npm install @duckdb/node-api')
      : error;
  });
  return startSandbox(options);
}

/** npm leaves out an optional dependency that has no build for the machine, without a word. */
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
  /** Rejects with a Failure if its database is not installed, and with what else went wrong in the thread. */
  readonly started: Promise<{ readonly url: string; readonly apiKey: string }>;
  /**
   * Finishes the requests under way, or stops making sample data, then closes the database. A process that exits before would
   * end DuckDB in the middle of its work, which aborts the process.
   */
  close(): Promise<void>;
}

/**
 * Starts an embedded tracker with sample data in memory, in a thread of its own: loading its database and making the data
 * would otherwise keep a server from answering its client.
 */
export function startTrackerThread(onProgress?: (done: number, total: number) => void): TrackerThread {
  // The bundle puts the thread's program beside the chunk that this is part of.
  const thread = new Worker(new URL('./tracker-thread.js', import.meta.url));
  const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const started = new Promise<{ url: string; apiKey: string }>((resolve, reject) => {
    thread.once('error', reject);
    thread.on('message', (said: ThreadMessage) => {
      if (said.kind === 'progress') onProgress?.(said.done, said.total);
      if (said.kind === 'failed') reject(new Failure(said.message));
      if (said.kind === 'ready') resolve({ url: said.url, apiKey: said.apiKey });
    });
  });
  // Whether a caller waits for it or not, its failure is no unhandled one.
  started.catch(() => undefined);
  return {
    started,
    close: () => {
      thread.postMessage('close');
      return exited;
    },
  };
}
