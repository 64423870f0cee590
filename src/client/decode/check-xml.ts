import { AnswerProblem, CutOffError } from './answer-problem.ts';
import { maxNesting } from './read/tree.ts';

/** Whatever begins with `<`, whole; a tag is told by its groups: end tag, name, self-closing. */
const markup =
  /<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE\s[^[>]*>|<(\/)?([\p{L}_:][^\s/>"'=<]*)(?:\s+[^\s"'=<>/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/)?>/iuy;

/** The parser takes half a kilobyte for each. */
const maxElements = 2_500_000;

/**
 * Checks that XML is whole before a parser that forgives much reads it: what was cut off must not pass for a shorter report.
 *
 * @throws CutOffError where the text ends too early
 * @throws SyntaxError where it is not well-formed
 * @throws AnswerProblem where it declares entities of its own, which could grow without bound, nests without reason, or has
 *   more elements than are read
 */
export function checkXml(text: string): void {
  const open: string[] = [];
  let elements = 0;
  let isRootClosed = false;
  let index = 0;
  for (;;) {
    const next = text.indexOf('<', index);
    const between = open.length === 0 ? text.slice(index, next < 0 ? text.length : next) : '';
    if (between.trim() !== '') throw new SyntaxError('text outside of the root element');
    if (next < 0) break;
    markup.lastIndex = next;
    const match = markup.exec(text);
    if (!match) throw brokenMarkup(text, next);
    index = markup.lastIndex;
    const [, isEnd, name, isSelfClosing] = match;
    if (name === undefined) continue;
    if (isEnd) {
      const opened = open.pop();
      if (opened !== name) throw new SyntaxError(`</${name.slice(0, 100)}> closes an element that is not open`);
    } else if (isRootClosed) throw new SyntaxError('a second root element');
    else if (++elements > maxElements) throw new AnswerProblem('too-many');
    else if (!isSelfClosing && open.push(name) > maxNesting) throw new AnswerProblem('too-deep');
    isRootClosed = open.length === 0;
  }
  if (!isRootClosed) throw new CutOffError('an element is not closed');
}

/** Markup that has no end is cut off; what has one is wrong. */
function brokenMarkup(text: string, start: number): Error {
  const end = [
    ['<![CDATA[', ']]>'],
    ['<!--', '-->'],
    ['<?', '?>'],
  ].find(([begin = '']) => text.startsWith(begin, start))?.[1];
  if (text.indexOf(end ?? '>', start) < 0) return new CutOffError('the text ends within a tag');
  const isDocumentType = /^<!(DOCTYPE|ENTITY)\s/i.test(text.slice(start, start + 10));
  return isDocumentType ? new AnswerProblem('document-type') : new SyntaxError('a tag is not well-formed');
}
