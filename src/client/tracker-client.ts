import type { Endpoint } from '../api/endpoints.ts';
import type { Observer } from '../api/observer.ts';
import type { ReceiptReply, Reply } from '../api/replies.ts';
import { cleanText, quotation } from '../api/text/clean-text.ts';
import { Circuit } from './circuit.ts';
import type { Connections } from './connections.ts';
import { decode, type Question } from './decode/decode.ts';
import { CallEnded } from './errors.ts';
import { type Call, explainFailure } from './explain-failure.ts';
import { exchange, TransportError } from './http.ts';
import { KeptAnswers } from './kept-answers.ts';
import { holdsKey, maskKey, maskKeyInData } from './mask-key.ts';
import { problemOfStatus } from './problem-of-status.ts';
import { withRetries } from './retry.ts';
import { SharedReads } from './shared-reads.ts';

/** Where the tracker is, and the key to it. */
export interface Tracker {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
}

export interface ClientOptions {
  /** Where it is, or asked for once, at the first call: the embedded tracker needs a moment to start. */
  readonly tracker: Tracker | (() => Promise<Tracker>);
  readonly method: 'post' | 'get';
  readonly format: 'json' | 'xml';
  /** The deadline of one call, retries included, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer?: Observer | undefined;
}

/** The parameters of a request by their wire names, without key and format. */
export type WireParameters = Readonly<Record<string, string>>;

export interface CallOptions {
  /** Ends the call when its caller has no more use for it. */
  readonly signal?: AbortSignal | undefined;
  /** Told of a long download as it goes: bytes so far, and in all where that is known. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
}

export interface ReadOptions extends CallOptions {
  /** The reports asked for, where the reply depends on them. */
  readonly reports?: readonly string[] | undefined;
  /** Whether the answer that an earlier identical read got may serve, if it is still kept. */
  readonly reuse?: boolean;
}

/** A reply to a read, and when the tracker gave it, in milliseconds since the epoch. */
export interface Answer<SomeReply extends Reply = Reply> {
  readonly reply: SomeReply;
  readonly at: number;
}

/**
 * Asks one tracker over HTTP. Reads are retried, shared while in flight and kept for paging; a write is sent once.
 *
 * Every method throws a TrackerFailure that says what happened and what to do, never with the key in it.
 */
export class TrackerClient {
  readonly #options: ClientOptions;
  readonly #shared = new SharedReads<Answer>();
  readonly #kept = new KeptAnswers<Reply>(countCells);
  readonly #circuit = new Circuit();
  #tracker: Promise<Tracker> | undefined;
  /** Empty as long as the tracker, and with it the key, is not known. */
  #apiKey = '';
  #connections: Promise<Connections> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    if (typeof options.tracker !== 'function') this.#apiKey = options.tracker.apiKey;
  }

  /**
   * Reads from the tracker.
   *
   * @returns the reply of the kind that the endpoint declares
   */
  async read(endpoint: Endpoint, parameters: WireParameters, options: ReadOptions = {}): Promise<Answer> {
    const question = `${endpoint.path}?${new URLSearchParams(sorted(parameters))}`;
    if (options.reuse) {
      const kept = this.#kept.find(question);
      if (kept) return { reply: kept.answer, at: kept.at };
    }
    return this.#bounded(endpoint, options, (callSignal, deadline) =>
      this.#shared.join(question, callSignal, async (signal) => {
        const { generation } = this.#kept;
        let attempts = 0;
        const run = () => {
          attempts += 1;
          if (attempts > 1) this.#options.observer?.readRepeated?.(endpoint.name);
          return this.#ask(endpoint, parameters, { ...options, signal });
        };
        const reply = await this.#circuit.run(() => withRetries(run, deadline, signal));
        return { reply, at: this.#kept.keep(question, reply, generation) };
      }),
    );
  }

  /** Writes to the tracker, once. Answers from before say nothing about the tracker any more. */
  async write(endpoint: Endpoint, parameters: WireParameters, options: CallOptions = {}): Promise<ReceiptReply> {
    return this.#bounded(endpoint, options, async (signal) => {
      try {
        const reply = await this.#circuit.run(() => this.#ask(endpoint, parameters, { ...options, signal }));
        if (reply.kind !== 'receipt') throw new TypeError(`${endpoint.name} is no write`);
        return reply;
      } finally {
        this.#kept.clear();
        this.#shared.forget();
      }
    });
  }

  /** The parameters exactly as `write` sends them, with the key masked. */
  describe(parameters: WireParameters): WireParameters {
    return { key: '***', format: this.#options.format, ...parameters };
  }

  /** Whether some data, such as the arguments of a call, holds the key. */
  holdsKey(data: unknown): boolean {
    return holdsKey(data, this.#apiKey);
  }

  /** Data as it may leave: of the same shape, the key masked in every text and name. */
  withoutKey<Data>(data: Data): Data {
    return maskKeyInData(data, this.#apiKey);
  }

  /** The base URL; the embedded tracker is started for it. */
  async url(): Promise<string> {
    return (await this.#locate()).url;
  }

  /** Loads what the first call needs, so that it need not wait for it. */
  prepare(): void {
    this.#connect().catch(() => undefined);
  }

  #connect(): Promise<Connections> {
    // The HTTP library takes longer to load than a server takes to start.
    this.#connections ??= import('./connections.ts').then(({ openConnections }) => openConnections());
    return this.#connections;
  }

  /** Runs a call within its deadline and its caller's signal, and explains what ends it. */
  async #bounded<Result>(
    endpoint: Endpoint,
    options: CallOptions,
    run: (signal: AbortSignal, deadline: number) => Promise<Result>,
  ): Promise<Result> {
    const { timeoutMs } = this.#options;
    const controller = new AbortController();
    // AbortSignal.any over AbortSignal.timeout can be collected before it fires on Node 20, so both are wired by hand.
    const timer = setTimeout(() => controller.abort(new CallEnded('deadline')), timeoutMs);
    const cancel = () => controller.abort(new CallEnded('cancelled'));
    if (options.signal?.aborted) cancel();
    options.signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await run(controller.signal, Date.now() + timeoutMs);
    } catch (error) {
      const tracker = await this.#tracker?.catch(() => undefined);
      const call: Call = { endpoint, timeoutMs, address: `${tracker?.url ?? ''}/api/${endpoint.path}/` };
      throw explainFailure(error, call, (said) => quote(said, (text) => maskKey(text, this.#apiKey)));
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', cancel);
    }
  }

  /** Where the tracker is, asked for once; again after that failed. */
  #locate(): Promise<Tracker> {
    this.#tracker ??= this.#reach().catch((error: unknown) => {
      this.#tracker = undefined;
      throw error;
    });
    return this.#tracker;
  }

  async #reach(): Promise<Tracker> {
    const given = this.#options.tracker;
    const tracker = typeof given === 'function' ? await given() : given;
    this.#apiKey = tracker.apiKey;
    return tracker;
  }

  /** One request and its answer. */
  async #ask(
    endpoint: Endpoint,
    parameters: WireParameters,
    options: ReadOptions & { signal: AbortSignal },
  ): Promise<Reply> {
    const [tracker, connections] = await Promise.all([this.#locate(), this.#connect()]);
    if (options.signal.aborted) throw new TransportError('not-sent', options.signal.reason);
    const { method, format } = this.#options;
    const form = new URLSearchParams({ key: tracker.apiKey, format, ...parameters }).toString();
    const address = `${tracker.url}/api/${endpoint.path}/`;
    const start = performance.now();
    const observe = (status: number | undefined) =>
      this.#options.observer?.trackerAnswered?.(endpoint.name, status, (performance.now() - start) / 1000);
    const response = await exchange(endpoint.access === 'read' ? connections.reads : connections.writes, {
      ...(method === 'get'
        ? { method: 'GET', url: `${address}?${form}` }
        : { method: 'POST', url: address, body: form }),
      signal: options.signal,
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    }).catch((error: unknown) => {
      observe(undefined);
      throw error;
    });
    observe(response.status);
    const question: Question = {
      reply: endpoint.reply,
      ...(endpoint.table === undefined ? {} : { table: endpoint.table }),
      ...(endpoint.record === undefined ? {} : { record: endpoint.record }),
      ...(options.reports ? { reports: options.reports } : {}),
    };
    if (response.status >= 200 && response.status < 300) {
      return decode(response.bytes, response.contentType, question, (text) => maskKey(text, tracker.apiKey));
    }
    throw await problemOfStatus(response, address, question, (text) => maskKey(text, tracker.apiKey));
  }
}

function countCells(reply: Reply): number {
  if (reply.kind !== 'tables') return 1;
  return reply.tables.reduce((cells, { columns, rowCount }) => cells + columns.length * rowCount, 0);
}

function sorted(parameters: WireParameters): [string, string][] {
  return Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The tracker's words as a quotation: on one line, visible, short, without the key, and with nothing that ends it. */
function quote(said: string, mask: (text: string) => string): string {
  const line = mask(cleanText(said.slice(0, 2000)))
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('"', "'")
    .replace(/\s+/g, ' ')
    .trim();
  return quotation(line.length > 300 ? `${line.slice(0, 300)}…` : line);
}
