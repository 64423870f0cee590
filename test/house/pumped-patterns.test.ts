import { pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { readSources } from './source.ts';

/**
 * No text makes a regular expression of src slow: each is matched against long repetitions of its own parts. Where that takes longer
 * than a linear pattern should, twice the length must cost about twice the time.
 */
const length = 20_000;
const quickMs = 5;
const maxGrowth = 2.5;
/** So slow that the growth need not be measured. */
const hopelessMs = 200;

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

/**
 * The least time of some runs, as far as it is over the bound. The CPU of the process has that of its other threads, and the clock goes
 * on while other processes run: a run took no more than either.
 */
function leastMs(pattern: RegExp, text: string, enoughMs = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (
    let run = 0;
    run < 5 && least > enoughMs && !(least > hopelessMs && least < Number.POSITIVE_INFINITY);
    run += 1
  ) {
    pattern.lastIndex = 0;
    const [start, startCpu] = [performance.now(), cpuMs()];
    if (pattern.global) text.replace(pattern, '');
    else pattern.test(text);
    least = Math.min(least, performance.now() - start, cpuMs() - startCpu);
  }
  return least;
}

const maxLooks = 5;

/** A repetition on which a pattern is not linear; undefined if there is none. */
function slowOn({ source, flags }: Pattern): string | undefined {
  const pattern = new RegExp(source, flags);
  const parts = [...partsOf(source)];
  for (const before of ['', 'x', ...parts.filter((part) => part.length > 1)]) {
    for (const part of parts) {
      for (const end of ['', '\u0000']) {
        const textOf = (size: number) => before + part.repeat(Math.ceil(size / part.length)) + end;
        if (leastMs(pattern, textOf(length), quickMs) <= quickMs) continue;
        const grows = () => [leastMs(pattern, textOf(length * 5)), leastMs(pattern, textOf(length * 10))] as const;
        const isSlow = ([once, twice]: readonly [number, number]) => once > hopelessMs || twice > maxGrowth * once;
        // Other processes may disturb a look, but not all of them.
        let look = grows();
        for (let looks = 1; looks < maxLooks && isSlow(look); looks += 1) look = grows();
        if (isSlow(look))
          return `${Math.round(look[0])} ms, ${Math.round(look[1])} ms for twice ${JSON.stringify(before)} + ${JSON.stringify(part)} × n + ${JSON.stringify(end)}`;
      }
    }
  }
  return undefined;
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

// It takes ten seconds, and a minute where others use the machine.
test('a text of twice the length costs every regular expression at most 2.5 times the time', {
  timeout: 300_000,
}, () => {
  expect(patterns.length).toBeGreaterThan(100);
  const slow = patterns.flatMap((pattern) => {
    const input = slowOn(pattern);
    return input === undefined ? [] : [`${pattern.at} /${pattern.source}/: ${input}`];
  });
  expect(slow).toEqual([]);
});
