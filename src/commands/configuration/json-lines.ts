import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** JSON whose parts know their line, and in which a name that stands twice is seen. */

/** One name of an object, and what stands behind it. */
export interface Property {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly value: Part;
}

/** A value: an object has properties, everything else a value. */
export interface Part {
  readonly line: number;
  /** Absent where it is no object. */
  readonly properties?: readonly Property[];
  readonly value: unknown;
}

/** A text that is no JSON; the message says what is wrong, the line where. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** @throws JsonProblem where the text is no JSON */
export function parseWithLines(text: string): Part {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [error] = errors;
  const lineOf = (offset: number) => text.slice(0, offset).split(/\r\n|\r|\n/).length;
  if (error || !root) {
    const word = error ? printParseErrorCode(error.error) : 'ValueExpected';
    throw new JsonProblem(problems[word] ?? 'a value or a name cannot be read', lineOf(error?.offset ?? 0));
  }
  return partOf(root, lineOf);
}

/** What the library's words mean to whoever wrote the file. */
const problems: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'a comment, which JSON does not have',
  PropertyNameExpected: 'a name in double quotes is missing, or a comma is too many',
  ValueExpected: 'a value is missing, or a comma is too many',
  CommaExpected: 'a comma is missing',
  ColonExpected: 'a colon is missing',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'something stands behind the end',
  InvalidSymbol: 'a word that is neither true, false, null nor in double quotes',
  UnexpectedEndOfString: 'a text does not end on its line',
};

function partOf(node: Node, lineOf: (offset: number) => number): Part {
  const line = lineOf(node.offset);
  if (node.type !== 'object') return { line, value: plainValue(node) };
  const properties = (node.children ?? []).flatMap(({ offset, children: [name, value] = [] }) =>
    name && value ? [{ name: String(name.value), line: lineOf(offset), value: partOf(value, lineOf) }] : [],
  );
  return { line, properties, value: undefined };
}

/** An array with its items, a text, a number or a word; an object in an array is none of the values that settings have. */
function plainValue({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(plainValue);
  return type === 'object' ? undefined : value;
}
