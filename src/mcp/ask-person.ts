import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Ask } from '../guard/guard.ts';

/** A person may be away from the screen for a moment; a client that gives up earlier answers by itself. */
const patienceMs = 5 * 60_000;

/** Asks the person behind the client, by elicitation. A client that cannot ask, or fails to, is `unavailable`. */
export function askPerson(server: Server): Ask {
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
        { timeout: patienceMs },
      );
      return action === 'accept' && content?.['agree'] === true ? 'yes' : 'no';
    } catch {
      return 'unavailable';
    }
  };
}
