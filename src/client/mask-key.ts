import { cleanNames, cleanText } from '../api/text/clean-text.ts';
import { memoize } from '../api/text/names.ts';
import type { Secret } from './decode/decode.ts';

const mask = '***';

/** A key shorter than this could be an ordinary word of a report, and masking it would change the report. */
const minSecretLength = 6;

const xmlNames: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Finds the key however each of its characters is written: as it is, or escaped for JSON, a URL, a form or XML. */
const wholeKey = memoize((apiKey): RegExp => new RegExp([...apiKey].map(waysToWrite).join(''), 'g'));

interface Searchable {
  includes(part: string): boolean;
}

/**
 * What begins each way to write some character of a key that is not the character itself. PHP puts a backslash ahead of every
 * slash, which says nothing about a key without one.
 */
const startsOfEscapes = memoize((apiKey): readonly string[] => [
  '%',
  /["/\\\x00-\x1f]/.test(apiKey) ? '\\' : '\\u',
  /[&<>"']/.test(apiKey) ? '&' : '&#',
  ...(apiKey.includes(' ') ? ['+'] : []),
]);

/** Whether each character that is the key's is written as itself. */
function isAsItIs(text: Searchable, apiKey: string): boolean {
  return !startsOfEscapes(apiKey).some((start) => text.includes(start));
}

function isWritten(text: string, apiKey: string): boolean {
  // Nearly every text is without an escape, and V8 compiles the long expression only for one that is not.
  return isAsItIs(text, apiKey) ? text.includes(apiKey) : text.search(wholeKey(apiKey)) >= 0;
}

/** Whether a text holds neither the key nor parts of it that would be masked: without its beginning there are none. */
function isSurelyWithout(text: Searchable, apiKey: string): boolean {
  if (apiKey.length < minSecretLength) return true;
  return isAsItIs(text, apiKey) && !text.includes(apiKey.slice(0, minSecretLength));
}

function waysToWrite(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const units = character.split('').map((unit) => `\\\\u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
  // A key may hold half a character, which no URL can.
  const bytes = [...new TextEncoder().encode(character)].map(
    (byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`,
  );
  const name = xmlNames[character];
  return `(?:${[
    /["/\\]/.test(character) ? `\\\\?${literal(character)}` : literal(character),
    ...(character === ' ' ? ['\\+'] : []),
    units.join(''),
    bytes.join(''),
    `&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`,
    ...(name === undefined ? [] : [`&${name};`]),
  ].join('|')})`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** Parts of a key are looked for in texts of this size at most: an answer that repeats its request is no large report. */
const maxSearchedLength = 1_000_000;

/** What a person should know about a key that is too short to be masked; undefined for any other, and for none. */
export function weaknessOf(apiKey: string): string | undefined {
  if (apiKey === '' || apiKey.length >= minSecretLength) return undefined;
  return `The API key has fewer than ${minSecretLength} characters, so it cannot be told from a word and is not masked if the tracker repeats it: set a longer one in the tracker.`;
}

export function keyAsSecret(apiKey: string): Secret {
  return { isSurelyNotIn: (text) => isSurelyWithout(text, apiKey), mask: (text) => maskKey(text, apiKey) };
}

/** Takes the API key out of a text in which the tracker repeated it, whole or in parts. */
export function maskKey(text: string, apiKey: string): string {
  return maskTexts([text], apiKey)[0] ?? '';
}

/**
 * Takes the API key out of every text and name in data that is ready to leave: reading and cleaning an answer can put
 * together again what was no key in its bytes.
 *
 * @returns data of the same shape; the same data if there is no key in it
 */
export function maskKeyInData<Data>(data: Data, apiKey: string): Data {
  const texts = textsOf(data);
  const masked = maskTexts(texts, apiKey);
  if (masked === texts) return data;
  const maskOf = new Map(texts.map((text, index) => [text, masked[index] ?? text]));
  return mapTexts(data, (text) => maskOf.get(text) ?? text) as Data;
}

/** Whether the whole key stands in a text, name or number of some data, also where characters between its own are invisible. */
export function holdsKey(data: unknown, apiKey: string): boolean {
  if (apiKey.length < minSecretLength) return false;
  const texts = textsOf(data);
  const all = texts.join(' ');
  // Nearly always nothing is invisible in any of them.
  if (cleanText(all) === all && isSurelyWithout(all, apiKey)) return false;
  return texts.some((text) => [text, cleanText(text)].some((way) => isWritten(way, apiKey)));
}

/** The keys that a server holds: what leaves it by way of one tracker must not show the key of another either. */
export class Keyring {
  readonly #keys = new Set<string>();

  /** @param key empty if the tracker asks for none */
  add(key: string): void {
    this.#keys.add(key);
  }

  /** Whether some data, such as the arguments of a call, holds one of them. */
  isIn(data: unknown): boolean {
    return [...this.#keys].some((key) => holdsKey(data, key));
  }

  /**
   * Data of the same shape, each of them masked in every text and name.
   *
   * @param written all of it as texts or JSON, if that is at hand
   */
  mask<Data>(data: Data, written?: readonly string[]): Data {
    let masked = data;
    for (const key of this.#keys) {
      // JSON writes as itself whatever it writes without an escape.
      if (written?.every((text) => isSurelyWithout(text, key))) continue;
      masked = maskKeyInData(masked, key);
    }
    return masked;
  }
}

/** @returns the same list if no text holds the key; the texts belong together, since parts of it may stand in several */
function maskTexts(texts: readonly string[], apiKey: string): readonly string[] {
  const all = texts.join('\n');
  if (isSurelyWithout(all, apiKey)) return texts;
  const isWhole = isWritten(all, apiKey);
  const isBegun = all.includes('…') && all.includes(apiKey.slice(0, minSecretLength));
  const masked =
    isWhole || isBegun ? texts.map((text) => maskBeginnings(text.replace(wholeKey(apiKey), mask), apiKey)) : texts;
  const left = masked === texts ? all : masked.join('\n');
  const parts = left.length <= maxSearchedLength ? partsIn(left, apiKey) : [];
  if (parts.length === 0) return masked;
  return masked.map((text) => parts.reduce((rest, part) => rest.replaceAll(part, mask), text));
}

/** Takes out what shortening a text left of the key at its end. */
function maskBeginnings(text: string, apiKey: string): string {
  const pieces = text.split('…');
  const last = pieces.pop() ?? '';
  return [...pieces.map((piece) => maskBeginning(piece, apiKey)), last].join('…');
}

function maskBeginning(text: string, apiKey: string): string {
  const first = apiKey.slice(0, minSecretLength);
  const from = Math.max(0, text.length - apiKey.length);
  for (let start = text.indexOf(first, from); start >= 0; start = text.indexOf(first, start + 1)) {
    if (apiKey.startsWith(text.slice(start))) return text.slice(0, start) + mask;
  }
  return text;
}

/**
 * Finds parts that together are the whole key, such as one split over two fields. Fewer of them are a coincidence.
 *
 * @returns the longest first, so that no end of a part is left
 */
function partsIn(text: string, apiKey: string): readonly string[] {
  const size = Math.max(minSecretLength, Math.min(8, Math.floor(apiKey.length / 2)));
  // What is not begun cannot be covered, which spares all texts but a few the other searches.
  if (!text.includes(apiKey.slice(0, size))) return [];
  const starts = Array.from({ length: apiKey.length - size + 1 }, (_, start) => start);
  const found = starts.filter((start) => text.includes(apiKey.slice(start, start + size)));
  const isCovered = [...apiKey].every((_, index) => found.some((start) => start <= index && index < start + size));
  if (!isCovered) return [];
  const parts = found.flatMap((start) =>
    Array.from({ length: apiKey.length - start - size + 1 }, (_, more) => apiKey.slice(start, start + size + more)),
  );
  return parts.sort((one, other) => other.length - one.length);
}

/** Every text in some data, names and numbers too; what an agent sends may nest without end. */
function textsOf(data: unknown): string[] {
  const texts: string[] = [];
  const left: object[] = [];
  const add = (value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number') texts.push(String(value));
    else if (typeof value === 'object' && value !== null) left.push(value);
  };
  add(data);
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (Array.isArray(value)) value.forEach(add);
    else {
      for (const name of Object.keys(value)) {
        texts.push(name);
        add(value[name as keyof typeof value]);
      }
    }
  }
  return texts;
}

function mapTexts(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === 'string') return change(data);
  if (Array.isArray(data)) return data.map((item) => mapTexts(item, change));
  if (typeof data !== 'object' || data === null) return data;
  const names = cleanNames(Object.keys(data).map(change));
  return Object.fromEntries(Object.values(data).map((value, index) => [names[index], mapTexts(value, change)]));
}
