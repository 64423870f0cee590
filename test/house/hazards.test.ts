import { describe, expect, test } from 'vitest';
import { type Hazard, hazards } from './hazards.ts';
import { parseSource, readSources, type Source } from './source.ts';

/** All files except the table itself, which contains every pattern. */
const sources = readSources('src', 'test', 'build').filter(({ path }) => path !== 'test/house/hazards.ts');

/** Lines with a hazard that is not allowed there, each with what to do. */
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
  test('is used only where it is allowed', () => {
    expect(breaches(hazard, sources)).toEqual([]);
  });

  test('is found in its example', () => {
    const [folder] = hazard.within ?? ['src/'];
    const example = parseSource(`${folder}some.ts`, `${hazard.example};`);
    expect(breaches(hazard, [example])).toHaveLength(1);
    expect(breaches(hazard, [parseSource(`${folder}some.ts`, `// ${hazard.example};`)])).toEqual([]);
  });

  test('is still used wherever it is allowed', () => {
    const leftOver = Object.keys(hazard.allowed ?? {}).filter(
      (beginning) => !breaches(hazard, sources, []).some((line) => line.startsWith(beginning)),
    );
    expect(leftOver.map((beginning) => `${beginning} has none: remove it from the allowed paths`)).toEqual([]);
  });
});
