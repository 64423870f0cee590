import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Ask } from '../guard/guard.ts';

/** A person may be away from the screen for a moment; a client that gives up earlier answers by itself. */
const patienceMs = 5 * 60_000;

/**
 * Asks the person behind the client, by elicitation. A client that cannot ask, or fails to, is `unavailable`.
 *
 * @param relatedRequestId the call that the question is about, so that it takes the same way to the client
 * @param signal takes the question back when that call ends
 */
export function askPerson(server: Server, relatedRequestId: RequestId, signal: AbortSignal): Ask {
  return async (question) => {
    if (!server.getClientCapabilities()?.elicitation) return 'unavailable';
    try {
      const { action, content } = await server.elicitInput(
        {
          message: question,
          requestedSchema: {
            type: 'object',
            properties: { agree: { type: 'boolean', title: 'Send this to the tracker', default: false } },
            required: ['agree'],
          },
        },
        { timeout: patienceMs, relatedRequestId, signal },
      );
      return action === 'accept' && content?.['agree'] === true ? 'yes' : 'no';
    } catch {
      return 'unavailable';
    }
  };
}
