import { type Fields, fieldElement, type Rows, type Tree, toWireText } from './tree.ts';

const xmlName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const reservedName = /^xml/i;

/**
 * Writes a tree as an XML 1.0 document: fields as elements, rows as elements of one name. A name that is no XML name goes in
 * the `name` attribute of a `<Field>`, or of the element the fields declare.
 *
 * @param root the name of the document element
 */
export function renderXml(root: string, tree: Tree): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${renderContent(tree)}</${root}>\n`;
}

function renderContent(tree: Tree): string {
  if (typeof tree === 'string') return escapeXml(toWireText(tree));
  return 'rows' in tree ? renderRows(tree) : renderFields(tree);
}

function renderFields({ entries, element = fieldElement }: Fields): string {
  return entries.map(([name, value]) => wrapAs(tagsFor(name, element), value)).join('');
}

function renderRows({ element, columns, rows }: Rows): string {
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
