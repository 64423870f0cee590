import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { cleanText } from '../api/text/clean-text.ts';
import { nearestName } from '../api/text/names.ts';
import { ConfigurationFailure, filePermissionWarning } from './read-key.ts';
import type { Given, GivenSettings } from './read-settings.ts';
import { type Setting, type Settings, settings } from './settings.ts';
import { describeForm, textOf } from './values.ts';

/** What a configuration file says. */
export interface ConfigFile {
  /** What it says for all trackers, and for the server. */
  readonly shared: GivenSettings;
  /** At least one, in the order of the file, each with what the file says for all beside its own. */
  readonly trackers: readonly { readonly name: string; readonly given: GivenSettings }[];
  /** The tracker that a read is about if the call names none. */
  readonly byDefault: string | undefined;
  /** In which programs that print a key are run. */
  readonly folder: string;
  /** What a person should know, one line each. */
  readonly warnings: readonly string[];
}

/** Names are shown in listings, tables and logs. */
const trackerName = /^[a-z\d][a-z\d_.-]{0,39}$/i;

/** Two names that differ in letter case or punctuation alone would be taken for each other, in SQL too. */
const plainTrackerName = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '_');

/** What stands at the top of a file beside settings. */
const topNames = ['$schema', 'default', 'trackers'];

/** The settings that the file may hold: at its top, and for one tracker. A file names no other file. */
export const topSettings = settings.filter(({ key, locates }) => !locates && key !== 'config');
export const trackerSettings = settings.filter(
  ({ key, command, isServers }) => command === undefined && !isServers && key !== 'config',
);

/** One name of an object in the file. */
interface Property {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly value: Node;
}

/**
 * Reads a configuration file.
 *
 * @throws ConfigurationFailure that names every mistake with its line
 */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const text = await readText(path);
  const folder = dirname(resolve(path));
  const lineOf = (offset: number) => text.slice(0, offset).split(/\r\n|\r|\n/).length;
  const problems: string[] = [];
  const warnings: string[] = [];
  const complain = (line: number, problem: string) => problems.push(`${path}:${line}: ${problem}`);

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [error] = errors;
  if (error || !root) {
    const word = error ? printParseErrorCode(error.error) : 'ValueExpected';
    complain(lineOf(error?.offset ?? 0), `${syntaxProblems[word] ?? 'a value or a name cannot be read'}.`);
    throw new ConfigurationFailure(problems.join('\n'));
  }
  const rootLine = lineOf(root.offset);
  if (root.type !== 'object') complain(rootLine, 'the file must hold one object.');
  const top = propertiesOf(root, (name) => `${show(name)} is set twice`);
  const find = (name: string) => top.find((property) => property.name === name);
  const shared = readSettings(
    top.filter(({ name }) => !topNames.includes(name)),
    topSettings,
    ({ inFile }) => `${inFile} belongs to one tracker: move it into that one, inside trackers.`,
  );
  const openPassword = shared.redis?.text.includes('@') ? filePermissionWarning(path, 'a password') : undefined;
  if (openPassword !== undefined) complain(lineNamed('mcp_redis', top), openPassword);
  const trackers = readTrackers(find('trackers'));
  const byDefault = readDefault(find('default'));
  if (problems.length > 0) throw new ConfigurationFailure(problems.join('\n'));
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
      const property = { name: String(nameNode.value), line: lineOf(offset), value };
      const earlier = first.get(plain(property.name));
      if (earlier) complain(property.line, `${twice(property.name, earlier.line)}.`);
      else first.set(plain(property.name), property);
    }
    return [...first.values()];
  }

  function readTrackers(found: Property | undefined): ConfigFile['trackers'] {
    const twice = (name: string, line: number) =>
      `there are two trackers of the name ${show(name)}; the other is in line ${line}`;
    const named = propertiesOf(found?.value, twice, plainTrackerName);
    if (named.length === 0)
      complain(found?.line ?? rootLine, 'trackers is missing: it holds each tracker by its name.');
    return named.map(({ name, line, value }) => {
      if (!trackerName.test(name)) {
        complain(line, `${show(name)} cannot be a name: letters, digits, _ . and -, at most 40, beginning with one.`);
      }
      if (value.type !== 'object') complain(line, `${show(name)} must be an object.`);
      const properties = propertiesOf(value, (setting) => `${show(setting)} of ${show(name)} is set twice`);
      const own = readSettings(
        properties,
        trackerSettings,
        ({ inFile }) => `${inFile} is about the server: move it to the top of the file.`,
      );
      checkLocation(name, line, own, lineNamed('api_key', properties));
      return { name, given: { ...shared, ...own } };
    });
  }

  function readDefault(found: Property | undefined): string | undefined {
    const names = trackers.map(({ name }) => name);
    const name = names.find((known) => known === found?.value.value);
    if (found && name === undefined) {
      complain(found.line, `default must be one of the trackers: ${names.join(', ')}.`);
    }
    return name;
  }

  function readSettings(
    properties: readonly Property[],
    known: readonly Setting[],
    misplaced: (setting: Setting) => string,
  ): GivenSettings {
    const given: Partial<Record<keyof Settings, Given>> = {};
    for (const { name, line, value } of properties) {
      const setting = known.find(({ inFile }) => inFile === name);
      if (!setting) {
        const elsewhere = settings.find(({ inFile, key }) => inFile === name && key !== 'config');
        complain(line, elsewhere ? misplaced(elsewhere) : unknownSetting(name, known));
        continue;
      }
      const text = textOf(getNodeValue(value), setting.form);
      if (text === undefined) complain(line, `${name} must be ${describeForm(setting.form)}.`);
      given[setting.key] = {
        text: setting.isPath && text ? pathOf(text) : (text ?? ''),
        from: 'file',
        name: `${path}:${line}: ${name}`,
      };
    }
    return given;
  }

  /** A tracker is at a URL with a key, or is the embedded one. */
  function checkLocation(name: string, line: number, own: GivenSettings, keyLine: number): void {
    const isThere = own.url !== undefined;
    if ((own.sandbox?.text === 'true') === isThere) {
      complain(line, `${show(name)} needs ${isThere ? 'a url or sandbox, and has both' : 'a url, or sandbox true'}.`);
    }
    if (isThere && !own.apiKey?.text && !own.apiKeyFile?.text && !own.keyCommand) {
      complain(line, `${show(name)} needs a key: key_file, or key_command.`);
    }
    if (own.apiKey === undefined) return;
    // A key in the file itself is that of each who can read the file.
    const problem = filePermissionWarning(path);
    if (problem !== undefined) complain(keyLine, problem);
    else {
      warnings.push(
        `${path}:${keyLine}: the key of ${show(name)} stands in the file itself: better a key_file or a key_command.`,
      );
    }
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

function lineNamed(wanted: string, properties: readonly Property[]): number {
  return properties.find(({ name }) => name === wanted)?.line ?? 1;
}

function unknownSetting(name: string, known: readonly Setting[]): string {
  const names = known.map(({ inFile }) => inFile);
  const meant = nearestName(name, names);
  return `there is no setting ${show(name)}${meant === undefined ? `. The settings are: ${names.join(', ')}.` : `; did you mean ${meant}?`}`;
}

const maxShown = 60;

function show(name: string): string {
  const text = cleanText(name);
  return JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
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
