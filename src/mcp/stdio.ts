import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  ProtocolError,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { invalidRequest, parseMessage, problemOfRequest, requestIdOf } from './messages.ts';
import { createServerFactory, type ServerOptions } from './server.ts';

/** The limit of the SDK's own transport; no message of the protocol needs more. */
const maxMessageBytes = 10 * 1024 * 1024;

/** While the client has more than this to read, its messages wait. */
const maxUnreadBytes = 40_000_000;

/** What a client sends first, to learn what the server is. */
const openingMethods: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/** Cuts input into lines. Holds at most one unfinished line, of limited size. */
class Lines {
  #line = '';
  #bytes = 0;

  /** The lines that a piece of input completes, without empty ones. A line that is too long is undefined. */
  *take(input: string): Generator<string | undefined> {
    for (const [index, part] of input.split('\n').entries()) {
      if (index > 0) yield* this.end();
      const wasTooLong = this.#isTooLong;
      this.#bytes += Buffer.byteLength(part);
      this.#line = this.#isTooLong ? '' : this.#line + part;
      if (this.#isTooLong && !wasTooLong) yield undefined;
    }
  }

  /** Ends the line: the last one of the input may have no line break. */
  *end(): Generator<string> {
    if (this.#line.trim() !== '') yield this.#line;
    this.#line = '';
    this.#bytes = 0;
  }

  get #isTooLong(): boolean {
    return this.#bytes > maxMessageBytes;
  }
}

/**
 * Messages over standard input and output, one per line. The SDK's own transport aborts running calls when the input ends, and
 * the outcome of writes would be unknown. This one still answers them.
 */
export class StandardStreams implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  /** Resolves when the client has hung up; rejects if writing to it fails for a different reason. */
  readonly ended: Promise<void>;
  /** Whether the client has sent a message. */
  hasReceived = false;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new Lines();
  readonly #unanswered = new Set<RequestId>();
  #onOpened: (() => void) | undefined;
  #firstId: RequestId | undefined;
  #onAnswered: (() => void) | undefined;

  /** @param onOpened called once, when the first request after the opening is answered */
  constructor(input: Readable, output: Writable, onOpened: () => void) {
    this.#input = input;
    this.#output = output;
    this.#onOpened = onOpened;
    this.ended = new Promise((resolve, reject) => {
      input.once('end', resolve);
      output.on('error', (error: NodeJS.ErrnoException) => {
        // If the client takes no answers, its requests are not read any more.
        input.destroy();
        this.#unanswered.clear();
        this.#onAnswered?.();
        if (error.code === 'EPIPE') resolve();
        else reject(error);
      });
    });
  }

  async start(): Promise<void> {
    this.#input.setEncoding('utf8');
    this.#input.on('data', (input: string) => {
      for (const line of this.#lines.take(input)) this.#receive(line);
    });
    this.#input.once('end', () => {
      for (const line of this.#lines.end()) this.#receive(line);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#output.writable) return;
    this.#output.write(`${JSON.stringify(message)}\n`);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
    if (this.#output.writableLength <= maxUnreadBytes || this.#input.isPaused()) return;
    this.#input.pause();
    this.#output.once('drain', () => this.#input.resume());
  }

  async close(): Promise<void> {
    this.#input.pause();
    this.onclose?.();
  }

  /** Resolves when every request is answered and the client has taken the answers, or is gone. */
  async answered(): Promise<void> {
    if (this.#unanswered.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onAnswered = resolve;
      });
    }
    if (this.#output.writableLength > 0) {
      await new Promise<void>((resolve) => this.#output.write('', () => resolve()));
    }
  }

  #receive(line: string | undefined): void {
    const message = readMessage(line);
    if (message === undefined) return;
    if ('refusal' in message) {
      const { id, refusal } = message;
      const answer = { jsonrpc: '2.0', id, error: { code: refusal.code, message: refusal.message } };
      if (this.#output.writable) this.#output.write(`${JSON.stringify(answer)}\n`);
      return;
    }
    this.hasReceived = true;
    this.#track(message);
    this.onmessage?.(message);
  }

  #track(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) {
      this.#unanswered.add(message.id);
      if (!openingMethods.has(message.method)) this.#firstId ??= message.id;
    }
    // A cancelled request is not answered.
    if (message.method === 'notifications/cancelled') this.#settle(message.params?.['requestId'] as RequestId);
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    if (id === this.#firstId && this.#onOpened) {
      // The answer may still have to leave.
      setImmediate(this.#onOpened);
      this.#onOpened = undefined;
    }
    if (this.#unanswered.size === 0) this.#onAnswered?.();
  }
}

/** A message that is refused. Its ID is null if it has none, or if it cannot be read. */
interface Refused {
  readonly id: RequestId | null;
  readonly refusal: ProtocolError;
}

/** Undefined if the line is not JSON: then nothing waits for an answer. */
function readMessage(line: string | undefined): JSONRPCMessage | Refused | undefined {
  if (line === undefined) return { id: null, refusal: invalidRequest('The message is too long.') };
  const parsed = parseMessage(line);
  if (parsed === undefined) return undefined;
  if (parsed instanceof ProtocolError) return { id: null, refusal: parsed };
  const problem = problemOfRequest(parsed.content);
  if (problem) return { id: requestIdOf(parsed.content), refusal: problem };
  try {
    return parseJSONRPCMessage(parsed.content);
  } catch {
    // Whoever waits for this ID has to hear of it.
    return { id: requestIdOf(parsed.content), refusal: invalidRequest('The message is not JSON-RPC 2.0.') };
  }
}

export interface StdioConnection {
  /** Resolves when the client has hung up; calls may still run. Rejects with the system's error if answers cannot be written. */
  readonly hungUp: Promise<void>;
  /** Whether the client has sent a message. */
  readonly hasReceived: () => boolean;
  /** Resolves when no call runs any more and every answer has left. */
  readonly idle: () => Promise<void>;
}

/**
 * Serves over standard input and output until `hungUp`. A client that closes its side after a last call still gets the answer.
 *
 * @param onOpened called once the first request after the opening is answered: now work may block the thread
 */
export function serveStdio(options: ServerOptions, onOpened: () => void): StdioConnection {
  const hangUp = new AbortController();
  const { create, idle } = createServerFactory({ ...options, hungUp: hangUp.signal });
  const streams = new StandardStreams(process.stdin, process.stdout, onOpened);
  const hungUp = streams.ended.finally(() => hangUp.abort());
  serveConnection(create, { transport: streams });
  return {
    hungUp,
    hasReceived: () => streams.hasReceived,
    idle: async () => {
      await idle();
      await streams.answered();
    },
  };
}
