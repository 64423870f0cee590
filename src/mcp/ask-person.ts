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
import type { Answer, Ask } from '../guard/write.ts';
import { type OpenQuestions, patienceMs, type Subject } from './open-questions.ts';

const formOf = (question: string) => ({
  mode: 'form' as const,
  message: question,
  requestedSchema: {
    type: 'object' as const,
    properties: { agree: { type: 'boolean' as const, title: 'Send this to the tracker', default: false } },
    required: ['agree'],
  } satisfies ElicitRequestFormParams['requestedSchema'],
});

/** An older client says so if its own request took too long. */
const requestTimeout = -32001;

/**
 * Asks the person behind a client of the older protocol, while the call waits. That the call ends, or the client hangs up, is
 * a no.
 */
export function elicit(request: ServerContext, ends: readonly AbortSignal[]): Ask {
  return async (question) => {
    // Few calls ask: what joins signals is made if it is needed.
    const signal = AbortSignal.any([...ends]);
    try {
      const { action, content } = await request.mcpReq.send(
        { method: 'elicitation/create', params: formOf(question) },
        { timeout: patienceMs, signal },
      );
      return answerOf(action, content);
    } catch (error) {
      return signal.aborted ? 'no' : failureOf(error);
    }
  };
}

function failureOf(error: unknown): Answer {
  if (error instanceof ProtocolError) return error.code === requestTimeout ? 'too-late' : 'failed';
  if (!(error instanceof SdkError)) return 'unclear';
  if (error.code === SdkErrorCode.RequestTimeout) return 'too-late';
  return error.code === SdkErrorCode.ConnectionClosed ? 'no' : 'unclear';
}

/** Ends a call whose question has to be answered first; the client asks, and then calls again with the answer. */
export class QuestionAsked extends Error {
  override readonly name = 'QuestionAsked';
  readonly result: InputRequiredResult;

  constructor(question: string, state: string) {
    super('A person has to answer first.');
    this.result = inputRequired({
      inputRequests: { agree: inputRequired.elicit(formOf(question)) },
      requestState: state,
    });
  }
}

/** In the SDK's words, by which clients know it. */
const reason = 'invalid_request_state';

const staleAnswer =
  'The answer belongs to no open question: it was used before, given for another call, or asked for by a server that is gone. ' +
  'Nothing was sent; call again without it to ask anew.';

/**
 * Asks the person behind a client of the newer protocol, to which a server sends no requests. Throws QuestionAsked if the
 * call did not bring the answer, and ProtocolError if it brought one that belongs to no open question; what calls this lets
 * both pass.
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
    const standing = await questions.take(state, subject);
    if (standing === 'stale') throw new ProtocolError(ProtocolErrorCode.InvalidParams, staleAnswer, { reason });
    if (standing === 'too-late') return standing;
    const { action, content } = (mcpReq.inputResponses?.['agree'] ?? {}) as { action?: unknown; content?: unknown };
    return answerOf(action, content);
  };
}

/** What a person's answer comes to. A client that sends something else is not asked again, which would have no end. */
function answerOf(action: unknown, content: unknown): Answer {
  if (action === 'decline' || action === 'cancel') return 'no';
  const agree = action === 'accept' ? (content as { agree?: unknown } | undefined)?.agree : undefined;
  return typeof agree !== 'boolean' ? 'unclear' : agree ? 'yes' : 'no';
}
