import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { CallCancelledError, type Deadline } from '../../api/deadline.ts';
import { QueueTimeoutError, TransportError } from '../errors.ts';

export interface HttpMessage {
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  readonly path: string;
  /** Form-encoded; absent on GET. */
  readonly body?: string;
}

export interface HttpRequest extends HttpMessage {
  /** Its end ends the request wherever it is; its reason is thrown. */
  readonly deadline: Deadline;
  /** With less of its deadline left it is not sent, in milliseconds. */
  readonly minLeftMs?: number | undefined;
  readonly onSent?: () => void;
  /** Called with the bytes received so far, and in all if the tracker said how many there will be. */
  readonly onProgress?: (received: number, total: number | undefined) => void;
}

/** What came back, whole and decompressed. */
export interface HttpResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  /** WWW-Authenticate: how the web server wants a caller to show who they are. */
  readonly challenge: string | undefined;
  readonly bytes: Uint8Array;
}

/** A report of a million rows fits; what is larger is a mistake or an attack. */
export const maxResponseBytes = 64 * 1024 * 1024;

/** An error body is read for its message alone. */
const maxErrorResponseBytes = 256 * 1024;

const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const headers = {
  accept: 'application/json, application/xml;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, br',
  'user-agent': 'tracker-mcp',
};
const headersOfForm = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };

/**
 * Sends one request and reads its answer whole. Redirects are not followed.
 *
 * @throws TransportError if there is no whole answer; the reason of its deadline's end if that came first
 */
export function exchange(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const { deadline } = request;
  if (deadline.hasEnded) return Promise.reject(new TransportError('not-sent', deadline.reason));
  return new Promise((resolve, reject) => {
    const { method, origin, path, body = null } = request;
    dispatcher.dispatch(
      { origin, path, method, headers: body === null ? headers : headersOfForm, body },
      new Exchange(request, resolve, reject),
    );
  });
}

/** What becomes of one request, as undici reports it. It settles once. */
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
  readonly #body = new Body();

  constructor(request: HttpRequest, resolve: (response: HttpResponse) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stopListening = request.deadline.onEnd(() => this.#giveUp(request.deadline.reason));
  }

  /** The first byte goes out right after this, on a socket that is connected by then. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { deadline, minLeftMs = 0 } = this.#request;
    if (deadline.leftMs < minLeftMs) this.#giveUp(new QueueTimeoutError(new CallCancelledError('deadline')));
    // A request that was ended while it waited for a connection is dropped before it is sent.
    if (this.#isSettled) {
      controller.abort(new Error('ended'));
      return;
    }
    this.#wasSent = true;
    this.#request.onSent?.();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 100 Continue and the like come ahead of the response.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const length = this.#header('content-length');
    this.#decompressor = decompressors[this.#header('content-encoding')?.trim().toLowerCase() ?? '']?.();
    this.#total = this.#decompressor || length === undefined ? undefined : Number(length);
    this.#decompressor
      ?.on('data', (chunk: Uint8Array) => this.#take(chunk))
      .on('drain', () => controller.resume())
      .on('end', () => this.#finish())
      .on('error', (error) => this.#giveUp(error));
    if (this.#isError || this.#total === undefined) return;
    if (this.#total > maxResponseBytes) this.#refuse();
    else this.#body.expect(this.#total);
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
    this.#body.add(chunk);
    this.#request.onProgress?.(this.#received, this.#total);
  }

  /** Of an error its status is known already; what goes on after so much is no message. */
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
      bytes: this.#body.take(),
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

  /** Closes the socket if the request still holds one. */
  #stop(): void {
    this.#decompressor?.destroy();
    this.#controller?.abort(new Error('ended'));
  }

  #header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === 'object' ? value[0] : value;
  }
}

/** A shorter body is joined in a moment. */
const minPlaced = 1_000_000;

/** A body as it comes in. A large one whose length is known is put where it stays, so that it is never held twice. */
class Body {
  #place: Uint8Array | undefined;
  #chunks: Uint8Array[] = [];
  #length = 0;

  /** @param length what the header says; undici fails a response that is longer or shorter */
  expect(length: number): void {
    if (length >= minPlaced) this.#place = Buffer.allocUnsafeSlow(length);
  }

  add(chunk: Uint8Array): void {
    if (this.#place) this.#place.set(chunk, this.#length);
    else this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** All of it; the parts are let go. */
  take(): Uint8Array {
    const chunks = this.#chunks;
    this.#chunks = [];
    if (this.#place) return this.#place.subarray(0, this.#length);
    const [first] = chunks;
    return first && chunks.length === 1 ? first : Buffer.concat(chunks);
  }
}
