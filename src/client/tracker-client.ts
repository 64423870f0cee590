import { type Deadline, within } from '../api/deadline.ts';
import { type Endpoint, endpointNamed, type GivenArguments, type ReadName, type ReplyTo } from '../api/endpoints.ts';
import type { TrackerObserver } from '../api/observer.ts';
import type { ReceiptReply, Reply } from '../api/table.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { fromTracker, quoted, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import { AnswerCache, hasPages, SharedReads } from './answer-cache.ts';
import { readResponse } from './answer-reader.ts';
import { Circuit } from './circuit.ts';
import { LazyConnection, type Queue, type Target, type TrackerSource } from './connection.ts';
import type { Question, Reading } from './decode/decode.ts';
import { explainFailure } from './explain-failure.ts';
import { exchange, type HttpRequest, type HttpResponse } from './http/exchange.ts';
import { type Call, problemOfStatus } from './http-status.ts';
import { Keyring, keyAsSecret, maskKey } from './mask-key.ts';
import { type RequestStyle, TrackerRequest } from './request.ts';
import { withRetries } from './retry.ts';

export interface ClientOptions extends RequestStyle {
  readonly tracker: TrackerSource;
  /** The deadline of one call, retries included, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer?: TrackerObserver | undefined;
  /** The keys of all trackers that this one's answers could show; without it, its own. */
  readonly keyring?: Keyring | undefined;
  readonly maxKeptBytes?: number | undefined;
  /** Shared with the other servers that ask this tracker; absent if this is the only one. */
  readonly queue?: Queue | undefined;
}

export interface CallOptions {
  /** Ends the call when its caller has no more use for it. */
  readonly signal?: AbortSignal | undefined;
  /** Called as a long download goes on: bytes so far, and in all if that is known. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
  /** What is left of the deadline, in milliseconds, if the call has used up a part of it. */
  readonly leftMs?: number | undefined;
}

export interface ReadOptions extends CallOptions {
  /** Whether the answer that an earlier identical read got may serve, if it is still kept. */
  readonly reuse?: boolean;
  /** How many rows of a table its caller shows at once: an answer with no more has no other pages, and need not be kept. */
  readonly pageSize?: number | undefined;
  /** Whether it is tried but once, as something else waits for the answer. */
  readonly once?: boolean;
}

/** A reply to a read, and the shapes it was read by. */
export interface Answer<SomeReply extends Reply> {
  readonly reply: SomeReply;
  readonly shape: string;
  /** How long ago the tracker gave it, in milliseconds, if it was kept; undefined if it was read just now. */
  readonly ageMs?: number;
}

/**
 * Asks one tracker over HTTP. Reads are retried, shared while in flight and kept for paging; a write is sent once.
 *
 * Every method throws a TrackerFailure that says what happened and what to do, never with the key in it.
 */
export class TrackerClient {
  readonly #options: ClientOptions;
  readonly #shared = new SharedReads<Answer<Reply>>();
  readonly #cache: AnswerCache;
  readonly #keyring: Keyring;
  readonly #circuit = new Circuit();
  readonly #connection: LazyConnection;
  /** Empty as long as the tracker, and with it the key, is not known. */
  #apiKey = '';

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#cache = new AnswerCache(options.maxKeptBytes);
    this.#keyring = options.keyring ?? new Keyring();
    this.#connection = new LazyConnection(options.tracker, (apiKey) => {
      this.#apiKey = apiKey;
      this.#keyring.add(apiKey);
    });
  }

  /**
   * Reads from the tracker.
   *
   * @returns the reply of the kind that the endpoint declares
   */
  async read<Name extends ReadName>(
    name: Name,
    given: GivenArguments<Name>,
    options: ReadOptions = {},
  ): Promise<Answer<ReplyTo<Name>>> {
    const answer = await this.#read(new TrackerRequest(endpointNamed(name), given, this.#options), options);
    // The tracker's bytes are decoded to the kind of reply that the endpoint declares.
    return answer as Answer<ReplyTo<Name>>;
  }

  async #read(request: TrackerRequest, options: ReadOptions): Promise<Answer<Reply>> {
    const { endpoint } = request;
    const { question } = request;
    if (options.reuse) {
      const kept = this.#cache.find(question);
      if (kept) return { ...kept.reading, ageMs: kept.ageMs };
    }
    // A caller who asks after a write is not given an answer that was asked for before it.
    const { generation } = this.#cache;
    // What is tried once must not fail those who would try again.
    const flight = `${options.once ? 'once ' : ''}${generation} ${question}`;
    return this.#bounded(request, options, (caller) =>
      this.#shared.join(flight, caller, async (deadline) => {
        const target = await this.#connection.openFor(deadline);
        let attempts = 0;
        const reading = await this.#circuit.run(endpoint.path, (onSent) => {
          const run = () => {
            attempts += 1;
            if (attempts > 1) this.#options.observer?.readRepeated?.(endpoint.name);
            return this.#ask(request, target, { ...options, deadline, onSent, resent: attempts - 1 });
          };
          return options.once ? run() : withRetries(run, deadline);
        });
        const isWhole = options.pageSize !== undefined && !hasPages(reading, options.pageSize);
        if (!isWhole) this.#cache.keep(question, reading, generation);
        return reading;
      }),
    );
  }

  /**
   * The request that `write` sends, ready to be shown, agreed to and recorded.
   *
   * @param given the arguments of the endpoint's tool, checked
   */
  request(endpoint: Endpoint, given: Readonly<Record<string, unknown>>): TrackerRequest {
    return new TrackerRequest(endpoint, given, this.#options);
  }

  /** Writes to the tracker, once. Answers from before say nothing about the tracker any more. */
  async write(request: TrackerRequest, options: CallOptions = {}): Promise<ReceiptReply> {
    return this.#bounded(request, options, async (deadline) => {
      const minLeftMs = this.timeoutMs * partForAnswer;
      try {
        const target = await this.#connection.openFor(deadline);
        const { reply } = await this.#circuit.run(request.endpoint.path, (onSent) =>
          this.#ask(request, target, { ...options, deadline, minLeftMs, onSent }),
        );
        if (reply.kind !== 'receipt') throw new TypeError(`${request.endpoint.name} is no write`);
        return reply;
      } finally {
        this.#cache.clear();
      }
    });
  }

  /** The deadline of one call, retries included, in milliseconds. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Whether some data, such as the arguments of a call, holds the key, or that of another tracker of this server. */
  holdsKey(data: unknown): boolean {
    return this.#keyring.isIn(data);
  }

  /**
   * Data as it may leave: of the same shape, the keys masked in every text and name.
   *
   * @param written all of it as texts or JSON, if that is at hand: nearly always it shows that there is nothing to mask
   */
  withoutKey<Data>(data: Data, written?: readonly string[]): Data {
    return this.#keyring.mask(data, written);
  }

  /** The base URL; the embedded tracker is started for it. */
  async url(): Promise<string> {
    return (await this.#connection.open()).tracker.url;
  }

  prepare(): void {
    this.#connection.prepare();
  }

  /** Runs a call within its deadline and its caller's signal, and explains what ends it. */
  async #bounded<Result>(
    request: TrackerRequest,
    options: CallOptions,
    run: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result> {
    const { timeoutMs } = this.#options;
    try {
      return await within(options.leftMs ?? timeoutMs, run, options.signal);
    } catch (error) {
      const call: Call = { request, timeoutMs, address: request.addressAt(this.#connection.target?.tracker.url ?? '') };
      throw explainFailure(error, call, (said) => quote(said, (text) => maskKey(text, this.#apiKey)));
    }
  }

  async #ask(
    request: TrackerRequest,
    { tracker, connections }: Target,
    options: ReadOptions & Pick<HttpRequest, 'deadline' | 'minLeftMs'> & { onSent: () => void; resent?: number },
  ): Promise<Reading> {
    const { endpoint } = request;
    const { resent = 0 } = options;
    const isRead = endpoint.access === 'read';
    const giveBack = await this.#options.queue?.take(isRead ? 'reads' : 'writes', options.deadline);
    const start = performance.now();
    let response: HttpResponse | undefined;
    try {
      response = await exchange(isRead ? connections.reads : connections.writes, {
        ...request.messageTo(tracker),
        deadline: options.deadline,
        minLeftMs: options.minLeftMs,
        onSent: options.onSent,
        ...(options.onProgress ? { onProgress: options.onProgress } : {}),
      });
    } finally {
      giveBack?.();
      const seconds = (performance.now() - start) / 1000;
      this.#options.observer?.trackerAnswered?.(endpoint.name, response?.status, seconds, resent);
    }
    const question: Question = {
      reply: endpoint.reply,
      ...(endpoint.table === undefined ? {} : { table: endpoint.table }),
      ...(endpoint.record === undefined ? {} : { record: endpoint.record }),
      ...(request.reports ? { reports: request.reports } : {}),
    };
    if (response.status >= 200 && response.status < 300) {
      return await readResponse(response, question, tracker.apiKey, options.deadline);
    }
    throw await problemOfStatus(response, request.addressAt(tracker.url), question, keyAsSecret(tracker.apiKey));
  }
}

/** A write with less of its time left is not sent: the caller would not hear what became of it. */
const partForAnswer = 0.05;

/** Enough of an error to know it by. */
const maxQuoted = 300;

/** The tracker's words as a quotation: on one line, visible, short, without the key, and with nothing that ends it. */
function quote(said: TrackerText, mask: (text: string) => string): string {
  const line = mask(cleanText(rawText(said).slice(0, 2000)))
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('"', "'")
    .replace(/\s+/g, ' ')
    .trim();
  return quoted(fromTracker(line), maxQuoted);
}
