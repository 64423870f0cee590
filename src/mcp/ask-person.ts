import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ElicitResultSchema, ErrorCode, McpError, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Answer, Ask } from '../guard/guard.ts';

/** A person may be away from the screen for a moment; a client that gives up earlier answers by itself. */
const patienceMs = 5 * 60_000;

/**
 * Asks the person behind the client, by elicitation.
 *
 * @param relatedRequestId the call that the question is about, so that it takes the same way to the client
 * @param ends take the question back, which is a no: that call ends, or the client hangs up
 */
export function askPerson(server: Server, relatedRequestId: RequestId, ends: readonly AbortSignal[]): Ask {
  return async (question) => {
    if (!server.getClientCapabilities()?.elicitation?.form) return 'unavailable';
    // Few calls ask: what joins signals is made where it is needed.
    const signal = AbortSignal.any([...ends]);
    const params = {
      mode: 'form' as const,
      message: question,
      requestedSchema: {
        type: 'object' as const,
        properties: { agree: { type: 'boolean' as const, title: 'Send this to the tracker', default: false } },
        required: ['agree'],
      },
    };
    try {
      // What elicitInput() does, but that a client which fails can be told from an answer that is none.
      const { action, content } = await server.request({ method: 'elicitation/create', params }, ElicitResultSchema, {
        timeout: patienceMs,
        relatedRequestId,
        signal,
      });
      if (action !== 'accept') return 'no';
      const agree = content?.['agree'];
      return typeof agree !== 'boolean' ? 'unclear' : agree ? 'yes' : 'no';
    } catch (error) {
      return signal.aborted ? 'no' : answerOf(error);
    }
  };
}

/** What a question came to that got no result: the client's own error, or none that is one of the protocol's. */
function answerOf(error: unknown): Answer {
  if (!(error instanceof McpError)) return 'unclear';
  if (error.code === ErrorCode.RequestTimeout) return 'too-late';
  return error.code === ErrorCode.ConnectionClosed ? 'no' : 'failed';
}
