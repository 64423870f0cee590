import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** After this time, connections without a complete request are closed. */
const graceMs = 500;

const sweepMs = 50;

/** The server stops listening after this many checks in a row saw no new connection and no response sent. */
const quietChecks = 10;
const checkIntervalMs = 5;

/** Tracks the connections of a server, so that it can end without dropping a request that arrived completely. */
export class Drain {
  readonly #server: Server;
  readonly #requestsBySocket = new Map<Socket, Set<IncomingMessage>>();
  #events = 0;
  #hold: Promise<void> | undefined;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#events += 1;
      this.#requestsBySocket.set(socket, new Set());
      socket.once('close', () => this.#requestsBySocket.delete(socket));
    });
    server.on('request', (request, response) => {
      const requests = this.#requestsBySocket.get(request.socket);
      requests?.add(request);
      response.once('close', () => {
        this.#events += 1;
        requests?.delete(request);
      });
    });
  }

  /** Requests wait for this before they are handled; undefined if they need not wait. */
  get hold(): Promise<void> | undefined {
    return this.#hold;
  }

  get connections(): number {
    return this.#requestsBySocket.size;
  }

  /** Resolves when every complete request is answered, except the streams of sessions, which only their end closes. */
  async answered(): Promise<void> {
    const isPending = ({ complete, method }: IncomingMessage) => complete && method !== 'GET';
    while ([...this.#requestsBySocket.values()].some((requests) => [...requests].some(isPending))) await sleep(sweepMs);
  }

  /**
   * Takes no more connections, and closes those it has: idle ones and those with an incomplete request soon, the others once they
   * are answered, or after `maxMs`.
   *
   * @returns how many requests were cut off
   */
  async end(maxMs: number): Promise<number> {
    await this.#stopListening();
    const start = performance.now();
    for (;;) {
      // Read what has arrived before closing anything.
      await nextTurn();
      const elapsedMs = performance.now() - start;
      const isOver = elapsedMs >= maxMs;
      let unanswered = 0;
      for (const [socket, requests] of this.#requestsBySocket) {
        const complete = [...requests].filter((request) => request.complete).length;
        unanswered += complete;
        if (isOver || (elapsedMs >= graceMs && complete === 0)) socket.destroy();
      }
      if (isOver) return unanswered;
      if (this.#requestsBySocket.size === 0) return 0;
      await sleep(sweepMs);
    }
  }

  /**
   * Closing the server resets the connections that the system has accepted and Node has not; Node accepts one per turn of its
   * event loop. So responses are held back until every caller waits for one, and none connects.
   */
  async #stopListening(): Promise<void> {
    let release = () => {};
    this.#hold = new Promise((resolve) => {
      release = resolve;
    });
    const start = performance.now();
    for (let quiet = 0; quiet < quietChecks && performance.now() - start < graceMs; ) {
      const before = this.#events;
      await sleep(checkIntervalMs);
      await nextTurn();
      quiet = this.#events === before ? quiet + 1 : 0;
    }
    this.#server.close();
    this.#hold = undefined;
    release();
  }
}
