import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createServer, type ServerOptions } from './server.ts';

/**
 * Serves over standard input and output until the client hangs up. Calls may be under way then.
 *
 * @throws the system's error where answers cannot be written for another reason than that the client is gone
 */
export async function serveStdio(options: ServerOptions): Promise<void> {
  const hangUp = new AbortController();
  const server = createServer({ ...options, hungUp: hangUp.signal });
  const closed = new Promise<void>((resolve, reject) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever cannot be answered is asked for no more calls.
      process.stdin.destroy();
      if (error.code === 'EPIPE') resolve();
      else reject(error);
    });
  });
  // The SDK waits for a reader who is slow, or gone, with one listener for each answer.
  process.stdout.setMaxListeners(0);
  await server.connect(new StdioServerTransport());
  try {
    await closed;
  } finally {
    hangUp.abort();
  }
}
