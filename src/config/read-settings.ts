import { ConfigurationFailure } from './read-key.ts';
import { parseText, type Setting, type Settings, schema, settings } from './settings.ts';

/** Values from the command line by setting key; a switch is "true". */
export type Flags = Readonly<Partial<Record<keyof Settings, string>>>;

/** The value of a setting, and where it comes from. */
export interface Given {
  /** As its schema made it; undefined if it is blank or refused. */
  readonly value: unknown;
  readonly text: string;
  readonly from: 'flag' | 'variable' | 'file';
  /** The flag, the variable, or the setting in the file with its line. */
  readonly name: string;
}

export type GivenSettings = Partial<Record<keyof Settings, Given>>;

/** The mistakes and warnings of a configuration, each once, so that all mistakes are reported together. */
export class Findings {
  readonly problems = new Set<string>();
  readonly warnings = new Set<string>();

  /** Throws a ConfigurationFailure with a line for each mistake. Without any, returns the only way to make settings. */
  throwProblems(): (given: GivenSettings) => Settings {
    if (this.problems.size > 0) throw new ConfigurationFailure([...this.problems].join('\n'));
    return (given) => schema.parse(Object.fromEntries(settings.map(({ key }) => [key, given[key]?.value])));
  }
}

/** Whether a setting has a value. A blank one counts as unset. */
export function isSet(given: Given | undefined): given is Given {
  return given !== undefined && given.text.trim() !== '';
}

/** Checks the JSON of a setting. A blank one resets the setting to its default, unless it would limit writes. */
export function checkSetting(
  { flag, variable, schema, limitsWrites, isSecret }: Setting,
  json: unknown,
  given: Omit<Given, 'value'>,
  { problems }: Findings,
): Given {
  const source = given.from === 'file' ? given.name : [flag, variable].filter(Boolean).join(' / ');
  if (given.text.trim() === '') {
    if (limitsWrites) problems.add(`${source} is blank, and limits what may be written: give it a value or unset it.`);
    return { ...given, value: undefined };
  }
  const { data, error } = schema.safeParse(json);
  const got = isSecret ? '' : `; got ${JSON.stringify(maskSecrets(given.text))}`;
  if (error) problems.add(`${source} ${error.issues[0]?.message}${got}.`);
  return { ...given, value: data };
}

/** The secret in a value, in words; undefined if it has none. A URL is a secret only if it has a password. */
export function secretIn({ isSecret, value }: Setting, text: string): 'a key' | 'a password' | undefined {
  if (!isSecret || text.trim() === '') return undefined;
  if (value === 'URL') return text.includes('@') ? 'a password' : undefined;
  return 'a key';
}

/** The mark that a desktop program passes for a field that is not filled in. */
const unfilled = /^\$\{user_config\.\w+\}$/;

/** Reads flags and environment. A flag beats the variable. A blank variable counts as unset, unless it would limit writes. */
export function readGiven(flags: Flags, environment: NodeJS.ProcessEnv, findings = new Findings()): GivenSettings {
  const given: GivenSettings = {};
  for (const setting of settings) {
    const { key, flag = '', variable, schema, limitsWrites } = setting;
    const [inFlag, inVariable] = [flags[key], environment[variable]?.trim()];
    const isFlag = inFlag !== undefined;
    const text = inFlag ?? inVariable;
    if (text === undefined || (!isFlag && (unfilled.test(text) || (text === '' && !limitsWrites)))) continue;
    const secret = isFlag && secretIn(setting, text);
    if (secret) findings.warnings.add(`${flag} shows ${secret} to everyone who can list processes: use ${variable}.`);
    const source = { text, from: isFlag ? 'flag' : 'variable', name: isFlag ? flag : variable } as const;
    given[key] = checkSetting(setting, parseText(text.trim(), schema), source, findings);
  }
  return given;
}

/** Masks what may be secret in a pasted URL: all of it after the scheme if it has an @, and otherwise what follows its path. */
function maskSecrets(text: string): string {
  return text.includes('@') ? text.replace(/^(\s*[a-z][a-z\d+.-]*:\/\/)?.*/is, '$1…') : text.replace(/[?#].*/s, '…');
}
