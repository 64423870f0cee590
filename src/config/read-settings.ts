import type * as z from 'zod';
import { ConfigurationFailure } from './read-key.ts';
import { type Setting, type Settings, schema, settings } from './settings.ts';

/** Values from the command line by setting key; a switch is "true". */
export type Flags = Readonly<Partial<Record<keyof Settings, string>>>;

/** The text of a setting, and where it was read. */
export interface Given {
  readonly text: string;
  readonly from: 'flag' | 'variable' | 'file';
  /** The flag, the variable, or the setting in the file with its line. */
  readonly name: string;
}

export type GivenSettings = Readonly<Partial<Record<keyof Settings, Given>>>;

/** What flags and the environment give. A flag beats the variable; an empty variable is none, unless it would limit writes. */
export function givenBy(flags: Flags, environment: NodeJS.ProcessEnv): GivenSettings {
  const given = settings.flatMap(({ key, flag = '', variable, limitsWrites }): [string, Given][] => {
    const inFlag = flags[key];
    if (inFlag !== undefined) return [[key, { text: inFlag, from: 'flag', name: flag }]];
    const inVariable = readVariable(environment, variable);
    if (inVariable === undefined || (inVariable === '' && !limitsWrites)) return [];
    return [[key, { text: inVariable, from: 'variable', name: variable }]];
  });
  return Object.fromEntries(given);
}

/** What a desktop program hands over as it is if a person filled in nothing: a value that nobody chose. */
const unfilled = /^\$\{user_config\.\w+\}$/;

function readVariable(environment: NodeJS.ProcessEnv, variable: string): string | undefined {
  const value = environment[variable]?.trim();
  return value === undefined || unfilled.test(value) ? undefined : value;
}

/**
 * Reads the texts of settings.
 *
 * @throws ConfigurationFailure that names each wrong one by where it stands, with what it may be
 */
export function parseSettings(given: GivenSettings): Settings {
  const texts = Object.fromEntries(settings.map(({ key }) => [key, given[key]?.text || undefined]));
  const blank = settings.filter(({ key, limitsWrites }) => limitsWrites && given[key]?.text.trim() === '');
  const parsed = schema.safeParse(texts);
  if (parsed.success && blank.length === 0) return parsed.data;
  const issues = parsed.error?.issues.filter(({ path }) => !blank.some(({ key }) => key === path[0])) ?? [];
  const mistakes = [
    ...blank.map(
      (about) => `${nameOf(about, given)} is blank, and limits what may be written: give it a value, or unset it.`,
    ),
    ...issues.map((issue) => explain(issue, given)),
  ];
  throw new ConfigurationFailure(mistakes.join('\n'));
}

/** Whether two texts set a setting to the same, however each is written. */
export function saysTheSame(key: keyof Settings, one: string, other: string): boolean {
  const [read, counterpart] = [one, other].map((text) => JSON.stringify(schema.shape[key].safeParse(text).data));
  return read === counterpart;
}

function nameOf({ key, flag, variable }: Setting, given: GivenSettings): string {
  const { from, name = '' } = given[key] ?? {};
  return from === 'file' ? name : [flag, variable].filter(Boolean).join(' / ');
}

function explain(issue: z.core.$ZodIssue, given: GivenSettings): string {
  const wanted = issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : issue.message;
  const about = settings.find(({ key }) => key === issue.path[0]);
  if (!about) return `${wanted}.`;
  const got = about.isSecret ? '' : `; got ${JSON.stringify(withoutSecrets(given[about.key]?.text ?? ''))}`;
  return `${nameOf(about, given)} ${wanted}${got}.`;
}

/**
 * A URL that is pasted whole may hold a password ahead of its host and a key behind its path. A password can hold any character,
 * so all up to the last @ is taken for one, and if a ? or # stands ahead of that, it cannot be told which of the two it is in.
 */
function withoutSecrets(text: string): string {
  const start = /^\s*[a-z][a-z\d+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const rest = text.slice(start.length);
  const at = rest.lastIndexOf('@');
  const query = rest.search(/[?#]/);
  if (query >= 0 && query < at) return `${start}…`;
  return `${start}${at < 0 ? '' : '…@'}${rest.slice(at + 1).replace(/[?#].*/s, '…')}`;
}
