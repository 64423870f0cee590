import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/api/endpoints.ts';
import { parseSource, readSources, type Source } from './source.ts';

const sources = readSources('src', 'test', 'build');

describe('comments cite only what is in the repository', () => {
  test('every page named in a comment exists', () => {
    expect(missingPages(sources)).toEqual([]);
    const citing = parseSource('src/api/some.ts', '// As docs/nowhere.md says, and README.md.');
    expect(missingPages([citing])).toEqual(['src/api/some.ts:1 names docs/nowhere.md, which is not in the repository']);
  });

  test('every cited section of the specification is in docs/tracker-api.md', () => {
    expect(missingSections(sources)).toEqual([]);
    const citing = parseSource('src/api/some.ts', '/** "Billing" and "Stats" of the specification. */');
    expect(missingSections([citing])).toEqual(['src/api/some.ts:1 cites "Billing", no section of docs/tracker-api.md']);
  });

  test('every section named by an endpoint is in docs/tracker-api.md', () => {
    const sections = sectionsOfApi();
    expect(endpoints.map(({ section }) => section).filter((section) => !sections.has(section))).toEqual([]);
  });

  test('no comment has a path of a machine or an issue number', () => {
    expect(privateWords(sources)).toEqual([]);
    const citing = parseSource('src/api/some.ts', '// See /home/some/notes and issue 12.');
    expect(privateWords([citing])).toEqual([
      'src/api/some.ts:1 says "/home/": give the reason itself',
      'src/api/some.ts:1 says "issue 12": give the reason itself',
    ]);
  });
});

function missingPages(files: readonly Source[]): string[] {
  return commentsOf(files).flatMap(({ at, text }) =>
    [...text.matchAll(/[\w./-]+\.md\b/g)]
      .filter(([page]) => !existsSync(page))
      .map(([page]) => `${at} names ${page}, which is not in the repository`),
  );
}

function sectionsOfApi(): Set<string | undefined> {
  const api = readFileSync('docs/tracker-api.md', 'utf8');
  return new Set([...api.matchAll(/^#+ ([^:\n]+)/gm)].map(([, heading]) => heading));
}

function missingSections(files: readonly Source[]): string[] {
  const sections = sectionsOfApi();
  return commentsOf(files)
    .filter(({ text }) => /\bspecification\b/.test(text))
    .flatMap(({ at, text }) =>
      [...text.matchAll(/"([A-Z][^"]*)"/g)]
        .filter(([, cited]) => !sections.has(cited))
        .map(([, cited]) => `${at} cites "${cited}", no section of docs/tracker-api.md`),
    );
}

function privateWords(files: readonly Source[]): string[] {
  return commentsOf(files).flatMap(({ at, text }) =>
    [
      ...text.matchAll(/(?<![\w.])\/(?:home|work|Users|root)\/|\b(?:issue|ticket|PR) #?\d+\b|\b(?:TODO|FIXME|XXX)\b/g),
    ].map(([word]) => `${at} says "${word}": give the reason itself`),
  );
}

function commentsOf(files: readonly Source[]): { readonly at: string; readonly text: string }[] {
  return files.flatMap(({ path, comments }) =>
    comments.map(({ text, line }) => ({ at: `${path}:${line}`, text: text.replace(/\s*\n\s*\*\s*/g, ' ') })),
  );
}
