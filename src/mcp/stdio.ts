import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { createServerFactory, type ServerOptions } from './server.ts';
import { StandardStreams } from './standard-streams.ts';

/** A connection over standard input and output. */
export interface StdioConnection {
  /**
   * Resolves when the client has hung up. Calls may be under way then.
   *
   * @throws the system's error where answers cannot be written for another reason than that the client is gone
   */
  readonly hungUp: Promise<void>;
  /** Resolves when no call is under way and every answer has left. */
  readonly idle: () => Promise<void>;
}

/**
 * Serves over standard input and output, until `hungUp`. A client that closes its side after a last call still gets the answer.
 *
 * @param onOpened told once the client knows what it talks to; what keeps the thread busy can begin
 */
export function serveStdio(options: ServerOptions, onOpened: () => void): StdioConnection {
  const hangUp = new AbortController();
  const { create, idle } = createServerFactory({ ...options, hungUp: hangUp.signal });
  const streams = new StandardStreams(process.stdin, process.stdout, onOpened);
  const hungUp = streams.ended.finally(() => hangUp.abort());
  serveConnection(create, { transport: streams });
  return {
    hungUp,
    idle: async () => {
      await idle();
      await streams.answered();
    },
  };
}
