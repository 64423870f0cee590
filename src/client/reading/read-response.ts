import { createRequire } from 'node:module';
import { debuglog } from 'node:util';
import { Worker } from 'node:worker_threads';
import { AnswerProblem } from '../decode/answer-problem.ts';
import { type Question, type Reading, readAnswer, scanAnswer } from '../decode/decode.ts';
import type { HttpResponse } from '../http/exchange.ts';
import type { Life } from '../life.ts';
import { keyAsSecret } from '../mask-key.ts';
import { type Job, type Outcome, unpack } from './packed-reading.ts';

/** Up to this size an answer of any shape is read in some milliseconds, so that nobody waits for it. */
const maxReadHere = 1_000_000;

/** Up to this size long lists are scanned here, in steps; to start a thread, and to hand over what it read, takes longer. */
const maxScannedHere = 24_000_000;

/** What the thread may take for its values, beside the answer's own text: a tree of its largest size, and tables from it. */
const resourceLimits = { maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 32 };

/** Printed to stderr with NODE_DEBUG=tracker-mcp. */
const debug = debuglog('tracker-mcp');

/**
 * Reads the answer in a response. A large one is read in a thread of its own, one at a time, so that whatever it is this one
 * goes on.
 *
 * @throws AnswerProblem where it is no reply; the reason of its life's end where that came first
 */
export async function readResponse(
  { bytes, contentType }: Pick<HttpResponse, 'bytes' | 'contentType'>,
  question: Question,
  apiKey: string,
  life: Life,
): Promise<Reading> {
  const reading = await readByItsSize(bytes, contentType, question, apiKey, life);
  debug('the answer with %s, %d bytes, was read as: %s', question.reply, bytes.length, reading.shape);
  return reading;
}

async function readByItsSize(
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  apiKey: string,
  life: Life,
): Promise<Reading> {
  const secret = keyAsSecret(apiKey);
  if (bytes.length <= maxReadHere) return readAnswer(bytes, contentType, question, secret);
  const patience = { pause: () => pause(life), maxParsed: maxReadHere };
  const isScanned = bytes.length <= maxScannedHere;
  const scanned = isScanned ? await scanAnswer([bytes, contentType, question, secret], patience) : undefined;
  return scanned ?? readInTurn({ bytes, contentType, question, apiKey }, life);
}

async function pause(life: Life): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (life.hasEnded) throw life.reason;
}

/** Settles when the answer before has been read. */
let turn: Promise<unknown> = Promise.resolve();

async function readInTurn(job: Job, life: Life): Promise<Reading> {
  const before = turn;
  const reading = before.then(() => readInThread(job, life));
  turn = reading.catch(() => undefined);
  return life.during(reading);
}

async function readInThread(job: Job, life: Life): Promise<Reading> {
  if (life.hasEnded) throw life.reason;
  const { bytes } = job;
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  const worker = new Worker(createRequire(import.meta.url).resolve('#answer-thread'), {
    workerData: job,
    transferList: isWhole ? [bytes.buffer as ArrayBuffer] : [],
    resourceLimits,
    env: {},
    execArgv: [],
  });
  const stopListening = life.onEnd(() => void worker.terminate());
  try {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error) => reject(isOutOfMemory(error) ? new AnswerProblem('too-many') : error));
      worker.once('exit', () => reject(life.reason ?? new Error('the thread that reads an answer ended')));
    });
    if ('problem' in outcome) throw new AnswerProblem(outcome.problem, outcome.said);
    return unpack(outcome.packed);
  } finally {
    stopListening();
    await worker.terminate();
  }
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
