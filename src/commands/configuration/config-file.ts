import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { cleanText } from '../../api/text/clean-text.ts';
import { nearestName } from '../../api/text/names.ts';
import { describeForm, textOf } from '../../config/json-form.ts';
import { filePermissionWarning } from '../../config/read-key.ts';
import { settings } from '../../config/settings.ts';
import { ConfigurationFailure, type FileLayer, type Flags } from '../../config.ts';

/** A tracker as the file names it. */
export interface FileTracker {
  readonly name: string;
  /** What it says of itself, over what the file says for all. */
  readonly layer: FileLayer;
}

/** What a configuration file says. */
export interface ConfigFile {
  /** What it says for all trackers, and for the server. */
  readonly shared: FileLayer;
  /** At least one, in the order of the file. */
  readonly trackers: readonly FileTracker[];
  /** The tracker that reads are about where a call names none. */
  readonly byDefault: string | undefined;
  /** What a person should know, one line each. */
  readonly warnings: readonly string[];
}

/** Names are shown in listings, tables and logs. */
const trackerName = /^[a-z\d][a-z\d_.-]{0,39}$/i;

/** Two names that differ in letter case or punctuation alone would be taken for each other, in SQL too. */
const plainTrackerName = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '_');

/** What stands at the top of a file beside settings. */
const topNames = ['$schema', 'default', 'trackers'] as const;

/** The settings that the file may hold: at its top, and for one tracker. A file names no other file. */
export const topSettings = settings.filter(({ key, locates }) => !locates && key !== 'config');
export const trackerSettings = settings.filter(
  ({ key, command, isServers }) => command === undefined && !isServers && key !== 'config',
);

type Known = (typeof settings)[number];
type Complain = (line: number, problem: string) => void;

/** Values of one part of the file by setting, and the line of each. */
interface Values {
  readonly values: Flags;
  readonly lines: Readonly<Partial<Record<keyof Flags, number>>>;
}

/**
 * Reads a configuration file.
 *
 * @throws ConfigurationFailure that names every mistake with its line
 */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const problems: string[] = [];
  const complain: Complain = (line, problem) => problems.push(`${path}:${line}: ${problem}`);
  const file = reader(path, complain).read(await parse(path));
  if (problems.length > 0) throw new ConfigurationFailure(problems.join('\n'));
  return file;
}

async function parse(path: string): Promise<Part> {
  try {
    return parseWithLines((await readFile(path, 'utf8')).replace(/^\ufeff/, ''));
  } catch (error) {
    if (error instanceof JsonProblem) throw new ConfigurationFailure(`${path}:${error.line}: ${error.message}.`);
    throw new ConfigurationFailure(
      `The configuration file cannot be read: ${path} (${(error as NodeJS.ErrnoException).code}).`,
      'Check --config (TRACKER_CONFIG).',
    );
  }
}

function reader(path: string, complain: Complain) {
  const folder = dirname(resolve(path));
  const warnings: string[] = [];

  function read(root: Part): ConfigFile {
    const { properties } = root;
    if (!properties) complain(root.line, 'the file must hold one object.');
    const top = onlyOnce(properties ?? [], (name) => `${show(name)} is set twice`);
    const find = (name: string) => top.find((property) => property.name === name);
    const others = top.filter(({ name }) => !topNames.some((known) => known === name));
    const shared = readSettings(others, topSettings, placeAtTop);
    checkPassword(shared);
    const trackers = readTrackers(find('trackers'), root.line, shared);
    return {
      shared: layerOf([shared]),
      trackers,
      byDefault: readDefault(find('default'), trackers),
      warnings,
    };
  }

  function readTrackers(found: Property | undefined, rootLine: number, shared: Values): FileTracker[] {
    const named = onlyOnce(
      found?.value.properties ?? [],
      (name, line) => `there are two trackers of the name ${show(name)}; the other is in line ${line}`,
      plainTrackerName,
    );
    if (named.length === 0) {
      complain(found?.line ?? rootLine, 'trackers is missing: it holds each tracker by its name.');
    }
    return named.map(({ name, line, value }) => {
      if (!trackerName.test(name)) {
        complain(line, `${show(name)} cannot be a name: letters, digits, _ . and -, at most 40, beginning with one.`);
      }
      if (!value.properties) complain(line, `${show(name)} must be an object.`);
      const twice = (setting: string) => `${show(setting)} of ${show(name)} is set twice`;
      const own = readSettings(onlyOnce(value.properties ?? [], twice), trackerSettings, placeInTracker);
      checkLocation(name, line, own);
      return { name, layer: layerOf([shared, own]) };
    });
  }

  function readDefault(found: Property | undefined, trackers: readonly FileTracker[]): string | undefined {
    if (!found) return undefined;
    const names = trackers.map(({ name }) => name);
    const name = names.find((known) => known === found.value.value);
    if (name === undefined) complain(found.line, `default must be one of the trackers: ${names.join(', ')}.`);
    return name;
  }

  /** Each name once; of two the first counts. */
  function onlyOnce(
    properties: readonly Property[],
    twice: (name: string, firstLine: number) => string,
    plain = (name: string) => name,
  ): readonly Property[] {
    const first = new Map<string, Property>();
    for (const property of properties) {
      const key = plain(property.name);
      const earlier = first.get(key);
      if (earlier) complain(property.line, `${twice(property.name, earlier.line)}.`);
      else first.set(key, property);
    }
    return [...first.values()];
  }

  function readSettings(
    properties: readonly Property[],
    known: readonly Known[],
    misplaced: (setting: Known) => string,
  ): Values {
    const values: Record<string, string> = {};
    const lines: Record<string, number> = {};
    for (const { name, line, value } of properties) {
      const setting = known.find(({ inFile }) => inFile === name);
      if (!setting) {
        const elsewhere = settings.find(({ inFile, key }) => inFile === name && key !== 'config');
        complain(line, elsewhere ? misplaced(elsewhere) : unknownSetting(name, known));
        continue;
      }
      const text = value.properties ? undefined : textOf(value.value, setting.form);
      if (text === undefined) complain(line, `${name} must be ${describeForm(setting.form)}.`);
      else values[setting.key] = setting.isPath ? pathOf(text) : text;
      lines[setting.key] = line;
    }
    return { values, lines };
  }

  /** A tracker is at a URL with a key, or is the embedded one; a key in the file itself is everybody's who reads the file. */
  function checkLocation(name: string, line: number, { values, lines }: Values): void {
    const isSandbox = values.sandbox === 'true';
    const isThere = values.url !== undefined;
    if (isSandbox === isThere) {
      complain(line, `${show(name)} needs ${isThere ? 'a url or sandbox, and has both' : 'a url, or sandbox true'}.`);
    }
    if (isThere && !values.apiKey && !values.apiKeyFile && values.keyCommand === undefined) {
      complain(line, `${show(name)} needs a key: key_file, or key_command.`);
    }
    if (values.apiKey === undefined) return;
    const problem = filePermissionWarning(path);
    if (problem === undefined) {
      warnings.push(
        `${path}:${lines.apiKey}: the key of ${show(name)} stands in the file itself: better a key_file or a key_command.`,
      );
    } else complain(lines.apiKey ?? line, problem);
  }

  /** A password of Redis is everybody's who reads the file. */
  function checkPassword({ values, lines }: Values): void {
    const problem = values.redis?.includes('@') ? filePermissionWarning(path, 'a password') : undefined;
    if (problem !== undefined) complain(lines.redis ?? 1, problem);
  }

  /** Later layers over earlier ones. */
  function layerOf(all: readonly Values[]): FileLayer {
    const lines = Object.assign({}, ...all.map((one) => one.lines)) as Values['lines'];
    return {
      values: Object.assign({}, ...all.map(({ values }) => values)) as Flags,
      placeOf: (key) => `${path}:${lines[key]}: ${settings.find((setting) => setting.key === key)?.inFile}`,
      folder,
    };
  }

  /** A path is meant from the file on, wherever the server is started. */
  function pathOf(text: string): string {
    return text.startsWith('~/') ? join(homedir(), text.slice(2)) : text && resolve(folder, text);
  }

  return { read };
}

const placeAtTop = ({ inFile }: Known) => `${inFile} belongs to one tracker: move it into that one, inside trackers.`;
const placeInTracker = ({ inFile }: Known) => `${inFile} is about the server: move it to the top of the file.`;

function unknownSetting(name: string, known: readonly Known[]): string {
  const names = known.map(({ inFile }) => inFile);
  const meant = nearestName(name, names);
  return `there is no setting ${show(name)}${meant === undefined ? `. The settings are: ${names.join(', ')}.` : `; did you mean ${meant}?`}`;
}

const maxShown = 60;

function show(name: string): string {
  const text = cleanText(name);
  return JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}

/** JSON whose parts know their line, and in which a name that stands twice is seen. */

/** One name of an object, and what stands behind it. */
interface Property {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly value: Part;
}

/** A value: an object has properties, everything else a value. */
interface Part {
  readonly line: number;
  /** Absent where it is no object. */
  readonly properties?: readonly Property[];
  readonly value: unknown;
}

/** A text that is no JSON; the message says what is wrong, the line where. */
class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** @throws JsonProblem where the text is no JSON */
function parseWithLines(text: string): Part {
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
