import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { cleanText } from '../api/text/clean-text.ts';
import { nearestName } from '../api/text/names.ts';
import { shorten } from '../api/text/tracker-text.ts';
import { ConfigurationFailure, filePermissionWarning } from './read-key.ts';
import { checkSettings, type Given, type GivenSettings } from './read-settings.ts';
import { type Setting, settings } from './settings.ts';

/** Names are shown in listings, tables and logs. */
const trackerName = /^[a-z\d][a-z\d_.-]{0,39}$/i;

/** Two names that differ in letter case or punctuation alone would be taken for each other, in SQL too. */
const plainTrackerName = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '_');

/** What stands at the top of a file beside settings. */
const topNames = ['$schema', 'default', 'trackers'];

/** The settings that the file may hold: at its top, and for one tracker. A file names no other file. */
const inFiles = settings.filter(({ key }) => key !== 'config');
export const topSettings = inFiles.filter(({ locates }) => !locates);
export const trackerSettings = inFiles.filter(({ command, isServers }) => command === undefined && !isServers);

interface Property {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly node: Node;
}

/**
 * Reads a configuration file.
 *
 * @returns what it says for all trackers and the server; the trackers in its order, at least one, each with that beside its own;
 * which one a read is about by default; in which folder programs that print a key are run; and what a person should know
 * @throws ConfigurationFailure that names every mistake with its line
 */
export async function readConfigFile(path: string) {
  const text = await readText(path);
  const folder = dirname(resolve(path));
  const lineOf = (offset: number) => text.slice(0, offset).split(/\r\n|\r|\n/).length;
  const problems: string[] = [];
  const warnings: string[] = [];
  const at = (line: number, problem: string) => `${path}:${line}: ${problem}`;
  const complain = (line: number, problem: string) => problems.push(at(line, problem));

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const [syntax] = errors;
  if (syntax) {
    const problem = syntaxProblems[printParseErrorCode(syntax.error)] ?? 'a value or a name cannot be read';
    throw new ConfigurationFailure(at(lineOf(syntax.offset), `${problem}.`));
  }
  const rootLine = lineOf(root?.offset ?? 0);
  if (root?.type !== 'object') complain(rootLine, 'the file must hold one object.');
  const top = propertiesOf(root, (name) => `${show(name)} is set twice`);
  const [named, usual, redis] = ['trackers', 'default', 'mcp_redis'].map((wanted) =>
    top.find(({ name }) => name === wanted),
  );
  const shared = readSettings(
    top.filter(({ name }) => !topNames.includes(name)),
    topSettings,
    'belongs to one tracker: move it into that one, inside trackers.',
  );
  if (redis && shared.redis?.text.includes('@')) refuseOpenFile(redis.line, 'a password');
  const trackers = propertiesOf(
    named?.node,
    (name, line) => `there are two trackers of the name ${show(name)}; the other is in line ${line}`,
    plainTrackerName,
  ).map(readTracker);
  if (trackers.length === 0)
    complain(named?.line ?? rootLine, 'trackers is missing: it holds each tracker by its name.');
  const names = trackers.map(({ name }) => name);
  const byDefault = names.find((name) => name === usual?.node.value);
  if (usual && byDefault === undefined)
    complain(usual.line, `default must be one of the trackers: ${names.join(', ')}.`);
  for (const given of [shared, ...trackers.map((tracker) => tracker.given)])
    problems.push(...checkSettings(given).mistakes);
  // What stands at the top of the file is wrong for each tracker, and is said once.
  if (problems.length > 0) throw new ConfigurationFailure([...new Set(problems)].join('\n'));
  return { shared, trackers, byDefault, folder, warnings };

  /** The properties of an object, each name once: of two the first counts. */
  function propertiesOf(
    node: Node | undefined,
    twice: (name: string, firstLine: number) => string,
    plain = (name: string) => name,
  ): readonly Property[] {
    const first = new Map<string, Property>();
    for (const { offset, children: [nameNode, value] = [] } of (node?.type === 'object' && node.children) || []) {
      if (!nameNode || !value) continue;
      const property = { name: String(nameNode.value), line: lineOf(offset), node: value };
      const earlier = first.get(plain(property.name));
      if (earlier) complain(property.line, `${twice(property.name, earlier.line)}.`);
      else first.set(plain(property.name), property);
    }
    return [...first.values()];
  }

  function readTracker({ name, line, node }: Property) {
    const called = show(name);
    if (!trackerName.test(name)) {
      complain(line, `${called} cannot be a name: letters, digits, _ . and -, at most 40, beginning with one.`);
    }
    if (node.type !== 'object') complain(line, `${called} must be an object.`);
    const properties = propertiesOf(node, (setting) => `${show(setting)} of ${called} is set twice`);
    const own = readSettings(properties, trackerSettings, 'is about the server: move it to the top of the file.');
    // A tracker is at a URL with a key, or is the embedded one.
    const isThere = own.url !== undefined;
    if ((own.sandbox?.value === true) === isThere) {
      complain(line, `${called} needs ${isThere ? 'a url or sandbox, and has both' : 'a url, or sandbox true'}.`);
    }
    if (isThere && !own.apiKey?.text && !own.apiKeyFile?.text && !own.keyCommand) {
      complain(line, `${called} needs a key: key_file, or key_command.`);
    }
    // A key in the file itself is that of each who can read the file.
    const keyLine = properties.find((property) => property.name === 'api_key')?.line;
    if (keyLine !== undefined && !refuseOpenFile(keyLine, 'a key')) {
      warnings.push(at(keyLine, `the key of ${called} stands in the file itself: better a key_file or a key_command.`));
    }
    return { name, given: { ...shared, ...own } };
  }

  function readSettings(properties: readonly Property[], known: readonly Setting[], misplaced: string): GivenSettings {
    const given = properties.flatMap(({ name, line, node }): [string, Given][] => {
      const setting = inFiles.find(({ inFile }) => inFile === name);
      if (!setting || !known.includes(setting)) {
        complain(line, setting ? `${name} ${misplaced}` : unknownSetting(name, known));
        return [];
      }
      const said: unknown = getNodeValue(node);
      const plain = typeof said === 'string' ? said.trim() : said;
      const value = setting.isPath && typeof plain === 'string' && plain !== '' ? pathOf(plain) : plain;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [[setting.key, { value, text, from: 'file', name: at(line, name) }]];
    });
    return Object.fromEntries(given);
  }

  /** Complains if others than its owner may read the file, and says whether it did. */
  function refuseOpenFile(line: number, secret: string): boolean {
    const problem = filePermissionWarning(path, secret);
    if (problem !== undefined) complain(line, problem);
    return problem !== undefined;
  }

  /** A path is meant from the file on, wherever the server is started. */
  function pathOf(text: string): string {
    return text.startsWith('~/') ? join(homedir(), text.slice(2)) : resolve(folder, text);
  }
}

async function readText(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
  } catch (error) {
    throw new ConfigurationFailure(
      `The configuration file cannot be read: ${path} (${(error as NodeJS.ErrnoException).code}).`,
      'Check --config (TRACKER_CONFIG).',
    );
  }
}

function unknownSetting(name: string, known: readonly Setting[]): string {
  const names = known.map(({ inFile }) => inFile);
  const meant = nearestName(name, names);
  return `there is no setting ${show(name)}${meant === undefined ? `. The settings are: ${names.join(', ')}.` : `; did you mean ${meant}?`}`;
}

function show(name: string): string {
  return JSON.stringify(shorten(cleanText(name), 60));
}

/** What the words of the library mean to the person who wrote the file. */
const syntaxProblems: Readonly<Record<string, string>> = {
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
