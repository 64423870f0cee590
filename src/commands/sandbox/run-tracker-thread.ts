import { parentPort } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import { startEmbeddedTracker, type ThreadMessage } from './embedded-tracker.ts';

/** The program of the thread that `startTrackerThread` starts: an embedded tracker, until a message closes it. */

const post = (message: ThreadMessage) => parentPort?.postMessage(message);

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
      post({ kind: 'progress', done, total });
    },
  });
  post({ kind: 'ready', url, apiKey });
  await closing;
  await close();
} catch (error) {
  if (error instanceof Failure) post({ kind: 'failed', message: error.message });
  else if (!(error instanceof Closed)) throw error;
  // An open port would keep the thread alive.
  parentPort?.close();
}
