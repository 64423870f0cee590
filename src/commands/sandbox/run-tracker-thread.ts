import { parentPort } from 'node:worker_threads';
import { Failure } from '../../api/failure.ts';
import { startEmbeddedTracker, type ThreadMessage } from './embedded-tracker.ts';

/** The program of the thread that `startTrackerThread` starts: an embedded tracker, until a message closes it. */

const post = (message: ThreadMessage) => parentPort?.postMessage(message);

/** Not a defect, if a request waits for the visits that are made. */
class Closed extends Failure {}

let isClosing = false;
const closing = new Promise<void>((resolve) => {
  parentPort?.once('message', () => {
    isClosing = true;
    resolve();
  });
});

try {
  const { url, apiKey, close } = await startEmbeddedTracker({
    isLazy: true,
    onProgress: (done, total) => {
      if (isClosing) throw new Closed('The tracker is closing.');
      post({ kind: 'progress', done, total });
    },
  });
  post({ kind: 'ready', url, apiKey });
  await closing;
  await close();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  if (!(error instanceof Closed)) post({ kind: 'failed', message: error.message });
  // An open port would keep the thread alive.
  parentPort?.close();
}
