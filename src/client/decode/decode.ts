import type { Reply } from '../../api/replies.ts';
import { AnswerProblem } from './answer-problem.ts';
import { Envelope } from './envelope.ts';
import { type Body, readBody } from './read/body.ts';
import { parse, parseByScan } from './read/parse.ts';
import { type Reading, toReply } from './reply.ts';
import type { Question } from './shapes/shape.ts';

export type { Question, Reading };

/**
 * Reads an answer whose shape nobody documented, tolerant of everything and losing nothing: its bytes to a tree, what the tree
 * says about itself, the verdict on that, what it carries by its shape, and the reply.
 *
 * @param bytes the body, decompressed
 * @param contentType the Content-Type header, of which only the charset counts
 * @param mask takes secrets out of the body's text before it is read
 * @throws AnswerProblem where the answer is an error of the tracker, or cannot be read
 */
export async function readAnswer(
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  mask: (text: string) => string = (text) => text,
): Promise<Reading> {
  try {
    const body = readBody(bytes, contentType, mask);
    const scanned = await readByScan(body, question);
    if (scanned) return body.hadMessages ? withNotice(scanned) : scanned;
    const { tree, isWhole } = await parse(body);
    const reading = toReply(new Envelope(tree, question));
    return body.hadMessages || !isWhole ? withNotice(reading) : reading;
  } catch (error) {
    // A body made to exhaust the stack, such as a tag with a million attributes, is no answer either.
    throw error instanceof RangeError ? new AnswerProblem('too-deep') : error;
  }
}

/** @returns undefined where the scan does not settle what the answer is */
async function readByScan(body: Body, question: Question): Promise<Reading | undefined> {
  if (question.reply !== 'rows' && question.reply !== 'reports') return undefined;
  const parsed = await parseByScan(body);
  if (!parsed) return undefined;
  try {
    const reading = toReply(new Envelope(parsed.tree, question));
    const tables = reading.reply.kind === 'tables' ? reading.reply.tables : [];
    // A list that is no table of the reply was seen by its first rows alone.
    const isSettled = parsed.scan.rows.every((rows) => tables.some(({ cells }) => cells === rows.cells));
    return isSettled ? reading : undefined;
  } catch (error) {
    if (error instanceof AnswerProblem) return undefined;
    throw error;
  }
}

function withNotice({ reply, shape }: Reading): Reading {
  return { reply: { ...reply, notices: [...reply.notices, messagesLeftOut] }, shape };
}

const messagesLeftOut = 'The tracker printed messages around its answer; they were left out.';

/** The reply alone; see `readAnswer`. */
export async function decode(...answer: Parameters<typeof readAnswer>): Promise<Reply> {
  return (await readAnswer(...answer)).reply;
}
