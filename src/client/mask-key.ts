import { cleanNames, cleanText } from '../api/text/clean-text.ts';
import type { Secret } from './decode/decode.ts';

const maskText = '***';

/** A shorter key could be an ordinary word of a report, and masking it would change the report. */
const minSecretLength = 6;

/** Longer texts are not searched for parts of a key: an answer that repeats its request is not a large report. */
const maxSearchedLength = 1_000_000;

/** @returns a warning about a key that is too short to be masked */
export function weaknessOf(apiKey: string): string | undefined {
  if (apiKey === '' || apiKey.length >= minSecretLength) return undefined;
  return `The API key has fewer than ${minSecretLength} characters, so it could be an ordinary word and is not masked if the tracker repeats it: set a longer one in the tracker.`;
}

/** Finds and masks one API key, however its characters are written: plain, or escaped for JSON, a URL, a form or XML. */
export class SecretKey implements Secret {
  readonly #key: string;
  readonly #pattern: RegExp;
  /** How escapes of the key's characters start. PHP escapes each slash, which does not matter for a key without one. */
  readonly #escapes: readonly string[];
  /** Those that a text has if the key is in it. */
  readonly #characters: readonly string[];
  /** Whether its start could be in a number: else, numbers do not tell whether it is somewhere. */
  readonly #startsLikeNumber: boolean;

  /** @param key empty if the tracker needs none */
  constructor(key: string) {
    this.#key = key;
    this.#characters = key.match(/[^ \ufffd]/gu) ?? [];
    this.#pattern = new RegExp([...key].map(waysToWrite).join(''), 'g');
    this.#startsLikeNumber = /^[-+.\deE ]*$/.test(key.slice(0, minSecretLength));
    this.#escapes = [
      '%',
      /["/\\\x00-\x1f]/.test(key) ? '\\' : '\\u',
      /[&<>"']/.test(key) ? '&' : '&#',
      ...(key.includes(' ') ? ['+'] : []),
    ];
  }

  isSurelyNotIn(text: { includes(part: string): boolean }): boolean {
    if (this.#key.length < minSecretLength) return true;
    return !this.#hasEscapes(text) && !text.includes(this.#key.slice(0, minSecretLength));
  }

  /** Masks the key in a text, whole or in parts. */
  mask(text: string): string {
    return this.#maskAll([text])[0] ?? '';
  }

  /**
   * Masks the key in every text and name of some data: reading and cleaning an answer can join parts of a key.
   *
   * @returns data of the same shape; the same data if the key is not in it
   */
  maskData<Data>(data: Data): Data {
    if (typeof data === 'string') return this.mask(data) as Data;
    if (!this.#startsLikeNumber && this.isSurelyNotIn(textsIn(data, false).join('\n'))) return data;
    const texts = textsIn(data);
    const masked = this.#maskAll(texts);
    if (masked === texts) return data;
    const maskedByText = new Map(texts.map((text, index) => [text, masked[index] ?? text]));
    return mapTexts(data, (text) => maskedByText.get(text) ?? text) as Data;
  }

  /** Whether a text, name or number of some data contains the whole key, maybe with invisible characters in it. */
  isIn(data: unknown): boolean {
    if (this.#key.length < minSecretLength) return false;
    const texts = textsIn(data);
    return texts.some(
      (text) => this.#isWrittenIn(text) || (this.#hasCharacters(text) && this.#isWrittenIn(cleanText(text))),
    );
  }

  /** Whether the key could be in a text once that is cleaned, which takes a while: it adds only blanks, and U+FFFD. */
  #hasCharacters(text: string): boolean {
    return /[%&\\]/.test(text) || this.#characters.every((character) => text.includes(character));
  }

  #hasEscapes(text: { includes(part: string): boolean }): boolean {
    return this.#escapes.some((start) => text.includes(start));
  }

  #isWrittenIn(text: string): boolean {
    return this.#hasEscapes(text) ? text.search(this.#pattern) >= 0 : text.includes(this.#key);
  }

  /** @returns the same list if no text has the key. The texts belong together: parts of the key may be in several. */
  #maskAll(texts: readonly string[]): readonly string[] {
    const all = texts.join('\n');
    if (this.isSurelyNotIn(all)) return texts;
    const isCut = all.includes('…') && all.includes(this.#key.slice(0, minSecretLength));
    const masked =
      this.#isWrittenIn(all) || isCut
        ? texts.map((text) => this.#maskCutKeys(text.replace(this.#pattern, maskText)))
        : texts;
    const left = masked === texts ? all : masked.join('\n');
    const parts = left.length <= maxSearchedLength ? this.#partsIn(left) : [];
    if (parts.length === 0) return masked;
    return masked.map((text) => parts.reduce((rest, part) => rest.replaceAll(part, maskText), text));
  }

  /** Masks the start of a key that was cut off by an ellipsis. */
  #maskCutKeys(text: string): string {
    const pieces = text.split('…');
    const last = pieces.pop() ?? '';
    return [...pieces.map((piece) => this.#maskCutKey(piece)), last].join('…');
  }

  #maskCutKey(text: string): string {
    const first = this.#key.slice(0, minSecretLength);
    const from = Math.max(0, text.length - this.#key.length);
    for (let start = text.indexOf(first, from); start >= 0; start = text.indexOf(first, start + 1)) {
      if (this.#key.startsWith(text.slice(start))) return text.slice(0, start) + maskText;
    }
    return text;
  }

  /**
   * Finds parts that together are the whole key, such as one split over two fields. Fewer parts are a coincidence.
   *
   * @returns the longest first
   */
  #partsIn(text: string): readonly string[] {
    const key = this.#key;
    const size = Math.max(minSecretLength, Math.min(8, Math.floor(key.length / 2)));
    // Without its first part a key is not complete, so most texts need only this search.
    if (!text.includes(key.slice(0, size))) return [];
    const starts = Array.from({ length: key.length - size + 1 }, (_, start) => start);
    const foundStarts = starts.filter((start) => text.includes(key.slice(start, start + size)));
    const isComplete = [...key].every((_, index) =>
      foundStarts.some((start) => start <= index && index < start + size),
    );
    if (!isComplete) return [];
    const parts = foundStarts.flatMap((start) =>
      Array.from({ length: key.length - start - size + 1 }, (_, more) => key.slice(start, start + size + more)),
    );
    return parts.sort((one, other) => other.length - one.length);
  }
}

/** The keys of all trackers of a server: what one tracker returns must not show the key of another either. */
export class Keyring {
  readonly #keys = new Map<string, SecretKey>();

  /** @param key empty if the tracker needs none */
  add(key: string): SecretKey {
    const secret = this.#keys.get(key) ?? new SecretKey(key);
    this.#keys.set(key, secret);
    return secret;
  }

  /** Whether some data contains one of the keys. */
  isIn(data: unknown): boolean {
    return [...this.#keys.values()].some((key) => key.isIn(data));
  }

  /** Masks all keys in some data. */
  mask<Data>(data: Data): Data {
    return [...this.#keys.values()].reduce((masked, key) => key.maskData(masked), data);
  }
}

const xmlNames: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** A regular expression for all ways to write a character. */
function waysToWrite(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const units = character.split('').map((unit) => `\\\\u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
  // encodeURIComponent throws for half of a surrogate pair.
  const bytes = [...new TextEncoder().encode(character)].map(
    (byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`,
  );
  const name = xmlNames[character];
  return `(?:${[
    /["/\\]/.test(character) ? `\\\\?${escapeForPattern(character)}` : escapeForPattern(character),
    ...(character === ' ' ? ['\\+'] : []),
    units.join(''),
    bytes.join(''),
    `&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`,
    ...(name === undefined ? [] : [`&${name};`]),
  ].join('|')})`;
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * Every text, name and number in some data, without recursion: what an agent sends may nest without end. Tables that are in two places,
 * since an answer has and shows them, are read once.
 */
function textsIn(data: unknown, hasNumbers = true): string[] {
  const texts: string[] = [];
  const open: unknown[] = [];
  const seen = new Set<object>();
  // Most values are cells, which need not wait.
  const add = (value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number') hasNumbers && texts.push(String(value));
    else if (typeof value === 'object' && value !== null) open.push(value);
  };
  add(data);
  while (open.length > 0) {
    const value: unknown = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    // A row is only read with its table.
    if (!isList || typeof value[0] === 'object') {
      if (seen.has(value)) continue;
      seen.add(value);
    }
    if (!isList) for (const name of Object.keys(value)) texts.push(name);
    for (const inner of isList ? value : Object.values(value)) add(inner);
  }
  return texts;
}

function mapTexts(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === 'string') return change(data);
  // A key of digits may come as a number. One in which it is only a part is a coincidence.
  if (typeof data === 'number') return change(String(data)) === maskText ? maskText : data;
  if (Array.isArray(data)) return data.map((item) => mapTexts(item, change));
  if (typeof data !== 'object' || data === null) return data;
  const names = cleanNames(Object.keys(data).map(change));
  return Object.fromEntries(Object.values(data).map((value, index) => [names[index], mapTexts(value, change)]));
}
