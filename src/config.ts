import type * as z from 'zod';
import { ConfigurationFailure, filePermissionWarning, readKeyFile, readKeyFromCommand } from './config/read-key.ts';
import { type Setting, type Settings, schema, settings } from './config/settings.ts';

export { ConfigurationFailure };

/** Values from the command line by setting key; a switch is "true". */
export type Flags = Readonly<Partial<Record<keyof Settings, string>>>;

type Located = 'url' | 'apiKey' | 'apiKeyFile' | 'keyCommand' | 'sandbox';

/** What is set, but for where a tracker is. */
export type SharedSettings = Omit<Settings, Located>;

/** What is set for one tracker. */
export type Config = Omit<SharedSettings, 'timezone'> & {
  readonly tracker: 'sandbox' | { readonly url: string; readonly apiKey: string };
  /** Absent: UTC for a tracker elsewhere, and the embedded tracker's own zone for that one. */
  readonly timezone?: string | undefined;
  /** What a person should know, one line each. */
  readonly warnings: readonly string[];
};

/** What a configuration file says of one tracker. Flags and the environment beat it. */
export interface FileLayer {
  /** As text, by setting key, as a flag would have it. */
  readonly values: Flags;
  /** Where a setting of it stands, for messages. */
  readonly placeOf: (key: keyof Settings) => string;
  /** The folder of the file, in which programs that tell a key are run. */
  readonly folder: string;
}

/**
 * Reads what is set, but for where the tracker is, for whoever needs none.
 *
 * @throws ConfigurationFailure that names the flag or variable and what it may be
 */
export function readShared(flags: Flags, environment: NodeJS.ProcessEnv, file?: FileLayer): SharedSettings {
  const { url, apiKey, apiKeyFile, keyCommand, sandbox, ...shared } = parseSettings(flags, environment, file);
  return shared;
}

/**
 * Reads the configuration of one tracker. A flag beats the environment, which beats the file, which beats the default; an empty
 * variable is none, but for one that would have limited writes.
 *
 * @throws ConfigurationFailure that names the flag, variable or line and what it may be
 */
export function readConfig(flags: Flags, environment: NodeJS.ProcessEnv, file?: FileLayer): Config {
  const settings = parseSettings(flags, environment, file);
  const { url, apiKey, apiKeyFile, keyCommand, sandbox, ...rest } = settings;
  refuseHalfOAuth(rest);
  const warnings: string[] = [];
  if (flags.apiKey !== undefined) {
    warnings.push(
      '--api-key shows the key to everyone who can list processes: use TRACKER_API_KEY or TRACKER_API_KEY_FILE.',
    );
  }
  if (flags.redis !== undefined && rest.redis?.some((address) => new URL(address).password !== '')) {
    warnings.push(
      '--redis shows its password to everyone who can list processes: use TRACKER_MCP_REDIS for a URL that holds one.',
    );
  }
  if (isSandboxMeant(flags, url, sandbox)) return { ...rest, tracker: 'sandbox', warnings };
  if (url === undefined) {
    throw new ConfigurationFailure(
      'No tracker is set. There are two ways:',
      '\n  your tracker   set TRACKER_URL to its base URL and TRACKER_API_KEY to the key from its general settings' +
        '\n  sample data    --sandbox, or TRACKER_SANDBOX=1: an embedded tracker with nothing to set up',
    );
  }
  const key = apiKey ?? readKey(settings, warnings, file);
  if (!key) {
    throw new ConfigurationFailure(
      'The tracker needs an API key.',
      'Set TRACKER_API_KEY, or TRACKER_API_KEY_FILE to a file that holds it; the tracker’s general settings show it.',
    );
  }
  if (isPlainHttpElsewhere(url)) {
    warnings.push(
      `${url} is not encrypted: the API key and every report can be read on the way. Use https:// if the tracker has it.`,
    );
  }
  return { ...rest, tracker: { url, apiKey: key }, warnings };
}

/**
 * The key from its file or program. A file that others may read is refused where a configuration file names it; by the
 * environment, in which containers name secrets that the system keeps, it is warned of.
 */
function readKey(
  { apiKeyFile, keyCommand }: Pick<Settings, 'apiKeyFile' | 'keyCommand'>,
  warnings: string[],
  file: FileLayer | undefined,
): string | undefined {
  if (apiKeyFile !== undefined) {
    const key = readKeyFile(apiKeyFile, file?.placeOf('apiKeyFile') ?? 'TRACKER_API_KEY_FILE');
    const problem = filePermissionWarning(apiKeyFile);
    if (problem !== undefined && file) throw new ConfigurationFailure(`${file.placeOf('apiKeyFile')}: ${problem}`);
    if (problem !== undefined) warnings.push(problem);
    return key;
  }
  if (keyCommand === undefined) return undefined;
  const source = file?.placeOf('keyCommand') ?? 'TRACKER_KEY_COMMAND';
  return readKeyFromCommand(keyCommand, file?.folder ?? process.cwd(), source);
}

function parseSettings(flags: Flags, environment: NodeJS.ProcessEnv, file?: FileLayer): Settings {
  const given = ({ key, variable }: Given) => flags[key] ?? (readVariable(environment, variable) || file?.values[key]);
  const raw = Object.fromEntries(settings.map((setting) => [setting.key, given(setting) || undefined]));
  const blank = settings.filter(
    ({ key, variable, limitsWrites }) =>
      limitsWrites && (flags[key] ?? readVariable(environment, variable) ?? file?.values[key])?.trim() === '',
  );
  const parsed = schema.safeParse(raw);
  if (parsed.success && blank.length === 0) return parsed.data;
  const nameOf = (setting: Given) =>
    file?.values[setting.key] !== undefined &&
    flags[setting.key] === undefined &&
    !readVariable(environment, setting.variable)
      ? file.placeOf(setting.key)
      : namesOf(setting);
  const mistakes = [
    ...blank.map((about) => `${nameOf(about)} is blank, and limits what may be written: give it a value, or unset it.`),
    ...(parsed.error?.issues ?? [])
      .filter(({ path }) => !blank.some(({ key }) => key === path[0]))
      .map((issue) => explain(issue, raw, nameOf)),
  ];
  throw new ConfigurationFailure(mistakes.join('\n'));
}

type Given = (typeof settings)[number];

/** What a desktop program hands over as it is where a person filled in nothing: a value that nobody chose. */
const unfilled = /^\$\{user_config\.\w+\}$/;

/** The text of a variable without the space around it; undefined where nobody set it. */
export function readVariable(environment: NodeJS.ProcessEnv, variable: string): string | undefined {
  const value = environment[variable]?.trim();
  return value === undefined || unfilled.test(value) ? undefined : value;
}

function namesOf({ flag, variable }: Setting): string {
  return [flag, variable].filter(Boolean).join(' / ');
}

function refuseHalfOAuth({ tokens, oauthIssuer, oauthAudience }: Partial<Settings>): void {
  if ((oauthIssuer === undefined) !== (oauthAudience === undefined)) {
    throw new ConfigurationFailure(
      'OAuth needs both --oauth-issuer (TRACKER_MCP_OAUTH_ISSUER) and --oauth-audience (TRACKER_MCP_OAUTH_AUDIENCE).',
      'A token that is not made out for this server must not be taken.',
    );
  }
  if (tokens !== undefined && oauthIssuer !== undefined) {
    throw new ConfigurationFailure(
      'A file of tokens and OAuth are both set.',
      'Leave out one of --tokens (TRACKER_MCP_TOKENS) and --oauth-issuer (TRACKER_MCP_OAUTH_ISSUER).',
    );
  }
}

/** A flag decides over a variable; two of the same kind contradict each other. */
function isSandboxMeant(flags: Flags, url: string | undefined, sandbox: boolean): boolean {
  if (!sandbox || url === undefined) return sandbox;
  if (flags.sandbox !== undefined && flags.url === undefined) return true;
  if (flags.url !== undefined && flags.sandbox === undefined) return false;
  throw new ConfigurationFailure(
    'A tracker URL and the sandbox are both set.',
    'Leave out one of --url (TRACKER_URL) and --sandbox (TRACKER_SANDBOX).',
  );
}

function isPlainHttpElsewhere(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isThisMachine(hostname);
}

/** Whether a URL's host name is this machine's own. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname);
}

function explain(
  issue: z.core.$ZodIssue,
  raw: Readonly<Record<string, unknown>>,
  nameOf: (setting: Given) => string,
): string {
  const about = settings.find(({ key }) => key === issue.path[0]);
  const names = about ? nameOf(about) : '';
  const wanted = issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : issue.message;
  return `${names} ${wanted}${about?.isSecret ? '' : `; got ${JSON.stringify(withoutSecrets(raw[about?.key ?? '']))}`}.`;
}

/**
 * A URL that is pasted whole may hold a password ahead of its host and a key behind its path. A password can hold any character,
 * so all up to the last @ is taken for one, and if a ? or # stands ahead of that, nobody can tell which of the two it is in.
 */
function withoutSecrets(value: unknown): string {
  const text = String(value);
  const start = /^\s*[a-z][a-z\d+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const rest = text.slice(start.length);
  const at = rest.lastIndexOf('@');
  const query = rest.search(/[?#]/);
  if (query >= 0 && query < at) return `${start}…`;
  return `${start}${at < 0 ? '' : '…@'}${rest.slice(at + 1).replace(/[?#].*/s, '…')}`;
}
