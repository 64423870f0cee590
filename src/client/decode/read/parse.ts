import { AnswerProblem, CutOffError } from '../answer-problem.ts';
import type { Tree } from '../tree.ts';
import { saysNoAccess } from '../words.ts';
import { type Body, withoutMessagesBehind } from './body.ts';
import { endOfValue, parseJson } from './json.ts';

interface Parsed {
  readonly tree: Tree;
  /** False if the tree is only what was found inside the body. */
  readonly isWhole: boolean;
}

/**
 * Reads a body of any kind into a tree.
 *
 * @throws AnswerProblem if there is none in it
 */
export async function parse(body: Body): Promise<Parsed> {
  const { kind, text } = body;
  if (kind === 'empty') throw new AnswerProblem('empty');
  let isCutOff = false;
  try {
    if (kind === 'json') return { tree: parseJson(text), isWhole: true };
    if (kind === 'xml') {
      // Most trackers are asked for JSON; the XML parser is loaded with the first XML.
      const { parseXml } = await import('./xml.ts');
      return { tree: parseXml(text), isWhole: true };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    isCutOff = error instanceof CutOffError;
  }
  // What stands inside a whole that was cut off is a part of it, and no answer.
  const inside = isCutOff ? 'cut-off' : isPage(text) ? undefined : await findEmbedded(body);
  if (inside === 'cut-off') throw new AnswerProblem('cut-off');
  if (inside) return { tree: inside.tree, isWhole: false };
  if (kind === 'html') throw new AnswerProblem(asksToLogIn(text) ? 'no-access' : 'page');
  if (kind === 'text') return { tree: text.replace(invisibleMarkup, ' ').trim(), isWhole: true };
  throw new AnswerProblem('unreadable');
}

/** What a script may print around a plain answer and no reader would see. */
const invisibleMarkup = /<br\s*\/?>|<!--[^>]{0,1000}-->/gi;

/** What looks like an answer inside a page belongs to its scripts. */
function isPage(text: string): boolean {
  return /^[^{[]{0,5000}?<(!doctype html|html|head|body|script|form)\b/i.test(text);
}

/** A login page, or a few words in HTML that say so. */
function asksToLogIn(page: string): boolean {
  const isLogin = /type=["']?password|name=["']?password|\blog.?in\b|\bsign.?in\b/i.test(page);
  return isLogin || (page.length < 1000 && saysNoAccess(page));
}

/** The most that is read in search of the answer's beginning, in characters: a long body a few times. */
const minRead = 5_000_000;
const maxReadings = 3;

const startOfJson = /\{\s*["}]|\[\s*["{[\]]/g;

/** What could only be a second answer, so that the first was none. */
const anotherStart = /\{\s*"|\[\s*[{[]/;

/**
 * Finds the answer in a body that holds other text around it.
 *
 * @returns 'cut-off' if an answer begins that has no end: what stands inside it is only a part of it
 */
async function findEmbedded({ kind, text }: Body): Promise<{ tree: Tree } | 'cut-off' | undefined> {
  const start = kind === 'xml' ? 0 : text.indexOf('<?xml');
  if (start >= 0) {
    const { parseXml } = await import('./xml.ts');
    const answer = withoutMessagesBehind(text.slice(start));
    const found = attempt(() => parseXml(answer.slice(0, answer.lastIndexOf('>') + 1)));
    if (found) return found;
  }
  startOfJson.lastIndex = 0;
  const maxRead = Math.max(minRead, maxReadings * text.length);
  for (let read = 0; read < maxRead; ) {
    const jsonStart = startOfJson.exec(text)?.index;
    if (jsonStart === undefined) return undefined;
    const end = endOfValue(text, jsonStart);
    if (end < 0) return 'cut-off';
    read += end - jsonStart;
    const found = attempt(() => parseJson(text.slice(jsonStart, end)));
    if (!found) continue;
    read += text.length - end;
    if (!anotherStart.test(text.slice(end))) return found;
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
