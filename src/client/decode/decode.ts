import type { Reply } from '../../api/table.ts';
import { AnswerProblem } from './answer-problem.ts';
import { Envelope } from './envelope.ts';
import type { Question } from './question.ts';
import { type Body, readBody, type Secret } from './read/body.ts';
import { type Patience, parse, parseByScan } from './read/parse.ts';
import { type Reading, toReply } from './reply.ts';

export type { Patience, Question, Reading, Secret };

/** An answer: its bytes, decompressed; its Content-Type header, of which only the charset counts; and what was asked. */
type Answer = readonly [
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  /** Taken out of the text before it is read. */
  secret?: Secret,
];

/**
 * Reads an answer whose shape nobody documented, tolerant of everything and losing nothing: its bytes to a tree, what the tree
 * says about itself, the verdict on that, what it carries by its shape, and the reply.
 *
 * @throws AnswerProblem where the answer is an error of the tracker, or cannot be read
 */
export async function readAnswer(...answer: Answer): Promise<Reading> {
  return bounded(answer, async (body, question) => {
    const scanned = body.bytes.length < minScannedLength ? undefined : await readByScan(body, question);
    return scanned ?? readInFull(body, question);
  });
}

/** The parser is as fast with a shorter text. */
const minScannedLength = 8000;

/** Reads an answer by its long lists, in short steps whatever it is; undefined where that does not settle what it is. */
export async function scanAnswer(answer: Answer, patience?: Patience): Promise<Reading | undefined> {
  return bounded(answer, (body, question) => readByScan(body, question, patience));
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
  const reading = toReply(new Envelope(tree, question));
  return body.hadMessages || !isWhole ? withNotice(reading) : reading;
}

async function readByScan(body: Body, question: Question, patience?: Patience): Promise<Reading | undefined> {
  if (question.reply !== 'rows' && question.reply !== 'reports') return undefined;
  const parsed = await parseByScan(body, patience);
  if (!parsed) return undefined;
  try {
    const reading = toReply(new Envelope(parsed.tree, question));
    const tables = reading.reply.kind === 'tables' ? reading.reply.tables : [];
    // A list that is no table of the reply was seen by its first rows alone.
    if (!parsed.scan.rows.every((rows) => tables.some(({ cells }) => cells === rows.cells))) return undefined;
    return body.hadMessages ? withNotice(reading) : reading;
  } catch (error) {
    if (error instanceof AnswerProblem) return undefined;
    throw error;
  }
}

function withNotice({ reply, shape }: Reading): Reading {
  return { reply: { ...reply, notices: [...reply.notices, messagesLeftOut] }, shape };
}

const messagesLeftOut = 'The tracker printed messages around its answer; they were left out.';
