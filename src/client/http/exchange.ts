import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { CallCancelledError, type Deadline } from '../../api/deadline.ts';
import { yieldIfBusy } from '../../api/running-call.ts';
import { BrokenResponse, type ResponseFault, TransportError } from '../errors.ts';
import { QueueTimeoutError } from '../queue.ts';
import { encodingsOf, isBinary, undoEncodings } from './content-encoding.ts';

export interface HttpMessage {
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  readonly path: string;
  /** Form-encoded; absent on GET. */
  readonly body?: string;
}

export interface HttpRequest extends HttpMessage {
  /** Ends the request at any point; its reason is thrown. */
  readonly deadline: Deadline;
  /** The request is not sent if less of the deadline is left, in milliseconds. */
  readonly minLeftMs?: number | undefined;
  /** Called with the bytes received so far, and the total if the tracker sent it. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
}

/** A response, complete and decompressed. */
export interface HttpResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  /** WWW-Authenticate: the login that the web server asks for. */
  readonly challenge: string | undefined;
  /** What its headers say about its pages, such as `total-count`, as fields of an answer would. */
  readonly paging: readonly (readonly [name: string, value: string])[];
  readonly bytes: Uint8Array;
}

/** A report of a million rows fits. */
export const maxResponseBytes = 64 * 1024 * 1024;

/** Node allows 16 kB, which some trackers exceed. */
export const maxHeaderBytes = 64 * 1024;

/** Only the message of an error is needed. */
const maxErrorResponseBytes = 256 * 1024;

const headers = {
  accept: 'application/json, application/xml;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, br',
  'user-agent': 'tracker-mcp',
};
const formHeaders = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };

/**
 * Sends one request and reads its response to the end. Redirects are not followed.
 *
 * @throws TransportError if there is no complete response; the reason of the deadline if it ended after the request was sent
 */
export function exchange(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const { deadline } = request;
  if (deadline.hasEnded) return Promise.reject(new TransportError('not-sent', deadline.reason));
  return new Promise((resolve, reject) => {
    const { method, origin, path, body = null } = request;
    dispatcher.dispatch(
      { origin, path, method, headers: body === null ? headers : formHeaders, body },
      new Exchange(request, resolve, reject),
    );
  });
}

/** What undici's parser says of each fault, the first row that fits: it gives reasons as texts, without codes. */
const faults: readonly (readonly [message: RegExp, fault: ResponseFault])[] = [
  [/\(Expected HTTP\//, 'no-http'],
  [/chunk/i, 'chunks'],
  [/content-length/i, 'length'],
  [/^Headers Overflow/, 'large-headers'],
  [/^bad response$/, 'continue'],
  [/^bad upgrade$/, 'upgrade'],
  [/^Response does not match/, 'headers'],
];

/** @returns undefined if the connection failed before a response came */
function faultOf(error: Error, hasHeaders: boolean): ResponseFault | undefined {
  // undici asserts that a status has three digits and is not 0.
  if ('code' in error && error.code === 'ERR_ASSERTION') return 'headers';
  const { message } = error;
  const [, fault] = faults.find(([said]) => said.test(message)) ?? [];
  // A body that is shorter than its Content-Length is reported like headers with two of them.
  return hasHeaders && fault !== 'chunks' ? 'cut' : fault;
}

const noBytes = Buffer.alloc(0);

/** The body of a response. Its parts are put together as they come, since a copy of a large one at its end would make others wait. */
class Body {
  received = 0;
  /** Room for all of it, if its length is known. */
  #whole: Buffer | undefined;
  #parts: Uint8Array[] = [];

  /** @param length as the headers have it; undefined if they do not */
  add(chunk: Buffer, length: number | undefined): void {
    if (this.received === 0 && length !== undefined && length <= maxResponseBytes)
      this.#whole = Buffer.allocUnsafeSlow(length);
    if (this.#whole) chunk.copy(this.#whole, this.received);
    else this.#parts.push(chunk);
    this.received += chunk.length;
  }

  /** All bytes; can be taken once. */
  async take(): Promise<Buffer> {
    if (this.#whole) return this.#whole.subarray(0, this.received);
    const parts = this.#parts;
    this.#parts = [];
    const whole = Buffer.allocUnsafeSlow(this.received);
    let [end, copied] = [0, 0];
    for (const part of parts) {
      whole.set(part, end);
      end += part.length;
      if (end - copied < bytesPerStep) continue;
      copied = end;
      await yieldIfBusy();
    }
    return whole;
  }
}

/** Takes a few milliseconds to copy. */
const bytesPerStep = 4_000_000;

/** Follows one request through undici's callbacks. It settles once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #stopListening: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  /** Whether no more of the body is wanted. */
  #isWhole = false;
  #wasSent = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #total: number | undefined;
  readonly #body = new Body();

  constructor(request: HttpRequest, resolve: (response: HttpResponse) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stopListening = request.deadline.onEnd(() => this.#giveUp(request.deadline.reason));
  }

  /** The socket is connected, and the first byte is sent right after this. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { deadline, minLeftMs = 0 } = this.#request;
    if (deadline.leftMs < minLeftMs) this.#giveUp(new QueueTimeoutError(new CallCancelledError('deadline')));
    // The request was given up while it waited for a connection.
    if (this.#isSettled) {
      controller.abort(new Error('ended'));
      return;
    }
    this.#wasSent = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Early hints and the like come before the response.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (status === 206) {
      this.#giveUp(new BrokenResponse('partial'));
      return;
    }
    const length = this.#header('content-length');
    this.#total = length === undefined ? undefined : Number(length);
    if (!this.#isError && this.#total !== undefined && this.#total > maxResponseBytes) this.#refuse();
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled || this.#isWhole) return;
    if (this.#body.received + chunk.length > (this.#isError ? maxErrorResponseBytes : maxResponseBytes)) {
      this.#refuse();
      return;
    }
    this.#body.add(chunk, this.#total);
    this.#request.onProgress?.(this.#body.received, this.#total);
  }

  onResponseEnd(): void {
    void this.#finish();
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#isWhole) return;
    const fault = this.#wasSent ? faultOf(error, this.#status > 0) : undefined;
    this.#giveUp(fault === undefined ? error : new BrokenResponse(fault, error));
  }

  get #isError(): boolean {
    return this.#status >= 300;
  }

  /** An error is complete without the rest of its body. */
  #refuse(): void {
    if (this.#isError) void this.#finish();
    else this.#giveUp(new TransportError('too-large', `more than ${maxResponseBytes} bytes`));
    this.#stop();
  }

  async #finish(): Promise<void> {
    this.#isWhole = true;
    try {
      const bytes = await this.#decode(await this.#body.take());
      if (!this.#settle()) return;
      this.#resolve({
        status: this.#status,
        contentType: this.#header('content-type'),
        location: this.#header('location'),
        retryAfter: this.#header('retry-after'),
        challenge: this.#header('www-authenticate'),
        paging: pagingIn(this.#headers),
        bytes,
      });
    } catch (error) {
      this.#giveUp(error);
    }
  }

  async #decode(body: Buffer): Promise<Buffer> {
    const encodings = encodingsOf(this.#headers);
    const decoding = undoEncodings(body, encodings, maxResponseBytes);
    // The status of an error tells enough.
    if (this.#isError) return (await decoding.catch(() => noBytes)).subarray(0, maxErrorResponseBytes);
    const bytes = await decoding;
    if (isBinary(bytes)) throw new BrokenResponse('binary');
    return bytes;
  }

  #giveUp(error: unknown): void {
    if (!this.#settle()) return;
    const { deadline } = this.#request;
    if (error instanceof TransportError || (deadline.hasEnded && this.#wasSent)) this.#reject(error);
    else this.#reject(new TransportError(this.#wasSent ? 'lost' : 'not-sent', error));
    this.#stop();
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#stopListening();
    return true;
  }

  /** Closes the socket if the request has one. */
  #stop(): void {
    this.#controller?.abort(new Error('ended'));
  }

  #header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === 'object' ? value[0] : value;
  }
}

/** `X-Total-Count: 900`, `Link: <…>; rel="next"` (RFC 8288) and `Content-Range: items 0-99/900`. */
function pagingIn(headers: IncomingHttpHeaders): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, value = '']): [string, string][] => {
    const text = String(value);
    if (name === 'link') return /;\s*rel="?next\b/i.test(text) ? [['rel', 'next']] : [];
    if (name === 'content-range') return [['rows', /\/(\d+)$/.exec(text)?.[1] ?? '']];
    return name.startsWith('x-') ? [[name.slice(2), text]] : [];
  });
}
