import type { GroupsReply, ReceiptReply } from '../../../src/api/table.ts';
import { rawText } from '../../../src/api/text/tracker-text.ts';
import { AnswerProblem } from '../../../src/client/decode/answer-problem.ts';
import { type Question, readAnswer } from '../../../src/client/decode/decode.ts';
import { type PlainReply, type PlainTablesReply, toPlainReply } from '../../support/tables.ts';

/** What a body is in a test: text, bytes, or a value that is to be JSON. */
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

export async function readTables(body: Body, question: Question): Promise<PlainTablesReply> {
  const reply = await read(body, question);
  if (reply.kind !== 'tables') throw new Error(`not tables but ${reply.kind}`);
  return reply;
}

export async function readGroups(body: Body): Promise<GroupsReply> {
  const reply = await read(body, { reply: 'groups' });
  if (reply.kind !== 'groups') throw new Error(`not groups but ${reply.kind}`);
  return reply;
}

export async function readReceipt(body: Body, kind: 'id' | 'ok', record?: Question['record']): Promise<ReceiptReply> {
  const reply = await read(body, { reply: kind, ...(record ? { record } : {}) });
  if (reply.kind !== 'receipt') throw new Error(`no receipt but ${reply.kind}`);
  return reply;
}

/** What is the matter with a body that is no reply: the kind of problem, and the tracker's words behind a colon. */
export async function problemWith(body: Body, question: Question): Promise<string> {
  try {
    const reply = await read(body, question);
    return `read as ${JSON.stringify(reply)}`;
  } catch (error) {
    if (!(error instanceof AnswerProblem)) throw error;
    return error.said === null ? error.kind : `${error.kind}: ${rawText(error.said)}`;
  }
}
