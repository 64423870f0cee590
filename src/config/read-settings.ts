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
  /** What is wrong: where it is, what is right, and what was given. */
  readonly problem?: string | undefined;
}

export type GivenSettings = Readonly<Partial<Record<keyof Settings, Given>>>;

export function isBlank({ text }: Given): boolean {
  return text.trim() === '';
}

/** Checks the JSON of a setting. A blank one resets the setting to its default, unless it would limit writes. */
export function checkSetting(
  { key, flag, variable, schema, limitsWrites, isSecret }: Setting,
  json: unknown,
  given: Pick<Given, 'text' | 'from' | 'name'>,
): GivenSettings {
  const blank = { ...given, value: undefined };
  const source = given.from === 'file' ? given.name : [flag, variable].filter(Boolean).join(' / ');
  if (isBlank(blank)) {
    const problem = `${source} is blank, and limits what may be written: give it a value, or unset it.`;
    return { [key]: limitsWrites ? { ...blank, problem } : blank };
  }
  const { data, error } = schema.safeParse(json);
  const got = isSecret ? '' : `; got ${JSON.stringify(maskSecrets(given.text))}`;
  return { [key]: { ...given, value: data, problem: error && `${source} ${error.issues[0]?.message}${got}.` } };
}

/** The mark that a desktop program passes for a field that is not filled in. */
const unfilled = /^\$\{user_config\.\w+\}$/;

/** Reads flags and environment. A flag beats the variable. A blank variable counts as unset, unless it would limit writes. */
export function readGiven(flags: Flags, environment: NodeJS.ProcessEnv): GivenSettings {
  const given = settings.map((setting): GivenSettings => {
    const { key, flag = '', variable, schema, limitsWrites } = setting;
    const [inFlag, inVariable] = [flags[key], environment[variable]?.trim()];
    const isSet = inVariable !== undefined && !unfilled.test(inVariable) && (inVariable !== '' || limitsWrites);
    const text = inFlag ?? (isSet ? inVariable : undefined);
    if (text === undefined) return {};
    const isFlag = inFlag !== undefined;
    const source = { text, from: isFlag ? 'flag' : 'variable', name: isFlag ? flag : variable } as const;
    return checkSetting(setting, parseText(text.trim(), schema), source);
  });
  return Object.fromEntries(given.flatMap((one) => Object.entries(one)));
}

/** @throws ConfigurationFailure with a line for each mistake */
export function settle(given: GivenSettings): Settings {
  const problems = Object.values(given).flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new ConfigurationFailure(problems.join('\n'));
  return schema.parse(Object.fromEntries(settings.map(({ key }) => [key, given[key]?.value])));
}

/**
 * Masks what may be secret in a pasted URL: a password before the host, a key after the path. A password can hold any character, so
 * everything up to the last @ is masked; with a ? or # before that @, the rest of the URL is.
 */
function maskSecrets(text: string): string {
  const start = /^\s*[a-z][a-z\d+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const rest = text.slice(start.length);
  const at = rest.lastIndexOf('@');
  const query = rest.search(/[?#]/);
  if (query >= 0 && query < at) return `${start}…`;
  return `${start}${at < 0 ? '' : '…@'}${rest.slice(at + 1).replace(/[?#].*/s, '…')}`;
}
