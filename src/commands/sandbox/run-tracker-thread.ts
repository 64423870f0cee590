import { parentPort } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import type { ThreadMessage } from './embedded-tracker.ts';
import { startEmbeddedTracker } from './embedded-tracker.ts';

/** The program of the thread that `startTrackerThread` starts: an embedded tracker, until the message to close. */

const tell = (message: ThreadMessage) => parentPort?.postMessage(message);

class Closed extends Error {}

let isClosing = false;
const closing = new Promise<void>((resolve) => {
  parentPort?.once('message', () => {
    isClosing = true;
    resolve();
  });
});

try {
  const { url, apiKey, close } = await startEmbeddedTracker({
    onProgress: (done, total) => {
      if (isClosing) throw new Closed();
      tell({ kind: 'progress', done, total });
    },
  });
  tell({ kind: 'ready', url, apiKey });
  await closing;
  await close();
} catch (error) {
  if (error instanceof Failure) tell({ kind: 'failed', message: error.message });
  else if (!(error instanceof Closed)) throw error;
  // Listening would keep the thread alive.
  parentPort?.close();
}
