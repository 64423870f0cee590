import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createServer, type ServerOptions } from './server.ts';

/** Serves over standard input and output until the client hangs up. */
export async function serveStdio(options: ServerOptions): Promise<void> {
  const server = createServer(options);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
  });
  await server.connect(new StdioServerTransport());
  await closed;
}
