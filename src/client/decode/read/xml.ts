import { XMLParser } from 'fast-xml-parser';
import { plainName } from '../../../api/text/plain-name.ts';
import { AnswerProblem } from '../answer-problem.ts';
import { checkXml } from '../check-xml.ts';
import { resolveReferences } from '../xml-characters.ts';
import { isLeaf, markAsXml, maxNesting, type Tree } from './tree.ts';

/** One node as the parser gives it: an element `{tag: children, ':@': attributes}`, `{'#text': ...}` or `{'#cdata': [...]}`. */
type ParsedNode = Readonly<Record<string, unknown>>;

const textKey = '#text';
const cdataKey = '#cdata';
const attributesKey = ':@';

/** Put ahead of every name, since the parser refuses or renames `constructor` and its like, which are names of columns here. */
const prefix = '@';

/** Every value stays text (`007` and `1e5` are no numbers), and white space is kept. References are resolved here, once. */
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

/** The field that an element's own text becomes where it stands beside attributes or elements. */
const ownTextName = 'value';

/** Elements that stand for a field and carry its name in an attribute: `<Field name="Extra 1">`. */
const fieldElements = new Set(
  'field column col cell param parameter property attribute attr item token data var value td'.split(' '),
);

type NamespacePrefixes = ReadonlySet<string | undefined>;

/**
 * Reads XML into a tree. The root element is a field of it, as in JSON that was made from XML.
 *
 * Attributes are fields like child elements; a field given more than once is a list; an element with text alone is its text,
 * and `<Field name="Extra 1">x</Field>` is the field "Extra 1". Prefixes of declared namespaces are left out of names, and
 * every value stays the text it is.
 *
 * @throws CutOffError where the text ends too early
 * @throws SyntaxError where it is not well-formed
 * @throws AnswerProblem where it declares entities of its own, which are never expanded, or nests without reason
 */
export function parseXml(text: string): Tree {
  checkXml(text);
  const namespaces = new Set(Array.from(text.matchAll(/\sxmlns:([\w.-]+)\s*=/g), ([, name]) => name));
  // A document type that only names the root element says nothing.
  return readElement(parse(text.replace(/<!DOCTYPE[^>]*>/i, '')), [], namespaces, 0);
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
    if (isLeaf(value) && (value !== null || fieldElements.has(plainName(name)))) return [naming[1], value];
  }
  return [name, readElement(children, attributes, namespaces, depth)];
}

/** What a schema says of an element is no data. */
function attributesOf(element: ParsedNode, namespaces: NamespacePrefixes): Attributes {
  return Object.entries(element[attributesKey] ?? {}).flatMap(([name, value]) => {
    if (/^@(xmlns|xsi:|xml:)/.test(name)) return [];
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
  // The parser puts it ahead of the name of a self-closing element twice.
  const name = written.replace(/^@+/, '');
  const colon = name.indexOf(':');
  return colon > 0 && namespaces.has(name.slice(0, colon)) ? name.slice(colon + 1) : name;
}
