import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import {
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { ordered } from '../api/text/json.ts';
import type { Answer, Ask } from '../guard/write.ts';

/** How long a person has to answer. */
const answerTimeoutMs = 5 * 60_000;

function formFor(question: string) {
  return {
    mode: 'form' as const,
    message: question,
    requestedSchema: {
      type: 'object' as const,
      properties: { agree: { type: 'boolean' as const, title: 'Send this to the tracker', default: false } },
      required: ['agree'],
    } satisfies ElicitRequestFormParams['requestedSchema'],
  };
}

/** The JSON-RPC code that older clients answer with when their own request timed out. */
const clientTimeout = -32001;

/**
 * Asks the person through a client of the older protocol, while the call waits. If the call ends or the client hangs up, the
 * answer is no.
 */
export function elicit(request: ServerContext, ends: readonly AbortSignal[]): Ask {
  return async (question) => {
    const signal = AbortSignal.any([...ends]);
    try {
      const { action, content } = await request.mcpReq.send(
        { method: 'elicitation/create', params: formFor(question) },
        { timeout: answerTimeoutMs, signal },
      );
      return answerIn(action, content);
    } catch (error) {
      return signal.aborted ? 'no' : answerForError(error);
    }
  };
}

function answerForError(error: unknown): Answer {
  if (error instanceof ProtocolError) return error.code === clientTimeout ? 'too-late' : 'failed';
  if (!(error instanceof SdkError)) return 'unclear';
  if (error.code === SdkErrorCode.RequestTimeout) return 'too-late';
  return error.code === SdkErrorCode.ConnectionClosed ? 'no' : 'unclear';
}

/** Ends a call that needs an answer first: the client asks its person, then calls again with the answer. */
export class QuestionAsked extends Error {
  override readonly name = 'QuestionAsked';
  readonly result: InputRequiredResult;

  constructor(question: string, state: string) {
    super('A person has to answer first.');
    this.result = inputRequired({
      inputRequests: { agree: inputRequired.elicit(formFor(question)) },
      requestState: state,
    });
  }
}

/** The SDK's own reason, which clients look for. */
const staleReason = 'invalid_request_state';

const staleAnswer =
  'The answer belongs to no open question: it was used before, it was given for a different call, or the server that asked is gone. ' +
  'Nothing was sent; call again without it to ask the person again.';

/**
 * Asks the person through a client of the newer protocol, to which a server sends no requests. Throws QuestionAsked if the call
 * brought no answer, and ProtocolError if its answer belongs to no open question. Callers let both pass.
 */
export function elicitViaRetry(
  { mcpReq }: ServerContext,
  questions: OpenQuestions,
  subjectOf: (question: string) => Promise<Subject>,
): Ask {
  return async (question) => {
    const subject = await subjectOf(question);
    const state = mcpReq.requestState<string>();
    if (state === undefined) throw new QuestionAsked(question, questions.seal(subject));
    const status = await questions.take(state, subject);
    if (status === 'stale') {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, staleAnswer, { reason: staleReason });
    }
    if (status === 'too-late') return status;
    const { action, content } = (mcpReq.inputResponses?.['agree'] ?? {}) as { action?: unknown; content?: unknown };
    return answerIn(action, content);
  };
}

/** Reads a person's answer. A malformed one is final: asking again could go on forever. */
function answerIn(action: unknown, content: unknown): Answer {
  if (action === 'decline' || action === 'cancel') return 'no';
  const agree = action === 'accept' ? (content as { agree?: unknown } | undefined)?.agree : undefined;
  return typeof agree !== 'boolean' ? 'unclear' : agree ? 'yes' : 'no';
}

/** The call that a question is about. An answer is valid for exactly this. */
export interface Subject {
  readonly tracker: string;
  /** Empty without tokens. */
  readonly owner: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly question: string;
}

/** State that all replicas share, so that an answer counts once in all. */
export interface SharedQuestions {
  /** Signs what travels with the client. Read it each time: replicas may agree on a new one. */
  readonly key: Uint8Array;
  /** Records an answered question until a moment, in milliseconds since the epoch; false if it was answered before. */
  take(question: string, until: number): Promise<boolean>;
}

class LocalQuestions implements SharedQuestions {
  readonly key = randomBytes(32);
  readonly #untilById = new Map<string, number>();

  async take(question: string, until: number): Promise<boolean> {
    for (const [id, end] of this.#untilById) if (end < Date.now()) this.#untilById.delete(id);
    if (this.#untilById.has(question)) return false;
    this.#untilById.set(question, until);
    return true;
  }
}

const sealed = z.object({ id: z.string(), until: z.number() });

/**
 * Questions that travel to a person and back with the client, which is not trusted: the state that it brings back is signed,
 * bound to the call, valid for five minutes, and used once.
 */
export class OpenQuestions {
  readonly #shared: SharedQuestions;

  /** Without shared state, only the process that asked takes the answer. */
  constructor(shared: SharedQuestions = new LocalQuestions()) {
    this.#shared = shared;
  }

  seal(subject: Subject): string {
    const content = JSON.stringify({ id: randomUUID(), until: Date.now() + answerTimeoutMs });
    return `${Buffer.from(content).toString('base64url')}.${this.#sign(content, subject).toString('base64url')}`;
  }

  /** Takes the state that a client brought back, once. `stale`: it is about a different call, or was answered before. */
  async take(state: string, subject: Subject): Promise<'open' | 'too-late' | 'stale'> {
    const [encoded = '', signature = ''] = state.split('.');
    const content = Buffer.from(encoded, 'base64url').toString();
    const expected = this.#sign(content, subject);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'stale';
    const { id, until } = sealed.parse(JSON.parse(content));
    if (until < Date.now()) return 'too-late';
    return (await this.#shared.take(id, until)) ? 'open' : 'stale';
  }

  #sign(content: string, { tracker, owner, tool, arguments: given, question }: Subject): Buffer {
    const bound = JSON.stringify([content, tracker, owner, tool, ordered(given), question]);
    return createHmac('sha256', this.#shared.key).update(bound).digest();
  }
}
