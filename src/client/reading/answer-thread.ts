import { parentPort, workerData } from 'node:worker_threads';
import { rawText } from '../../api/text/tracker-text.ts';
import { AnswerProblem } from '../decode/answer-problem.ts';
import { readAnswer } from '../decode/decode.ts';
import { keyAsSecret } from '../mask-key.ts';
import { type Job, type Outcome, pack } from './packed-reading.ts';

/** What runs in the thread that reads a large answer: one answer, and then its end. */
const { bytes, contentType, question, apiKey } = workerData as Job;

try {
  const { packed, transferred } = pack(await readAnswer(bytes, contentType, question, keyAsSecret(apiKey)));
  post({ packed }, transferred);
} catch (error) {
  if (!(error instanceof AnswerProblem)) throw error;
  post({ problem: error.kind, said: error.said === null ? '' : rawText(error.said) });
}

function post(outcome: Outcome, transferred: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(outcome, transferred);
}
