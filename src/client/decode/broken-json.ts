import { BrokenError, CutOffError } from './answer-problem.ts';
import { endsTheScript, noiseInJson } from './messages.ts';
import { parseJson } from './parse-json.ts';
import { isLeaf, isRecord, type Tree } from './tree.ts';

/** Reads bodies that are not one JSON text: with noise around or between values, or several texts behind each other. */

/** A string, which ends with the text if it is cut off; its last quote; noise; or a bracket. */
const token = new RegExp(`"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*("?)|${noiseInJson}|[[\\]{}]`, 'gi');

/** Where an answer can start, or noise, which can hold the like. */
const startOrNoise = new RegExp(`${noiseInJson}|\\{\\s*["}]|\\[\\s*["{[\\]]`, 'gi');

/** A record or list that is a value of its own. */
interface JsonDocument {
  readonly tree: Tree;
  /** Whether nothing but white space is before it, and nothing was taken out of it. */
  readonly isPure: boolean;
}

interface Documents {
  readonly trees: readonly Tree[];
  /** Whether nothing but white space is around them. */
  readonly isWhole: boolean;
}

/**
 * Finds the outermost values of a text. None is a part of another that is broken.
 *
 * @throws CutOffError if a value does not end
 * @throws BrokenError if a value is not JSON, or the text around it shows that it is a part of one
 */
export function readDocuments(text: string): Documents {
  const documents: JsonDocument[] = [];
  let end = 0;
  for (let start = nextStart(text, 0); start >= 0; start = nextStart(text, end)) {
    refusePart(text, end, start, documents.length === 0);
    const endOfGap = end;
    end = endOfValue(text, start);
    if (end < 0) throw notClosed(text, start);
    const document = readDocument(text.slice(start, end), start);
    if (!document) continue;
    documents.push({ ...document, isPure: document.isPure && text.slice(endOfGap, start).trim() === '' });
  }
  if (documents.length > 0) refuseRest(text, end, documents);
  const isWhole = documents.every(({ isPure }) => isPure) && text.slice(end).trim() === '';
  return { trees: documents.map(({ tree }) => tree), isWhole };
}

/** The start of the first value that can be an answer at or after an index; -1 if there is none. */
export function nextStart(text: string, index: number): number {
  startOrNoise.lastIndex = index;
  for (let match = startOrNoise.exec(text); match; match = startOrNoise.exec(text)) {
    if (/^[[{]/.test(match[0])) return match.index;
  }
  return -1;
}

/** @returns the index after the value that starts at `start`, by its brackets and quotes; -1 if it does not end */
export function endOfValue(text: string, start: number): number {
  let depth = 0;
  token.lastIndex = start;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [whole, lastQuote] = match;
    if (lastQuote === '') return -1;
    if (whole === '[' || whole === '{') depth += 1;
    else if (whole === ']' || whole === '}') depth -= 1;
    if (depth <= 0) return token.lastIndex;
  }
  return -1;
}

/**
 * Why a value that starts at `start` does not end: the text is cut off, or a bracket or quotation mark in it is lost. Then the text
 * ends as it should.
 */
export function notClosed(text: string, start: number): SyntaxError {
  const value = text.slice(start).trimEnd();
  const index = indexOfError(value);
  const isInText = value.charAt(index) === '"' && endOfValue(value, index) < 0;
  const hasEnd = isInText
    ? /[\]}]\s{0,100}[\]}]$/.test(value)
    : value.endsWith(value.trimStart().startsWith('[') ? ']' : '}');
  if (!hasEnd || index === value.length) return new CutOffError('a bracket or string is not closed');
  return new BrokenError('a bracket or quotation mark is lost', start + index);
}

/** The end of a key, or of another value: what comes next belongs to the same record or list. */
const beforePart = /["\]}]\s{0,100}[:,]\s{0,100}$/;
const afterPart = /^\s*[,:\]}"]/;
const noise = new RegExp(noiseInJson, 'gi');

/** Whether a text beside values has a key of JSON: a record that is broken at its start is none of them, and no noise. */
const hasKey = (text: string) => /"\s{0,100}:/.test(text.replace(noise, ''));

function refusePart(text: string, end: number, start: number, isFirst: boolean): void {
  const gap = text.slice(end, start);
  if (beforePart.test(gap.slice(-300)) || (!isFirst && afterPart.test(gap)) || hasKey(gap))
    throw new BrokenError('a part', end);
}

/** After the only value of a body, brackets too many take nothing away, unless a record in it may have been closed too early. */
function refuseRest(text: string, end: number, [only, ...others]: readonly JsonDocument[]): void {
  const rest = text.slice(end);
  if (hasKey(rest)) throw new BrokenError('a part', end);
  const isLeftOver = others.length === 0 && /^[\s\]},;)]*$/.test(rest) && /^\s*[[{]/.test(text);
  if (!afterPart.test(rest) || (isLeftOver && !(rest.includes('}') && hasFieldBehindRecord(only?.tree ?? null))))
    return;
  throw new BrokenError('a part', end + rest.search(/\S/));
}

function hasFieldBehindRecord(tree: Tree): boolean {
  if (isLeaf(tree)) return false;
  const values = Object.values(tree);
  return (isRecord(tree) && values.slice(0, -1).some(isRecord)) || values.some(hasFieldBehindRecord);
}

/** PHP prints its own values as `["a"]=>`, without a key of JSON. */
const isDump = (part: string) => /["\]]\s{0,20}=>/.test(part) && !/"\s{0,20}:/.test(part);

/** @returns undefined if it is not JSON, and does not look like an attempt at it */
function readDocument(part: string, start: number): JsonDocument | undefined {
  const asItIs = attempt(part);
  if (asItIs) return { tree: asItIs.tree, isPure: true };
  const lifted = liftNoise(part, start);
  const text = lifted.includes('\\') ? lifted.replace(token, mendEscapes) : lifted;
  const mended = text === part ? undefined : attempt(text);
  if (mended) return { tree: mended.tree, isPure: lifted === part };
  if (isDump(part)) return undefined;
  throw new BrokenError('not JSON', start + indexOfError(lifted));
}

function attempt(text: string): { tree: Tree } | undefined {
  try {
    return { tree: parseJson(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Puts blanks in the place of noise, so that what was apart stays apart, and every index stays.
 *
 * @throws BrokenError if a message says that values are missing
 */
function liftNoise(text: string, start: number): string {
  if (!text.includes('<') && !text.includes('on line')) return text;
  return text.replace(token, (whole, _, index: number) => {
    if (/^["[\]{}]/.test(whole)) return whole;
    if (endsTheScript(whole)) throw new BrokenError('the script ended', start + index);
    return ' '.repeat(whole.length);
  });
}

/** Escapes of JavaScript and PHP that mean one character, and are not JSON's. */
function mendEscapes(whole: string): string {
  if (!whole.startsWith('"') || !whole.includes('\\')) return whole;
  return whole.replace(/\\(?:x([\da-f]{2})|[\s\S])/gi, (written, code?: string) => {
    if (code !== undefined) return `\\u00${code}`;
    return written === "\\'" ? "'" : written;
  });
}

const tokenOfJson =
  /\s+|"[^"\\]*(?:\\(?:["\\/bfnrt']|u[\da-f]{4}|x[\da-f]{2})[^"\\]*)*"|-?(?:\d[\d.e+-]*|Infinity)|NaN|true|false|null|[{}[\],:]/iy;

const value = '"0{[';

/** The index of the first character with which a text stops being JSON. */
function indexOfError(text: string): number {
  const open: string[] = [];
  let expected = value;
  for (let index = 0; index < text.length; index = tokenOfJson.lastIndex) {
    tokenOfJson.lastIndex = index;
    const found = tokenOfJson.exec(text)?.[0];
    if (found === undefined) return index;
    if (found.trim() === '') continue;
    const first = found.charAt(0);
    const kind = '"{}[],:'.includes(first) ? first : '0';
    if (!expected.includes(kind)) return index;
    const isKey = kind === '"' && !expected.includes('0') && open.at(-1) === '{';
    if (kind === '{' || kind === '[') open.push(kind);
    if (kind === '}' || kind === ']') open.pop();
    expected = isKey ? ':' : expectedAfter(kind, open.at(-1));
  }
  return text.length;
}

function expectedAfter(kind: string, inside: string | undefined): string {
  if (kind === '{') return '"}';
  if (kind === '[') return `${value}]`;
  if (kind === ':') return value;
  if (kind === ',') return inside === '{' ? '"' : value;
  return inside === undefined ? '' : inside === '{' ? ',}' : ',]';
}
