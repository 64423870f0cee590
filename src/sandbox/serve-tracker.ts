import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { Failure } from '../api/failure.ts';
import { apiRoutes, unknownPath } from './api/routes.ts';
import type { Database } from './store/database.ts';
import { openTraffic } from './traffic/traffic.ts';
import { type Quirk, styleWith } from './wire/quirks.ts';

export interface ServingOptions {
  /** The port on 127.0.0.1; 0, the default, is any free one. */
  readonly port?: number;
  readonly now?: () => Date;
  /** How the wire differs from the tracker's own. */
  readonly quirks?: readonly Quirk[];
}

/**
 * Serves a tracker's database over HTTP on 127.0.0.1: the API, and live traffic. `stop` answers the requests under way, and
 * commits all that visitors did. Throws a Failure if the port cannot be used.
 */
export async function serveTracker(
  database: Database,
  { port = 0, now = () => new Date(), quirks = [] }: ServingOptions,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const style = styleWith(quirks);
  const traffic = await openTraffic(database, now);
  let url = '';
  const app = new Hono({ strict: false });
  app.route(
    '/api',
    apiRoutes({ database, style, context: () => ({ now: now(), baseUrl: url }), settle: traffic.settle }),
  );
  app.notFound(unknownPath(style));
  const serveApi = getRequestListener(app.fetch);
  const server = createServer((request, response) => {
    if (!traffic.serve(request, response)) void serveApi(request, response);
  });
  const address = await listen(server, port);
  url = `http://127.0.0.1:${address.port}`;
  return { url, stop: () => stop(server).then(traffic.settle) };
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listeningFailure(error, port)));
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

export function listeningFailure(error: NodeJS.ErrnoException, port: number): Failure {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is in use',
    EACCES: 'may not be used: the system gives it to privileged processes alone',
  };
  const reason = reasons[error.code ?? ''] ?? `cannot be used: ${error.message}`;
  return new Failure(`Port ${port} ${reason}.`, 'Choose another with --port, or 0 for a free one.');
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    // A kept-alive connection would hold the closed server open until it times out, and becomes idle only with its answer.
    const closing = setInterval(() => server.closeIdleConnections(), 10);
    server.close((error) => {
      clearInterval(closing);
      error ? reject(error) : resolve();
    });
    server.closeIdleConnections();
  });
}
