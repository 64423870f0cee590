/**
 * From bytes to text, and from text to what kind of answer it is. A tracker's content type is not to be trusted: the body
 * says what it is.
 */

export type BodyKind = 'json' | 'xml' | 'html' | 'text' | 'empty';

export interface Body {
  readonly kind: BodyKind;
  /** The answer itself, without a byte order mark and without the PHP messages around it. */
  readonly text: string;
  /** The PHP messages that stood around the answer, as text; empty where there were none. */
  readonly phpMessages: string;
}

const htmlElements = new Set(
  'html head body div p b br table form center h1 h2 h3 h4 h5 h6 script style meta title link span font a ul ol hr strong em i pre img input main section'.split(
    ' ',
  ),
);

/** `<br /><b>Deprecated</b>: trim(): ... on line <b>12</b><br />`, and the same without HTML. */
const phpMessage =
  /^\s*(?:(?:<br\s*\/?>\s*)*<b>(?:Deprecated|Notice|Warning|Strict Standards|(?:Recoverable |Catchable )?fatal error|Parse error)<\/b>:[\s\S]*?on line <b>\d+<\/b>(?:\s*<br\s*\/?>)*|(?:PHP )?(?:Deprecated|Notice|Warning|Strict Standards):[^\n]*? on line \d+(?:\n|$))/i;

/** The same at the end: what PHP prints after the answer. */
const phpMessageBehind = /(?:<br\s*\/?>\s*)+<b>(?:Deprecated|Notice|Warning|Strict Standards)<\/b>:[\s\S]*$/i;

/**
 * @param bytes the body as it came, decompressed
 * @param contentType the Content-Type header; only its charset is used
 * @param mask takes secrets out of the text
 */
export function readBody(bytes: Uint8Array, contentType: string | undefined, mask: (text: string) => string): Body {
  const whole = mask(decodeText(bytes, contentType));
  const { text, phpMessages } = withoutPhpMessages(whole);
  return { kind: kindOf(text), text, phpMessages };
}

function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  const declared = /charset=["']?([\w.:-]+)/i.exec(contentType ?? '')?.[1] ?? xmlEncoding(bytes) ?? 'utf-8';
  try {
    const text = new TextDecoder(byteOrderMark(bytes) ?? declared, { fatal: true }).decode(bytes);
    return text;
  } catch {
    // Not what it says it is: single bytes above 127 are Latin letters on the servers that get this wrong.
    return new TextDecoder(looksLikeUtf8(declared) ? 'windows-1252' : 'utf-8').decode(bytes);
  }
}

function looksLikeUtf8(label: string): boolean {
  return /^utf-?8$/i.test(label);
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined;
}

function xmlEncoding(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  return /^\s*<\?xml[^>]*encoding=["']([\w.:-]+)["']/i.exec(start)?.[1];
}

function withoutPhpMessages(whole: string): { text: string; phpMessages: string } {
  let text = whole;
  for (let match = phpMessage.exec(text); match; match = phpMessage.exec(text)) text = text.slice(match[0].length);
  // Only behind an answer: before one, the messages are already gone.
  const behind = /^\s*[[{"<]/.test(text) && !isHtml(text) ? phpMessageBehind.exec(text.slice(-20_000)) : null;
  const ahead = whole.slice(0, whole.length - text.length);
  if (behind) text = text.slice(0, text.length - behind[0].length);
  return { text, phpMessages: (ahead + (behind?.[0] ?? '')).trim() };
}

function kindOf(text: string): BodyKind {
  const start = text.slice(0, 1000).trimStart();
  if (start === '' && text.trim() === '') return 'empty';
  if (isHtml(text)) return 'html';
  if (/^<[?!a-z_]/i.test(start)) return 'xml';
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
