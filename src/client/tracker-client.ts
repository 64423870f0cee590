import { type CallClock, type Deadline, within } from '../api/deadline.ts';
import { type Endpoint, endpointNamed, type GivenArguments, type ReadName, type ReplyTo } from '../api/endpoints.ts';
import type { TrackerObserver } from '../api/observer.ts';
import { ownerOfCall } from '../api/running-call.ts';
import {
  type Origin,
  type PartOfAnswer,
  type ReceiptReply,
  type Reply,
  type StrayRow,
  withOrigin,
} from '../api/table.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { fromTracker, quoted, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import { TrackerNumbers } from '../api/tracker-numbers.ts';
import { accountName } from './account-name.ts';
import { AnswerCache, hasPages, SharedReads } from './answer-cache.ts';
import { loadDecoder, readResponse } from './answer-reader.ts';
import { Circuit } from './circuit.ts';
import { LazyConnection, type Target, type TrackerSource } from './connection.ts';
import type { Question, Reading } from './decode/decode.ts';
import { TrackerFailure, TransportError } from './errors.ts';
import { explainFailure } from './explain-failure.ts';
import { exchange, type HttpRequest, type HttpResponse } from './http/exchange.ts';
import { problemOfStatus } from './http-status.ts';
import { Keyring, SecretKey } from './mask-key.ts';
import { LocalQueue, type Queue, QueueTimeoutError } from './queue.ts';
import { type RequestStyle, TrackerRequest } from './request.ts';
import { withRetries } from './retry.ts';
import { withoutStrays } from './stray-rows.ts';

export interface ClientOptions extends RequestStyle {
  readonly tracker: TrackerSource;
  /** The deadline of one call, retries included, in milliseconds. */
  readonly timeoutMs: number;
  /** How the tracker writes numbers; by default its answers show it. */
  readonly numbers?: TrackerNumbers | undefined;
  readonly observer?: TrackerObserver | undefined;
  /** The keys of all trackers, which the answers must not show; by default only the key of this tracker. */
  readonly keyring?: Keyring | undefined;
  readonly maxCachedBytes?: number | undefined;
  /** Whether addresses and user agents of visitors are masked in every answer. */
  readonly masksVisitors?: boolean | undefined;
  /** Shared with the other servers that ask this tracker; absent if this is the only one. */
  readonly queue?: Queue | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called during a long download with the bytes so far, and the total if it is known. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
}

export interface ReadOptions extends CallOptions {
  /** Whether a cached answer to an earlier identical read may be used. */
  readonly reuse?: boolean;
  /** How many rows the caller shows at once: an answer that fits on one page is not cached. */
  readonly pageSize?: number | undefined;
  /** No retries, because something else waits for the answer. */
  readonly once?: boolean;
  /** Whether the caller itself asks for the rows that an answer says it lacks, or tells that they are missing. */
  readonly takesParts?: boolean;
}

/** What all calls of a client share. */
interface Parts {
  readonly shared: SharedReads<ReadResult<Reply>>;
  readonly cache: AnswerCache;
  readonly keyring: Keyring;
  readonly circuit: Circuit;
  readonly queue: Queue;
  readonly connection: LazyConnection;
  /** Empty until the tracker, and its key, is known. */
  secret: SecretKey;
  account: Promise<string> | undefined;
}

function openParts({
  maxCachedBytes,
  keyring = new Keyring(),
  queue = new LocalQueue(),
  tracker,
}: ClientOptions): Parts {
  // The key may be known at once.
  const held: Pick<Parts, 'secret' | 'account'> = { secret: new SecretKey(''), account: undefined };
  const connection = new LazyConnection(tracker, (apiKey) => {
    held.secret = keyring.add(apiKey);
  });
  const [shared, cache, circuit] = [
    new SharedReads<ReadResult<Reply>>(),
    new AnswerCache(maxCachedBytes),
    new Circuit(),
  ];
  return Object.assign(held, { shared, cache, keyring, circuit, queue, connection });
}

/** A reply to a read, and the shapes that it had. */
export interface ReadResult<SomeReply extends Reply> {
  readonly reply: SomeReply;
  readonly shape: string;
  /** The age of a cached answer, in milliseconds; undefined if it was read just now. */
  readonly ageMs?: number;
}

/**
 * Asks one tracker over HTTP. Reads are retried, shared while in flight and cached for paging; a write is sent once.
 *
 * Every method throws a TrackerFailure that tells what happened and what to do, never with the key in it.
 */
export class TrackerClient {
  readonly numbers: TrackerNumbers;
  readonly #options: ClientOptions;
  /** The client that this one is, for a single call or for all: by this, what calls share is kept. */
  readonly ofAllCalls: TrackerClient;
  readonly #parts: Parts;
  readonly #clock: CallClock | undefined;
  /** The zones that answers name as that of their times, if the question names none. */
  readonly zones = new Set<string>();
  /** The answers of a call that say that they lack rows; equal ones once. */
  readonly parts = new Map<string, PartOfAnswer>();
  /** How the numbers of the answers that a call got were read. */
  readonly uses = new Set<Origin['uses']>();
  /** The rows of its answers that are none of their tables, and in none of its figures. */
  readonly strays = new Map<string, StrayRow>();

  /** @param call the client of all calls, and the clock of the only call that may use this one */
  constructor(options: ClientOptions, call?: { readonly client: TrackerClient; readonly clock: CallClock }) {
    this.#options = options;
    this.ofAllCalls = call?.client ?? this;
    this.numbers = call?.client.numbers ?? options.numbers ?? new TrackerNumbers();
    this.#parts = call ? call.client.#parts : openParts(options);
    this.#clock = call?.clock;
  }

  /** The same client for one call: all its requests together have the deadline of one. */
  forCall(clock: CallClock): TrackerClient {
    return new TrackerClient(this.#options, { client: this.ofAllCalls, clock });
  }

  /** @returns the kind of reply that the endpoint declares */
  async read<Name extends ReadName>(
    name: Name,
    given: GivenArguments<Name>,
    options: ReadOptions = {},
  ): Promise<ReadResult<ReplyTo<Name>>> {
    const answer = await this.#read(new TrackerRequest(endpointNamed(name), given, this.#options), options);
    if (this.#clock) this.#keepUses(answer.reply);
    const isAsked = 'timezone' in given && given.timezone !== undefined;
    if (answer.reply.kind !== 'receipt' && answer.reply.timeZone !== undefined && !isAsked && this.#clock)
      this.zones.add(rawText(answer.reply.timeZone));
    const part = answer.reply.kind === 'tables' ? answer.reply.part : undefined;
    if (part && (!options.takesParts || part.isInDoubt) && this.#clock) this.parts.set(JSON.stringify(part), part);
    // The answer was decoded to the kind of reply that the endpoint declares.
    return this.#withoutStrays(answer, name) as ReadResult<ReplyTo<Name>>;
  }

  #keepUses(reply: Reply): void {
    if (reply.kind === 'receipt') return;
    const [first] = reply.kind === 'tables' ? reply.tables : reply.groups;
    if (first?.origin) this.uses.add(first.origin.uses);
  }

  #withoutStrays(answer: ReadResult<Reply>, name: ReadName): ReadResult<Reply> {
    if (answer.reply.kind !== 'tables') return answer;
    const { reply, strays } = withoutStrays(answer.reply, name === 'get_stats');
    for (const stray of this.#clock ? strays : []) this.strays.set(JSON.stringify(stray), stray);
    return { ...answer, reply };
  }

  async #read(request: TrackerRequest, options: ReadOptions): Promise<ReadResult<Reply>> {
    const { endpoint, question } = request;
    const cached = options.reuse ? this.#parts.cache.find(question) : undefined;
    if (cached) return { ...cached.reading, ageMs: cached.ageMs };
    // A read after a write must not join one from before it.
    const { generation } = this.#parts.cache;
    // A read without retries must not fail others that want them.
    const flight = `${options.once ? 'once ' : ''}${generation} ${question}`;
    return this.#run(request, options, (caller) =>
      this.#parts.shared.join(flight, caller, async (deadline) => {
        const target = await this.#parts.connection.openWithin(deadline);
        let resent = -1;
        const ask = () => {
          resent += 1;
          if (resent > 0) this.#options.observer?.readRepeated?.(endpoint.name);
          return this.#ask(request, target, { ...options, deadline, resent });
        };
        const reading = await this.#parts.circuit.run(endpoint.path, () =>
          options.once ? ask() : withRetries(ask, deadline),
        );
        const isOnePage = options.pageSize !== undefined && !hasPages(reading, options.pageSize);
        if (!isOnePage) this.#parts.cache.add(question, reading, generation);
        return reading;
      }),
    );
  }

  /**
   * The request that `write` sends, to be shown, agreed to and recorded first.
   *
   * @param given the checked arguments of the endpoint's tool
   */
  request(endpoint: Endpoint, given: Readonly<Record<string, unknown>>): TrackerRequest {
    return new TrackerRequest(endpoint, given, this.#options);
  }

  /** Writes to the tracker, once, and drops all cached answers. */
  async write(request: TrackerRequest, options: CallOptions = {}): Promise<ReceiptReply> {
    return this.#run(request, options, async (deadline) => {
      const minLeftMs = Math.max(this.timeoutMs * minPartForAnswer, this.#clock?.slowestAnswerMs ?? 0);
      if (this.leftMs < minLeftMs) throw this.#tooLate(minLeftMs);
      try {
        const target = await this.#parts.connection.openWithin(deadline);
        const { reply } = await this.#parts.circuit.run(request.endpoint.path, () =>
          this.#ask(request, target, { ...options, deadline, minLeftMs }),
        );
        if (reply.kind !== 'receipt') throw new TypeError(`${request.endpoint.name} is not a write`);
        return reply;
      } finally {
        this.#parts.cache.clear();
      }
    });
  }

  /** The deadline of one call, retries included, in milliseconds. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** What is left of it, in milliseconds, at least 0; all of it outside of a call. */
  get leftMs(): number {
    return Math.max(this.timeoutMs - (this.#clock?.usedMs ?? 0), 0);
  }

  /** Whether some data, such as the arguments of a call, contains the key of any tracker of this server. */
  holdsKey(data: unknown): boolean {
    return this.#parts.keyring.isIn(data);
  }

  /** Data of the same shape with the keys masked in every text and name. */
  withoutKey<Data>(data: Data): Data {
    return this.#parts.keyring.mask(data);
  }

  /** The base URL; starts an embedded tracker. */
  async url(): Promise<string> {
    return (await this.#parts.connection.open()).tracker.url;
  }

  /** Tells the accounts at one URL apart, without the key; starts an embedded tracker. */
  async account(): Promise<string> {
    const { tracker } = await this.#parts.connection.open();
    this.#parts.account ??= accountName(tracker);
    return this.#parts.account;
  }

  /** Loads what the first call needs. */
  prepare(): void {
    this.#parts.connection.prepare();
    void loadDecoder();
  }

  /** Runs a call within its deadline, and explains its failure. */
  async #run<Result>(
    request: TrackerRequest,
    options: CallOptions,
    run: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result> {
    const { timeoutMs } = this.#options;
    try {
      return await within(this.leftMs, run, options.signal);
    } catch (error) {
      const call = { request, timeoutMs, address: request.addressAt(this.#parts.connection.url ?? '') };
      throw explainFailure(error, call, (text) => this.#quote(text));
    }
  }

  /** A write that would probably get no answer in time, so that its outcome would be unknown. */
  #tooLate(neededMs: number): TrackerFailure {
    const [left, needed, all] = [this.leftMs, neededMs, this.timeoutMs].map((ms) => Math.round(ms / 100) / 10);
    return new TrackerFailure(
      'not-sent',
      `The write was not begun: ${left} s of the ${all} s of this call are left, and the tracker may take ${needed} s to answer.`,
      'Nothing was sent for it. Try again, or raise TRACKER_TIMEOUT_MS.',
    );
  }

  async #ask(
    request: TrackerRequest,
    { tracker, connections }: Target,
    options: ReadOptions & Pick<HttpRequest, 'deadline' | 'minLeftMs'> & { resent?: number },
  ): Promise<Reading> {
    const { endpoint, reports } = request;
    const { deadline, minLeftMs, onProgress, resent = 0 } = options;
    const kind = endpoint.access === 'read' ? 'reads' : 'writes';
    const giveBack = await this.#parts.queue.take(kind, deadline, ownerOfCall());
    const start = performance.now();
    let response: HttpResponse | undefined;
    try {
      const message = request.messageTo(tracker);
      response = await exchange(connections[kind], { ...message, deadline, minLeftMs, onProgress });
    } catch (error) {
      const isUnsent = error instanceof TransportError && error.kind === 'not-sent';
      // The call had too little time left to tell whether the tracker can be reached.
      if (isUnsent && deadline.hasEnded && performance.now() - start < minConnectMs)
        throw new QueueTimeoutError(error.cause);
      throw error;
    } finally {
      giveBack();
      const tookMs = performance.now() - start;
      if (this.#clock) this.#clock.slowestAnswerMs = Math.max(this.#clock.slowestAnswerMs, tookMs);
      const seconds = tookMs / 1000;
      this.#options.observer?.trackerAnswered?.(endpoint.name, response?.status, seconds, resent);
    }
    const { reply, table, record } = endpoint;
    const question: Question = { reply, table, record, reports, paging: response.paging };
    if (response.status >= 200 && response.status < 300) {
      const { bytes, contentType } = response;
      const answer = { bytes, contentType, question, secret: this.#parts.secret };
      const reading = await readResponse(answer, tracker.apiKey, deadline);
      const { reply: shown } = this.#options.masksVisitors ? await withoutVisitors(reading) : reading;
      return { ...reading, reply: withOrigin(shown, this.numbers) };
    }
    throw await problemOfStatus(response, request.addressAt(tracker.url), question, this.#parts.secret);
  }

  /** Quotes the tracker: on one line, visible, short, without the key, and without tags. */
  #quote(text: TrackerText): string {
    const line = this.#parts.keyring
      .mask(cleanText(rawText(text)))
      .replace(/<[^<>]*>/g, ' ')
      .replaceAll('"', "'")
      .replace(/\s+/g, ' ')
      .trim();
    return quoted(fromTracker(line), maxQuotationLength);
  }
}

/** The code is loaded only where visitors are masked. */
async function withoutVisitors({ reply }: Reading): Promise<Pick<Reading, 'reply'>> {
  const { maskVisitors } = await import('./mask-visitors.ts');
  return { reply: maskVisitors(reply) };
}

/** A write with a smaller part of its time left is not sent: its caller would not get the outcome. */
const minPartForAnswer = 0.05;

/** The time in which a connection to a tracker that can be reached is open, in milliseconds. */
const minConnectMs = 1000;

/** Enough to identify an error. */
const maxQuotationLength = 300;
