import { Failure } from '../api/failure.ts';

export type RequestParameters = ReadonlyMap<string, string>;

/**
 * Reads the parameters of the query string, and of a form-encoded body, which wins. As in PHP, the last value of a repeated parameter
 * counts.
 */
export function readParameters(query: string, form = ''): RequestParameters {
  return new Map([...new URLSearchParams(query), ...new URLSearchParams(form)]);
}

/** The content of a reply: texts, named fields and tables. JSON and XML are written from the same tree, so their texts agree. */
export type Tree = string | Fields | Rows | WrittenRows;

export interface Fields {
  readonly entries: readonly (readonly [name: string, value: Tree])[];
  /** The XML element for a name that is not a valid XML name: the name goes into its `name` attribute. */
  readonly element?: string;
}

export interface Rows {
  readonly element: string;
  readonly columns: readonly string[];
  /** Each row has as many cells as there are columns; null is written as an empty text. */
  readonly rows: readonly (readonly (Tree | null)[])[];
}

/** Rows that the database has written as JSON, each an object of texts: cell by cell, a long list takes three times as long. */
export interface WrittenRows {
  readonly element: string;
  readonly written: readonly string[];
}

/** Writes fields as objects, rows as arrays of objects, and every value as a string. */
export function renderJson(tree: Tree): string {
  if (typeof tree === 'string') return JSON.stringify(toWireText(tree));
  if ('written' in tree) return `[${tree.written.map(toWireJson).join(',')}]`;
  if ('rows' in tree) {
    const names = tree.columns.map((column) => `${renderJson(column)}:`);
    const cells = (row: Rows['rows'][number]) => names.map((name, index) => name + renderJson(row[index] ?? ''));
    return `[${tree.rows.map((row) => `{${cells(row).join(',')}}`).join(',')}]`;
  }
  return `{${tree.entries.map(([name, value]) => `${renderJson(name)}:${renderJson(value)}`).join(',')}}`;
}

/**
 * Writes an XML 1.0 document with the root element `root`: fields and rows become elements. A name that is not a valid XML name
 * goes into the `name` attribute of a `<Field>`, or of the element that the fields declare.
 */
export function renderXml(root: string, tree: Tree): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${renderContent(tree)}</${root}>\n`;
}

/** In JSON, what XML cannot hold is escaped, but for two characters. */
function toWireJson(row: string): string {
  return /[\\\uFFFE\uFFFF]/.test(row) ? renderJson({ entries: Object.entries(JSON.parse(row)) }) : row;
}

function renderContent(tree: Tree): string {
  if (typeof tree === 'string') return escapeXml(toWireText(tree));
  if ('written' in tree) {
    const rows: Readonly<Record<string, string>>[] = tree.written.map((row) => JSON.parse(row));
    const columns = Object.keys(rows[0] ?? {});
    return renderContent({ element: tree.element, columns, rows: rows.map(Object.values) });
  }
  if ('rows' in tree) {
    const { element, columns, rows } = tree;
    const tags = columns.map((column) => tagsFor(column));
    const cells = (row: Rows['rows'][number]) => tags.map((tag, index) => renderElement(tag, row[index] ?? ''));
    return rows.map((row) => `<${element}>${cells(row).join('')}</${element}>`).join('');
  }
  return tree.entries.map(([name, value]) => renderElement(tagsFor(name, tree.element), value)).join('');
}

type Tags = readonly [open: string, close: string];

function tagsFor(name: string, element = 'Field'): Tags {
  if (/^(?!xml)[A-Z_][\w.-]*$/i.test(name)) return [`<${name}>`, `</${name}>`];
  return [`<${element} name="${escapeAttribute(toWireText(name))}">`, `</${element}>`];
}

function renderElement([open, close]: Tags, value: Tree): string {
  return open + renderContent(value) + close;
}

/** Code units that XML 1.0 cannot hold: control characters, U+FFFE, U+FFFF and lone surrogates. */
const invalidInXml =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** JSON could hold these characters, but then the two formats would differ. */
function toWireText(text: string): string {
  return text.replace(invalidInXml, '\uFFFD');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Parsers turn a bare carriage return into a line feed, and all white space in an attribute into spaces.
  '\r': '&#13;',
  '\t': '&#9;',
  '\n': '&#10;',
};

function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (character) => entities[character] ?? character);
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\r\t\n]/g, (character) => entities[character] ?? character);
}

/** Why a request was refused, with the HTTP status of the error. */
const plainStatuses = {
  'no-key': 200,
  'no-access': 200,
  invalid: 200,
  'unknown-record': 200,
  'unknown-path': 404,
  'wrong-method': 405,
  'too-large': 413,
  defect: 500,
};

export type ErrorReason = keyof typeof plainStatuses;

/** Thrown while a request is handled, it becomes the error reply, and the request changes nothing. */
export class Refusal extends Failure {
  override readonly name: string = 'Refusal';
  readonly reason: ErrorReason;

  constructor(reason: ErrorReason, happened: string, next = '') {
    super(happened, next);
    this.reason = reason;
  }
}

/** Quotes a text of the request for a message: on one line, and cut if it is long. */
export function quoted(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ');
  return `"${oneLine.length > 60 ? `${oneLine.slice(0, 60)}…` : oneLine}"`;
}

/** How an installation writes its replies. */
export interface WireStyle {
  /** Text before every body. */
  readonly prefix: string;
  readonly statuses: Readonly<Record<ErrorReason, number>>;
  /** The HTML page sent if access is denied; undefined: an error like any other. */
  readonly loginPage: string | undefined;
  /** Rows come without a wrapper, and a write is answered with its text alone. */
  readonly isBare: boolean;
}

const plainStyle: WireStyle = { prefix: '', statuses: plainStatuses, loginPage: undefined, isBare: false };

const loginPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Log in</title></head>
<body>
<h1>Log in</h1>
<form action="login.php" method="post">
<label>User name <input name="user"></label>
<label>Password <input name="password" type="password"></label>
<button>Log in</button>
</form>
</body>
</html>
`;

const phpNotices = Array.from(
  { length: 24 },
  (_, index) =>
    '<br />\n<b>Deprecated</b>:  trim(): Passing null to parameter #1 ($string) of type string is deprecated in ' +
    `<b>/var/www/html/tracker/api/common.php</b> on line <b>${310 + index * 7}</b><br />\n`,
).join('');

/** How other installations were seen to differ; docs/sandbox.md, "Other installations". */
const quirks = {
  notices: { prefix: phpNotices },
  html: { loginPage },
  'http-errors': {
    statuses: { ...plainStatuses, 'no-key': 401, 'no-access': 403, invalid: 400, 'unknown-record': 404 },
  },
  bare: { isBare: true },
} as const satisfies Record<string, Partial<WireStyle>>;

export type Quirk = keyof typeof quirks;

export const quirkNames = Object.keys(quirks) as readonly Quirk[];

export function styleWith(names: readonly Quirk[]): WireStyle {
  return Object.assign({ ...plainStyle }, ...names.map((name) => quirks[name]));
}
