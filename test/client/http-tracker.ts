import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, type TestContext } from 'vitest';
import { type Endpoint, type EndpointName, endpointNamed } from '../../src/api/endpoints.ts';
import type { ReceiptReply } from '../../src/api/table.ts';
import { type CallOptions, type ClientOptions, TrackerClient } from '../../src/client/tracker-client.ts';

/** A request as the tracker received it. */
export interface Received {
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The parameters, from the body or the query. */
  readonly parameters: Readonly<Record<string, string>>;
}

export type Answer = (response: ServerResponse, request: Received, socket: Socket) => unknown;

/** A tracker on a real socket with the answers of a test; it stops when the test ends. */
export async function startTracker(
  answer: Answer,
  { port = 0, context }: { port?: number; context?: TestContext } = {},
) {
  /** Every request that came in whole, in order. */
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let atOnce = 0;
  let most = 0;
  let reportClosed = () => {};
  const closed = new Promise<void>((resolve) => (reportClosed = resolve));
  const server = createServer({ keepAliveTimeout: 60_000 }, async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const url = message.url ?? '';
    const form = message.method === 'GET' ? new URL(url, 'http://tracker').searchParams : new URLSearchParams(body);
    const { method = '', headers } = message;
    const received: Received = { method, url, headers, body, parameters: Object.fromEntries(form) };
    requests.push(received);
    atOnce += 1;
    most = Math.max(most, atOnce);
    response.once('close', () => {
      atOnce -= 1;
      if (!response.writableFinished) reportClosed();
    });
    await answer(response, received, message.socket);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  (context?.onTestFinished ?? onTestFinished)(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** The maximum number of requests in flight. */
    maxAtOnce: () => most,
    /** Settles when the client closes a connection with a request in progress. */
    closedByClient: () => closed,
    stop,
  };
}

export const apiKey = 'k3y/with+signs&äöü';

export function clientOf(url: string, options: Partial<ClientOptions> = {}): TrackerClient {
  const usual = { method: 'post', format: 'json', timeoutMs: 10_000 } as const;
  return new TrackerClient({ tracker: async () => ({ url, apiKey }), ...usual, ...options });
}

/** Sends a write as a tool does. */
export function sendWrite(
  client: TrackerClient,
  to: Endpoint,
  given: Readonly<Record<string, unknown>>,
  options?: CallOptions,
): Promise<ReceiptReply> {
  return client.write(client.request(to, given), options);
}

export const endpoint: (name: EndpointName) => Endpoint = endpointNamed;

/** A working tracker: rows for a read, OK and an ID for a write. */
export const works: Answer = (response, { url }) => {
  const isRead = /list|stats|conversions|lookup/.test(url);
  response.setHeader('content-type', 'application/json');
  response.end(isRead ? '{"Status":"OK","Rows":[{"ID":"4","Name":"Solo"}]}' : '{"Status":"OK","ID":"12"}');
};

/** A working tracker that takes some time for each answer. */
export const worksAfter =
  (ms: number): Answer =>
  async (...call) => {
    await sleep(ms);
    return works(...call);
  };
