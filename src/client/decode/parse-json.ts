import type { WrittenNumbers } from '../../api/cells.ts';
import { BrokenError, CutOffError } from './answer-problem.ts';
import { boundValues, isLeaf, type Tree } from './tree.ts';

/**
 * Numbers whose text JavaScript would change: an exponent, leading or trailing zeros, many zeros at the start of a fraction,
 * more digits than a double holds, -0. It may match inside a string, which only costs time.
 */
const fragileNumber =
  /[[:,\s]-?(?:\d+(?:\.\d+)?[eE]|0\d[\d.]*[,\]}\s]|\d+\.\d*0[,\]}\s]|[\d.]{16}|0\.00000)|[[:,\s]-0[,\]}\s.]|^[-\d][\d.eE+-]*$/;

/** A string, which ends with the text if it is cut off; its last quote; or a bracket. */
const stringOrBracket = /"[^"\\]*(?:\\[\s\S][^"\\]*)*("?)|[[\]{}]/g;

const stringHere = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/y;
const numberHere = /-?(?:\d[\d.eE+-]*|\bInfinity\b|\bNaN\b)/y;

/** Strings without control characters, numbers of at most 15 digits that JavaScript writes as they are, and what is neither. */
const soundHere =
  /(?:[^"\d\-IN]+|"[^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*"|(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,8})\.\d{0,5}[1-9])(?![\d.eE+-])){1,1000}/y;

/**
 * Parses JSON and keeps how each number was written: `1.50`, `1e5`, `007` and 9007199254740993 stay texts. Also accepts NaN and
 * unescaped control characters in strings.
 *
 * @throws CutOffError if the text ends too early
 * @throws SyntaxError if the text is not JSON
 * @throws AnswerProblem if it holds more values than are read
 */
export function parseJson(text: string): Tree {
  boundValues(text);
  let tree: Tree;
  try {
    const isFragile = fragileNumber.test(text);
    tree = JSON.parse(isFragile ? repair(text) : text) as Tree;
    if (isFragile && !isLeaf(tree)) fragile.add(tree);
  } catch {
    if (isCutOff(text)) throw new CutOffError('a bracket or string is not closed');
    tree = JSON.parse(repair(text)) as Tree;
  }
  refuseLostFields(text, tree);
  return tree;
}

/** The trees that may have numbers as texts. */
const fragile = new WeakSet<object>();

/** A fragile fraction, and what is before it: in quotation marks it is a text. One inside of a longer text only adds a doubt. */
const fragileFraction = /(["[:,\s])(-?\d+\.(?:\d*0|\d{14,}))(?=["\s,\]}])/g;

/** The fractions of a text that its trees have as texts. */
export function writtenNumbers(text: string, trees: readonly Tree[]): WrittenNumbers | undefined {
  if (!trees.some((tree) => !isLeaf(tree) && fragile.has(tree))) return undefined;
  const written = new Map<string, boolean>();
  const quoted = new Set<string>();
  for (const [, before, fraction = ''] of text.matchAll(fragileFraction))
    if (before === '"') quoted.add(fraction);
    else written.set(fraction, false);
  for (const fraction of quoted) if (written.has(fraction)) written.set(fraction, true);
  return written;
}

/** Turns fragile numbers into strings, and escapes control characters in strings. What stays is copied in long pieces. */
function repair(text: string): string {
  let [repaired, copied] = ['', 0];
  for (let at = endOf(soundHere, text, 0), end = at; at < text.length; at = endOf(soundHere, text, end)) {
    const isString = text.charCodeAt(at) === quote;
    end = endOf(isString ? stringHere : numberHere, text, at);
    const token = text.slice(at, end);
    end = Math.max(end, at + 1);
    if (token === '' || (!isString && /\d/.test(token) && String(Number(token)) === token)) continue;
    repaired += text.slice(copied, at) + (isString ? escapeControls(token) : `"${token}"`);
    copied = end;
  }
  return repaired + text.slice(copied);
}

/** Where what a pattern finds at an index ends; the index itself if it finds nothing. */
function endOf(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
}

function escapeControls(string: string): string {
  return string.replace(/[\x00-\x1f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @param literal a string with its quotes and escapes; the result is undefined if it is not JSON */
export function parseString(literal: string): string | undefined {
  try {
    return JSON.parse(escapeControls(literal)) as string;
  } catch {
    return undefined;
  }
}

/** Whether a bracket or string of a text is not closed, which begins with its first value. */
function isCutOff(text: string): boolean {
  const start = text.search(/\S/);
  if (start < 0 || !/["[{]/.test(text.charAt(start))) return false;
  let depth = 0;
  stringOrBracket.lastIndex = start;
  for (let match = stringOrBracket.exec(text); match; match = stringOrBracket.exec(text)) {
    const [token, lastQuote] = match;
    if (lastQuote === '') return true;
    if (lastQuote === undefined) depth += token === '[' || token === '{' ? 1 : -1;
    if (depth <= 0) return false;
  }
  return true;
}

const quote = 0x22;

/**
 * JavaScript keeps the last of several fields with one name, so another value, a list, or a record that starts again would be
 * lost. A value that is only repeated is not.
 *
 * @throws BrokenError if that happened
 */
function refuseLostFields(text: string, tree: Tree): void {
  if (countNames(text) > countFields(tree)) findRepetition(text);
}

/** How many names of fields a text has, or more. */
function countNames(text: string): number {
  let names = 0;
  for (let index = text.indexOf(':'); index >= 0; index = text.indexOf(':', index + 1)) {
    let before = index - 1;
    while (text.charCodeAt(before) <= 0x20) before -= 1;
    if (text.charCodeAt(before) === quote) names += 1;
  }
  return names;
}

function countFields(tree: Tree): number {
  let fields = 0;
  const open: Tree[] = [tree];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const isRecord = !Array.isArray(next);
    for (const name in next) {
      const value = (next as Readonly<Record<string, Tree>>)[name];
      if (isRecord) fields += 1;
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  }
  return fields;
}

const nameOrBracket =
  /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"(?:\s*:\s*([[{]|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[^\s,\]}[{"]+))?|[[\]{}]/g;

/** The values of a record by their names, as they are written, and the first of the names. */
interface Seen {
  readonly values: Map<string, string>;
  first?: string;
}

function findRepetition(text: string): void {
  const open: (Seen | undefined)[] = [];
  for (const { 0: token, 1: written, 2: value, index } of text.matchAll(nameOrBracket)) {
    const seen = open.at(-1);
    if (written !== undefined && value !== undefined && seen) {
      const name = parseString(`"${written}"`) ?? written;
      seen.first ??= name;
      const before = seen.values.get(name);
      const losesRows = (name === seen.first && seen.values.size > 1) || /^[[{]/.test(value);
      if (before !== undefined && (losesRows || before !== value)) throw new BrokenError('a field is repeated', index);
      seen.values.set(name, value);
    }
    const bracket = value ?? token;
    if (bracket === '{') open.push({ values: new Map() });
    else if (bracket === '[') open.push(undefined);
    else if (bracket === '}' || bracket === ']') open.pop();
  }
}
