import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { Failure } from '../../api/failure.ts';
import { isLeaf, markAsXml, plainName, type Tree } from './tree.ts';

/**
 * Every value stays text (`007` and `1e5` are no numbers), white space is kept, attributes are read as fields.
 */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
});

/** One node as the parser gives it: an element `{tag: children, ':@': attributes}`, or `{'#text': text}`. */
type ParsedNode = Readonly<Record<string, unknown>>;

const textKey = '#text';
const attributesKey = ':@';

/** The field that an element's own text becomes where it stands beside attributes. */
const ownTextName = 'value';

/** Elements that stand for a field and carry its name in an attribute: `<Field name="Extra 1">`. */
const fieldElements = new Set(['field', 'column', 'col', 'cell', 'param', 'property', 'attribute', 'item', 'token']);

const looseAmpersand = /<!\[CDATA\[[\s\S]*?\]\]>|&(?!(?:#\d+|#x[\da-f]+|\w+);)/gi;

/**
 * Reads XML into a tree. The root element is a field of it, as in JSON that was made from XML.
 *
 * Attributes are fields like child elements; a field given more than once is a list; an element with text alone is its text,
 * and `<Field name="Extra 1">x</Field>` is the field "Extra 1".
 *
 * @throws SyntaxError where the text is not whole, well-formed XML
 * @throws Failure where it declares a document type, whose entities are never expanded
 */
export function parseXml(text: string): Tree {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) {
    throw new Failure(
      'The tracker’s answer is XML with a document type of its own, which is never read.',
      'Set TRACKER_FORMAT=json.',
    );
  }
  const wellFormed = repairAmpersands(text);
  return readChildren(parser.parse(wellFormed) as ParsedNode[], {});
}

/** Trackers print URLs into XML without escaping them: a lone & is taken as the character it is. */
function repairAmpersands(text: string): string {
  const verdict = XMLValidator.validate(text);
  if (verdict === true) return text;
  const repaired = text.replace(looseAmpersand, (match) => (match === '&' ? '&amp;' : match));
  const second = repaired === text ? verdict : XMLValidator.validate(repaired);
  if (second === true) return repaired;
  throw new SyntaxError(`${second.err.msg} (line ${second.err.line})`);
}

function readChildren(nodes: readonly ParsedNode[], attributes: Readonly<Record<string, unknown>>): Tree {
  const fields = new Map<string, Tree[]>();
  const add = (name: string, value: Tree) => {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  };
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith('xmlns')) add(name, String(value));
  }
  const elements = nodes.filter((node) => !(textKey in node) && !nameOf(node).startsWith('?'));
  const ownText = nodes.map((node) => (textKey in node ? String(node[textKey]) : '')).join('');
  if (elements.length === 0 && fields.size === 0) return ownText === '' ? null : ownText;
  if (elements.length === 0 ? ownText !== '' : ownText.trim() !== '') add(ownTextName, ownText);
  for (const element of elements) {
    const [name, value] = readField(element);
    add(name, value);
  }
  const entries = [...fields].map(
    ([name, values]) => [name, values.length === 1 ? (values[0] ?? null) : values] as const,
  );
  return markAsXml(Object.fromEntries(entries));
}

function readField(element: ParsedNode): [name: string, value: Tree] {
  const tag = nameOf(element);
  const attributes = (element[attributesKey] ?? {}) as Readonly<Record<string, unknown>>;
  const children = element[tag] as ParsedNode[];
  const attributeNames = Object.keys(attributes);
  const [onlyAttribute] = attributeNames;
  if (attributeNames.length === 1 && onlyAttribute?.toLowerCase() === 'name') {
    const value = readChildren(children, {});
    if (isLeaf(value) && (value !== null || fieldElements.has(plainName(tag)))) {
      return [String(attributes[onlyAttribute]), value];
    }
  }
  return [tag, readChildren(children, attributes)];
}

function nameOf(node: ParsedNode): string {
  return Object.keys(node).find((key) => key !== attributesKey) ?? '';
}
