import type { Reply } from '../../api/table.ts';
import { AnswerProblem } from './answer-problem.ts';
import { readEnvelope } from './envelope.ts';
import { type Body, readBody, type Secret } from './read/body.ts';
import { parseJson } from './read/json.ts';
import { parse } from './read/parse.ts';
import { type Reading, toReply } from './reply.ts';
import type { Resumable, Scan } from './scan/scan.ts';
import { scanJson } from './scan/scan-json.ts';
import type { Question } from './shapes/find-payload.ts';
import type { Tree } from './tree.ts';

export type { Question, Reading, Secret };

/** An answer: its bytes, decompressed; its Content-Type header, of which only the charset counts; and what was asked. */
type Answer = readonly [
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  /** Taken out of the text before it is read. */
  secret?: Secret,
];

/** Limits of a scan while other calls wait. */
export interface ScanOptions {
  /** Lets others have their turn; throws if the call has ended meanwhile. */
  readonly pause: () => Promise<void>;
  /** The most that is parsed besides the long lists, in characters. */
  readonly maxParsed: number;
}

/**
 * Reads an answer whose shape is documented nowhere, tolerant of everything and losing nothing: its bytes to a tree, what the tree
 * says about itself, the verdict on that, what it carries by its shape, and the reply.
 *
 * @throws AnswerProblem if the answer is an error of the tracker, or cannot be read
 */
export async function readAnswer(...answer: Answer): Promise<Reading> {
  return bounded(answer, async (body, question) => {
    const scanned = body.bytes.length < minScannedLength ? undefined : await readByScan(body, question);
    return scanned ?? readInFull(body, question);
  });
}

/** The parser is as fast with a shorter text. */
const minScannedLength = 8000;

/** Reads an answer by its long lists, in short steps whatever it is; undefined if that does not settle what it is. */
export async function scanAnswer(answer: Answer, options?: ScanOptions): Promise<Reading | undefined> {
  return bounded(answer, (body, question) => readByScan(body, question, options));
}

/** The reply alone; see `readAnswer`. */
export async function decode(...answer: Answer): Promise<Reply> {
  return (await readAnswer(...answer)).reply;
}

async function bounded<Result>(
  [bytes, contentType, question, secret]: Answer,
  read: (body: Body, question: Question) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(readBody(bytes, contentType, secret), question);
  } catch (error) {
    // A body made to exhaust the stack, such as a tag with a million attributes, is no answer either.
    throw error instanceof RangeError ? new AnswerProblem('too-deep') : error;
  }
}

async function readInFull(body: Body, question: Question): Promise<Reading> {
  const { tree, isWhole } = await parse(body);
  const reading = toReply(readEnvelope(tree, question));
  return body.hadMessages || !isWhole ? withNotice(reading) : reading;
}

async function readByScan(body: Body, question: Question, options?: ScanOptions): Promise<Reading | undefined> {
  if (question.reply !== 'rows' && question.reply !== 'reports') return undefined;
  const parsed = await parseByScan(body, options);
  if (!parsed) return undefined;
  try {
    const reading = toReply(readEnvelope(parsed.tree, question));
    const tables = reading.reply.kind === 'tables' ? reading.reply.tables : [];
    // A list that is no table of the reply was seen by its first rows alone.
    if (!parsed.scan.rows.every((rows) => tables.some(({ cells }) => cells === rows.cells))) return undefined;
    return body.hadMessages ? withNotice(reading) : reading;
  } catch (error) {
    if (error instanceof AnswerProblem) return undefined;
    throw error;
  }
}

/**
 * Reads the long lists of a body by one scan, and the rest of it into a tree in which their first rows stand for them.
 *
 * @returns undefined if there is no such list, or the body cannot be read so
 */
async function parseByScan(body: Body, options?: ScanOptions): Promise<{ tree: Tree; scan: Scan } | undefined> {
  const readers = body.kind === 'json' ? jsonReaders : body.kind === 'xml' ? await xmlReaders() : undefined;
  if (!readers) return undefined;
  try {
    const scan = await finish(readers.scanBody(body), options);
    const { skeleton } = scan ?? {};
    if (!scan || skeleton === undefined) return undefined;
    if (options && skeleton.length > options.maxParsed) return undefined;
    const tree = readers.parseRest(skeleton);
    return scan.place(tree) ? { tree, scan } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const jsonReaders = { scanBody: ({ bytes }: Body) => scanJson(bytes), parseRest: parseJson };

/** Most trackers are asked for JSON, so this is loaded with the first XML. */
async function xmlReaders() {
  const [{ parseXml }, { scanXml }] = await Promise.all([import('./read/xml.ts'), import('./scan/scan-xml.ts')]);
  return { scanBody: ({ bytes, text }: Body) => scanXml(bytes, text), parseRest: parseXml };
}

async function finish<Result>(work: Resumable<Result>, options: ScanOptions | undefined): Promise<Result> {
  let step = work.next();
  while (!step.done) {
    if (options) await options.pause();
    step = work.next();
  }
  return step.value;
}

function withNotice({ reply, shape }: Reading): Reading {
  return { reply: { ...reply, notices: [...reply.notices, messagesLeftOut] }, shape };
}

const messagesLeftOut = 'The tracker printed messages around its answer; they were left out.';
