import { posix } from 'node:path';
import type { Import, Source } from './source.ts';
import { doors, type Wall, walls } from './walls.ts';

/** Says what is wrong with an import and what to do; undefined if the walls allow it. */
type Rule = (from: string, target: string) => string | undefined;

/** All imports in these files of src that break a wall, one line each, with what to do. */
export function breaches(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const from = belowSrc(source.path);
    return source.imports.flatMap((one) => {
      const complaint = breach(from, one);
      return complaint === undefined ? [] : [`${source.path}:${one.line} ${complaint}`];
    });
  });
}

/** Circular imports between files, types included, each in import order. */
export function circles(sources: readonly Source[]): string[] {
  const arrows = new Map(sources.map((source) => [belowSrc(source.path), targetsOf(source)]));
  return findCircles(arrows).map(
    (circle) => `${circle.join(' -> ')} -> ${circle[0]}: move the shared part into a file that imports none of them`,
  );
}

/** Circular imports between sibling rooms. A room and its inner rooms count as one. */
export function circlesOfRooms(sources: readonly Source[]): string[] {
  const arrows = new Map<string, Set<string>>();
  for (const source of sources) {
    const from = posix.dirname(belowSrc(source.path));
    const known = arrows.get(from) ?? new Set();
    for (const target of targetsOf(source)) {
      const to = posix.dirname(target);
      if (!isWithin(from, to) && !isWithin(to, from)) known.add(to);
    }
    arrows.set(from, known);
  }
  return findCircles(arrows).map(
    (circle) => `${circle.join(' -> ')} -> ${circle[0]}: one of the rooms must be below the others`,
  );
}

/** The wall of a file: the longest matching row. */
export function wallOf(file: string): Wall | undefined {
  return longest(walls, file);
}

/** The doors that an import passes today. */
export function usedDoors(sources: readonly Source[]): Set<string> {
  return new Set(
    sources.flatMap((source) => {
      const from = belowSrc(source.path);
      return targetsOf(source)
        .filter((target) => roomOf(target) !== roomOf(from))
        .flatMap((target) => longest(doors, target)?.files ?? []);
    }),
  );
}

function breach(from: string, { specifier }: Import): string | undefined {
  if (specifier === undefined) return 'imports a path that is only known at run time: write it as a plain string';
  if (!specifier.startsWith('.')) return throughPackages(from, specifier);
  const target = posix.join(posix.dirname(from), specifier);
  for (const rule of [throughWalls, throughOwn, throughDoors]) {
    const complaint = rule(from, target);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

const throughPackages: Rule = (from, specifier) => {
  const wall = wallOf(from);
  const isNamed = wall?.packages.some(
    (name) => specifier === name || specifier.startsWith(name.endsWith('*') ? name.slice(0, -1) : `${name}/`),
  );
  if (isNamed) return undefined;
  return `imports the package ${specifier}: ${wall?.because ?? noRow}. ${advice(from, `add it to the packages of`)}`;
};

const throughWalls: Rule = (from, target) => {
  const wall = wallOf(from);
  const room = target.startsWith('../') ? target.slice(3) : roomOf(target);
  if (room === roomOf(from) || wall?.rooms.includes(room)) return undefined;
  return `imports ${target}: ${wall?.because ?? noRow}. ${advice(from, `add '${room}' to the rooms of`)}`;
};

const throughOwn: Rule = (from, target) => {
  const wall = wallOf(from);
  if (!wall?.own || roomOf(target) !== roomOf(from)) return undefined;
  if (wall.own.some((beginning) => target.startsWith(beginning))) return undefined;
  return `imports ${target}: ${wall.because}. ${advice(from, `add it to the own files of`)}`;
};

/** Files directly in a top-level room are open to other rooms; files in its folders need a door. */
const throughDoors: Rule = (from, target) => {
  const isInner = target.split('/').length > 2;
  if (!isInner || target.startsWith('../') || roomOf(target) === roomOf(from)) return undefined;
  const door = longest(doors, target);
  if (door?.from.some((beginning) => from.startsWith(beginning))) return undefined;
  return (
    `reaches through ${roomOf(target)} into ${target}, which is not open to it. Export it from a file directly in ` +
    `src/${roomOf(target)}, or add a door to test/house/walls.ts with the reason.`
  );
};

const noRow = 'test/house/walls.ts has no row for this file';

function advice(from: string, change: string): string {
  const row = wallOf(from)?.files;
  return row === undefined
    ? 'Add one.'
    : `Pass it in from above, move the file, or, if the wall is wrong, ${change} '${row}' in test/house/walls.ts.`;
}

function targetsOf(source: Source): string[] {
  const from = posix.dirname(belowSrc(source.path));
  return source.imports.flatMap(({ specifier }) => (specifier?.startsWith('.') ? [posix.join(from, specifier)] : []));
}

function belowSrc(path: string): string {
  return posix.relative('src', path);
}

/** The top-level room of a file; a file directly in src is a room of its own. */
function roomOf(file: string): string {
  return file.split('/')[0] ?? file;
}

function isWithin(inner: string, outer: string): boolean {
  return outer === '.' || inner === outer || inner.startsWith(`${outer}/`);
}

function longest<Row extends { readonly files: string }>(rows: readonly Row[], file: string): Row | undefined {
  return rows
    .filter(({ files }) => file.startsWith(files))
    .reduce<Row | undefined>((best, row) => (best && best.files.length >= row.files.length ? best : row), undefined);
}

/** A depth-first search: one circle for each arrow back to the current path. */
function findCircles(arrows: ReadonlyMap<string, Iterable<string>>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const walk = (name: string) => {
    const index = path.indexOf(name);
    if (index >= 0) found.push(path.slice(index));
    if (index >= 0 || done.has(name)) return;
    path.push(name);
    for (const next of arrows.get(name) ?? []) walk(next);
    path.pop();
    done.add(name);
  };
  for (const name of arrows.keys()) walk(name);
  return found;
}
