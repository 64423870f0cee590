import { AnswerProblem, CutOffError } from '../answer-problem.ts';
import type { Tree } from '../tree.ts';
import { saysNoAccess } from '../words.ts';
import type { Body } from './body.ts';
import { findEmbedded } from './embedded.ts';
import { parseJson } from './json.ts';
import type { Scan, Steps } from './scan.ts';
import { scanJson } from './scan-json.ts';

export interface Parsed {
  readonly tree: Tree;
  /** False where the tree is only what was found inside the body. */
  readonly isWhole: boolean;
}

/**
 * Reads a body of any kind into a tree.
 *
 * @throws AnswerProblem where there is none in it
 */
export async function parse(body: Body): Promise<Parsed> {
  const { kind, text } = body;
  if (kind === 'empty') throw new AnswerProblem('empty');
  let isCutOff = false;
  try {
    if (kind === 'json') return { tree: parseJson(text), isWhole: true };
    if (kind === 'xml') {
      // Most trackers are asked for JSON; the XML parser is loaded where there is XML.
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

/** What a scan has to keep to, where others wait meanwhile. */
export interface Patience {
  /** Lets others have their turn; throws where nobody waits for the scan any more. */
  readonly pause: () => Promise<void>;
  /** The most that is parsed of what is no long list, in characters. */
  readonly maxParsed: number;
}

/**
 * Reads the long lists of a body by one scan, and the rest of it into a tree in which their first rows stand for them.
 *
 * @returns undefined where there is no such list, or the body cannot be read so
 */
export async function parseByScan(body: Body, patience?: Patience): Promise<{ tree: Tree; scan: Scan } | undefined> {
  const readers = body.kind === 'json' ? jsonReaders : body.kind === 'xml' ? await xmlReaders() : undefined;
  if (!readers) return undefined;
  try {
    const scan = await taken(readers.scanBody(body), patience);
    const { skeleton } = scan ?? {};
    if (!scan || skeleton === undefined) return undefined;
    if (patience && skeleton.length > patience.maxParsed) return undefined;
    return placed(scan, readers.parseRest(skeleton));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const jsonReaders = { scanBody: ({ bytes }: Body) => scanJson(bytes), parseRest: parseJson };

async function xmlReaders() {
  const [{ parseXml }, { scanXml }] = await Promise.all([import('./xml.ts'), import('./scan-xml.ts')]);
  return { scanBody: ({ bytes, text }: Body) => scanXml(bytes, text), parseRest: parseXml };
}

async function taken<Result>(steps: Steps<Result>, patience: Patience | undefined): Promise<Result> {
  let step = steps.next();
  while (!step.done) {
    if (patience) await patience.pause();
    step = steps.next();
  }
  return step.value;
}

function placed(scan: Scan, tree: Tree): { tree: Tree; scan: Scan } | undefined {
  return scan.place(tree) ? { tree, scan } : undefined;
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
