import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';

/** Often enough for a person who waits, and little beside the download itself. */
const everyMs = 500;

/**
 * Reports the bytes of a long download to the client that asked for progress.
 *
 * @returns what to call as bytes arrive; undefined where the client did not ask
 */
export function reportProgress(
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
): ((received: number, total: number | undefined) => void) | undefined {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let nextAt = Date.now() + everyMs;
  return (received, total) => {
    if (Date.now() < nextAt) return;
    nextAt = Date.now() + everyMs;
    const params = {
      progressToken,
      progress: received,
      ...(total === undefined ? {} : { total }),
      message: 'bytes received',
    };
    // Progress is a courtesy: a client that has gone away must not fail the call.
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
