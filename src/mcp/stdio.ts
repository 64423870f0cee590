import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { MessageLines, parseMessage } from './message-lines.ts';
import { createServerFactory, type ServerOptions } from './server.ts';

/** Past this many bytes that the client has not read, no more of its messages are taken. */
const maxUnreadBytes = 40_000_000;

/** What a client says ahead of everything else, to learn what it talks to. */
const openingMethods: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/**
 * Messages over standard input and output, one a line. The SDK's own transport ends the calls under way when the input ends,
 * which would leave the outcome of writes unknown. Here the input may end, and what was asked is still answered.
 */
export class StandardStreams implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  /** Resolves when the client has hung up; fails if it cannot be written to for another reason. */
  readonly ended: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new MessageLines();
  readonly #unanswered = new Set<RequestId>();
  readonly #onOpened: () => void;
  #first: RequestId | undefined;
  #isOpened = false;
  #onAnswered: (() => void) | undefined;

  /** `onOpened` is called once, when the first request behind the opening is answered. */
  constructor(input: Readable, output: Writable, onOpened: () => void) {
    this.#input = input;
    this.#output = output;
    this.#onOpened = onOpened;
    this.ended = new Promise((resolve, reject) => {
      input.once('end', resolve);
      output.on('error', (error: NodeJS.ErrnoException) => {
        // A client that cannot be answered is not read any more.
        input.destroy();
        this.#unanswered.clear();
        this.#onAnswered?.();
        if (error.code === 'EPIPE') resolve();
        else reject(error);
      });
    });
  }

  async start(): Promise<void> {
    this.#input.on('data', (bytes: Buffer) => {
      for (const line of this.#lines.take(bytes)) this.#receive(line);
    });
    this.#input.once('end', () => {
      for (const line of this.#lines.rest()) this.#receive(line);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#output.writable) return;
    this.#output.write(`${lineOf(message)}\n`);
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
    if (message instanceof ProtocolError) {
      this.#refuse(message);
      return;
    }
    this.#follow(message);
    this.onmessage?.(message);
  }

  #follow(message: JSONRPCMessage): void {
    const method = 'method' in message ? message.method : undefined;
    if ('method' in message && 'id' in message) {
      this.#unanswered.add(message.id);
      if (!openingMethods.has(method)) this.#first ??= message.id;
    }
    // A request that is cancelled is not answered.
    if (method === 'notifications/cancelled') {
      const { requestId } = ('params' in message && message.params) || {};
      this.#settle(requestId as RequestId);
    }
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    if (id === this.#first && !this.#isOpened) {
      this.#isOpened = true;
      // The answer may still have to leave.
      setImmediate(this.#onOpened);
    }
    if (this.#unanswered.size === 0) this.#onAnswered?.();
  }

  /** It is not known which request was meant, so the answer names none. */
  #refuse({ code, message }: ProtocolError): void {
    const answer = { jsonrpc: '2.0', id: null, error: { code, message } };
    if (this.#output.writable) this.#output.write(`${JSON.stringify(answer)}\n`);
  }
}

/** A message as JSON; the data of a tool's result, nearly all of it, was written before. */
function lineOf(message: JSONRPCMessage): string {
  if (!('result' in message && 'content' in message.result)) return JSON.stringify(message);
  const { result, ...envelope } = message;
  const { structuredContent: data, ...rest } = result;
  if (data === undefined) return JSON.stringify(message);
  const withoutData = JSON.stringify({ ...envelope, result: rest });
  // Its last two brackets close the result and the message.
  return `${withoutData.slice(0, -2)},"structuredContent":${JSON.stringify(data)}}}`;
}

/** Undefined for what is no JSON: it was not meant for the protocol, and nothing waits for it. */
function readMessage(line: string | undefined): JSONRPCMessage | ProtocolError | undefined {
  if (line === undefined) return new ProtocolError(ProtocolErrorCode.InvalidRequest, 'The message is too long.');
  const parsed = parseMessage(line);
  if (parsed === undefined || parsed instanceof ProtocolError) return parsed;
  try {
    return parseJSONRPCMessage(parsed.content);
  } catch {
    return new ProtocolError(ProtocolErrorCode.InvalidRequest, 'The message is none of JSON-RPC 2.0.');
  }
}

export interface StdioConnection {
  /**
   * Resolves when the client has hung up; calls may be under way then. Throws the system's error if answers cannot be written
   * for another reason.
   */
  readonly hungUp: Promise<void>;
  /** Resolves when no call is under way and every answer has left. */
  readonly idle: () => Promise<void>;
}

/**
 * Serves over standard input and output, until `hungUp`. A client that closes its side after a last call still gets the
 * answer. `onOpened` is called once the first request behind the opening is answered: what keeps the thread busy can begin.
 */
export function serveStdio(options: ServerOptions, onOpened: () => void): StdioConnection {
  const hangUp = new AbortController();
  const { create, idle } = createServerFactory({ ...options, hungUp: hangUp.signal });
  const streams = new StandardStreams(process.stdin, process.stdout, onOpened);
  const hungUp = streams.ended.finally(() => hangUp.abort());
  serveConnection(create, { transport: streams });
  return {
    hungUp,
    idle: async () => {
      await idle();
      await streams.answered();
    },
  };
}
