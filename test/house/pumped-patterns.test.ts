import { pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { readSources } from './source.ts';

/**
 * No text makes a regular expression of src slow: each is matched against long repetitions of its own parts. On so many characters
 * a linear pattern takes a millisecond, and a quadratic one a thousand times as long, so the bound is far from both.
 */
const length = 20_000;
const boundMs = 40;

interface Pattern {
  readonly at: string;
  readonly source: string;
  readonly flags: string;
}

function patternsIn(path: string, text: string): Pattern[] {
  const patterns: Pattern[] = [];
  const { program } = parseSync(path, text);
  new Visitor({
    Literal: (node) => {
      if (!('regex' in node)) return;
      const line = text.slice(0, node.start).split('\n').length;
      patterns.push({ at: `${path}:${line}`, source: node.regex.pattern, flags: node.regex.flags });
    },
  }).visit(program);
  return patterns;
}

/** Characters that a class, an escape or a dot of a pattern may stand for. */
const representatives: Readonly<Record<string, string>> = {
  '\\d': '0',
  '\\w': 'a',
  '\\s': ' ',
  '\\S': 'a',
  '\\D': 'a',
  '\\W': '-',
  '\\b': '',
  '\\B': '',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '.': 'a',
};

/** What a pattern is made of: its characters, its runs of plain characters, and pieces of it with quantifiers dropped. */
function partsOf(source: string): Set<string> {
  const plain = source
    .replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(')
    .replace(/\\p\{[^}]*\}/gi, 'a')
    .replace(/\\u\{?([\da-f]{4,6})\}?/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/\\x([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const classes = [...plain.matchAll(/\[(\^?)((?:\\.|[^\]\\])*)\]/g)].map(([, not, inside = '']) =>
    not ? 'a' : first(inside),
  );
  let index = 0;
  const withoutClasses = plain.replace(/\[(\^?)((?:\\.|[^\]\\])*)\]/g, () => classes[index++] || 'a');
  const runs = withoutClasses
    .replace(/\{\d+(,\d*)?\}/g, '')
    .split(/[()|^$*+?]+/)
    .map((run) => run.replace(/\\.|\./g, (token) => representatives[token] ?? token.slice(-1)));
  const whole = runs.join('');
  const characters = [...new Set([...whole, ...classes, ' ', 'a', '0', '"', '(', '<', '-', '_', '\n'])];
  return new Set([...characters, ...runs, whole].filter((part) => part.length > 0 && part.length < 200));
}

function first(inside: string): string {
  return inside.replace(/\\.|\./g, (token) => representatives[token] ?? token.slice(-1)).charAt(0);
}

const cpuMs = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;

/** The least CPU of five runs, as far as it is over the bound: other threads of the process count too. */
function leastMs(pattern: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5 && least > boundMs; run += 1) {
    pattern.lastIndex = 0;
    const start = cpuMs();
    if (pattern.global) text.replace(pattern, '');
    else pattern.test(text);
    least = Math.min(least, cpuMs() - start);
  }
  return least;
}

/** The slowest repetition, and its CPU. */
function slowest({ source, flags }: Pattern): { readonly ms: number; readonly input: string } {
  const pattern = new RegExp(source, flags);
  const parts = [...partsOf(source)];
  let worst = { ms: 0, input: '' };
  for (const before of ['', 'x', ...parts.filter((part) => part.length > 1)]) {
    for (const part of parts) {
      for (const end of ['', '\u0000']) {
        const ms = leastMs(pattern, before + part.repeat(Math.ceil(length / part.length)) + end);
        if (ms > worst.ms)
          worst = { ms, input: `${JSON.stringify(before)} + ${JSON.stringify(part)} × n + ${JSON.stringify(end)}` };
        if (worst.ms > boundMs * 3) return worst;
      }
    }
  }
  return worst;
}

/** The patterns that a module makes of parts while it is loaded. */
async function patternsMadeBy(path: string): Promise<Pattern[]> {
  const patterns: Pattern[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, given: [string | RegExp, string?]) => {
      const made = new target(...given);
      patterns.push({ at: path, source: made.source, flags: made.flags });
      return made;
    },
  });
  try {
    await import(pathToFileURL(path).href);
  } finally {
    globalThis.RegExp = original;
  }
  return patterns;
}

const sources = readSources('src');
const patterns = sources.flatMap(({ path, text }) => patternsIn(path, text));
for (const { path, text } of sources) if (text.includes('new RegExp(`')) patterns.push(...(await patternsMadeBy(path)));

test('every regular expression is linear in the length of its text', () => {
  expect(patterns.length).toBeGreaterThan(100);
  const slow = patterns.flatMap((pattern) => {
    const { ms, input } = slowest(pattern);
    return ms > boundMs ? [`${pattern.at} /${pattern.source}/: ${Math.round(ms)} ms for ${input}`] : [];
  });
  expect(slow).toEqual([]);
});
