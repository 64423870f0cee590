import type { Deadline } from '../api/deadline.ts';
import { TrackerFailure, TransportError } from './errors.ts';
import type { Connections } from './http/connections.ts';
import type { Tracker } from './request.ts';

/** Where a tracker is, or what starts it: the embedded tracker needs a moment. */
export type TrackerSource = Tracker | (() => Promise<Tracker>);

export interface Target {
  readonly tracker: Tracker;
  readonly connections: Connections;
}

/** Finds out, at the first call, where the tracker is, and opens the connections to it; once, and again after that failed. */
export class LazyConnection {
  readonly #source: TrackerSource;
  readonly #onKey: (apiKey: string) => void;
  #connections: Promise<Connections> | undefined;
  #opening: Promise<Target> | undefined;
  #target: Target | undefined;

  /**
   * @param onKey gets the key as soon as it is known, before anything is asked with it
   * @throws TrackerFailure if the system gives this program too few addresses to ask anything
   */
  constructor(source: TrackerSource, onKey: (apiKey: string) => void) {
    requireAddresses();
    this.#source = source;
    this.#onKey = onKey;
    if (typeof source !== 'function') onKey(source.apiKey);
  }

  get target(): Target | undefined {
    return this.#target;
  }

  /** Loads what the first call needs, so that it need not wait for it. */
  prepare(): void {
    this.#connect().catch(() => undefined);
  }

  open(): Promise<Target> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** The same for a call, which waits no longer than its deadline. */
  async openFor(deadline: Deadline): Promise<Target> {
    const target = this.#target ?? (await this.#waitFor(deadline));
    if (deadline.hasEnded) throw new TransportError('not-sent', deadline.reason);
    return target;
  }

  async #waitFor(deadline: Deadline): Promise<Target> {
    try {
      return await deadline.during(this.open());
    } catch (error) {
      throw deadline.hasEnded ? new TransportError('not-sent', deadline.reason) : error;
    }
  }

  async #open(): Promise<Target> {
    const source = this.#source;
    const [tracker, connections] = await Promise.all([
      typeof source === 'function' ? source() : source,
      this.#connect(),
    ]);
    this.#onKey(tracker.apiKey);
    this.#target = { tracker, connections };
    return this.#target;
  }

  #connect(): Promise<Connections> {
    // The HTTP library takes longer to load than a server takes to start.
    this.#connections ??= import('./http/connections.ts').then(({ openConnections }) => openConnections(maxInFlight));
    return this.#connections;
  }
}

/** As much of it as is used here; the types of Node have none. */
declare const WebAssembly: { readonly Memory: new (size: { readonly initial: number }) => unknown };

/**
 * undici's parser of HTTP is WebAssembly, for whose memory V8 reserves some 10 GB of addresses, though it uses hardly any. Under
 * `ulimit -v` each request would fail as one that does not reach the tracker.
 */
function requireAddresses(): void {
  try {
    new WebAssembly.Memory({ initial: 1 });
  } catch {
    throw new TrackerFailure(
      'not-sent',
      'This program cannot ask a tracker: the system limits its memory to fewer addresses than the parser of HTTP reserves, about 10 GB.',
      'Raise the limit (ulimit -v), or start with NODE_OPTIONS=--disable-wasm-trap-handler, which reserves none.',
    );
  }
}

/** Reads wait in one queue and writes in another, so that a long report holds up no write. */
export type QueueKind = 'reads' | 'writes';

/** How many requests of a kind are in flight to a tracker at a time. */
export const maxInFlight: Readonly<Record<QueueKind, number>> = { reads: 3, writes: 1 };

/** The queue for a tracker that several servers ask. A server that is the only one has it in its sockets. */
export interface Queue {
  /**
   * Waits for a turn.
   *
   * @param deadline its end ends the wait
   * @returns gives the turn back
   * @throws QueueTimeoutError if the deadline ended first; a Failure if no turn can be had
   */
  take(kind: QueueKind, deadline: Deadline): Promise<() => void>;
}
