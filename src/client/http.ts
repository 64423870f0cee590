import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';

/** Option of a dispatched request: called when its first byte is about to go out on a connected socket. */
export const onSent = Symbol('on sent');

export type SentOption = { readonly [onSent]?: () => void };

/** One HTTP request to the tracker. */
export interface HttpRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Form-encoded; absent on GET. */
  readonly body?: string;
  /** Ends the request wherever it is; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Called when its first byte goes out. */
  readonly onSent?: () => void;
  /** Called with the bytes received so far, and in all where the tracker said how many there will be. */
  readonly onProgress?: (received: number, total: number | undefined) => void;
}

/** What came back, whole and decompressed. */
export interface HttpResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  readonly bytes: Uint8Array;
}

/**
 * Why there is no response, and how far the request got.
 *
 * not-sent: no byte of it left, so the tracker cannot have acted on it · lost: it was sent, and the connection failed before
 * the answer was whole · too-large: the answer passed the limit and was given up
 */
export class TransportError extends Error {
  readonly kind: 'not-sent' | 'lost' | 'too-large';

  constructor(kind: TransportError['kind'], cause: unknown) {
    super(reasonOf(cause), { cause });
    this.kind = kind;
  }
}

/** A report of a million rows fits; what is larger is a mistake or an attack. */
export const maxResponseBytes = 64 * 1024 * 1024;

/** An error body is read for its message alone. */
const maxErrorResponseBytes = 256 * 1024;

const decompressors: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Sends one request and reads its answer whole. Redirects are not followed.
 *
 * @throws TransportError where there is no whole answer; the signal's reason where it was ended
 */
export async function exchange(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const { signal } = request;
  let wasSent = false;
  // A request that was ended while it waited for a connection is started once more, and dropped before it is sent.
  const sentOption: SentOption = {
    [onSent]: () => {
      if (signal.aborted) return;
      wasSent = true;
      request.onSent?.();
    },
  };
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => {
      if (!wasSent) reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([send(dispatcher, request, sentOption), left]);
  } catch (error) {
    if (signal.aborted) throw wasSent ? signal.reason : new TransportError('not-sent', signal.reason);
    if (error instanceof TransportError) throw error;
    throw new TransportError(wasSent ? 'lost' : 'not-sent', error);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

async function send(dispatcher: Dispatcher, request: HttpRequest, sentOption: SentOption): Promise<HttpResponse> {
  const { origin, pathname, search } = new URL(request.url);
  const response = await dispatcher.request({
    ...sentOption,
    origin,
    path: pathname + search,
    method: request.method,
    headers: {
      accept: 'application/json, application/xml;q=0.9, */*;q=0.5',
      'accept-encoding': 'gzip, br',
      'user-agent': 'tracker-mcp',
      ...(request.body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    body: request.body ?? null,
    signal: request.signal,
  });
  const header = (name: string) => [response.headers[name]].flat()[0];
  return {
    status: response.statusCode,
    contentType: header('content-type'),
    location: header('location'),
    retryAfter: header('retry-after'),
    bytes: await readWhole(response, header('content-encoding'), header('content-length'), request.onProgress),
  };
}

async function readWhole(
  response: Dispatcher.ResponseData,
  encoding: string | undefined,
  length: string | undefined,
  onProgress: HttpRequest['onProgress'],
): Promise<Uint8Array> {
  const isError = response.statusCode >= 300;
  const limit = isError ? maxErrorResponseBytes : maxResponseBytes;
  const decompressor = decompressors[encoding?.trim().toLowerCase() ?? '']?.();
  // With a callback, pipeline() destroys both streams when one of them fails; the error arrives while iterating.
  const stream = decompressor ? pipeline(response.body, decompressor, () => undefined) : response.body;
  const total = decompressor || length === undefined ? undefined : Number(length);
  const chunks: Uint8Array[] = [];
  let received = 0;
  const isTooLarge = () => Math.max(received, isError ? 0 : (total ?? 0)) > limit;
  if (!isTooLarge()) {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      received += chunk.length;
      if (isTooLarge()) break;
      chunks.push(chunk);
      onProgress?.(received, total);
    }
  }
  if (isTooLarge()) {
    response.body.destroy();
    // Of an error its status is known already; what goes on after so much is no message.
    if (!isError) throw new TransportError('too-large', `more than ${limit} bytes`);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** The name that networks give to a failure, such as ECONNREFUSED, without addresses or headers. */
function reasonOf(cause: unknown): string {
  if (cause instanceof Error) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    return code || cause.message;
  }
  return String(cause);
}
