import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { Failure } from '../api/failure.ts';
import { apiRoutes, unknownPath } from './api/routes.ts';
import type { Database } from './store/database.ts';
import { type Quirk, styleWith } from './wire/quirks.ts';

export interface ServingOptions {
  /** The port on 127.0.0.1; 0, the default, is any free one. */
  readonly port?: number;
  readonly now?: () => Date;
  /** How the wire differs from the tracker's own. */
  readonly quirks?: readonly Quirk[];
}

/**
 * Serves a tracker's database over HTTP on 127.0.0.1. Throws a Failure when the port is taken.
 *
 * @returns the base URL without a slash at the end, and what stops serving once the requests under way are answered
 */
export async function serveTracker(
  database: Database,
  { port = 0, now = () => new Date(), quirks = [] }: ServingOptions,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const style = styleWith(quirks);
  let url = '';
  const app = new Hono({ strict: false });
  app.route('/api', apiRoutes({ database, style, surroundings: () => ({ now: now(), baseUrl: url }) }));
  app.notFound(unknownPath(style));
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  // Once the server is closed, a kept-alive connection would hold it open until it times out.
  server.on('request', (_request, response) =>
    response.on('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    }),
  );
  const address = await listen(server, port);
  url = `http://127.0.0.1:${address.port}`;
  return { url, stop: () => stop(server) };
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(
        isTaken ? new Failure(`Port ${port} is in use.`, 'Choose another with --port, or 0 for a free one.') : error,
      );
    });
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeIdleConnections();
  });
}
