import type { FirstRow, TextForm } from './row-reader.ts';
import { canBeColumns, skipSpace, textBetween } from './scan.ts';
import { markupKinds, resolveReferences } from './xml.ts';

const exclamationMark = 0x21;
const ampersand = 0x26;
const slash = 0x2f;
const lessThan = 0x3c;
const greaterThan = 0x3e;
const questionMark = 0x3f;

/**
 * How XML writes long runs of flat elements with the same children, without attributes. A cell starts after its tag. An empty tag is
 * read as an empty text before the next tag.
 */
export class XmlForm implements TextForm {
  readonly quote = undefined;
  readonly terminator = lessThan;
  readonly startOfNull = undefined;
  readonly #bytes: Uint8Array;
  /** One character per byte: everything that is searched for is ASCII. */
  readonly #latin: string;
  #endOfEmptyTag = -1;

  /** @param text the text of the bytes */
  constructor(bytes: Uint8Array, text: string) {
    this.#bytes = bytes;
    const isAligned = text.length === bytes.length;
    this.#latin = isAligned ? text : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  }

  nextCandidate(start: number, limit: number): number {
    const latin = this.#latin;
    let index = latin.indexOf('<', start);
    while (index >= 0 && index < limit) {
      const next = this.#bytes[index + 1];
      if (next === exclamationMark || next === questionMark) {
        index = endOfMarkup(latin, index);
        if (index < 0) return -1;
      } else if (next === slash) index += 1;
      else return index;
      index = latin.indexOf('<', index);
    }
    return index < 0 ? latin.length : index;
  }

  firstRow(index: number): FirstRow | undefined {
    return readFirstRow(this.#latin, this.#bytes, index);
  }

  endOfCell(index: number): number {
    return this.#bytes.indexOf(lessThan, index);
  }

  endOfText(start: number): number {
    const bytes = this.#bytes;
    let index = start;
    for (; index < bytes.length && bytes[index] !== lessThan; index += 1) if (bytes[index] === ampersand) return -1;
    return index;
  }

  unescape(start: number): string {
    const end = this.#bytes.indexOf(lessThan, start);
    return resolveReferences(textBetween(this.#bytes, start, end < 0 ? this.#bytes.length : end));
  }

  /** Passes an empty tag, or white space that differs from the first row's. */
  endOfOtherGap(start: number, column: number, { columns, element = '' }: FirstRow): number {
    const [bytes, latin] = [this.#bytes, this.#latin];
    const pass = (index: number, tag: string) => (index < 0 || !latin.startsWith(tag, index) ? -1 : index + tag.length);
    let index = start;
    if (column === 0) index = pass(start, `<${element}>`);
    else if (start !== this.#endOfEmptyTag) index = pass(start, `</${columns[column - 1]}>`);
    if (index < 0) return -1;
    index = skipSpace(bytes, index);
    if (column === columns.length) return pass(index, `</${element}>`);
    index = pass(index, `<${columns[column]}`);
    if (index < 0) return -1;
    if (bytes[index] === greaterThan) return index + 1;
    index = pass(skipSpace(bytes, index), '/>');
    if (index < 0) return -1;
    this.#endOfEmptyTag = skipSpace(bytes, index);
    return latin.startsWith(`</${columns[column]}>`, this.#endOfEmptyTag) ? -1 : this.#endOfEmptyTag;
  }

  nextRow(endOfRow: number): number {
    const index = skipSpace(this.#bytes, endOfRow);
    return this.#bytes[index] === lessThan && this.#bytes[index + 1] === slash ? -1 : index;
  }

  endOfList(endOfRow: number): number {
    return skipSpace(this.#bytes, endOfRow);
  }

  writeMark(name: string): string {
    return `<${name}/>`;
  }
}

/** @returns the index after a comment, a CDATA section or a processing instruction; -1 if it has no end, or is a different one */
function endOfMarkup(text: string, start: number): number {
  const kind = markupKinds.find(([begin]) => text.startsWith(begin, start));
  if (!kind) return -1;
  const [begin, finish] = kind;
  const end = text.indexOf(finish, start + begin.length);
  return end < 0 ? -1 : end + finish.length;
}

const firstElement = /<([A-Za-z_][\w.-]*)>\s*<[A-Za-z_]/y;
const child = /(\s*)<([A-Za-z_][\w.-]*)(?:\s*\/>|>[^<]*<\/\2>)/y;

function readFirstRow(text: string, bytes: Uint8Array, start: number): FirstRow | undefined {
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
  const close = `</${element}>`;
  gaps.push(`${open}${text.slice(end, endOfSpace)}${close}`);
  const isWhole = text.startsWith(close, endOfSpace) && canBeColumns(columns);
  return isWhole ? { columns, gaps: gaps.map((gap) => Buffer.from(gap)), start, element } : undefined;
}
