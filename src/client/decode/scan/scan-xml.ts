import { textOf } from '../../../api/cells.ts';
import { markupKinds, resolveReferences } from '../read/xml.ts';
import type { RowForm } from './row-reader.ts';
import {
  bytesOfStep,
  type CellForm,
  canBeColumns,
  type FirstRow,
  type ListForm,
  type Resumable,
  type Run,
  Scan,
  scanRows,
  skipSpace,
} from './scan.ts';

const exclamationMark = 0x21;
const ampersand = 0x26;
const slash = 0x2f;
const lessThan = 0x3c;
const greaterThan = 0x3e;
const questionMark = 0x3f;

/** A cell starts behind its tag, and an empty tag behind itself, ahead of the next. */
const xmlCells: CellForm = {
  endOf: (bytes, start) => {
    let index = start;
    for (; index < bytes.length && bytes[index] !== lessThan; index += 1) if (bytes[index] === ampersand) return -1;
    return index;
  },
  unescape: (bytes, start) => resolveReferences(textOf(bytes, start, endOfText(bytes, start))),
};

/**
 * Scans XML for long runs of flat elements with the same children in the same order, without attributes.
 *
 * @param bytes the text in UTF-8
 */
export function* scanXml(bytes: Uint8Array, whole: string): Resumable<Scan | undefined> {
  // One character a byte: what is looked for in it is ASCII.
  const isAligned = whole.length === bytes.length;
  const text = isAligned ? whole : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  // The parser brings line ends into one form.
  if (text.includes('\r')) return undefined;
  const scan = new Scan(bytes, xmlCells);
  let endOfStep = bytesOfStep;
  for (let index = text.indexOf('<'); index >= 0; index = text.indexOf('<', index)) {
    if (index >= endOfStep) {
      endOfStep = index + bytesOfStep;
      yield;
    }
    const next = bytes[index + 1];
    if (next === exclamationMark || next === questionMark) {
      index = endOfMarkup(text, index);
      if (index < 0) return undefined;
      continue;
    }
    const run = next === slash ? undefined : yield* scanElements(scan, text, bytes, index);
    if (run) scan.add(run, (mark) => `<${mark}/>`);
    if (scan.hasTooMany) return undefined;
    index = run?.end ?? index + 1;
  }
  return scan;
}

/** @returns the index behind a comment, a CDATA section or a processing instruction; -1 if it has no end, or is another one */
function endOfMarkup(text: string, start: number): number {
  const kind = markupKinds.find(([begin]) => text.startsWith(begin, start));
  if (!kind) return -1;
  const [begin, finish] = kind;
  const end = text.indexOf(finish, start + begin.length);
  return end < 0 ? -1 : end + finish.length;
}

/** @returns undefined if the elements from `start` on are others */
function* scanElements(scan: Scan, text: string, bytes: Uint8Array, start: number): Resumable<Run | undefined> {
  const first = readFirst(text, bytes, start);
  if (!first) return undefined;
  scan.beginList();
  const { element, columns } = first;
  const form: ListForm = {
    endMark: lessThan,
    endOfOtherGap: gapReader(bytes, element, columns),
    nextRow: (_, endOfRow) => {
      const index = skipSpace(bytes, endOfRow);
      return bytes[index] === lessThan && bytes[index + 1] === slash ? -1 : index;
    },
    endOfList: skipSpace,
  };
  const run = yield* scanRows(bytes, start, first, form);
  return run && { ...run, element };
}

/** Reads what stands between two texts if a tag is an empty one, or the white space is not that of the first row. */
function gapReader(
  bytes: Uint8Array,
  element: string,
  columns: readonly string[],
): NonNullable<RowForm['endOfOtherGap']> {
  const openRow = Buffer.from(`<${element}>`);
  const closeRow = Buffer.from(`</${element}>`);
  const openCells = columns.map((column) => Buffer.from(`<${column}`));
  const closeCells = columns.map((column) => Buffer.from(`</${column}>`));
  let startBehindEmpty = -1;
  return (start, column) => {
    let index = start;
    if (column === 0) index = pass(bytes, start, openRow);
    else if (start !== startBehindEmpty) index = pass(bytes, start, closeCells[column - 1]);
    if (index < 0) return -1;
    index = skipSpace(bytes, index);
    if (column === columns.length) return pass(bytes, index, closeRow);
    index = pass(bytes, index, openCells[column]);
    if (index < 0) return -1;
    if (bytes[index] === greaterThan) return index + 1;
    index = endOfEmptyTag(bytes, index);
    if (index < 0) return -1;
    // The text of an empty tag is read as the nothing ahead of the next tag.
    startBehindEmpty = skipSpace(bytes, index);
    return pass(bytes, startBehindEmpty, closeCells[column]) < 0 ? startBehindEmpty : -1;
  };
}

function endOfText(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(lessThan, start);
  return end < 0 ? bytes.length : end;
}

const firstElement = /<([A-Za-z_][\w.-]*)>\s*<[A-Za-z_]/y;
const child = /(\s*)<([A-Za-z_][\w.-]*)(?:\s*\/>|>[^<]*<\/\2>)/y;

/** The names of an element and its children, and what stands between their texts. */
function readFirst(text: string, bytes: Uint8Array, start: number): (FirstRow & { element: string }) | undefined {
  firstElement.lastIndex = start;
  const element = firstElement.exec(text)?.[1];
  if (element === undefined) return undefined;
  const columns: string[] = [];
  const gaps: string[] = [];
  let open = `<${element}>`;
  child.lastIndex = start + open.length;
  let end = child.lastIndex;
  for (let match = child.exec(text); match; match = child.exec(text)) {
    const [, space = '', name = ''] = match;
    columns.push(name);
    gaps.push(`${open}${space}<${name}>`);
    open = `</${name}>`;
    end = child.lastIndex;
  }
  const endOfSpace = skipSpace(bytes, end);
  gaps.push(`${open}${text.slice(end, endOfSpace)}</${element}>`);
  const isWhole = pass(bytes, endOfSpace, Buffer.from(`</${element}>`)) > 0;
  return isWhole && canBeColumns(columns) ? { element, columns, gaps: gaps.map((gap) => Buffer.from(gap)) } : undefined;
}

const nothing = new Uint8Array();

/** @returns the index behind a tag; -1 if there is another one */
function pass(bytes: Uint8Array, index: number, tag: Uint8Array = nothing): number {
  for (let offset = 0; offset < tag.length; offset += 1) if (bytes[index + offset] !== tag[offset]) return -1;
  return index + tag.length;
}

/** @returns the index behind ` />`; -1 if something else ends the tag */
function endOfEmptyTag(bytes: Uint8Array, start: number): number {
  const index = skipSpace(bytes, start);
  return bytes[index] === slash && bytes[index + 1] === greaterThan ? index + 2 : -1;
}
