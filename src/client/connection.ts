import type { Deadline } from '../api/deadline.ts';
import { TrackerFailure, TransportError } from './errors.ts';
import type { Connections } from './http/connections.ts';
import { proxyProblem } from './proxies.ts';
import { maxInFlight } from './queue.ts';
import type { Tracker } from './request.ts';

/** Where a tracker is, or a function that starts it: the embedded tracker takes a moment. */
export type TrackerSource = Tracker | (() => Promise<Tracker>);

export interface Target {
  readonly tracker: Tracker;
  readonly connections: Connections;
}

/** Starts the tracker and opens the connections to it at the first call; tries again after a failure. */
export class LazyConnection {
  readonly #source: TrackerSource;
  readonly #onKey: (apiKey: string) => void;
  #connections: Promise<Connections> | undefined;
  #opening: Promise<Target> | undefined;
  #target: Target | undefined;
  /** The base URL; undefined until the tracker has started. */
  url: string | undefined;

  /**
   * @param onKey gets the API key before anything is asked with it
   * @throws TrackerFailure if the system gives this program too little address space
   */
  constructor(source: TrackerSource, onKey: (apiKey: string) => void) {
    requireAddressSpace();
    this.#source = source;
    this.#onKey = onKey;
    if (typeof source !== 'function') onKey(source.apiKey);
  }

  /** Loads what the first call needs. */
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

  /** @throws TransportError if the deadline ends first */
  async openWithin(deadline: Deadline): Promise<Target> {
    if (this.#target && !deadline.hasEnded) return this.#target;
    try {
      return await deadline.during(this.open());
    } catch (error) {
      throw deadline.hasEnded ? new TransportError('not-sent', deadline.reason) : error;
    }
  }

  async #open(): Promise<Target> {
    const source = this.#source;
    const starting = typeof source === 'function' ? source() : source;
    const [tracker, connections] = await Promise.all([starting, this.#connect()]);
    requireProxy(tracker.url);
    this.#onKey(tracker.apiKey);
    this.url = tracker.url;
    this.#target = { tracker, connections };
    return this.#target;
  }

  #connect(): Promise<Connections> {
    // Loading undici takes longer than starting the server.
    this.#connections ??= import('./http/connections.ts').then(({ openConnections }) => openConnections(maxInFlight));
    return this.#connections;
  }
}

/** Otherwise the call would be made without the proxy. */
function requireProxy(url: string): void {
  const problem = proxyProblem(new URL(url));
  if (problem) throw new TrackerFailure('not-sent', ...problem);
}

/** The types of Node do not have it. */
declare const WebAssembly: { readonly Memory: new (size: { readonly initial: number }) => unknown };

/**
 * undici parses HTTP in WebAssembly, for whose memory V8 reserves about 10 GB of addresses and uses hardly any. Under
 * `ulimit -v` each request would fail as if the tracker could not be reached.
 */
function requireAddressSpace(): void {
  try {
    new WebAssembly.Memory({ initial: 1 });
  } catch {
    throw new TrackerFailure(
      'not-sent',
      'This program cannot call a tracker: the system limits its address space to less than the HTTP parser reserves, about 10 GB.',
      'Raise the limit (ulimit -v), or start with NODE_OPTIONS=--disable-wasm-trap-handler, which reserves nothing.',
    );
  }
}
