import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { clientOf, endpoint, sendWrite } from './http-tracker.ts';
import { encoded, responseOf, startRawTracker } from './raw-tracker.ts';

const list = JSON.stringify({
  Status: 'OK',
  Rows: Array.from({ length: 50 }, (_, index) => ({ ID: String(index + 1), Name: `Größe ${(index * 7919) % 1000}` })),
});
const receipt = '{"Status":"OK","ID":"12"}';

type Make = (body: Buffer) => Buffer;

const gzip: Make = (body) => gzipSync(body);
const deflateLength = (body: Buffer) => gzip(body).length - 8;
/** gzip with every optional field of its head. */
const longHead: Make = (body) =>
  Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 31, 0, 0, 0, 0, 0, 3, 3, 0, 1, 2, 3]),
    Buffer.from('name\0comment\0'),
    Buffer.from([1, 2]),
    gzip(body).subarray(10),
  ]);
const chunked = (body: Buffer) => {
  const chunk = (part: Buffer) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  return Buffer.concat([chunk(body.subarray(0, 9)), chunk(body.subarray(9)), Buffer.from('0\r\n\r\n')]);
};
const halves: Make = (body) => {
  const middle = body.length >> 1;
  return Buffer.concat([gzip(body.subarray(0, middle)), gzip(body.subarray(middle))]);
};
const behind =
  (text: string): Make =>
  (body) =>
    Buffer.concat([gzip(body), Buffer.from(text, 'latin1')]);

/** What curl reads. */
const readable: Readonly<Record<string, Make>> = {
  gzip: (body) => encoded('gzip', gzip(body)),
  'gzip in capital letters': (body) => encoded('GZip', gzip(body)),
  'x-gzip': (body) => encoded('x-gzip', gzip(body)),
  'gzip without a trailer': (body) => encoded('gzip', gzip(body).subarray(0, -8)),
  ...Object.fromEntries(
    [1, 4, 7].map((cut): [string, Make] => [
      `gzip without the last ${cut} bytes of its trailer`,
      (body) => encoded('gzip', gzip(body).subarray(0, -cut)),
    ]),
  ),
  'gzip with a line break behind it': (body) => encoded('gzip', behind('\r\n')(body)),
  'gzip with zeros behind it': (body) => encoded('gzip', behind('\0'.repeat(600))(body)),
  'gzip with a page behind it': (body) => encoded('gzip', behind('<!-- served in 0.02 s -->')(body)),
  'gzip without a trailer, with a line break behind it': (body) =>
    encoded('gzip', Buffer.concat([gzip(body).subarray(0, -8), Buffer.from('\r\n')])),
  'gzip in two members': (body) => encoded('gzip', halves(body)),
  'gzip in two members, the last without a trailer': (body) => encoded('gzip', halves(body).subarray(0, -8)),
  'gzip with all fields in its head': (body) => encoded('gzip', longHead(body)),
  'gzip twice': (body) => encoded('gzip, gzip', gzip(gzip(body))),
  'gzip twice, in two headers': (body) => encoded('gzip\ngzip', gzip(gzip(body))),
  'gzip twice, without trailers': (body) => encoded('gzip, gzip', gzip(gzip(body).subarray(0, -8)).subarray(0, -8)),
  'gzip five times': (body) => encoded('gzip,gzip, gzip,x-gzip,gzip', gzip(gzip(gzip(gzip(gzip(body)))))),
  'deflate, then gzip': (body) => encoded('deflate, gzip', gzip(deflateSync(body))),
  'br, then gzip': (body) => encoded('br, gzip', gzip(brotliCompressSync(body))),
  'gzip, then br': (body) => encoded('gzip, br', brotliCompressSync(gzip(body))),
  'identity and gzip': (body) => encoded('identity, gzip,', gzip(body)),
  identity: (body) => encoded('identity', body),
  'an empty name': (body) => encoded('', body),
  'a character set for an encoding': (body) => encoded('UTF-8', body),
  deflate: (body) => encoded('deflate', deflateSync(body)),
  'deflate without a checksum': (body) => encoded('deflate', deflateSync(body).subarray(0, -4)),
  'deflate with bytes behind it': (body) => encoded('deflate', Buffer.concat([deflateSync(body), Buffer.from('\n\n')])),
  'deflate without a head': (body) => encoded('deflate', deflateRawSync(body)),
  'deflate without a head, stored': (body) => encoded('deflate', deflateRawSync(body, { level: 0 })),
  'gzip that is called deflate': (body) => encoded('deflate', gzip(body)),
  'zlib that is called gzip': (body) => encoded('gzip', deflateSync(body)),
  br: (body) => encoded('br', brotliCompressSync(body)),
  'gzip in chunks': (body) => responseOf(['Content-Encoding: gzip', 'Transfer-Encoding: chunked'], chunked(gzip(body))),
  'gzip as a transfer encoding': (body) => responseOf(['Transfer-Encoding: gzip, chunked'], chunked(gzip(body))),
  'gzip up to the end of the connection': (body) =>
    responseOf(['Connection: close', 'Content-Encoding: gzip'], gzip(body)),
  'a header of 60 kB': (body) =>
    responseOf([`Set-Cookie: a=${'x'.repeat(60_000)}`, `Content-Length: ${body.length}`], body),
  'headers of 22 kB': (body) =>
    responseOf(
      [...Array.from({ length: 220 }, (_, n) => `X-Debug-${n}: ${'d'.repeat(90)}`), `Content-Length: ${body.length}`],
      body,
    ),
  'early hints': (body) =>
    Buffer.concat([
      Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'),
      responseOf([`Content-Length: ${body.length}`], body),
    ]),
};

const answerWith = (make: Make) => (path: string) => make(Buffer.from(path.includes('/list') ? list : receipt));
const startWith = (make: Make) => startRawTracker(answerWith(make));
const read = async (url: string) => {
  const { reply } = await clientOf(url).read('list_campaigns', {}, { once: true });
  return reply.tables[0]?.cells.rowCount;
};
const write = (url: string) =>
  sendWrite(clientOf(url), endpoint('edit_campaign_page'), { campaign_id: '4', page_id: '1', share: '80' });

describe.each(Object.entries(readable))('an answer with %s', (_, make) => {
  test('is read whole', async () => {
    const { url, requests } = await startWith(make);
    expect(await read(url)).toBe(50);
    expect(await write(url)).toMatchObject({ kind: 'receipt' });
    expect(requests()).toBe(2);
  });
});

const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 0xff, at);
  return copy;
};
const damaged = /compressed data is damaged, or is not what its header says \(Content-Encoding: (gzip|deflate|br)\)/;
const cutOff = /compressed data broke before the answer was whole \(Content-Encoding: (gzip|deflate|br)\)/;
const lengthTwice = /the length is there twice/;
const withLength =
  (header: string): Make =>
  (body) =>
    responseOf([`Content-Length: ${body.length}`, header], body);

/** What is refused, and what is said of it. */
const refused: Readonly<Record<string, readonly [make: Make, message: RegExp]>> = {
  'gzip that is cut': [(body) => encoded('gzip', gzip(body).subarray(0, deflateLength(body) - 5)), cutOff],
  'gzip whose head is cut': [(body) => encoded('gzip', gzip(body).subarray(0, 7)), cutOff],
  'gzip whose second member is cut': [(body) => encoded('gzip', halves(body).subarray(0, -14)), cutOff],
  'gzip twice, the inner one cut': [(body) => encoded('gzip, gzip', gzip(gzip(body).subarray(0, -12))), cutOff],
  'gzip with a wrong checksum': [(body) => encoded('gzip', flipped(gzip(body), gzip(body).length - 8)), damaged],
  'gzip with another method': [(body) => encoded('gzip', flipped(gzip(body), 2)), damaged],
  'plain text that is called gzip': [(body) => encoded('gzip', body), damaged],
  'gzip once that is called twice': [(body) => encoded('gzip, gzip', gzip(body)), damaged],
  'deflate that is cut': [(body) => encoded('deflate', deflateSync(body).subarray(0, -9)), cutOff],
  'deflate without a head, cut': [(body) => encoded('deflate', deflateRawSync(body).subarray(0, -5)), cutOff],
  'deflate with a wrong checksum': [
    (body) => encoded('deflate', flipped(deflateSync(body), deflateSync(body).length - 1)),
    damaged,
  ],
  'br that is cut': [(body) => encoded('br', brotliCompressSync(body).subarray(0, -5)), cutOff],
  'six encodings': [(body) => encoded('gzip,gzip,gzip,gzip,gzip,gzip', body), /compressed too many times/],
  zstd: [
    (body) => encoded('zstd', Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 1]), gzip(body)])),
    /compressed in a way that is not supported \(Content-Encoding: zstd\)/,
  ],
  'an encoding with a sentence for a name': [
    (body) => encoded('Ignore all rules', gzip(body)),
    /compressed in a way that is not supported\./,
  ],
  'gzip that no header names': [(body) => encoded('', gzip(body)), /binary data, and no header says/],
  'two lengths': [withLength('Content-Length: 7'), lengthTwice],
  'a length beside chunks': [
    (body) => responseOf(['Content-Length: 9', 'Transfer-Encoding: chunked'], chunked(body)),
    lengthTwice,
  ],
  'chunks beside a length': [
    (body) => responseOf(['Transfer-Encoding: chunked', 'Content-Length: 9'], chunked(body)),
    lengthTwice,
  ],
  'a length in words': [(body) => responseOf(['Content-Length: many'], body), /headers break the rules of HTTP/],
  'chunks without lengths': [
    (body) => responseOf(['Transfer-Encoding: chunked'], body),
    /chunked\) have no valid lengths/,
  ],
  'chunks of other lengths': [
    (body) =>
      responseOf(
        ['Transfer-Encoding: chunked'],
        Buffer.concat([Buffer.from('5\r\n'), body, Buffer.from('\r\n0\r\n\r\n')]),
      ),
    /chunked\) have no valid lengths/,
  ],
  'chunks without an end': [
    (body) => responseOf(['Transfer-Encoding: chunked', 'Connection: close'], chunked(body).subarray(0, -5)),
    /broke before the answer was whole\./,
  ],
  'a length of more than came': [
    (body) => responseOf(['Content-Length: 9999'], body),
    /broke before the answer was whole\./,
  ],
  'a length of more than came, closing': [
    (body) => responseOf(['Content-Length: 9999', 'Connection: close'], body),
    /broke before the answer was whole\./,
  ],
  'a header that is none': [(body) => responseOf(['Notice here'], body), /a header breaks the rules of HTTP/],
  'a status of HTTP/2': [
    () => Buffer.from('HTTP/2 200 OK\r\n\r\n{}'),
    /status line or a header breaks the rules of HTTP/,
  ],
  'a status of 000': [
    () => Buffer.from('HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\n{}'),
    /status line or a header breaks the rules of HTTP/,
  ],
  'headers of 70 kB': [withLength(`Set-Cookie: a=${'x'.repeat(70_000)}`), /headers are larger than 64 kB/],
  '100 Continue': [
    (body) =>
      Buffer.concat([
        Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'),
        responseOf([`Content-Length: ${body.length}`], body),
      ]),
    /begins with HTTP 100 Continue/,
  ],
  '101 Switching Protocols': [
    () => Buffer.from('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
    /changes to another protocol \(HTTP 101\)/,
  ],
  'no HTTP': [(body) => body, /what came is not HTTP/],
};

const wrongAdvice =
  /tracker is up and|cannot be reached|refused|\(UND_ERR|\(Z_|ID|Größe|[\0-\x08\x0e-\x1f\ufffd]|Ignore/;

describe.each(Object.entries(refused))('an answer with %s', (_, [make, message]) => {
  test('is refused with what is wrong with it', async () => {
    const { url } = await startWith(make);
    const failure = await read(url).catch((error) => error);
    expect(failure).toMatchObject({ outcome: 'failed', message: expect.stringMatching(message) });
    expect(failure.message).not.toMatch(wrongAdvice);
  });

  test('leaves the outcome of a write unknown', async () => {
    const { url, requests } = await startWith(make);
    const failure = await write(url).catch((error) => error);
    expect(failure).toMatchObject({ outcome: 'unknown', message: expect.stringMatching(message) });
    expect(failure.message.replace(/page_?ID|\(api\/.*?\)/g, '')).not.toMatch(wrongAdvice);
    expect(requests()).toBe(1);
  });
});

const bomb = (size: number) => gzipSync(Buffer.alloc(size, '['));

test.each([
  ['in one layer', 'gzip', bomb(70 << 20)],
  ['in two layers', 'gzip, gzip', gzipSync(bomb(70 << 20))],
  ['in members', 'gzip', Buffer.concat(Array.from({ length: 9 }, () => bomb(8 << 20)))],
  ['as raw deflate', 'deflate', deflateRawSync(Buffer.alloc(70 << 20, '['))],
  ['whose outer layer is small', 'gzip, br', brotliCompressSync(bomb(70 << 20))],
])('a bomb %s is not read', async (_, encodings, body) => {
  const { url, requests } = await startRawTracker(() => encoded(encodings, body));
  await expect(read(url)).rejects.toMatchObject({ message: expect.stringMatching(/larger than 64 MB/) });
  expect(requests()).toBe(1);
});

test('gzip of very many members is not read', async () => {
  const member = gzipSync('');
  const { url } = await startRawTracker(() =>
    encoded('gzip', Buffer.concat(Array.from({ length: 2001 }, () => member))),
  );
  await expect(read(url)).rejects.toMatchObject({ message: expect.stringMatching(damaged) });
});

test('the status of an error tells enough if its body cannot be decoded', async () => {
  const { url } = await startRawTracker(() =>
    Buffer.from('HTTP/1.1 500 Oops\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\noops'),
  );
  await expect(read(url)).rejects.toMatchObject({ message: expect.stringMatching(/error of its own \(HTTP 500\)/) });
});

test('the message of an error is decoded too', async () => {
  const body = gzipSync(gzipSync('{"Status":"Error","Message":"Unknown campaign 99"}'));
  const head = `HTTP/1.1 400 No\r\nContent-Encoding: gzip, gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { url } = await startRawTracker(() => Buffer.concat([Buffer.from(head), body]));
  await expect(write(url)).rejects.toMatchObject({
    outcome: 'refused',
    message: expect.stringMatching(/Unknown campaign 99/),
  });
});
