import { rawText } from '../../../src/api/text/tracker-text.ts';
import { AnswerProblem } from '../../../src/client/decode/answer-problem.ts';
import { type Question, readAnswer } from '../../../src/client/decode/decode.ts';
import { type PlainReply, toPlainReply } from '../../support/tables.ts';

/** A body in a test: text, bytes, or a value for JSON. */
export type Body = string | Uint8Array | object;

export async function read(
  body: Body,
  question: Question,
  contentType = 'text/html; charset=UTF-8',
): Promise<PlainReply> {
  const isBytes = body instanceof Uint8Array;
  const bytes = isBytes ? body : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
  return toPlainReply((await readAnswer({ bytes, contentType, question })).reply);
}

async function readAs<Kind extends PlainReply['kind']>(kind: Kind, body: Body, question: Question) {
  const reply = await read(body, question);
  if (reply.kind !== kind) throw new Error(`not ${kind} but ${reply.kind}`);
  return reply as Extract<PlainReply, { kind: Kind }>;
}

export const readTables = (body: Body, question: Question) => readAs('tables', body, question);
export const readGroups = (body: Body) => readAs('groups', body, { reply: 'groups' });
export const readReceipt = (body: Body, reply: 'id' | 'ok', record?: Question['record']) =>
  readAs('receipt', body, { reply, record });

/** The problem of a body: its kind, and the tracker's words after a colon. */
export async function problemWith(body: Body, question: Question): Promise<string> {
  try {
    const reply = await read(body, question);
    return `read as ${JSON.stringify(reply)}`;
  } catch (error) {
    if (!(error instanceof AnswerProblem)) throw error;
    return error.reason === null ? error.kind : `${error.kind}: ${rawText(error.reason)}`;
  }
}
