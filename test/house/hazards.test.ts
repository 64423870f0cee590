import { describe, expect, test } from 'vitest';
import { type Hazard, hazards } from './hazards.ts';
import { parseSource, readSources, type Source } from './source.ts';

/** But for the table itself, which names everything. */
const sources = readSources('src', 'test', 'build').filter(({ path }) => path !== 'test/house/hazards.ts');

/** The lines on which a hazard stands where it may not, each with what to do. */
function breaches(hazard: Hazard, files: readonly Source[], allowed = Object.keys(hazard.allowed ?? {})): string[] {
  const within = hazard.within ?? ['src/'];
  return files
    .filter(({ path }) => within.some((beginning) => path.startsWith(beginning)))
    .filter(({ path }) => !allowed.some((beginning) => path.startsWith(beginning)))
    .flatMap((source) =>
      (hazard.isInQuotes ? source.withoutComments : source.code)
        .split('\n')
        .flatMap((line, index) =>
          hazard.pattern.test(line)
            ? [`${source.path}:${index + 1} ${hazard.name}: ${hazard.because}. Instead: ${hazard.instead}.`]
            : [],
        ),
    );
}

describe.each(hazards.map((hazard) => [hazard.name, hazard] as const))('%s', (_, hazard) => {
  test('is nowhere but where it may be', () => {
    expect(breaches(hazard, sources)).toEqual([]);
  });

  test('would be found', () => {
    const [folder] = hazard.within ?? ['src/'];
    const example = parseSource(`${folder}some.ts`, `${hazard.example};`);
    expect(breaches(hazard, [example])).toHaveLength(1);
    expect(breaches(hazard, [parseSource(`${folder}some.ts`, `// ${hazard.example};`)])).toEqual([]);
  });

  test('is still needed wherever it may be', () => {
    const leftOver = Object.keys(hazard.allowed ?? {}).filter(
      (beginning) => !breaches(hazard, sources, []).some((line) => line.startsWith(beginning)),
    );
    expect(leftOver.map((beginning) => `${beginning} has none: strike it out of what is allowed`)).toEqual([]);
  });
});
