import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';

export type ThreadMessage =
  | ({ readonly kind: 'ready' } & Omit<Sandbox, 'close'>)
  | { readonly kind: 'failed'; readonly message: string };

export interface TrackerThread {
  /**
   * Rejects with a Failure if DuckDB is not installed, the port cannot be used, or the file cannot be opened, and with any other error
   * of the thread.
   */
  readonly started: Promise<Omit<Sandbox, 'close'>>;
  /** Rejects with an error that ends the thread. */
  readonly ended: Promise<void>;
  /** Finishes the requests under way, then closes the database. If the process exited in the middle of DuckDB's work, it would abort. */
  close(): Promise<void>;
}

/**
 * Starts an embedded tracker in its own thread: a server can answer its client in the meantime, and the thread loads nothing that a
 * server or command needs.
 */
export function startTrackerThread(options: Omit<SandboxOptions, 'now'>): TrackerThread {
  // The bundle puts the program of the thread next to the chunk with this code.
  const thread = new Worker(new URL('./tracker-thread.js', import.meta.url), { workerData: options });
  const exited = once(thread, 'exit');
  const started = new Promise<Omit<Sandbox, 'close'>>((resolve, reject) => {
    thread.once('error', reject);
    thread.once('message', (message: ThreadMessage) => {
      if (message.kind === 'failed') reject(new Failure(message.message));
      else resolve({ url: message.url, apiKey: message.apiKey });
    });
  });
  const ended = exited.then(() => undefined);
  // If no caller waits, the rejections must not count as unhandled.
  for (const outcome of [started, ended]) outcome.catch(() => undefined);
  return {
    started,
    ended,
    close: async () => {
      thread.postMessage('close');
      await ended.catch(() => undefined);
    },
  };
}
