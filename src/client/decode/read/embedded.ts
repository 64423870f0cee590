import { CutOffError } from '../answer-problem.ts';
import type { Tree } from '../tree.ts';
import { type Body, withoutMessagesBehind } from './body.ts';
import { endOfValue, parseJson } from './json.ts';

/** So much is read at most in search of where the answer begins, in characters: a long body a few times. */
const minRead = 5_000_000;
const maxReadings = 3;

const startOfJson = /\{\s*["}]|\[\s*["{[\]]/g;

/** What could only be a second answer, so that the first was none. */
const anotherStart = /\{\s*"|\[\s*[{[]/;

interface Embedded {
  readonly tree: Tree;
}

/**
 * Finds the answer in a body that holds other text around it.
 *
 * @returns 'cut-off' where an answer begins that has no end: what stands inside it is only a part of it
 */
export async function findEmbedded({ kind, text }: Body): Promise<Embedded | 'cut-off' | undefined> {
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

function attempt(read: () => Tree): Embedded | 'cut-off' | undefined {
  try {
    return { tree: read() };
  } catch (error) {
    if (error instanceof CutOffError) return 'cut-off';
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
