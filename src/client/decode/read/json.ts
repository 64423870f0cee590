import { CutOffError } from '../answer-problem.ts';
import { boundValues, type Tree } from '../tree.ts';

/**
 * Numbers of which JavaScript would change the text: an exponent, zeros ahead or at the end of a fraction, many of them at its
 * start, more digits than a double holds, -0. It may match inside a string, which costs time and harms nothing.
 */
const fragileNumber =
  /[[:,\s]-?(?:\d+(?:\.\d+)?[eE]|0\d[\d.]*[,\]}\s]|\d+\.\d*0[,\]}\s]|[\d.]{16}|0\.00000)|[[:,\s]-0[,\]}\s.]|^[-\d][\d.eE+-]*$/;

/** Where a number may begin. Most answers write theirs as strings, which this tells in half the time. */
const startOfNumber = /(?:^|[[:,])\s*[-\d]/;

const numberToken = /-?(?:\d[\d.eE+-]*|\bInfinity\b|\bNaN\b)/g;

const rawControls = /[\x00-\x1f]/g;

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
  const isFragile = startOfNumber.test(text) && fragileNumber.test(text);
  const exact = isFragile ? rewrite(text, keepString) : text;
  try {
    return JSON.parse(exact) as Tree;
  } catch (error) {
    if (endOfValue(text, text.search(/\S/)) < 0) throw new CutOffError('a bracket or string is not closed');
    const repaired = rewrite(text, escapeControls);
    if (repaired === exact) throw error;
    return JSON.parse(repaired) as Tree;
  }
}

/** The same JSON with the numbers as strings that would lose something, and its strings as `fix` writes them. */
function rewrite(text: string, fix: (string: string) => string): string {
  const parts: string[] = [];
  const replace = (from: number, to: number, change: (part: string) => string) => {
    const part = text.slice(from, to);
    const changed = change(part);
    if (changed === part) return;
    parts.push(text.slice(done, from), changed);
    done = to;
  };
  let done = 0;
  let index = 0;
  while (index < text.length) {
    const quote = text.indexOf('"', index);
    const start = quote < 0 ? text.length : quote;
    // Between most strings stands one comma or colon.
    if (start - index > 1 || start === text.length) replace(index, start, quoteNumbers);
    index = quote < 0 ? -1 : endOfString(text, start);
    if (index < 0) break;
    if (fix !== keepString) replace(start, index, fix);
  }
  parts.push(text.slice(done));
  return parts.join('');
}

function keepString(string: string): string {
  return string;
}

function quoteNumbers(between: string): string {
  return between.replace(numberToken, (token) =>
    /\d/.test(token) && String(Number(token)) === token ? token : `"${token}"`,
  );
}

function escapeControls(string: string): string {
  return string.replace(rawControls, escapeControl);
}

/** What a string is, with its quotes and escapes; undefined if it is no JSON. */
export function parseString(literal: string): string | undefined {
  try {
    return JSON.parse(escapeControls(literal)) as string;
  } catch {
    return undefined;
  }
}

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** @returns the index behind the string that begins at `start`; -1 if it has no end */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charAt(end - 1 - escapes) === '\\') escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return -1;
}

/** @returns the index behind the value that begins at `start`, by its brackets and quotes; -1 if it has no end */
export function endOfValue(text: string, start: number): number {
  if (!/["[{]/.test(text.charAt(start))) return text.length;
  const mark = /["[\]{}]/g;
  let depth = 0;
  mark.lastIndex = start;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    if (match[0] === '"') {
      const end = endOfString(text, match.index);
      if (end < 0) return -1;
      mark.lastIndex = end;
    } else depth += match[0] === '[' || match[0] === '{' ? 1 : -1;
    if (depth <= 0) return mark.lastIndex;
  }
  return -1;
}
