import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/api/endpoints.ts';
import { listFiles, parseSource, readSources, type Source } from './source.ts';
import { largeRooms, maxFilesInRoom } from './walls.ts';

const files = listFiles('src', 'test', 'build');
const sources = readSources('src', 'test', 'build');

test('no room holds more files than a reader takes in at once, unless the reason stands in the table', () => {
  expect(tooLarge(files)).toEqual([]);
  const all = Array.from({ length: maxFilesInRoom + 1 }, (_, index) => `src/api/${index}.ts`);
  expect(tooLarge(all)).toEqual([expect.stringMatching(/^src\/api has 17 files/)]);
});

test('no reason in the table is left over', () => {
  const sizes = sizesOf(files);
  const leftOver = largeRooms.filter(({ room }) => (sizes.get(room) ?? 0) <= maxFilesInRoom);
  expect(leftOver.map(({ room }) => `${room} is not large any more: strike it out of largeRooms in walls.ts`)).toEqual(
    [],
  );
});

test('no two files of a top-level room have one name', () => {
  expect(sharedNames(files)).toEqual([]);
  expect(sharedNames(['src/client/tree.ts', 'src/client/decode/tree.ts', 'src/sandbox/tree.ts'])).toEqual([
    'src/client/tree.ts and src/client/decode/tree.ts: rename the one whose name says less',
  ]);
});

describe('comments cite nothing outside the repository', () => {
  test('each page that a comment names is there', () => {
    expect(missingPages(sources)).toEqual([]);
    const citing = parseSource('src/api/some.ts', '// As docs/nowhere.md says, and README.md.');
    expect(missingPages([citing])).toEqual(['src/api/some.ts:1 names docs/nowhere.md, which is not in the repository']);
  });

  test('each section of the specification that a comment names is one of docs/tracker-api.md', () => {
    expect(missingSections(sources)).toEqual([]);
    const citing = parseSource('src/api/some.ts', '/** "Billing" and "Stats" of the specification. */');
    expect(missingSections([citing])).toEqual(['src/api/some.ts:1 cites "Billing", no section of docs/tracker-api.md']);
  });

  test('each section that an endpoint names is one of docs/tracker-api.md', () => {
    const sections = sectionsOfApi();
    expect(endpoints.map(({ section }) => section).filter((section) => !sections.has(section))).toEqual([]);
  });

  test('no comment names a path of a machine or a number of a tracker of issues', () => {
    expect(privateWords(sources)).toEqual([]);
    const citing = parseSource('src/api/some.ts', '// See /home/some/notes and issue 12.');
    expect(privateWords([citing])).toEqual([
      'src/api/some.ts:1 says "/home/": give the reason itself',
      'src/api/some.ts:1 says "issue 12": give the reason itself',
    ]);
  });
});

function sizesOf(paths: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const path of paths) sizes.set(posix.dirname(path), (sizes.get(posix.dirname(path)) ?? 0) + 1);
  return sizes;
}

function tooLarge(paths: readonly string[]): string[] {
  return [...sizesOf(paths)].flatMap(([room, size]) => {
    const max = largeRooms.find((large) => large.room === room)?.max ?? maxFilesInRoom;
    return size <= max
      ? []
      : [`${room} has ${size} files, more than ${max}: make a room inside it, or say why in largeRooms of walls.ts`];
  });
}

/** Test files follow the names of what they test, so only src is looked at. */
function sharedNames(paths: readonly string[]): string[] {
  const first = new Map<string, string>();
  return paths
    .filter((path) => path.startsWith('src/') && path.split('/').length > 2)
    .flatMap((path) => {
      const key = `${path.split('/')[1]} ${posix.basename(path)}`;
      const other = first.get(key);
      first.set(key, other ?? path);
      return other === undefined ? [] : [`${other} and ${path}: rename the one whose name says less`];
    });
}

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
