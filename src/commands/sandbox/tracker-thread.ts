import { Worker } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** What the thread tells of its tracker. */
export type ThreadMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'ready'; readonly url: string; readonly apiKey: string }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Starts an embedded tracker with sample data in memory, in a thread of its own: loading its database and making the data
 * would otherwise keep a server from answering its client.
 *
 * @param onProgress told of the sample data as it is made
 * @throws Failure where its database is not installed; what went wrong in the thread
 */
export function startTrackerThread(onProgress?: (done: number, total: number) => void): Promise<Sandbox> {
  // The bundle puts the thread's program beside the chunk that this is part of.
  const thread = new Worker(new URL('./tracker-thread.js', import.meta.url));
  return new Promise((resolve, reject) => {
    thread.once('error', reject);
    thread.on('message', (said: ThreadMessage) => {
      if (said.kind === 'progress') onProgress?.(said.done, said.total);
      if (said.kind === 'failed') reject(new Failure(said.message));
      if (said.kind === 'ready') resolve({ url: said.url, apiKey: said.apiKey, close: () => end(thread) });
    });
  });
}

/** Lets the tracker finish the requests under way, then close its database. */
function end(thread: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    thread.once('error', reject);
    thread.once('exit', () => resolve());
    thread.postMessage('close');
  });
}
