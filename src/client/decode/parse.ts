import { AnswerProblem, BrokenError, CutOffError, type Place } from './answer-problem.ts';
import type { Body } from './body.ts';
import { endOfValue, nextStart, notClosed, readDocuments } from './broken-json.ts';
import { endsTheScript, noiseInXml, withoutTrailingMessages } from './messages.ts';
import { parseJson } from './parse-json.ts';
import type { Tree } from './tree.ts';
import { saysNoAccess } from './words.ts';

interface Parsed {
  /** The trees of the body: one, or several behind each other. */
  readonly trees: readonly Tree[];
  /** False if there was other text around the trees, or within them. */
  readonly isWhole: boolean;
}

/**
 * Parses a body of any kind into a tree. A part of a broken tree is never the tree.
 *
 * @throws AnswerProblem if the body holds no tree, or a broken one
 */
export async function parse(body: Body): Promise<Parsed> {
  const { kind, text } = body;
  if (kind === 'empty') throw new AnswerProblem('empty');
  let problem: SyntaxError | undefined;
  try {
    if (kind === 'json') return { trees: [parseJson(text)], isWhole: true };
    if (kind === 'xml' && !mayHaveMessages(text)) return { trees: [(await loadXml()).parseXml(text)], isWhole: true };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    problem = error;
  }
  try {
    const found = isPage(text) ? undefined : await findTrees(body, problem);
    if (found) return found;
  } catch (error) {
    throw error instanceof SyntaxError ? toProblem(error, body) : error;
  }
  if (kind === 'html') throw new AnswerProblem(asksToLogIn(text) ? 'no-access' : 'page');
  if (kind === 'text') return { trees: [text.replace(invisibleMarkup, ' ').trim()], isWhole: true };
  throw problem ? toProblem(problem, body) : new AnswerProblem('unreadable');
}

function toProblem(error: SyntaxError, body: Body): AnswerProblem {
  if (error instanceof CutOffError) return new AnswerProblem('cut-off');
  return new AnswerProblem('unreadable', '', error instanceof BrokenError ? placeOf(error.index, body) : undefined);
}

function placeOf(index: number, { before, text }: Body): Place {
  const lines = (before + text.slice(0, index)).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** Most trackers are asked for JSON, so the XML parser is loaded with the first XML. */
const loadXml = () => import('./xml.ts');

/** Scripts may print this around a plain answer. */
const invisibleMarkup = /<br\s*\/?>|<!--(?:[^<>]|<(?!!--)){0,1000}-->/gi;

/** Anything that looks like an answer inside a page belongs to its scripts. */
function isPage(text: string): boolean {
  return /^[^{[]{0,5000}?<(!doctype html|html|head|body|script|form)\b/i.test(text);
}

/** A login page, or a short message in HTML that says so. */
function asksToLogIn(page: string): boolean {
  const isLogin = /type=["']?password|name=["']?password|\blog.?in\b|\bsign.?in\b/i.test(page);
  return isLogin || (page.length < 1000 && saysNoAccess(page));
}

/** A body that begins with an element, not only with a comment. */
const startsWithElement = /^\s*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<[?\p{L}_]/u;

/**
 * Finds the trees in a body that is not one tree.
 *
 * @param problem why it is not
 * @throws SyntaxError if what was found is broken
 */
async function findTrees({ kind, text }: Body, problem: SyntaxError | undefined): Promise<Parsed | undefined> {
  const start = kind === 'xml' ? 0 : text.indexOf('<?xml');
  if (start >= 0 && !isInsideJson(text, start)) {
    const found = await findXml(text, start, kind !== 'xml' || startsWithElement.test(text));
    if (found) return found;
  }
  // A body that begins with its first value, which does not end, has only parts of it.
  if (problem instanceof CutOffError && text.slice(0, nextStart(text, 0)).trim() !== '') throw notClosed(text, 0);
  const documents = readDocuments(text);
  if (documents.trees.length === 0) return undefined;
  const behind = await findXmlBehind(text);
  return behind ? { trees: [...documents.trees, ...behind.trees], isWhole: false } : documents;
}

/** An element that is no part of a page. */
const element =
  /^<((?!(?:a|b|br|div|em|font|h[1-6]|hr|i|li|noscript|ol|p|pre|script|small|span|strong|table|td|tr|u|ul)\b)[a-z_][\w.-]{0,100})[\s>]/i;

/** The XML behind documents of JSON, which may be the answer. */
async function findXmlBehind(text: string): Promise<Parsed | undefined> {
  let end = 0;
  for (let start = nextStart(text, 0); start >= 0; start = nextStart(text, end)) {
    const next = endOfValue(text, start);
    if (next < 0) return undefined;
    end = next;
    if (!/^\s{0,100}</.test(text.slice(end, end + 101))) continue;
    const rest = text.slice(end).trim();
    const name = element.exec(rest)?.[1];
    return name !== undefined && rest.endsWith(`</${name}>`) ? findXml(rest, 0, true) : undefined;
  }
  return undefined;
}

function isInsideJson(text: string, index: number): boolean {
  for (let start = nextStart(text, 0); start >= 0 && start < index; ) {
    const end = endOfValue(text, start);
    if (end < 0 || end > index) return true;
    start = nextStart(text, end);
  }
  return false;
}

/** @param isSurelyXml whether the text is nothing else if it is not XML */
async function findXml(text: string, start: number, isSurelyXml: boolean): Promise<Parsed | undefined> {
  const { parseXmlDocuments } = await loadXml();
  const read = (part: string): Parsed => {
    const lifted = liftNoise(part.slice(0, part.lastIndexOf('>') + 1));
    const trees = parseXmlDocuments(lifted);
    return { trees, isWhole: trees.length === 1 && lifted === text.trim() };
  };
  const whole = text.slice(start);
  const beforeMessages = withoutTrailingMessages(whole);
  try {
    return read(beforeMessages);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The last message is between elements.
    if (beforeMessages !== whole) return read(whole);
    if (!isSurelyXml) return undefined;
    throw error instanceof BrokenError ? new BrokenError(error.message, start + error.index) : error;
  }
}

/** Whether messages may be between the elements. In XML they are elements too, so that they do not break it. */
export const mayHaveMessages = (text: string): boolean => text.includes(' on line ');

const sectionOrNoise = new RegExp(`<!\\[CDATA\\[(?:(?!\\]\\]>|<!\\[CDATA\\[)[\\s\\S])*|${noiseInXml}`, 'gi');

/**
 * Puts blanks in the place of messages outside of CDATA.
 *
 * @throws BrokenError if a message says that elements are missing
 */
function liftNoise(text: string): string {
  return text.replace(sectionOrNoise, (whole, index: number) => {
    if (whole.startsWith('<!')) return whole;
    if (endsTheScript(whole)) throw new BrokenError('the script ended', index);
    return ' '.repeat(whole.length);
  });
}
