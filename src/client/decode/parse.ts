import { AnswerProblem, CutOffError } from './answer-problem.ts';
import { type Body, withoutTrailingMessages } from './body.ts';
import { boundValues, type Tree } from './tree.ts';
import { saysNoAccess } from './words.ts';

interface Parsed {
  readonly tree: Tree;
  /** False if the tree was found inside other text. */
  readonly isWhole: boolean;
}

/**
 * Parses a body of any kind into a tree.
 *
 * @throws AnswerProblem if the body holds no tree
 */
export async function parse(body: Body): Promise<Parsed> {
  const { kind, text } = body;
  if (kind === 'empty') throw new AnswerProblem('empty');
  let isCutOff = false;
  try {
    if (kind === 'json') return { tree: parseJson(text), isWhole: true };
    if (kind === 'xml') return { tree: (await loadXml()).parseXml(text), isWhole: true };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    isCutOff = error instanceof CutOffError;
  }
  // Inside an answer that was cut off, a complete value is only a part of it.
  const inside = isCutOff ? 'cut-off' : isPage(text) ? undefined : await findEmbedded(body);
  if (inside === 'cut-off') throw new AnswerProblem('cut-off');
  if (inside) return { tree: inside.tree, isWhole: false };
  if (kind === 'html') throw new AnswerProblem(asksToLogIn(text) ? 'no-access' : 'page');
  if (kind === 'text') return { tree: text.replace(invisibleMarkup, ' ').trim(), isWhole: true };
  throw new AnswerProblem('unreadable');
}

/** Most trackers are asked for JSON, so the XML parser is loaded with the first XML. */
const loadXml = () => import('./xml.ts');

/** Scripts may print this around a plain answer. */
const invisibleMarkup = /<br\s*\/?>|<!--[^>]{0,1000}-->/gi;

/** Anything that looks like an answer inside a page belongs to its scripts. */
function isPage(text: string): boolean {
  return /^[^{[]{0,5000}?<(!doctype html|html|head|body|script|form)\b/i.test(text);
}

/** A login page, or a short message in HTML that says so. */
function asksToLogIn(page: string): boolean {
  const isLogin = /type=["']?password|name=["']?password|\blog.?in\b|\bsign.?in\b/i.test(page);
  return isLogin || (page.length < 1000 && saysNoAccess(page));
}

/** The search for the start of an answer reads a long body at most a few times. In characters. */
const minRead = 5_000_000;
const maxReadings = 3;

const startOfJson = /\{\s*["}]|\[\s*["{[\]]/g;

/** A possible second answer, which means that the first was not the answer. */
const secondStart = /\{\s*"|\[\s*[{[]/;

/**
 * Finds the answer in a body with other text around it.
 *
 * @returns 'cut-off' if an answer starts and does not end
 */
async function findEmbedded({ kind, text }: Body): Promise<{ tree: Tree } | 'cut-off' | undefined> {
  const start = kind === 'xml' ? 0 : text.indexOf('<?xml');
  if (start >= 0) {
    const { parseXml } = await loadXml();
    const answer = withoutTrailingMessages(text.slice(start));
    const parsed = attempt(() => parseXml(answer.slice(0, answer.lastIndexOf('>') + 1)));
    if (parsed) return parsed;
  }
  startOfJson.lastIndex = 0;
  const maxRead = Math.max(minRead, maxReadings * text.length);
  for (let read = 0; read < maxRead; ) {
    const jsonStart = startOfJson.exec(text)?.index;
    if (jsonStart === undefined) return undefined;
    const end = endOfValue(text, jsonStart);
    if (end < 0) return 'cut-off';
    read += end - jsonStart;
    const parsed = attempt(() => parseJson(text.slice(jsonStart, end)));
    if (!parsed) continue;
    read += text.length - end;
    if (!secondStart.test(text.slice(end))) return parsed;
  }
  return undefined;
}

function attempt(read: () => Tree): { tree: Tree } | 'cut-off' | undefined {
  try {
    return { tree: read() };
  } catch (error) {
    if (error instanceof CutOffError) return 'cut-off';
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Numbers whose text JavaScript would change: an exponent, leading or trailing zeros, many zeros at the start of a fraction,
 * more digits than a double holds, -0. It may match inside a string, which only costs time.
 */
const fragileNumber =
  /[[:,\s]-?(?:\d+(?:\.\d+)?[eE]|0\d[\d.]*[,\]}\s]|\d+\.\d*0[,\]}\s]|[\d.]{16}|0\.00000)|[[:,\s]-0[,\]}\s.]|^[-\d][\d.eE+-]*$/;

/** A string, which ends with the text if it is cut off; its last quote; or a bracket. */
const stringOrBracket = /"[^"\\]*(?:\\[\s\S][^"\\]*)*("?)|[[\]{}]/g;

const stringOrNumber = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?(?:\d[\d.eE+-]*|\bInfinity\b|\bNaN\b)/g;

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
  try {
    return JSON.parse(fragileNumber.test(text) ? repair(text) : text) as Tree;
  } catch {
    if (endOfValue(text, text.search(/\S/)) < 0) throw new CutOffError('a bracket or string is not closed');
    return JSON.parse(repair(text)) as Tree;
  }
}

/** Turns fragile numbers into strings, and escapes control characters in strings. */
function repair(text: string): string {
  const isRaw = /[\x00-\x1f]/.test(text);
  return text.replace(stringOrNumber, (token) => {
    if (token.startsWith('"')) return isRaw ? escapeControls(token) : token;
    return /\d/.test(token) && String(Number(token)) === token ? token : `"${token}"`;
  });
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

/** @returns the index after the value that starts at `start`, by its brackets and quotes; -1 if it does not end */
function endOfValue(text: string, start: number): number {
  if (!/["[{]/.test(text.charAt(start))) return text.length;
  let depth = 0;
  stringOrBracket.lastIndex = start;
  for (let match = stringOrBracket.exec(text); match; match = stringOrBracket.exec(text)) {
    const [token, lastQuote] = match;
    if (lastQuote === '') return -1;
    if (lastQuote === undefined) depth += token === '[' || token === '{' ? 1 : -1;
    if (depth <= 0) return stringOrBracket.lastIndex;
  }
  return -1;
}
