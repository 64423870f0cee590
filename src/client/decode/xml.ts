import { XMLParser } from 'fast-xml-parser';
import { AnswerProblem, BrokenError, CutOffError } from './answer-problem.ts';
import { isLeaf, markAsXml, maxNesting, type Tree } from './tree.ts';
import { isDataType, isFieldElement } from './words.ts';

/** One node as the parser gives it: an element `{tag: children, ':@': attributes}`, `{'#text': ...}` or `{'#cdata': [...]}`. */
type ParsedNode = Readonly<Record<string, unknown>>;

const textKey = '#text';
const cdataKey = '#cdata';
const attributesKey = ':@';

/** Put before every name: the parser refuses or renames names such as `constructor`, which can be columns. */
const prefix = '@';

/** Every value stays a text with its white space. References are resolved below, once. */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: prefix,
  transformTagName: (name) => prefix + name,
  cdataPropName: cdataKey,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
});

/** The name of an element's own text if the element also has attributes or children. */
const ownTextName = 'value';

type NamespacePrefixes = ReadonlySet<string | undefined>;

/**
 * Parses XML into a tree. The root element is a field, as in JSON made from XML.
 *
 * Attributes become fields like child elements, repeated fields a list, an element with only text its text, and
 * `<Field name="Extra 1">x</Field>` the field "Extra 1". Names lose the prefixes of declared namespaces.
 *
 * @throws CutOffError if the text ends too early
 * @throws SyntaxError if it is not well-formed
 * @throws AnswerProblem if it declares entities, which are never expanded, nests too deep, or has too many elements
 */
export function parseXml(text: string): Tree {
  const [root = 0, second] = findRoots(text);
  if (second !== undefined) throw new BrokenError('a second root element', second);
  return parseDocument(text.slice(root));
}

/** Parses documents that were printed behind each other, each as `parseXml` does. */
export function parseXmlDocuments(text: string): readonly Tree[] {
  const roots = findRoots(text);
  if (roots.length > maxDocuments) throw new BrokenError('a second root element', roots[1] ?? 0);
  return roots.map((root, index) => parseDocument(text.slice(root, roots[index + 1])));
}

/** More are rows without their root element. */
const maxDocuments = 100;

function parseDocument(text: string): Tree {
  const namespaces = new Set(Array.from(text.matchAll(/\sxmlns:([\w.-]+)\s*=/g), ([, name]) => name));
  // Some declare none of theirs.
  namespaces.add(/^<([\w.-]+):/.exec(text)?.[1]);
  return readElement(parse(text), [], namespaces, 0);
}

function parse(text: string): readonly ParsedNode[] {
  try {
    return parser.parse(text) as ParsedNode[];
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error));
  }
}

type Attributes = readonly (readonly [name: string, value: string])[];

function readElement(
  nodes: readonly ParsedNode[],
  attributes: Attributes,
  namespaces: NamespacePrefixes,
  depth: number,
): Tree {
  if (depth > maxNesting + 1) throw new AnswerProblem('too-deep');
  const fields = new Map<string, Tree[]>();
  const add = (name: string, value: Tree) => {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  };
  for (const [name, value] of attributes) add(name, value);
  const elements = nodes.filter((node) => tagOf(node).startsWith(prefix));
  const ownText = nodes.map(textOf).join('');
  if (elements.length === 0 && fields.size === 0) return ownText === '' ? null : ownText;
  if (elements.length > 0 && ownText.includes('/>')) throw new SyntaxError('a tag without its start');
  // White space between elements is only layout.
  if (elements.length === 0 ? ownText !== '' : ownText.trim() !== '') add(ownTextName, ownText);
  for (const element of elements) {
    const [name, value] = readField(element, namespaces, depth + 1);
    add(name, value);
  }
  const entries = [...fields].map(
    ([name, values]) => [name, values.length === 1 ? (values[0] ?? null) : values] as const,
  );
  return markAsXml(Object.fromEntries(entries));
}

function readField(element: ParsedNode, namespaces: NamespacePrefixes, depth: number): [name: string, value: Tree] {
  const tag = tagOf(element);
  const name = nameOf(tag, namespaces);
  const children = element[tag] as ParsedNode[];
  const attributes = attributesOf(element, namespaces);
  const [naming, ...others] = attributes;
  if (naming?.[0].toLowerCase() === 'name' && others.length === 0) {
    const value = readElement(children, [], namespaces, depth);
    if (isLeaf(value) && (value !== null || isFieldElement(name))) return [naming[1], value];
  }
  return [name, readElement(children, attributes, namespaces, depth)];
}

/** The attributes, except attributes of XML, schemas and types, which are not data. */
function attributesOf(element: ParsedNode, namespaces: NamespacePrefixes): Attributes {
  return Object.entries(element[attributesKey] ?? {}).flatMap(([name, value]) => {
    if (/^@(xmlns|xsi:|xml:)/.test(name) || (name === '@type' && isDataType(String(value)))) return [];
    return [[nameOf(name, namespaces), resolveReferences(String(value).replace(/[\t\r\n]/g, ' '))] as const];
  });
}

function textOf(node: ParsedNode): string {
  if (textKey in node) return resolveReferences(String(node[textKey]));
  const sections = (node[cdataKey] ?? []) as readonly ParsedNode[];
  return sections.map((section) => String(section[textKey])).join('');
}

function tagOf(node: ParsedNode): string {
  return Object.keys(node).find((key) => key !== attributesKey) ?? '';
}

function nameOf(written: string, namespaces: NamespacePrefixes): string {
  // The parser puts the prefix before the name of a self-closing element twice.
  const name = written.replace(/^@+/, '');
  const colon = name.indexOf(':');
  return colon > 0 && namespaces.has(name.slice(0, colon)) ? name.slice(colon + 1) : name;
}

/** One whole piece of markup. If it is a tag, the groups are: end tag, name, self-closing. */
const markup =
  /<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE\s[^[>]*>|<(\/)?([\p{L}_:][^\s/>"'=<]*)(?:\s+[^\s"'=<>/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/)?>/iuy;

/** The parser needs half a kilobyte per element. */
const maxElements = 600_000;

/**
 * Checks that XML is complete: the parser is lenient, and an answer that was cut off must not be read as a shorter report.
 *
 * @returns the index of each root element, after a document type, which has no meaning here
 */
function findRoots(text: string): readonly number[] {
  const open: string[] = [];
  const roots: number[] = [];
  let elements = 0;
  let index = 0;
  for (;;) {
    const next = text.indexOf('<', index);
    const between = open.length === 0 ? text.slice(index, next < 0 ? text.length : next) : '';
    if (between.trim() !== '') throw new BrokenError('text outside of the root element', index);
    if (next < 0) break;
    markup.lastIndex = next;
    const match = markup.exec(text);
    if (!match) throw brokenMarkup(text, next);
    index = markup.lastIndex;
    const [whole, isEnd, name, isSelfClosing] = match;
    if (open.length === 0 && whole.startsWith('<![CDATA['))
      throw new BrokenError('text outside of the root element', next);
    if (name === undefined && swallows(whole)) throw new BrokenError('markup within a comment or section', next);
    if (name === undefined) continue;
    if (isEnd) {
      const opened = open.pop();
      if (opened !== name) throw new BrokenError('closes an element that is not open', next);
      continue;
    }
    if (open.length === 0) roots.push(next);
    if (++elements > maxElements) throw new AnswerProblem('too-many');
    if (!isSelfClosing && open.push(name) > maxNesting) throw new AnswerProblem('too-deep');
  }
  if (open.length > 0 || roots.length === 0) throw new CutOffError('an element is not closed');
  return roots;
}

/** Whether a comment or a section whose end was lost goes on to the end of the next one, over the rows between them. */
function swallows(markup: string): boolean {
  const begin = markupKinds.find(([start]) => markup.startsWith(start))?.[0];
  const again = begin === undefined ? -1 : markup.lastIndexOf(begin);
  // A section may quote the start of another.
  return again > 0 && (begin !== '<![CDATA[' || markup.lastIndexOf('</', again) > 0);
}

/** The start and end of markup other than elements. */
export const markupKinds = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/** Markup without an end is cut off, unless the text ends as it should; markup with one is malformed. */
function brokenMarkup(text: string, start: number): Error {
  const end = markupKinds.find(([begin]) => text.startsWith(begin, start))?.[1];
  if (text.indexOf(end ?? '>', start) < 0 && !(end && /<\/[^<>\s]{1,200}\s*>\s*$/.test(text.slice(-1000))))
    return new CutOffError('the text ends within a tag');
  const isDocumentType = /^<!(DOCTYPE|ENTITY)\s/i.test(text.slice(start, start + 10));
  return isDocumentType ? new AnswerProblem('document-type') : new BrokenError('a tag is not well-formed', start);
}

/** HTML names of U+00A0 to U+00FF, in their order. */
const latinNames = (
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
  'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
  'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
).split(' ');

const named = new Map<string, string>([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ...latinNames.map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...Object.entries({
    euro: '€',
    trade: '™',
    bull: '•',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    sbquo: '‚',
    ldquo: '“',
    rdquo: '”',
    bdquo: '„',
    lsaquo: '‹',
    rsaquo: '›',
  }),
]);

const reference = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/g;

/**
 * Replaces references by their characters, once: `&amp;lt;` becomes `&lt;`. Anything else stays as written, because trackers
 * print URLs without escaping their `&`.
 */
export function resolveReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(reference, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? whole;
    const codePoint = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return codePoint === 0 || codePoint > 0x10ffff ? whole : String.fromCodePoint(codePoint);
  });
}
