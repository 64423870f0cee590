import type { Units } from '../../../api/cells.ts';
import {
  type CellBounds,
  canBeColumns,
  charactersOfStep,
  type Run,
  Scan,
  type Steps,
  scanRows,
  skipSpace,
} from './scan.ts';
import { resolveReferences } from './xml.ts';

const exclamationMark = 0x21;
const ampersand = 0x26;
const slash = 0x2f;
const lessThan = 0x3c;
const greaterThan = 0x3e;
const questionMark = 0x3f;

/** Scans XML for long runs of flat elements with the same children in the same order, without attributes. */
export function* scanXml(text: string, units: Units): Steps<Scan | undefined> {
  // The parser brings line ends into one form.
  if (text.includes('\r')) return undefined;
  const scan = new Scan(text, units);
  let endOfStep = charactersOfStep;
  for (let index = text.indexOf('<'); index >= 0; index = text.indexOf('<', index)) {
    if (index >= endOfStep) {
      endOfStep = index + charactersOfStep;
      yield;
    }
    const next = units[index + 1];
    if (next === exclamationMark || next === questionMark) {
      index = endOfMarkup(text, index);
      if (index < 0) return undefined;
      continue;
    }
    const run = next === slash ? undefined : yield* scanElements(text, units, index, scan);
    if (run) scan.add(run, (mark) => `<${mark}/>`);
    index = run?.end ?? index + 1;
  }
  return scan;
}

/** @returns the index behind a comment, a CDATA section or a processing instruction; -1 where it has no end, or is another one */
function endOfMarkup(text: string, start: number): number {
  const kinds = [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
    ['<?', '?>'],
  ] as const;
  const kind = kinds.find(([begin]) => text.startsWith(begin, start));
  if (!kind) return -1;
  const [begin, finish] = kind;
  const end = text.indexOf(finish, start + begin.length);
  return end < 0 ? -1 : end + finish.length;
}

/** @returns undefined where the elements from `start` on are others */
function* scanElements(text: string, units: Units, start: number, scan: Scan): Steps<Run | undefined> {
  const form = formOf(text, units, start);
  if (!form) return undefined;
  const { name, columns } = form;
  const openRow = unitsOfTag(`<${name}>`);
  const closeRow = unitsOfTag(`</${name}>`);
  const openCells = columns.map((column) => unitsOfTag(`<${column}`));
  const closeCells = columns.map((column) => unitsOfTag(`</${column}>`));
  const readRow = (start: number, bounds: CellBounds) => {
    let index = pass(units, start, openRow);
    for (let column = 0; column < columns.length && index >= 0; column += 1) {
      index = pass(units, skipSpace(units, index), openCells[column]);
      if (index < 0) return -1;
      if (units[index] === greaterThan) {
        index = pass(units, readText(text, units, index + 1, bounds, scan), closeCells[column]);
      } else {
        index = endOfEmptyTag(units, index);
        bounds.push(index, index);
      }
    }
    return index < 0 ? -1 : pass(units, skipSpace(units, index), closeRow);
  };
  const isBehindLast = (index: number) => units[index] === lessThan && units[index + 1] === slash;
  const nextRow = (endOfRow: number) => {
    const index = skipSpace(units, endOfRow);
    return isBehindLast(index) ? -1 : index;
  };
  const endOfList = (endOfRow: number) => skipSpace(units, endOfRow);
  const run = yield* scanRows(columns, start, units.length, { readRow, nextRow, endOfList });
  return run && { ...run, name };
}

/** @returns the index behind a text, after it was added */
function readText(text: string, units: Units, start: number, bounds: CellBounds, scan: Scan): number {
  let hasReference = false;
  let index = start;
  for (; index < units.length && units[index] !== lessThan; index += 1) {
    if (units[index] === ampersand) hasReference = true;
  }
  const cell = hasReference ? resolveReferences(text.slice(start, index)) : undefined;
  const at = cell === undefined ? start : scan.unescape(cell);
  bounds.push(at, at + (cell?.length ?? index - start));
  return index;
}

const firstElement = /<([A-Za-z_][\w.-]*)>\s*<[A-Za-z_]/y;
const child = /\s*<([A-Za-z_][\w.-]*)(?:\s*\/>|>[^<]*<\/\1>)/y;

/** The names of an element and its children. */
function formOf(text: string, units: Units, start: number): { name: string; columns: readonly string[] } | undefined {
  firstElement.lastIndex = start;
  const name = firstElement.exec(text)?.[1];
  if (name === undefined) return undefined;
  const columns: string[] = [];
  child.lastIndex = start + name.length + 2;
  let end = child.lastIndex;
  for (let match = child.exec(text); match; match = child.exec(text)) {
    columns.push(match[1] ?? '');
    end = child.lastIndex;
  }
  const isWhole = pass(units, skipSpace(units, end), unitsOfTag(`</${name}>`)) > 0;
  return isWhole && canBeColumns(columns) ? { name, columns } : undefined;
}

function unitsOfTag(tag: string): Uint8Array {
  return Buffer.from(tag, 'latin1');
}

const nothing = new Uint8Array();

/** @returns the index behind a tag; -1 where there is another one */
function pass(units: Units, index: number, tag: Uint8Array = nothing): number {
  for (let offset = 0; offset < tag.length; offset += 1) if (units[index + offset] !== tag[offset]) return -1;
  return index + tag.length;
}

/** @returns the index behind ` />`; -1 where something else ends the tag */
function endOfEmptyTag(units: Units, start: number): number {
  const index = skipSpace(units, start);
  return units[index] === slash && units[index + 1] === greaterThan ? index + 2 : -1;
}
