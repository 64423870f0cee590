import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { cleanText } from '../api/text/clean-text.ts';
import { nearestName } from '../api/text/names.ts';
import { shorten } from '../api/text/tracker-text.ts';
import { ConfigurationFailure, filePermissionWarning } from './read-key.ts';
import { checkSetting, type GivenSettings } from './read-settings.ts';
import { type Setting, settings } from './settings.ts';

const trackerName = /^[a-z\d][a-z\d_.-]{0,39}$/i;

/** Names that differ only in letter case or punctuation would be confused, in SQL as well. */
const plainTrackerName = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '_');

const isSetting = ({ name }: Property) => !['$schema', 'default', 'trackers'].includes(name);

/** The settings that the file may hold: at its top, and in one tracker. A file cannot name another file. */
const fileSettings = settings.filter(({ key }) => key !== 'config');
export const topSettings = fileSettings.filter(({ locates }) => !locates);
export const trackerSettings = fileSettings.filter(({ command, isPerServer }) => command === undefined && !isPerServer);

interface Property {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly node: Node;
}

/**
 * Reads a configuration file.
 *
 * @returns the settings at its top; its trackers in their order, at least one, each with the top settings that it does not set
 * itself; the default tracker of reads; the folder in which programs that print a key run; and warnings
 * @throws ConfigurationFailure that names every mistake with its line
 */
export async function readConfigFile(path: string) {
  const text = await readText(path);
  const folder = dirname(resolve(path));
  const lineOf = (offset: number) => text.slice(0, offset).split(/\r\n|\r|\n/).length;
  const at = (line: number, message: string) => `${path}:${line}: ${message}`;
  const problems: string[] = [];
  const warnings: string[] = [];
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
  const property = (wanted: string) => top.find(({ name }) => name === wanted);
  const shared = readSettings(
    top.filter(isSetting),
    topSettings,
    'belongs to one tracker: move it into that one, inside trackers.',
  );
  const redis = property('mcp_redis');
  if (redis && shared.redis?.text.includes('@')) refuseOpenFile(redis.line, 'a password');
  const trackers = propertiesOf(
    property('trackers')?.node,
    (name, line) => `there are two trackers of the name ${show(name)}; the other is in line ${line}`,
    plainTrackerName,
  ).map(readTracker);
  if (trackers.length === 0) {
    complain(property('trackers')?.line ?? rootLine, 'trackers is missing: it holds each tracker by its name.');
  }
  const names = trackers.map(({ name }) => name);
  const preferred = property('default');
  const byDefault = names.find((name) => name === preferred?.node.value);
  if (preferred && byDefault === undefined) {
    complain(preferred.line, `default must be one of the trackers: ${names.join(', ')}.`);
  }
  if (problems.length > 0) throw new ConfigurationFailure(problems.join('\n'));
  return { shared, trackers, byDefault, folder, warnings };

  /** The properties of an object. If two have one name, the first counts. */
  function propertiesOf(
    node: Node | undefined,
    describeRepeat: (name: string, firstLine: number) => string,
    plain = (name: string) => name,
  ): readonly Property[] {
    const first = new Map<string, Property>();
    for (const { offset, children: [nameNode, value] = [] } of (node?.type === 'object' && node.children) || []) {
      if (!nameNode || !value) continue;
      const property = { name: String(nameNode.value), line: lineOf(offset), node: value };
      const earlier = first.get(plain(property.name));
      if (earlier) complain(property.line, `${describeRepeat(property.name, earlier.line)}.`);
      else first.set(plain(property.name), property);
    }
    return [...first.values()];
  }

  function readTracker({ name, line, node }: Property) {
    const shown = show(name);
    if (!trackerName.test(name)) {
      complain(line, `${shown} cannot be a name: letters, digits, _ . and -, at most 40, beginning with one.`);
    }
    if (node.type !== 'object') complain(line, `${shown} must be an object.`);
    const properties = propertiesOf(node, (setting) => `${show(setting)} of ${shown} is set twice`);
    const given = readSettings(properties, trackerSettings, 'is about the server: move it to the top of the file.');
    const hasUrl = given.url !== undefined;
    if ((given.sandbox?.value === true) === hasUrl) {
      complain(line, `${shown} needs ${hasUrl ? 'a url or sandbox, and has both' : 'a url, or sandbox true'}.`);
    }
    if (hasUrl && !given.apiKey?.text && !given.apiKeyFile?.text && !given.keyCommand) {
      complain(line, `${shown} needs a key: key_file, or key_command.`);
    }
    // Everyone who can read the file has the key.
    const keyLine = properties.find((property) => property.name === 'api_key')?.line;
    if (keyLine !== undefined && !refuseOpenFile(keyLine, 'a key')) {
      warnings.push(at(keyLine, `the key of ${shown} is in the file itself: better a key_file or a key_command.`));
    }
    return { name, given: { ...shared, ...given } };
  }

  function readSettings(properties: readonly Property[], known: readonly Setting[], misplaced: string): GivenSettings {
    const given = properties.map(({ name, line, node }): GivenSettings => {
      const setting = fileSettings.find(({ nameInFile }) => nameInFile === name);
      if (!setting || !known.includes(setting)) {
        complain(line, setting ? `${name} ${misplaced}` : unknownSetting(name, known));
        return {};
      }
      const json: unknown = getNodeValue(node);
      const trimmed = typeof json === 'string' ? json.trim() : json;
      const value = setting.isPath && typeof trimmed === 'string' && trimmed !== '' ? absolutePath(trimmed) : trimmed;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const checked = checkSetting(setting, value, { text, from: 'file', name: at(line, name) });
      problems.push(...Object.values(checked).flatMap(({ problem }) => problem ?? []));
      return checked;
    });
    return Object.fromEntries(given.flatMap((one) => Object.entries(one)));
  }

  /** Complains if other users may read the file. Returns whether it did. */
  function refuseOpenFile(line: number, secret: string): boolean {
    const problem = filePermissionWarning(path, secret);
    if (problem !== undefined) complain(line, problem);
    return problem !== undefined;
  }

  /** Paths are relative to the file, wherever the server starts. */
  function absolutePath(text: string): string {
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
  const names = known.map(({ nameInFile }) => nameInFile);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? `. The settings are: ${names.join(', ')}.` : `; did you mean ${nearest}?`;
  return `there is no setting ${show(name)}${hint}`;
}

function show(name: string): string {
  return JSON.stringify(shorten(cleanText(name), 60));
}

/** By the error codes of the parser. */
const syntaxProblems: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'a comment, which JSON does not have',
  PropertyNameExpected: 'a name in double quotes is missing, or a comma is too many',
  ValueExpected: 'a value is missing, or a comma is too many',
  CommaExpected: 'a comma is missing',
  ColonExpected: 'a colon is missing',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'there is text after the end',
  InvalidSymbol: 'a word that is neither true, false, null nor in double quotes',
  UnexpectedEndOfString: 'a text does not end on its line',
};
