import { CutOffError } from '../answer-problem.ts';
import { boundValues, type Tree } from '../tree.ts';

/**
 * Numbers of which JavaScript would change the text: an exponent, zeros ahead or at the end of a fraction, many of them at its
 * start, more digits than a double holds, -0. It may match inside a string, which costs time and harms nothing.
 */
const fragileNumber =
  /[[:,\s]-?(?:\d+(?:\.\d+)?[eE]|0\d[\d.]*[,\]}\s]|\d+\.\d*0[,\]}\s]|[\d.]{16}|0\.00000)|[[:,\s]-0[,\]}\s.]|^[-\d][\d.eE+-]*$/;

/** A string, which ends with the text if it is cut off; its last quote; or a bracket. */
const stringOrBracket = /"[^"\\]*(?:\\[\s\S][^"\\]*)*("?)|[[\]{}]/g;

const stringOrNumber = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?(?:\d[\d.eE+-]*|\bInfinity\b|\bNaN\b)/g;

/**
 * Reads JSON without losing what a number was written as: `1.50`, `1e5`, `007` and 9007199254740993 come out as their text.
 * Control characters that stand in a string unescaped, and NaN, are taken for what they are.
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

/** The same JSON with the numbers as strings that would lose something, and with no control characters in its strings. */
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

/** What a string is, with its quotes and escapes; undefined if it is no JSON. */
export function parseString(literal: string): string | undefined {
  try {
    return JSON.parse(escapeControls(literal)) as string;
  } catch {
    return undefined;
  }
}

/** @returns the index behind the value that begins at `start`, by its brackets and quotes; -1 if it has no end */
export function endOfValue(text: string, start: number): number {
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
