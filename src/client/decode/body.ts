import { isUtf8 } from 'node:buffer';
import { decodeBytes } from '../../api/text/decode-bytes.ts';
import { leadingMessage, withoutTrailingMessages } from './messages.ts';
import { parseString } from './parse-json.ts';

/** Decodes the bytes of an answer and tells its kind from the text: a tracker's content type cannot be trusted. */

export type BodyKind = 'json' | 'xml' | 'html' | 'text' | 'empty';

export interface Body {
  readonly kind: BodyKind;
  /** The answer without a byte order mark and without PHP messages around it. */
  readonly text: string;
  /** What was before the text. */
  readonly before: string;
  /** The same text in UTF-8. */
  readonly bytes: Uint8Array;
  /** Whether PHP messages were around the answer. */
  readonly hadMessages: boolean;
}

/** The API key, which is masked before an answer is read. */
export interface Secret {
  /** Whether a text, or its bytes in UTF-8, has nothing to mask. A quick check: false if it would take longer to tell. */
  isSurelyNotIn(text: { includes(part: string): boolean }): boolean;
  mask(text: string): string;
}

const htmlElements = new Set(
  'html head body div p b br table form center h1 h2 h3 h4 h5 h6 script style meta title link span font a ul ol hr strong em i pre img input main section'.split(
    ' ',
  ),
);

/** A body up to this size is searched as text, a larger one as bytes. */
const maxShort = 100_000;

/** No messages are searched for around a body with this start. */
const startOfJson = /^\s*[[{]/;

/**
 * @param bytes the body as it came, decompressed
 * @param contentType the Content-Type header; only its charset is used
 */
export function readBody(bytes: Uint8Array, contentType: string | undefined, secret?: Secret): Body {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isPlain = isPlainUtf8(buffer);
  const short = buffer.length <= maxShort && isPlain ? buffer.toString('utf8') : undefined;
  const isJson = isPlain && startOfJson.test(short ?? buffer.toString('latin1', 0, 1000));
  if (isJson && (secret?.isSurelyNotIn(short ?? buffer) ?? true)) return jsonBody(buffer, short);
  const decoded = decodeText(buffer, contentType);
  const whole = secret?.mask(decoded) ?? decoded;
  const text = withoutMessages(whole);
  const encoded = documentIn(text);
  // Masked anew: the key may be written in another way inside.
  if (encoded !== undefined)
    return { ...readBody(Buffer.from(encoded), undefined, secret), hadMessages: text.length < whole.length };
  const isUnchanged = isPlain && text === decoded;
  return {
    kind: kindOf(text),
    text,
    before: text.length < whole.length ? whole.slice(0, whole.indexOf(text)) : '',
    bytes: isUnchanged ? buffer : Buffer.from(text),
    hadMessages: text.length < whole.length,
  };
}

/** The start of a record or list of JSON or of XML, and not of words such as `[error] no such campaign` or of a page. */
const startOfDocument = /^\s*(?:\{\s*["}]|\[\s*["{[\]]|<\?xml\s)/;

export const isDocument = (text: string): boolean => startOfDocument.test(text);

/** The document in a JSON text that was encoded twice, or more often; undefined for any other. */
function documentIn(text: string): string | undefined {
  const inner = /^\s*"/.test(text) ? parseString(text.trim()) : undefined;
  return inner === undefined || isDocument(inner) ? inner : documentIn(inner);
}

/** JSON as it came. A large one is scanned as bytes, so its text is made only if needed. */
function jsonBody(bytes: Buffer, short: string | undefined): Body {
  let text = short;
  return {
    kind: 'json',
    hadMessages: false,
    before: '',
    bytes,
    get text() {
      text ??= bytes.toString('utf8');
      return text;
    },
  };
}

/** Whether the bytes are UTF-8 without a byte order mark. */
function isPlainUtf8(buffer: Buffer): boolean {
  return isUtf8(buffer) && wideEncoding(buffer) === undefined && buffer[0] !== 0xef;
}

/** Valid UTF-8 is read as UTF-8, whatever was declared: text in other encodings is hardly ever valid UTF-8. */
function decodeText(buffer: Buffer, contentType: string | undefined): string {
  const wide = wideEncoding(buffer);
  if (wide !== undefined) return new TextDecoder(wide).decode(buffer);
  if (isUtf8(buffer)) return buffer.toString('utf8').replace(/^\ufeff/, '');
  const declared = /charset=["']?([\w.:-]+)/i.exec(contentType ?? '')?.[1] ?? xmlEncoding(buffer);
  if (declared !== undefined && !/^utf-?8/i.test(declared)) {
    try {
      return decodeBytes(buffer, declared);
    } catch {
      // Unknown encoding.
    }
  }
  // With at least one valid character beyond ASCII, it is UTF-8 with errors. Otherwise the server declared the wrong encoding.
  const lenient = new TextDecoder().decode(buffer);
  return /[^\x00-\x7f\ufffd]/.test(lenient) ? lenient : decodeBytes(buffer, 'windows-1252');
}

/** UTF-16 has a byte order mark, or a zero byte next to the first character, which is ASCII in every answer. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)) return 'utf-16be';
  return undefined;
}

function xmlEncoding(buffer: Buffer): string | undefined {
  return /^\s*<\?xml[^>]*encoding=["']([\w.:-]+)["']/i.exec(buffer.toString('latin1', 0, 200))?.[1];
}

function withoutMessages(whole: string): string {
  let text = whole;
  for (let match = leadingMessage.exec(text); match; match = leadingMessage.exec(text))
    text = text.slice(match[0].length);
  // In JSON and XML a trailing message may be part of a value, which only parsing shows.
  return /^\s*[\w"]/.test(text) ? withoutTrailingMessages(text) : text;
}

function kindOf(text: string): BodyKind {
  const start = text.slice(0, 1000).trimStart();
  if (start === '' && text.trim() === '') return 'empty';
  if (isHtml(text)) return 'html';
  if (/^<([?!\p{L}_]|$)/u.test(start)) return 'xml';
  return /^[[{"]|^-?\d[\d.eE+-]*\s*$|^(true|false|null)\s*$/.test(start) ? 'json' : 'text';
}

function isHtml(text: string): boolean {
  const start = text.slice(0, 2000).trimStart();
  if (/^(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)?<!doctype html/i.test(start)) return true;
  const first = /^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<([a-z][a-z0-9]*)[\s/>]/i.exec(start)?.[1];
  if (first === undefined) return false;
  // A tracker's own <table> or <a> element comes after an XML declaration.
  return start.startsWith('<?xml') ? first.toLowerCase() === 'html' : htmlElements.has(first.toLowerCase());
}
