import { posix } from 'node:path';
import type { Import, Source } from './source.ts';
import { doors, type Wall, walls } from './walls.ts';

/** What is wrong with an import, and what to do; nothing if the walls let it through. */
type Rule = (from: string, target: string) => string | undefined;

/** Every import of these files of src that breaks a wall, each as one line that says what to do. */
export function breaches(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const from = belowSrc(source.path);
    return source.imports.flatMap((one) => {
      const complaint = breach(from, one);
      return complaint === undefined ? [] : [`${source.path}:${one.line} ${complaint}`];
    });
  });
}

/** Files that import each other in a circle, types included; each circle in the order of its imports. */
export function circles(sources: readonly Source[]): string[] {
  const arrows = new Map(sources.map((source) => [belowSrc(source.path), targetsOf(source)]));
  return findCircles(arrows).map(
    (circle) => `${circle.join(' -> ')} -> ${circle[0]}: move what they share into a file that imports none of them`,
  );
}

/** Rooms side by side that import each other in a circle. A room and the rooms inside it are one. */
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
    (circle) => `${circle.join(' -> ')} -> ${circle[0]}: one of the rooms has to stand below the others`,
  );
}

/** The wall of a file: the longest row that fits. */
export function wallOf(file: string): Wall | undefined {
  return longest(walls, file);
}

/** Whether a row of the doors lets anything through today. */
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
  if (specifier === undefined) return 'imports what is only known at run time: write the path as a plain string';
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
  return `imports ${target}: ${wall.because}. ${advice(from, `add it to what of its own room is open to`)}`;
};

/** A file flat in a top-level room is its doorway. */
const throughDoors: Rule = (from, target) => {
  const isInner = target.split('/').length > 2;
  if (!isInner || target.startsWith('../') || roomOf(target) === roomOf(from)) return undefined;
  const door = longest(doors, target);
  if (door?.from.some((beginning) => from.startsWith(beginning))) return undefined;
  return (
    `reaches through ${roomOf(target)} into ${target}, which is not open to it. Have a file that stands flat in ` +
    `src/${roomOf(target)} offer it, or open it in the doors of test/house/walls.ts with the reason.`
  );
};

const noRow = 'test/house/walls.ts has no row for this file';

function advice(from: string, change: string): string {
  const row = wallOf(from)?.files;
  return row === undefined
    ? 'Give it one.'
    : `Hand it in from above, move the file, or, if the wall is wrong, ${change} '${row}' in test/house/walls.ts.`;
}

function targetsOf(source: Source): string[] {
  const from = posix.dirname(belowSrc(source.path));
  return source.imports.flatMap(({ specifier }) => (specifier?.startsWith('.') ? [posix.join(from, specifier)] : []));
}

function belowSrc(path: string): string {
  return posix.relative('src', path);
}

/** The top-level room of a file; a file that stands flat in src is its own. */
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

/** One circle for each arrow that leads back onto the path that is being walked. */
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
