import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { cleanText } from '../api/text/clean-text.ts';
import { didYouMean } from '../api/text/names.ts';
import { shorten } from '../api/text/tracker-text.ts';
import { whyNot } from '../files/at-path.ts';
import { readTextAndMode } from '../files/read-file.ts';
import { ConfigurationFailure, permissionWarning } from './read-key.ts';
import { checkSetting, type Findings, type GivenSettings, secretIn } from './read-settings.ts';
import { type Setting, settings } from './settings.ts';

const trackerName = /^[a-z\d][a-z\d_.-]{0,39}$/i;

/** Names that differ only in letter case or punctuation would be confused, in SQL as well. */
const comparedName = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '_');

/** Hexadecimal digits as keys have them, and names do not. */
const keyShape = /^(?=.*\d)[\da-f]{24,}$/i;

const show = (name: string) => JSON.stringify(shorten(cleanText(name), 60));

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
 * @param findings gets every mistake with its line
 * @returns the settings at its top; its trackers in their order, each with the top settings that it does not set itself; the default
 * tracker of reads; the folder in which programs that print a key run
 * @throws ConfigurationFailure if the file cannot be read or is not JSON
 */
export async function readConfigFile(path: string, findings: Findings) {
  const { text, mode } = await readTextAndMode(path).catch((error: unknown) => {
    throw new ConfigurationFailure(
      `The configuration file cannot be read: ${path} (${whyNot(error)}).`,
      'Check --config (TRACKER_CONFIG).',
    );
  });
  const folder = dirname(resolve(path));
  const lineOf = (offset: number) => text.slice(0, offset).split(/\r\n|\r|\n/).length;
  const at = (line: number, message: string) => `${path}:${line}: ${message}`;
  const complain = (line: number, problem: string) => findings.problems.add(at(line, problem));

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const [syntax] = errors;
  if (syntax) {
    // The error codes of the parser are words, such as CommaExpected.
    const problem = printParseErrorCode(syntax.error).replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    throw new ConfigurationFailure(
      at(lineOf(syntax.offset), `${problem}.`),
      'The file must be JSON, with no comments and no comma after the last item.',
    );
  }
  const top = propertiesOf(root);
  const property = (wanted: string) => top.find(({ name }) => name === wanted);
  const shared = readSettings(
    top.filter(({ name }) => !['$schema', 'default', 'trackers'].includes(name)),
    topSettings,
  );
  const trackers = propertiesOf(property('trackers')?.node).map(({ name, line, node }) => {
    // Names are shown to agents and in logs.
    if (keyShape.test(name)) complain(line, 'the name of a tracker looks like an API key: give it another one.');
    const shown = keyShape.test(name) ? 'a tracker' : show(name);
    if (!trackerName.test(name)) {
      complain(line, `${shown} is not a name: use up to 40 letters, digits, _ . and -; start with a letter or digit.`);
    }
    const given = { ...shared, ...readSettings(propertiesOf(node), trackerSettings) };
    return { name, place: at(line, shown), given };
  });
  if (trackers.length === 0) {
    const line = property('trackers')?.line ?? lineOf(root?.offset ?? 0);
    complain(line, 'trackers is missing or empty: the file is an object in which it holds each tracker by name.');
  }
  const names = trackers.map(({ name }) => name);
  const preferred = property('default');
  const byDefault = names.find((name) => name === preferred?.node.value);
  if (preferred && byDefault === undefined) {
    complain(preferred.line, `default must be one of the trackers: ${names.join(', ')}.`);
  }
  return { shared, trackers, byDefault, folder };

  /** The properties of an object. If two have the same name, the first counts. */
  function propertiesOf(node: Node | undefined): readonly Property[] {
    const first = new Map<string, Property>();
    for (const { offset, children: [nameNode, value] = [] } of (node?.type === 'object' && node.children) || []) {
      if (!nameNode || !value) continue;
      const property = { name: String(nameNode.value), line: lineOf(offset), node: value };
      const { line } = first.get(comparedName(property.name)) ?? {};
      if (line === undefined) first.set(comparedName(property.name), property);
      else complain(property.line, `${show(property.name)} is set twice; the other is in line ${line}.`);
    }
    return [...first.values()];
  }

  function readSettings(properties: readonly Property[], known: readonly Setting[]): GivenSettings {
    const given: GivenSettings = {};
    for (const { name, line, node } of properties) {
      const setting = known.find(({ nameInFile }) => nameInFile === name);
      if (!setting) {
        complain(line, refusal(name, known));
        continue;
      }
      const json: unknown = getNodeValue(node);
      const value = typeof json === 'string' ? absolutePath(setting, json.trim()) : json;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const secret = secretIn(setting, text);
      const warning = secret && permissionWarning(path, mode, secret);
      if (warning) complain(line, warning);
      else if (secret === 'a key') {
        findings.warnings.add(at(line, `${name} has the key in the file itself: better use key_file or key_command.`));
      }
      given[setting.key] = checkSetting(setting, value, { text, from: 'file', name: at(line, name) }, findings);
    }
    return given;
  }

  /** Paths are relative to the file, wherever the server starts. */
  function absolutePath({ isPath, keyword }: Setting, text: string): string {
    if (!isPath || text === '' || text === keyword) return text;
    return text.startsWith('~/') ? join(homedir(), text.slice(2)) : resolve(folder, text);
  }
}

function refusal(name: string, known: readonly Setting[]): string {
  const names = known.map(({ nameInFile }) => nameInFile);
  const misplaced = fileSettings.find(({ nameInFile }) => nameInFile === name);
  if (misplaced?.locates) return `${name} belongs to one tracker: move it into that one, inside trackers.`;
  if (misplaced) return `${name} is about the server: move it to the top of the file.`;
  const hint = didYouMean(name, names);
  return `there is no setting ${show(name)}${hint}${hint === '.' ? ` The settings are: ${names.join(', ')}.` : ''}`;
}
