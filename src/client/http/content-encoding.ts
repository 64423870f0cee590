import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, crc32, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { BrokenResponse, TransportError } from '../errors.ts';

/** As curl allows: no server compresses more often. */
const maxEncodings = 5;

/** A gzip file may consist of several members, of 64 kB as a rule: this is twice the largest answer. */
const maxMembers = 2000;

const settings = { chunkSize: 64 * 1024, info: true } as const satisfies ZlibOptions;

/** What Node returns with the option `info`, which its types do not know. */
interface Inflated {
  readonly buffer: Buffer;
  /** How many bytes of the input were compressed data. */
  readonly engine: { readonly bytesWritten: number };
}

type Inflate = (bytes: Buffer, options: ZlibOptions) => Promise<Inflated>;

const [runInflate, runInflateRaw, runBrotli] = [inflate, inflateRaw, brotliDecompress].map((run) =>
  promisify(run as (bytes: Buffer, options: object, callback: (error: Error | null, result: unknown) => void) => void),
) as unknown as readonly [Inflate, Inflate, Inflate];

type Decode = (bytes: Buffer, maxBytes: number) => Promise<Buffer>;

const decoders: ReadonlyMap<string, Decode> = new Map([
  ['gzip', readDeflated],
  ['x-gzip', readDeflated],
  ['deflate', (bytes, maxBytes) => readDeflated(bytes, maxBytes, readRaw)],
  ['br', async (bytes, maxBytes) => (await runBrotli(bytes, { ...settings, maxOutputLength: maxBytes })).buffer],
]);

/** The encodings of a body, in the order in which they were applied, whatever number of headers names them. */
export function encodingsOf(headers: IncomingHttpHeaders): readonly string[] {
  const names = [headers['content-encoding'] ?? [], headers['transfer-encoding'] ?? []].flat().join(',').toLowerCase();
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !['', 'identity', 'chunked'].includes(name));
}

/**
 * Undoes the encodings of a whole body. Data that is complete without its checksum is read, as is data with other bytes behind it.
 *
 * @param maxBytes the limit of what each encoding may decode to
 * @throws BrokenResponse if the data is damaged, ends early, or has an encoding that is not read; TransportError if it is too large
 */
export async function undoEncodings(body: Buffer, encodings: readonly string[], maxBytes: number): Promise<Buffer> {
  if (encodings.length > maxEncodings) throw new BrokenResponse('many-encodings');
  let bytes = body;
  for (const encoding of encodings.toReversed()) {
    const decode = decoders.get(encoding);
    // Some servers name the character set here.
    if (!decode && isBinary(bytes)) throw new BrokenResponse('unknown-encoding', undefined, encoding);
    if (!decode || bytes.length === 0) continue;
    bytes = await decode(bytes, maxBytes).catch((error: unknown) => {
      throw problemOf(error, encoding, maxBytes);
    });
  }
  return bytes;
}

/** Whether a body cannot be text: it has control characters at its start, which is not that of JSON or XML, and is not UTF-16. */
export function isBinary(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 64);
  const isWide = /^(\xff\xfe|\xfe\xff|\0|[^\0]\0)/.test(start);
  return !isWide && /[\0-\x08\x0e-\x1f]/.test(start) && !/^(\xef\xbb\xbf)?\s*[[{<"]/.test(start);
}

function problemOf(error: unknown, encoding: string, maxBytes: number): Error {
  if (error instanceof TransportError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_BUFFER_TOO_LARGE') return new TransportError('too-large', `more than ${maxBytes} bytes`);
  return new BrokenResponse(code === 'Z_BUF_ERROR' ? 'cut-encoding' : 'broken-encoding', error, encoding);
}

const damaged = () => new Error('damaged');
const cut = () => Object.assign(new Error('cut'), { code: 'Z_BUF_ERROR' });

/**
 * Reads gzip or zlib, whichever it is: servers mix up their names.
 *
 * @param readOther reads what is neither
 */
async function readDeflated(bytes: Buffer, maxBytes: number, readOther?: Decode): Promise<Buffer> {
  if (isGzip(bytes, 0)) return readGzip(bytes, maxBytes);
  if (isZlib(bytes)) return readZlib(bytes, maxBytes);
  if (readOther) return readOther(bytes, maxBytes);
  throw damaged();
}

async function readRaw(bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  return (await runInflateRaw(bytes, { ...settings, maxOutputLength })).buffer;
}

function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** Without its checksum, zlib is read as the raw data behind its two bytes of head. */
async function readZlib(bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    return (await runInflate(bytes, { ...settings, maxOutputLength })).buffer;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'Z_BUF_ERROR') throw error;
    return readRaw(bytes.subarray(2), maxOutputLength);
  }
}

function isGzip(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b;
}

const gzipTrailerLength = 8;

/** Reads every member of a gzip file. Node's own reader refuses one without a trailer, and bytes behind it. */
async function readGzip(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let left = maxBytes;
  for (let at = 0; isGzip(bytes, at); ) {
    if (parts.length === maxMembers) throw damaged();
    const start = endOfGzipHead(bytes, at);
    const { buffer, engine } = await runInflateRaw(bytes.subarray(start), {
      ...settings,
      maxOutputLength: Math.max(1, left),
    });
    const end = start + engine.bytesWritten;
    const hasTrailer = bytes.length >= end + gzipTrailerLength;
    if (hasTrailer && bytes.readUInt32LE(end) !== crc32(buffer)) throw damaged();
    parts.push(buffer);
    left -= buffer.length;
    at = end + gzipTrailerLength;
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

/** The flags of a gzip head for the fields that may follow its ten bytes, in their order. */
const gzipFlags = { extra: 4, name: 8, comment: 16, checksum: 2 };

/** RFC 1952, 2.3. */
function endOfGzipHead(bytes: Buffer, at: number): number {
  const [method, flags = 0] = bytes.subarray(at + 2, at + 4);
  if (method !== undefined && (method !== 8 || flags > 31)) throw damaged();
  let end = at + 10;
  if (flags & gzipFlags.extra && bytes.length >= end + 2) end += 2 + bytes.readUInt16LE(end);
  for (const flag of [gzipFlags.name, gzipFlags.comment]) {
    if (!(flags & flag)) continue;
    const zero = bytes.indexOf(0, end);
    end = zero === -1 ? bytes.length : zero + 1;
  }
  if (flags & gzipFlags.checksum) end += 2;
  if (end >= bytes.length) throw cut();
  return end;
}
