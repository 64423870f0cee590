import type { ServerContext } from '@modelcontextprotocol/server';

/** Often enough for a person who waits, and little beside the download itself. */
const everyMs = 500;

/**
 * Reports how far a long call is to the client that asked for progress.
 *
 * @returns what to call as it goes on; undefined where the client did not ask
 */
export function reportProgress({
  mcpReq,
}: ServerContext): ((done: number, total: number | undefined, what?: string) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let nextAt = performance.now() + everyMs;
  return (done, total, what = 'bytes received') => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + everyMs;
    const params = {
      progressToken,
      progress: done,
      ...(total === undefined ? {} : { total }),
      message: what,
    };
    // Progress is a courtesy: a client that has gone away must not fail the call.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
