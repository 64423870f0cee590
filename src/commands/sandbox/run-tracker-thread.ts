import { parentPort } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import { startEmbeddedTracker } from './start-embedded-tracker.ts';
import type { ThreadMessage } from './tracker-thread.ts';

/** The program of the thread that `startTrackerThread` starts: an embedded tracker, until it is told to close. */

const tell = (message: ThreadMessage) => parentPort?.postMessage(message);

try {
  const { url, apiKey, close } = await startEmbeddedTracker({
    onProgress: (done, total) => tell({ kind: 'progress', done, total }),
  });
  // Listening keeps the thread alive, and listening once lets it end behind the closed tracker.
  parentPort?.once('message', close);
  tell({ kind: 'ready', url, apiKey });
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  tell({ kind: 'failed', message: error.message });
}
