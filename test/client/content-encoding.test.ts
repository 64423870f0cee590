import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrokenResponse } from '../../src/client/errors.ts';
import { encodingsOf, isBinary, undoEncodings } from '../../src/client/http/content-encoding.ts';

const body = Buffer.from(
  JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ ID: id, Name: `Solo ${id * 7919}` }))),
);
const maxBytes = 1_000_000;

const compressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  'raw deflate': (bytes) => deflateRawSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
};
const nameOf = (compressor: string) => compressor.replace('raw ', '');

/** The body, or undefined if it was refused. */
async function read(bytes: Buffer, encodings: readonly string[]): Promise<Buffer | undefined> {
  try {
    return await undoEncodings(bytes, encodings, maxBytes);
  } catch (error) {
    if (error instanceof BrokenResponse) return undefined;
    throw error;
  }
}

test.each(Object.entries(compressors))('%s that is cut at any byte is whole or refused', async (name, compress) => {
  const bytes = compress(body);
  for (let length = 1; length < bytes.length; length++) {
    const decoded = await read(bytes.subarray(0, length), [nameOf(name)]);
    if (decoded) expect([length, decoded.equals(body)]).toEqual([length, true]);
  }
});

test.each(['gzip', 'deflate'])('%s with any byte changed is whole or refused', async (name) => {
  const bytes = compressors[name]?.(body) ?? body;
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x41, at);
    const decoded = await read(changed, [name]);
    if (decoded) expect([at, decoded.equals(body)]).toEqual([at, true]);
  }
});

test('any list of up to five encodings is undone', async () => {
  const list = fc.array(fc.constantFrom(...Object.keys(compressors)), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(list, fc.uint8Array({ maxLength: 2000 }), async (names, content) => {
      const bytes = names.reduce<Buffer>((inner, name) => compressors[name]?.(inner) ?? inner, Buffer.from(content));
      expect((await read(bytes, names.map(nameOf)))?.equals(content)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('text that is no gzip is never read as gzip', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1 }), async (text) => {
      expect(await read(Buffer.from(text), ['gzip'])).toBeUndefined();
    }),
  );
});

test('encodings are named in any letter case, in one header or several', () => {
  expect(encodingsOf({ 'content-encoding': ' GZip ,, identity,br' })).toEqual(['gzip', 'br']);
  const twice = { 'content-encoding': ['gzip', 'gzip'] as unknown as string, 'transfer-encoding': 'gzip, chunked' };
  expect(encodingsOf(twice)).toEqual(['gzip', 'gzip', 'gzip']);
  expect(encodingsOf({})).toEqual([]);
});

test.each([
  ['JSON', Buffer.from('{"a":1}'), false],
  ['JSON with a control character', Buffer.from('{"a":"\u0001"}'), false],
  ['JSON behind a byte order mark', Buffer.from('\ufeff{"a":"\u0001"}'), false],
  ['text', Buffer.from('OK\t\r\n'), false],
  ['UTF-16', Buffer.from('\ufeff{"a":"Ж"}', 'utf16le'), false],
  ['UTF-16 without a mark', Buffer.from('[{"Ж":1}]', 'utf16le'), false],
  ['windows-1252', Buffer.from('Gr\u00f6\u00dfe \u0080', 'latin1'), false],
  ['nothing', Buffer.alloc(0), false],
  ['gzip', gzipSync(body), true],
  ['zlib', deflateSync(body), true],
])('%s is binary or not', (_, bytes, expected) => {
  expect(isBinary(bytes)).toBe(expected);
});
