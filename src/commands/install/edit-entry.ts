import * as toml from '@decimalturn/toml-patch';
import { applyEdits, findNodeAtLocation, modify, type ParseError, parse, parseTree } from 'jsonc-parser';
import { Failure } from '../../api/failure.ts';
import { isSameData } from '../../api/text/json.ts';
import type { Client } from './clients.ts';

/** Where an entry stands: the name that holds the servers, and the server's own. */
type Path = readonly [at: string, name: string];

interface FileFormat {
  /** @throws Error if the text is not of this kind */
  readonly read: (text: string) => unknown;
  /** The text without the entry. */
  readonly remove: (text: string, path: Path) => string;
  /** The text with an entry where none stands. */
  readonly add: (text: string, path: Path, entry: unknown) => string;
  /** What a file that holds nothing is read as. */
  readonly empty: string;
}

/**
 * Finds the entry of a server in the text of a client's file, which is edited so that all else stays as it is, comments and spacing
 * too.
 *
 * @returns what stands there, if anything does, and what writes the text with another entry in its place, or with none
 * @throws Failure if the text cannot be read, which is then left as it is
 */
export function findEntry(
  { format, at, title }: Pick<Client, 'format' | 'at' | 'title'>,
  text: string,
  name: string,
  file: string,
) {
  const { read, remove, add, empty } = format === 'toml' ? tomlFile : jsonFile;
  const path = [at, name] as const;
  const start = text.trim() === '' ? empty : text;
  let value: unknown;
  try {
    value = path.reduce<unknown>((found, key) => fieldOf(found, key), read(start));
  } catch {
    throw new Failure(
      `The settings of ${title} cannot be read: ${file}.`,
      `They must be ${format === 'toml' ? 'TOML' : 'a JSON object'}; correct them, and nothing is lost.`,
    );
  }
  const cleared = value === undefined ? start : remove(start, path);
  const write = (entry?: Readonly<Record<string, unknown>>) =>
    entry === undefined ? cleared : add(cleared, path, entry);
  return { value, write };
}

function fieldOf(value: unknown, key: string): unknown {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return (value as Readonly<Record<string, unknown>>)[key];
}

/**
 * JSON with the comments and trailing commas that editors allow. The library says where an edit belongs; its own layout
 * would also lay the neighbours out anew.
 */
const jsonFile: FileFormat = {
  read: (text) => {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0) throw new SyntaxError('not JSON');
    return value;
  },
  remove: (text, path) => {
    const root = parseTree(text);
    const property = root && findNodeAtLocation(root, [...path])?.parent;
    const end = property ? property.offset + property.length : text.length;
    const [comma] = /^\s*,/.exec(text.slice(end)) ?? [];
    const isOnly = property?.parent?.children?.length === 1;
    if (!property || (comma === undefined && !isOnly)) return applyEdits(text, modify(text, [...path], undefined, {}));
    const [before, after] = [text.slice(0, property.offset), text.slice(end + (comma?.length ?? 0))];
    // A comment that ends the line ahead must not swallow what follows.
    const isApart = /^[ \t]*(\r?\n|$)/.test(after) || /\{\s*$/.test(before);
    return isApart ? before.trimEnd() + after : before + after.trimStart();
  },
  add: (text, [at, name], entry) => {
    const root = parseTree(text);
    const servers = root && findNodeAtLocation(root, [at]);
    const parent = servers ?? root;
    const { unit, lineBreak } = layoutOf(text);
    const indent = servers ? unit : '';
    const lines = JSON.stringify(servers ? { [name]: entry } : { [at]: { [name]: entry } }, null, unit).split('\n');
    const property = lines.slice(1, -1).map((line) => lineBreak + indent + line);
    // Ahead of the others, where no comment at the end of a line is torn from its line.
    const index = (parent?.offset ?? 0) + 1;
    const isAtLineEnd = /^[ \t]*\r?\n/.test(text.slice(index));
    const end = parent?.children?.length ? ',' : isAtLineEnd ? '' : lineBreak + indent;
    return text.slice(0, index) + property.join('') + end + text.slice(index);
  },
  empty: '{}\n',
};

function layoutOf(text: string): { readonly unit: string; readonly lineBreak: string } {
  const [, unit = '  '] = /^(\t| +)\S/m.exec(text) ?? [];
  return { unit, lineBreak: text.includes('\r\n') ? '\r\n' : '\n' };
}

type Tables = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** TOML. The library changes the text where a value changes, and leaves comments where they are. */
const tomlFile: FileFormat = {
  read: (text) => toml.parse(text),
  remove: (text, [at, name]) => {
    const { [at]: { [name]: _, ...others } = {}, ...tables } = toml.parse(text) as Tables;
    // A table that holds nothing more was only there for the entry.
    return toml.patch(text, Object.keys(others).length === 0 ? tables : { ...tables, [at]: others });
  },
  add: (text, [at, name], entry) => {
    const tables = toml.parse(text) as Tables;
    const wanted = { ...tables, [at]: { ...tables[at], [name]: entry } };
    // A table of its own at the end is what a person would write; if the file has it all in one line, that is no TOML.
    const [, ...table] = toml.stringify({ [at]: { [name]: entry } }, { inlineTableStart: 3 }).split('\n\n');
    const start = text.trim() === '' ? text : `${text.replace(/(?<!\n)$/, '\n')}\n`;
    const appended = start + table.join('\n\n');
    return isSame(appended, wanted) ? appended : toml.patch(text, wanted);
  },
  empty: '',
};

/** Times of TOML are objects of the library; as JSON they are compared by what they say. */
function isSame(text: string, wanted: unknown): boolean {
  try {
    return isSameData(toml.parse(text), wanted);
  } catch {
    return false;
  }
}
