import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { breaches, circles, circlesOfRooms, usedDoors, wallOf } from './check-walls.ts';
import { parseSource, readSources } from './source.ts';
import { doors, walls } from './walls.ts';

const sources = readSources('src');

test('no import breaks a wall', () => {
  expect(breaches(sources)).toEqual([]);
});

test('no circular imports between files, types included', () => {
  expect(circles(sources)).toEqual([]);
});

test('no circular imports between sibling rooms', () => {
  expect(circlesOfRooms(sources)).toEqual([]);
});

test('every file of src has a wall, and every wall and door is used', () => {
  const files = sources.map(({ path }) => path.slice('src/'.length));
  const noRow = files.filter((file) => !wallOf(file));
  expect(noRow.map((file) => `src/${file} has no row in test/house/walls.ts: add one`)).toEqual([]);
  const used = new Set(files.map((file) => wallOf(file)?.files));
  const idle = walls.filter((wall) => !used.has(wall.files));
  expect(idle.map((wall) => `no file begins with ${wall.files}: remove or rename its wall`)).toEqual([]);
  const opened = usedDoors(sources);
  const shut = doors.filter((door) => !opened.has(door.files));
  expect(shut.map((door) => `no import needs ${door.files}: remove its door`)).toEqual([]);
});

/** Every form of import, all of which a wall must catch. */
const ways: readonly ((target: string) => string)[] = [
  (target) => `import '${target}';`,
  (target) => `import { some } from '${target}';`,
  (target) => `import type { Some } from '${target}';`,
  (target) => `export * from '${target}';`,
  (target) => `export type { Some } from '${target}';`,
  (target) => `await import('${target}');`,
  (target) => `let some: import('${target}').Some;`,
];

const rooms = readdirSync('src').map((name) => (name.endsWith('.ts') ? name : `${name}/`));
const packages = [
  ...['zod', 'node:fs', 'undici', 'fast-xml-parser', '@modelcontextprotocol/sdk/server/index.js', 'hono', 'commander'],
  ...['@duckdb/node-api', '@stdlib/some', 'zod-of-tomorrow'],
];

describe.each(walls.map((wall) => [wall.files, wall] as const))('src/%s', (files, wall) => {
  const file = files.endsWith('.ts') ? files : `${files}/probe.ts`.replace('//', '/');
  const here = file.split('/').length > 1 ? '../'.repeat(file.split('/').length - 1) : './';
  const stopped = (lines: readonly string[]) => {
    const complaints = breaches([parseSource(`src/${file}`, lines.join('\n'))]);
    return lines.filter((_, index) => complaints.some((line) => line.startsWith(`src/${file}:${index + 1} `)));
  };

  test('may import the rooms of its row and no others', () => {
    const others = rooms.filter((room) => room.split('/')[0] !== file.split('/')[0]);
    const lines = (isAllowed: boolean) =>
      others
        .filter((room) => wall.rooms.includes(room.replace('/', '')) === isAllowed)
        .flatMap((room) => ways.map((way) => way(`${here}${room.endsWith('/') ? `${room}some.ts` : room}`)));
    expect(stopped(lines(true))).toEqual([]);
    expect(stopped(lines(false))).toEqual(lines(false));
  });

  test('may import the packages of its row and no others', () => {
    const isNamed = (name: string) =>
      wall.packages.some(
        (one) => name === one || name.startsWith(`${one}/`) || (one === 'node:*' && /^node:/.test(name)),
      );
    const lines = (isAllowed: boolean) =>
      packages.filter((name) => isNamed(name) === isAllowed).flatMap((name) => ways.map((way) => way(name)));
    expect(stopped(lines(true))).toEqual([]);
    expect(stopped(lines(false))).toEqual(lines(false));
  });
});

test.each([
  ['tools/some.ts', '../client/decode/shapes/tables.ts', /reaches through client/],
  ['mcp/some.ts', '../analysis/columns/columns.ts', /reaches through analysis/],
  ['commands/some.ts', '../sandbox/traffic/traffic.ts', /reaches through sandbox/],
  ['sandbox/rotation/some.ts', '../store/database.ts', /imports sandbox\/store\/database/],
  ['api/some.ts', '../../package.json', /imports \.\.\/package\.json/],
  ['another-room/some.ts', '../api/failure.ts', /has no row/],
  ['client/some.ts', '../../test/some.ts', /test\/some/],
])('%s may not import %s, and the error says what to do', (from, target, complaint) => {
  const found = breaches([parseSource(`src/${from}`, `import type { Some } from '${target}';`)]);
  expect(found).toEqual([expect.stringMatching(complaint)]);
  expect(found[0]).toContain('test/house/walls.ts');
});

test('an import computed at run time is refused', () => {
  expect(breaches([parseSource('src/api/some.ts', 'await import(name);')])).toEqual([
    expect.stringContaining('plain string'),
  ]);
});

test('a circle of types is found, and so is one of three files', () => {
  const tree = [
    parseSource('src/tools/one.ts', "import type { Two } from './two.ts';"),
    parseSource('src/tools/two.ts', "export type Two = import('./present/three.ts').Three;"),
    parseSource('src/tools/present/three.ts', "export { one } from '../one.ts';"),
    parseSource('src/tools/four.ts', "import './one.ts';"),
  ];
  expect(circles(tree)).toEqual([
    expect.stringMatching(/^tools\/one\.ts -> tools\/two\.ts -> tools\/present\/three\.ts -> tools\/one\.ts:/),
  ]);
});

test('a circle of rooms is found even if no file is in a circle', () => {
  const tree = [
    parseSource('src/sandbox/store/one.ts', "import '../wire/two.ts';"),
    parseSource('src/sandbox/wire/three.ts', "import '../store/four.ts';"),
  ];
  expect(circles(tree)).toEqual([]);
  expect(circlesOfRooms(tree)).toEqual([expect.stringMatching(/^sandbox\/store -> sandbox\/wire -> sandbox\/store:/)]);
});

test('a file that is not TypeScript is refused', () => {
  expect(() => parseSource('src/api/some.ts', 'import {')).toThrow('cannot be parsed');
});
