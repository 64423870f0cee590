import { createRequire } from 'node:module';
import { debuglog } from 'node:util';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { RawCell, Typing } from '../api/cells.ts';
import type { Deadline } from '../api/deadline.ts';
import { yieldIfBusy } from '../api/running-call.ts';
import { type Reply, Table, type TablesReply } from '../api/table.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { AnswerProblem, type Place, type ProblemKind } from './decode/answer-problem.ts';
import type { Answer, Reading } from './decode/decode.ts';
import { SecretKey } from './mask-key.ts';

/** Up to this size any answer is read within milliseconds, so other calls do not wait. In bytes. */
const maxReadHere = 1_000_000;

/** The memory of the thread, apart from the bytes of the answer: room for the largest tree and its tables. */
const resourceLimits = { maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 32 };

/** Printed to stderr with NODE_DEBUG=tracker-mcp. */
const debug = debuglog('tracker-mcp');

let decoder: typeof import('./decode/decode.ts') | undefined;

/** Loaded after the server has answered its client, or by the first answer. */
export async function loadDecoder(): Promise<typeof import('./decode/decode.ts')> {
  decoder ??= await import('./decode/decode.ts');
  return decoder;
}

/**
 * Reads an answer. The long lists of a large one are scanned here, in steps between which other calls run. A large
 * answer of a different shape is read in a thread, one at a time.
 *
 * @param apiKey the secret of the answer, as the thread needs it
 * @throws AnswerProblem if it is not a reply; the reason of the deadline if that ends first
 */
export async function readResponse(answer: Answer, apiKey: string, deadline: Deadline): Promise<Reading> {
  const { secret: _, ...job } = answer;
  const { bytes, question } = answer;
  const { readAnswer, scanAnswer } = await loadDecoder();
  const options = { pause: () => pause(deadline), maxParsed: maxReadHere };
  const reading =
    bytes.length <= maxReadHere
      ? await readAnswer(answer)
      : ((await scanAnswer(answer, options)) ?? (await readInTurn({ ...job, apiKey }, deadline)));
  debug('the answer with %s, %d bytes, was read as: %s', question.reply, bytes.length, reading.shape);
  return reading;
}

async function pause(deadline: Deadline): Promise<void> {
  await yieldIfBusy();
  if (deadline.hasEnded) throw deadline.reason;
}

/** An answer for the thread. A secret has methods, so it cannot be posted: the key is posted instead. */
interface Job extends Omit<Answer, 'secret'> {
  readonly apiKey: string;
}

/** Settles when the previous answer has been read. */
let previous: Promise<unknown> = Promise.resolve();

async function readInTurn(job: Job, deadline: Deadline): Promise<Reading> {
  const reading = previous.then(() => readInThread(job, deadline));
  previous = reading.catch(() => undefined);
  return deadline.during(reading);
}

async function readInThread(job: Job, deadline: Deadline): Promise<Reading> {
  if (deadline.hasEnded) throw deadline.reason;
  const { buffer, byteLength } = job.bytes;
  const worker = new Worker(createRequire(import.meta.url).resolve('#answer-thread'), {
    workerData: { [jobName]: job },
    transferList: byteLength === buffer.byteLength ? [buffer as ArrayBuffer] : [],
    resourceLimits,
    env: {},
    execArgv: [],
  });
  const stopListening = deadline.onEnd(() => void worker.terminate());
  try {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error) => reject(isOutOfMemory(error) ? new AnswerProblem('too-many') : error));
      worker.once('exit', () => reject(deadline.reason ?? new Error('the thread that reads an answer ended')));
    });
    if ('problem' in outcome) throw new AnswerProblem(outcome.problem, outcome.reason, outcome.place);
    return fromPlain(outcome.reading);
  } finally {
    stopListening();
    await worker.terminate();
  }
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** The message of the thread. */
type Outcome =
  | { readonly reading: PlainReading }
  | { readonly problem: ProblemKind; readonly reason: string; readonly place: Place | undefined };

/** A reading as data that a thread can post. */
interface PlainReading {
  readonly shape: string;
  readonly reply: Exclude<Reply, TablesReply> | (Omit<TablesReply, 'tables'> & { readonly tables: PlainTable[] });
}

/** The arguments of `Table.fromColumns`. */
type PlainTable = readonly [name: string, columns: string[], cells: RawCell[][], rowCount: number, typings: Typing[]];

function toPlain({ reply, shape }: Reading): PlainReading {
  if (reply.kind !== 'tables') return { shape, reply };
  const tables = reply.tables.map(({ name, columns, cells }): PlainTable => {
    const rows = Array.from({ length: cells.rowCount }, (_, row) => row);
    const texts = columns.map((_, column) => rows.map((row) => cells.text(row, column)));
    const typings = columns.map((_, column) => cells.typing(column));
    return [rawText(name), columns.map(rawText), texts, cells.rowCount, typings];
  });
  return { shape, reply: { ...reply, tables } };
}

function fromPlain({ reply, shape }: PlainReading): Reading {
  if (reply.kind !== 'tables') return { shape, reply };
  return { shape, reply: { ...reply, tables: reply.tables.map((table) => Table.fromColumns(...table)) } };
}

/** Only a thread started here has data under this name. */
const jobName = 'answerToRead';

/** Runs in the thread. */
async function readJob({ apiKey, ...answer }: Job): Promise<Outcome> {
  try {
    const { readAnswer } = await loadDecoder();
    return { reading: toPlain(await readAnswer({ ...answer, secret: new SecretKey(apiKey) })) };
  } catch (error) {
    if (!(error instanceof AnswerProblem)) throw error;
    const { kind, reason, place } = error;
    return { problem: kind, reason: reason === null ? '' : rawText(reason), place };
  }
}

const job: Job | undefined = (workerData as { readonly [jobName]?: Job } | null)?.[jobName];
if (job) void readJob(job).then((outcome) => parentPort?.postMessage(outcome));
