import { type Endpoint, endpointNamed, type GivenArguments, type ReadName, type ReplyTo } from '../api/endpoints.ts';
import type { TrackerObserver } from '../api/observer.ts';
import type { ReceiptReply, Reply } from '../api/table.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { fromTracker, quoted, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import { readResponse } from './answer-reader.ts';
import { type Breakers, Circuit } from './circuit.ts';
import type { Question, Reading } from './decode/decode.ts';
import { CallEnded } from './errors.ts';
import { explainFailure } from './explain-failure.ts';
import type { Call } from './explain-status.ts';
import { exchange, type HttpRequest, type HttpResponse } from './http/exchange.ts';
import { hasPages, KeptReadings } from './kept/kept-readings.ts';
import type { AnswerKeeper } from './kept-answers.ts';
import { Life, lifeOf } from './life.ts';
import { Keyring, keyAsSecret, maskKey } from './mask-key.ts';
import { Opening, type Target, type TrackerSource } from './opening.ts';
import { problemOfStatus } from './problem-of-status.ts';
import { type AnswerStore, ReplicatedAnswers } from './replicas/replicated-answers.ts';
import type { Turns } from './replicas/turns.ts';
import { type RequestStyle, TrackerRequest } from './request.ts';
import { withRetries } from './retry.ts';
import { SharedReads } from './shared-reads.ts';

/** What servers have in common that ask one tracker. */
export interface Replicas {
  readonly turns: Turns;
  readonly breakers: Breakers;
  readonly answers: AnswerStore;
}

export interface ClientOptions extends RequestStyle {
  readonly tracker: TrackerSource;
  /** The deadline of one call, retries included, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer?: TrackerObserver | undefined;
  /** The keys of all trackers that this one's answers could show; without it, its own. */
  readonly keyring?: Keyring | undefined;
  /** What all kept answers take in memory together, at most. */
  readonly maxKeptBytes?: number | undefined;
  /** Absent where this server is the only one. */
  readonly replicas?: Replicas | undefined;
}

export interface CallOptions {
  /** Ends the call when its caller has no more use for it. */
  readonly signal?: AbortSignal | undefined;
  /** Told of a long download as it goes: bytes so far, and in all where that is known. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
  /** What is left of the deadline, in milliseconds, where the call has used up a part of it. */
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

/** A reply to a read, the shapes it was read by, and when the tracker gave it, in milliseconds since the epoch. */
export interface Answer<SomeReply extends Reply> {
  readonly reply: SomeReply;
  readonly shape: string;
  readonly at: number;
}

/**
 * Asks one tracker over HTTP. Reads are retried, shared while in flight and kept for paging; a write is sent once.
 *
 * Every method throws a TrackerFailure that says what happened and what to do, never with the key in it.
 */
export class TrackerClient {
  readonly #options: ClientOptions;
  readonly #shared = new SharedReads<Answer<Reply>>();
  readonly #kept: AnswerKeeper<Reading>;
  readonly #keyring: Keyring;
  readonly #circuit: Circuit;
  readonly #opening: Opening;
  /** Empty as long as the tracker, and with it the key, is not known. */
  #apiKey = '';

  constructor(options: ClientOptions) {
    this.#options = options;
    const { replicas, maxKeptBytes } = options;
    const kept = new KeptReadings(maxKeptBytes);
    this.#kept = replicas ? new ReplicatedAnswers(replicas.answers, kept) : kept;
    this.#circuit = new Circuit(undefined, replicas?.breakers);
    this.#keyring = options.keyring ?? new Keyring();
    this.#opening = new Opening(options.tracker, (apiKey) => {
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
      const kept = await this.#kept.find(question);
      if (kept) return { ...kept.answer, at: kept.at };
    }
    return this.#bounded(request, options, async (caller, deadline) => {
      // Whoever asks after a write is not given an answer that was asked for before. Where it has to be found out, it is asked
      // for ahead of all else, and what else has to be asked does not wait for it.
      const generation = this.#kept.generation;
      // What is tried once must not fail those who would try again.
      const flight = `${options.once ? 'once ' : ''}${question}`;
      return this.#shared.join(flight, generation, caller, async (life) => {
        const target = await this.#opening.openFor(life);
        let attempts = 0;
        const reading = await this.#circuit.run(endpoint.path, (onSent) => {
          const run = () => {
            attempts += 1;
            if (attempts > 1) this.#options.observer?.readRepeated?.(endpoint.name);
            return this.#ask(request, target, { ...options, life, onSent, resent: attempts - 1 });
          };
          return options.once ? run() : withRetries(run, deadline, life);
        });
        const isWhole = options.pageSize !== undefined && !hasPages(reading, options.pageSize);
        const at = isWhole ? Date.now() : await this.#kept.keep(question, reading, await generation);
        return { ...reading, at };
      });
    });
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
    return this.#bounded(request, options, async (life, deadline) => {
      const sendBy = deadline - this.timeoutMs * partForAnswer;
      try {
        const target = await this.#opening.openFor(life);
        const { reply } = await this.#circuit.run(request.endpoint.path, (onSent) =>
          this.#ask(request, target, { ...options, life, sendBy, onSent }),
        );
        if (reply.kind !== 'receipt') throw new TypeError(`${request.endpoint.name} is no write`);
        return reply;
      } finally {
        await this.#kept.clear();
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
   * @param written all of it as texts or JSON, where that is at hand: nearly always it shows that there is nothing to mask
   */
  withoutKey<Data>(data: Data, written?: readonly string[]): Data {
    return this.#keyring.mask(data, written);
  }

  /** The base URL; the embedded tracker is started for it. */
  async url(): Promise<string> {
    return (await this.#opening.open()).tracker.url;
  }

  /** Loads what the first call needs, so that it need not wait for it. */
  prepare(): void {
    this.#opening.prepare();
  }

  /** Runs a call within its deadline and its caller's signal, and explains what ends it. */
  async #bounded<Result>(
    request: TrackerRequest,
    options: CallOptions,
    run: (life: Life, deadline: number) => Promise<Result>,
  ): Promise<Result> {
    const { timeoutMs } = this.#options;
    const leftMs = options.leftMs ?? timeoutMs;
    const life = new Life();
    const timer = setTimeout(() => life.end(new CallEnded('deadline')), leftMs);
    const stopListening = options.signal && lifeOf(options.signal).onEnd(() => life.end(new CallEnded('cancelled')));
    try {
      return await run(life, Date.now() + leftMs);
    } catch (error) {
      const call: Call = { request, timeoutMs, address: request.addressAt(this.#opening.target?.tracker.url ?? '') };
      throw explainFailure(error, call, (said) => quote(said, (text) => maskKey(text, this.#apiKey)));
    } finally {
      clearTimeout(timer);
      stopListening?.();
    }
  }

  /** One request and its answer. */
  async #ask(
    request: TrackerRequest,
    { tracker, connections }: Target,
    options: ReadOptions & Pick<HttpRequest, 'life' | 'sendBy'> & { onSent: () => void; resent?: number },
  ): Promise<Reading> {
    const { endpoint } = request;
    const { resent = 0 } = options;
    const isRead = endpoint.access === 'read';
    const giveBack = await this.#options.replicas?.turns.take(isRead ? 'reads' : 'writes', options.life);
    const start = performance.now();
    let response: HttpResponse | undefined;
    try {
      response = await exchange(isRead ? connections.reads : connections.writes, {
        ...request.messageTo(tracker),
        life: options.life,
        sendBy: options.sendBy,
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
      return await readResponse(response, question, tracker.apiKey, options.life);
    }
    throw await problemOfStatus(response, request.addressAt(tracker.url), question, keyAsSecret(tracker.apiKey));
  }
}

/** A write with less of its time left is not sent: nobody would hear what became of it. */
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
