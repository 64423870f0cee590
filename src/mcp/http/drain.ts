import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** A connection on which no whole request arrives within this time of the end is closed. */
const graceMs = 500;

const sweepMs = 50;

/** The server takes no more connections once for this many looks in a row, so far apart, none came and no answer left. */
const quietLooks = 10;
const lookMs = 5;

/** Follows the connections of a server, so that it can end without dropping a request that arrived whole. */
export class Drain {
  readonly #server: Server;
  readonly #open = new Map<Socket, Set<IncomingMessage>>();
  #events = 0;
  /** While it is there, requests are not yet handled. */
  #held: Promise<void> | undefined;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#events += 1;
      this.#open.set(socket, new Set());
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('request', (request, response) => {
      const unanswered = this.#open.get(request.socket);
      unanswered?.add(request);
      response.once('close', () => {
        this.#events += 1;
        unanswered?.delete(request);
      });
    });
  }

  get released(): Promise<void> | undefined {
    return this.#held;
  }

  get connections(): number {
    return this.#open.size;
  }

  /**
   * Takes no more connections; resolves when all are closed, with how many requests were cut off: idle and incomplete ones
   * soon, the others once they are answered, or after `maxMs`.
   */
  async end(maxMs: number): Promise<number> {
    await this.#stopListening();
    const start = performance.now();
    for (;;) {
      // What has arrived is read before anything is closed.
      await nextTurn();
      const elapsedMs = performance.now() - start;
      const unanswered = [...this.#open.values()].flatMap((requests) =>
        [...requests].filter(({ complete }) => complete),
      ).length;
      const isOver = elapsedMs >= maxMs;
      for (const [socket, requests] of this.#open) {
        if (isOver || (elapsedMs >= graceMs && ![...requests].some(({ complete }) => complete))) socket.destroy();
      }
      if (isOver) return unanswered;
      if (this.#open.size === 0) return 0;
      await sleep(sweepMs);
    }
  }

  /**
   * Closing the server resets the connections that the system has taken and Node has not, which it takes one a turn of its
   * loop. So answers are held back for a moment: callers who ask again and again all come to wait for one, and none connects.
   */
  async #stopListening(): Promise<void> {
    let release = () => {};
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    const start = performance.now();
    for (let quiet = 0; quiet < quietLooks && performance.now() - start < graceMs; ) {
      const before = this.#events;
      await sleep(lookMs);
      await nextTurn();
      quiet = this.#events === before ? quiet + 1 : 0;
    }
    this.#server.close();
    this.#held = undefined;
    release();
  }
}
