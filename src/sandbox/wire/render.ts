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

const fieldElement = 'Field';

/**
 * Every code unit that XML 1.0 cannot hold (control characters, U+FFFE and U+FFFF, lone surrogates) becomes U+FFFD. JSON
 * could hold them, but then the two formats would differ.
 */
function toWireText(text: string): string {
  return unfit.test(text) ? text.replace(unfitRuns, '\uFFFD') : text;
}

const unfitPattern =
  '[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uFFFE\\uFFFF]|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]';
const unfit = new RegExp(unfitPattern);
const unfitRuns = new RegExp(unfitPattern, 'g');

/** Writes a tree as JSON: fields as objects, rows as arrays of objects, each value a string. */
export function renderJson(tree: Tree): string {
  if (typeof tree === 'string') return JSON.stringify(toWireText(tree));
  if ('rows' in tree) return renderJsonRows(tree);
  return `{${tree.entries.map(([name, value]) => `${JSON.stringify(toWireText(name))}:${renderJson(value)}`).join(',')}}`;
}

function renderJsonRows({ columns, rows }: Rows): string {
  const names = columns.map((column) => `${JSON.stringify(toWireText(column))}:`);
  const renderRow = (row: Rows['rows'][number]) =>
    `{${names.map((name, index) => name + renderJson(row[index] ?? '')).join(',')}}`;
  return `[${rows.map(renderRow).join(',')}]`;
}

const xmlName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const reservedName = /^xml/i;

/**
 * Writes a tree as an XML 1.0 document with the root element `root`: fields as elements, rows as elements of one name. A name
 * that is no XML name goes in the `name` attribute of a `<Field>`, or of the element the fields declare.
 */
export function renderXml(root: string, tree: Tree): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${renderContent(tree)}</${root}>\n`;
}

function renderContent(tree: Tree): string {
  if (typeof tree === 'string') return escapeXml(toWireText(tree));
  return 'rows' in tree ? renderXmlRows(tree) : renderFields(tree);
}

function renderFields({ entries, element = fieldElement }: Fields): string {
  return entries.map(([name, value]) => wrapAs(tagsFor(name, element), value)).join('');
}

function renderXmlRows({ element, columns, rows }: Rows): string {
  const tags = columns.map((column) => tagsFor(column, fieldElement));
  const renderRow = (row: Rows['rows'][number]) =>
    `<${element}>${tags.map((tag, index) => wrapAs(tag, row[index] ?? '')).join('')}</${element}>`;
  return rows.map(renderRow).join('');
}

interface Tags {
  readonly open: string;
  readonly close: string;
}

function tagsFor(name: string, element: string): Tags {
  if (xmlName.test(name) && !reservedName.test(name)) return { open: `<${name}>`, close: `</${name}>` };
  return { open: `<${element} name="${escapeAttribute(toWireText(name))}">`, close: `</${element}>` };
}

function wrapAs({ open, close }: Tags, value: Tree): string {
  return open + renderContent(value) + close;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A parser turns a bare carriage return into a line feed everywhere, and all white space in an attribute into spaces.
  '\r': '&#13;',
};

const attributeSpace: Readonly<Record<string, string>> = { '\t': '&#9;', '\n': '&#10;' };

function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (character) => entities[character] ?? character);
}

function escapeAttribute(text: string): string {
  return escapeXml(text).replace(/[\t\n]/g, (character) => attributeSpace[character] ?? character);
}

/** What an endpoint replies, under its name on the wire. */
export type Content = readonly [name: 'Rows' | 'Reports' | 'Groups' | 'ID', value: Tree];

export type Answer =
  | { readonly kind: 'done'; readonly content?: Content | undefined }
  | { readonly kind: 'error'; readonly reason: ErrorReason; readonly message: string };

/**
 * Why nothing was done. On the tracker's own wire all are the same kind of body; installations that answer with HTTP status
 * codes tell them apart.
 */
export type ErrorReason =
  | 'no-key'
  | 'no-access'
  | 'invalid'
  | 'unknown-record'
  | 'unknown-path'
  | 'wrong-method'
  | 'too-large'
  | 'defect';
