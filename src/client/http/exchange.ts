import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { CallCancelledError, type Deadline } from '../../api/deadline.ts';
import { TransportError } from '../errors.ts';
import { QueueTimeoutError } from '../queue.ts';

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
  readonly bytes: Uint8Array;
}

/** A report of a million rows fits. */
export const maxResponseBytes = 64 * 1024 * 1024;

/** Only the message of an error is needed. */
const maxErrorResponseBytes = 256 * 1024;

const decompressors: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

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

/** Follows one request through undici's callbacks. It settles once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #stopListening: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #wasSent = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #decompressor: Transform | undefined;
  #total: number | undefined;
  #received = 0;
  readonly #chunks: Uint8Array[] = [];

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

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 100 Continue and the like come before the response.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const length = this.#header('content-length');
    this.#decompressor = decompressors.get(this.#header('content-encoding')?.trim().toLowerCase() ?? '')?.();
    this.#total = this.#decompressor || length === undefined ? undefined : Number(length);
    this.#decompressor
      ?.on('data', (chunk: Uint8Array) => this.#take(chunk))
      .on('drain', () => controller.resume())
      .on('end', () => this.#finish())
      .on('error', (error) => this.#giveUp(error));
    if (!this.#isError && this.#total !== undefined && this.#total > maxResponseBytes) this.#refuse();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#decompressor) this.#take(chunk);
    else if (!this.#decompressor.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#decompressor) this.#decompressor.end();
    else this.#finish();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#giveUp(error);
  }

  get #isError(): boolean {
    return this.#status >= 300;
  }

  #take(chunk: Uint8Array): void {
    if (this.#isSettled) return;
    this.#received += chunk.length;
    if (this.#received > (this.#isError ? maxErrorResponseBytes : maxResponseBytes)) {
      this.#refuse();
      return;
    }
    this.#chunks.push(chunk);
    this.#request.onProgress?.(this.#received, this.#total);
  }

  /** An error is complete without the rest of its body. */
  #refuse(): void {
    if (this.#isError) this.#finish();
    else this.#giveUp(new TransportError('too-large', `more than ${maxResponseBytes} bytes`));
    this.#stop();
  }

  #finish(): void {
    if (!this.#settle()) return;
    this.#resolve({
      status: this.#status,
      contentType: this.#header('content-type'),
      location: this.#header('location'),
      retryAfter: this.#header('retry-after'),
      challenge: this.#header('www-authenticate'),
      bytes: Buffer.concat(this.#chunks.splice(0)),
    });
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
    this.#decompressor?.destroy();
    this.#controller?.abort(new Error('ended'));
  }

  #header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === 'object' ? value[0] : value;
  }
}
