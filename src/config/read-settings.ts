import { ConfigurationFailure } from './read-key.ts';
import { type Settings, schema, settings } from './settings.ts';
import { parseText } from './values.ts';

/** Values from the command line by setting key; a switch is "true". */
export type Flags = Readonly<Partial<Record<keyof Settings, string>>>;

/** What is given for a setting, and where it was read. */
export interface Given {
  /** As its schema takes it, unless it is wrong. */
  readonly value: unknown;
  readonly text: string;
  readonly from: 'flag' | 'variable' | 'file';
  /** The flag, the variable, or the setting in the file with its line. */
  readonly name: string;
}

export type GivenSettings = Readonly<Partial<Record<keyof Settings, Given>>>;

/** What a desktop program hands over as it is if a person filled in nothing: a value that no one chose. */
const unfilled = /^\$\{user_config\.\w+\}$/;

/** What flags and the environment give. A flag beats the variable; an empty variable is none, unless it would limit writes. */
export function givenBy(flags: Flags, environment: NodeJS.ProcessEnv): GivenSettings {
  const given = settings.flatMap(({ key, flag = '', variable, limitsWrites, schema }): [string, Given][] => {
    const inVariable = environment[variable]?.trim() ?? '';
    const isUnset = environment[variable] === undefined || unfilled.test(inVariable) || !(inVariable || limitsWrites);
    const text = flags[key] ?? (isUnset ? undefined : inVariable);
    if (text === undefined) return [];
    const source = flags[key] === undefined ? { from: 'variable', name: variable } : { from: 'flag', name: flag };
    return [[key, { value: parseText(text.trim(), schema), text, ...source } as Given]];
  });
  return Object.fromEntries(given);
}

/** Whether nothing but space is given, which sets nothing. */
export function isBlank(given: Given | undefined): boolean {
  return !given?.text.trim();
}

/**
 * Reads what is given.
 *
 * @throws ConfigurationFailure with a line for each mistake
 */
export function parseSettings(given: GivenSettings): Settings {
  const { data, mistakes } = checkSettings(given);
  if (data && mistakes.length === 0) return data;
  throw new ConfigurationFailure(mistakes.join('\n'));
}

/** What is given as it was read, and a line for each mistake: where it stands, what is right, and what was given. */
export function checkSettings(given: GivenSettings): { data: Settings | undefined; mistakes: readonly string[] } {
  const values = settings.map(({ key }) => [key, isBlank(given[key]) ? undefined : given[key]?.value]);
  const { data, error } = schema.safeParse(Object.fromEntries(values));
  const mistakes = settings.flatMap(({ key, flag, variable, limitsWrites, isSecret }) => {
    const { from, name, text = '' } = given[key] ?? {};
    const source = from === 'file' ? name : [flag, variable].filter(Boolean).join(' / ');
    if (limitsWrites && from !== undefined && isBlank(given[key])) {
      return `${source} is blank, and limits what may be written: give it a value, or unset it.`;
    }
    const issue = error?.issues.find(({ path }) => path[0] === key);
    const got = isSecret ? '' : `; got ${JSON.stringify(withoutSecrets(text))}`;
    return issue ? `${source} ${issue.message}${got}.` : [];
  });
  return { data, mistakes };
}

/**
 * A URL that is pasted whole may hold a password ahead of its host and a key behind its path. A password can hold any character,
 * so all up to the last @ is taken for one, and if a ? or # stands ahead of that, it is unknown which of the two it is in.
 */
function withoutSecrets(text: string): string {
  const start = /^\s*[a-z][a-z\d+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const rest = text.slice(start.length);
  const at = rest.lastIndexOf('@');
  const query = rest.search(/[?#]/);
  if (query >= 0 && query < at) return `${start}…`;
  return `${start}${at < 0 ? '' : '…@'}${rest.slice(at + 1).replace(/[?#].*/s, '…')}`;
}
