import type { Tree } from './tree.ts';

/**
 * Numbers of which JavaScript would change the text: an exponent, zeros at the end of a fraction, more digits than a double
 * holds, -0. It may match inside a string, which costs time and harms nothing.
 */
const fragileNumber = /(?:^|[[:,\s])-?(?:\d+(?:\.\d+)?[eE]|\d+\.\d*0(?=[,\]}\s]|$)|[\d.]{16,})|-0(?=[,\]}\s.]|$)/;

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Reads JSON without losing what a number was written as: `1.50`, `1e5` and 9007199254740993 come out as their text.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseJson(text: string): Tree {
  const tree = JSON.parse(text) as Tree;
  if (!fragileNumber.test(text)) return tree;
  const quoted = text.replace(stringOrNumber, (token) => (token.startsWith('"') ? token : `"${token}"`));
  return JSON.parse(quoted) as Tree;
}
