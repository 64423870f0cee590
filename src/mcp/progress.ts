import type { ServerContext } from '@modelcontextprotocol/server';

/** Often enough for a person who waits, and little beside the download itself. */
const everyMs = 500;

/**
 * Reports the bytes of a long download to the client that asked for progress.
 *
 * @returns what to call as bytes arrive; undefined where the client did not ask
 */
export function reportProgress({
  mcpReq,
}: ServerContext): ((received: number, total: number | undefined) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
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
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
