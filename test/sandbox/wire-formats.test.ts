import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { renderJson, renderXml, type Tree } from '../../src/sandbox/wire.ts';

const parser = new XMLParser({
  ...{ ignoreAttributes: false, attributeNamePrefix: '@', parseTagValue: false, parseAttributeValue: false },
  ...{ trimValues: false, htmlEntities: true, alwaysCreateTextNode: true, preserveOrder: true },
});

type Node = Readonly<Record<string, unknown>>;

/** The name and text of each child element. A `name` attribute wins over the element's own name. */
function fieldsIn(nodes: readonly Node[]): [string, string][] {
  return nodes.flatMap((node): [string, string][] => {
    const element = Object.keys(node).find((key) => key !== ':@');
    if (!element || element === '#text' || element.startsWith('?')) return [];
    const attributes = (node[':@'] ?? {}) as Record<string, string>;
    const children = node[element] as Node[];
    const text = children.map((child) => String(child['#text'] ?? '')).join('');
    return [[attributes['@name'] ?? element, text]];
  });
}

function elementsIn(nodes: readonly Node[], name: string): Node[][] {
  return nodes.filter((node) => name in node).map((node) => node[name] as Node[]);
}

const parse = (xml: string) => elementsIn(parser.parse(xml) as Node[], 'Response')[0] ?? [];

// A stranger's text can have any code unit: control characters, halves of emoji, markup.
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(...'<>&"\'\r\n\t]'.split('').map((c) => c.charCodeAt(0))),
    ),
    { maxLength: 12 },
  )
  .map((units) => String.fromCharCode(...units));
const anyName = fc.oneof(anyText, fc.constantFrom('ID', 'Extra 1', '1st', 'xml', 'Ünicode', ''));

describe('JSON and XML', () => {
  test('have the same names and texts for the same fields', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(anyName, anyText), { selector: ([name]) => name }), (entries) => {
        const tree: Tree = { entries };
        const fromXml = fieldsIn(parse(renderXml('Response', tree)));
        // Names that differ only in characters that neither format can hold become one key of a JSON object.
        const fromJson = JSON.parse(renderJson(tree)) as Record<string, string>;
        expect(Object.fromEntries(fromXml)).toEqual(fromJson);
        expect(fromXml).toHaveLength(entries.length);
      }),
    );
  });

  test('have the same rows in the same order', () => {
    const columns = ['ID', 'Extra 1', 'Text'];
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, fc.option(anyText), anyText)), (rows) => {
        const tree: Tree = { element: 'Row', columns, rows };
        const fromXml = elementsIn(parse(renderXml('Response', tree)), 'Row')
          .map(fieldsIn)
          .map(Object.fromEntries);
        expect(fromXml).toEqual(JSON.parse(renderJson(tree)));
        const named = rows.map((row) => Object.fromEntries(row.map((cell, index) => [columns[index], cell ?? ''])));
        const written: Tree = { element: 'Row', written: named.map((row) => JSON.stringify(row)) };
        expect(JSON.parse(renderJson(written))).toEqual(fromXml);
        expect(renderXml('Response', written)).toBe(renderXml('Response', tree));
      }),
    );
  });

  test('keep every text that XML can hold', () => {
    const numbers = ['007', '1e5', '9007199254740993', 'null', 'NaN'];
    for (const text of [...numbers, ' spaced ', ']]>', '', '👩‍🚀 <b>&amp;</b>', 'a\r\n\tb', '\u202Eabc\u200B']) {
      const tree: Tree = { entries: [['Text', text]] };
      expect(JSON.parse(renderJson(tree))).toEqual({ Text: text });
      expect(fieldsIn(parse(renderXml('Response', tree)))).toEqual([['Text', text]]);
    }
  });

  test('replace what XML cannot hold with U+FFFD, but not surrogate pairs', () => {
    const tree: Tree = { entries: [['Text', 'a\u0000b\u000Bc\uD83Dd\uDE80e\uFFFFf🚀']] };
    const expected = 'a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf🚀';
    expect(JSON.parse(renderJson(tree))).toEqual({ Text: expected });
    expect(renderXml('Response', tree)).toContain(`<Text>${expected}</Text>`);
  });
});

describe('XML', () => {
  test('is well formed with any texts and names', () => {
    fc.assert(
      fc.property(anyName, anyText, (name, text) => {
        const xml = renderXml('Response', { entries: [[name, { element: 'Row', columns: [name], rows: [[text]] }]] });
        expect(XMLValidator.validate(xml)).toBe(true);
      }),
    );
  });

  test('puts an invalid XML name into an attribute of the element that the fields declare', () => {
    const fields = { entries: Object.entries({ 'Extra 1': 'x', ISP: 'y' }) };
    const tree: Tree = { element: 'Group', entries: [['Geo "Data"', fields]] };
    const group = '<Group name="Geo &quot;Data&quot;"><Field name="Extra 1">x</Field><ISP>y</ISP></Group>';
    expect(renderXml('Response', tree)).toContain(`<Response>${group}</Response>`);
  });
});

test('an empty table is an empty array, and an empty element', () => {
  const tree: Tree = { entries: [['Rows', { element: 'Row', columns: ['ID'], rows: [] }]] };
  expect(renderJson(tree)).toBe('{"Rows":[]}');
  expect(renderXml('Response', tree)).toContain('<Response><Rows></Rows></Response>');
});
