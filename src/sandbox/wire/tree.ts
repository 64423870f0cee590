/**
 * What an answer holds, before it is written as JSON or XML: texts, named fields, and tables of rows. One tree gives both
 * formats, so they carry the same texts.
 */
export type Tree = string | Fields | Rows;

export interface Fields {
  readonly entries: readonly (readonly [name: string, value: Tree])[];
  /** The XML element of an entry whose name is no XML name; the name goes in its `name` attribute. */
  readonly element?: string;
}

export interface Rows {
  /** The XML element of one row. */
  readonly element: string;
  readonly columns: readonly string[];
  /** Each row as long as `columns`; null is the empty text. */
  readonly rows: readonly (readonly (Tree | null)[])[];
}

/** The names of rows' cells and of plain fields that are no XML names. */
export const fieldElement = 'Field';

/**
 * Every code unit that XML 1.0 cannot hold (control characters, U+FFFE and U+FFFF, lone surrogates) becomes U+FFFD. JSON
 * could hold them, but then the two formats would differ.
 */
export function toWireText(text: string): string {
  return unfit.test(text) ? text.replace(unfitRuns, '\uFFFD') : text;
}

const unfitPattern =
  '[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uFFFE\\uFFFF]|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]';
const unfit = new RegExp(unfitPattern);
const unfitRuns = new RegExp(unfitPattern, 'g');
