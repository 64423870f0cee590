import { isUtf8 } from 'node:buffer';

/**
 * From bytes to text, and from text to what kind of answer it is. A tracker's content type is not to be trusted: the body
 * says what it is.
 */

export type BodyKind = 'json' | 'xml' | 'html' | 'text' | 'empty';

export interface Body {
  readonly kind: BodyKind;
  /** The answer itself, without a byte order mark and without the PHP messages around it. */
  readonly text: string;
  /** The same in UTF-8. */
  readonly bytes: Uint8Array;
  /** Whether PHP messages stood around the answer. */
  readonly hadMessages: boolean;
}

/** What must not be read, wherever an answer holds it. */
export interface Secret {
  /** Whether a text, or its bytes in UTF-8, has nothing to take out; answered in a moment: false if that would take longer. */
  isSurelyNotIn(text: { includes(part: string): boolean }): boolean;
  takeOut(text: string): string;
}

const htmlElements = new Set(
  'html head body div p b br table form center h1 h2 h3 h4 h5 h6 script style meta title link span font a ul ol hr strong em i pre img input main section'.split(
    ' ',
  ),
);

const level = '(?:Deprecated|Notice|Warning|Strict Standards|(?:Recoverable |Catchable )?fatal error|Parse error)';

/** `<br /><b>Deprecated</b>: trim(): ... on line <b>12</b><br />`, and the same without HTML. */
const htmlMessage = `(?:<br\\s*/?>\\s*){0,20}<b>${level}</b>:[\\s\\S]{0,8000}?on line <b>\\d+</b>(?:\\s*<br\\s*/?>){0,20}`;
const textMessage = `(?:PHP )?${level}: [^\\n]{0,8000}? on line \\d+(?=\\s|$)`;

const messageAhead = new RegExp(`^\\s*(?:${htmlMessage}|${textMessage})`, 'i');

/** What PHP prints after the answer goes on to the end. */
const messagesBehind = new RegExp(`\\s*(?:${htmlMessage}|\\n${textMessage})[\\s\\S]*$`, 'i');

/** Answers are long and what is printed behind them is short. */
const maxLengthBehind = 20_000;

/** In bytes. */
const maxShort = 100_000;

/** Around what begins so, no messages are looked for. */
const startOfJson = /^\s*[[{]/;

/**
 * @param bytes the body as it came, decompressed
 * @param contentType the Content-Type header; only its charset is used
 */
export function readBody(bytes: Uint8Array, contentType: string | undefined, secret?: Secret): Body {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isPlain = isPlainUtf8(buffer);
  // A large one is searched where it is, a short one sooner as a text.
  const short = buffer.length <= maxShort && isPlain ? buffer.toString('utf8') : undefined;
  const isJson = isPlain && startOfJson.test(short ?? buffer.toString('latin1', 0, 1000));
  if (isJson && (secret?.isSurelyNotIn(short ?? buffer) ?? true)) return jsonBody(buffer, short);
  const decoded = decodeText(buffer, contentType);
  const whole = secret?.takeOut(decoded) ?? decoded;
  const text = withoutMessages(whole);
  const isUnchanged = isPlain && text === decoded;
  return {
    kind: kindOf(text),
    text,
    bytes: isUnchanged ? buffer : Buffer.from(text),
    hadMessages: text.length < whole.length,
  };
}

/** JSON as it came. A large one is read from its bytes alone, and is not held as a text too. */
function jsonBody(bytes: Buffer, short: string | undefined): Body {
  let text = short;
  return {
    kind: 'json',
    hadMessages: false,
    bytes,
    get text() {
      text ??= bytes.toString('utf8');
      return text;
    },
  };
}

/** Whether the bytes are UTF-8 without a mark ahead of it. */
function isPlainUtf8(buffer: Buffer): boolean {
  return isUtf8(buffer) && wideEncoding(buffer) === undefined && buffer[0] !== 0xef;
}

/** UTF-8 if it is that, whatever it is declared to be: text in another encoding is hardly ever valid UTF-8. */
function decodeText(buffer: Buffer, contentType: string | undefined): string {
  const wide = wideEncoding(buffer);
  if (wide !== undefined) return new TextDecoder(wide).decode(buffer);
  if (isUtf8(buffer)) return buffer.toString('utf8').replace(/^\ufeff/, '');
  const declared = /charset=["']?([\w.:-]+)/i.exec(contentType ?? '')?.[1] ?? xmlEncoding(buffer);
  if (declared !== undefined && !/^utf-?8/i.test(declared)) {
    try {
      return new TextDecoder(declared).decode(buffer);
    } catch {
      // An encoding by that name is not known.
    }
  }
  // Valid characters beside a broken one are UTF-8 after all; none are the Latin letters of servers that get this wrong.
  const lenient = new TextDecoder().decode(buffer);
  return /[^\x00-\x7f\ufffd]/.test(lenient) ? lenient : new TextDecoder('windows-1252').decode(buffer);
}

/** UTF-16 shows by its mark, or by the zeros beside the ASCII character that every answer begins with. */
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
  for (let match = messageAhead.exec(text); match; match = messageAhead.exec(text)) text = text.slice(match[0].length);
  // In JSON and XML such a message may be a value, which only reading them shows.
  return /^\s*[\w"]/.test(text) ? withoutMessagesBehind(text) : text;
}

/** What stands ahead of the messages that PHP prints behind an answer. */
export function withoutMessagesBehind(text: string): string {
  const behind = messagesBehind.exec(text.slice(-maxLengthBehind));
  return behind ? text.slice(0, text.length - behind[0].length) : text;
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
  const first = /^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<([a-z][a-z0-9]*)[\s/>]/i.exec(start)?.[1];
  if (first === undefined) return false;
  // A tracker's own <table> or <a> element would follow an XML declaration.
  return start.startsWith('<?xml') ? first.toLowerCase() === 'html' : htmlElements.has(first.toLowerCase());
}
