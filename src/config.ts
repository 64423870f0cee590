import { ConfigurationFailure, filePermissionWarning, readKeyFile, readKeyFromCommand } from './config/read-key.ts';
import { type Flags, type GivenSettings, isBlank, readGiven, settle } from './config/read-settings.ts';
import { type Settings, settings } from './config/settings.ts';

export { ConfigurationFailure, type Flags, readGiven };

/** All settings except the tracker’s address and key. */
export type SharedSettings = Omit<Settings, 'url' | 'apiKey' | 'apiKeyFile' | 'keyCommand' | 'sandbox'>;

/** The settings of one tracker. */
export type Config = SharedSettings & {
  readonly tracker: 'sandbox' | { readonly url: string; readonly apiKey: string };
};

export interface ConfiguredTracker {
  /** Undefined for the tracker that flags and the environment name. */
  readonly name: string | undefined;
  readonly config: Config;
}

/** One tracker, or all trackers of a configuration file. */
export interface Configuration {
  /** The settings of the server, whichever the tracker. */
  readonly server: SharedSettings;
  readonly trackers: readonly [ConfiguredTracker, ...ConfiguredTracker[]];
  /** The tracker of a read that names none. */
  readonly byDefault: string | undefined;
  /** One line each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration: the one tracker of flags and environment, or the trackers of the file that they name. A flag beats the
 * environment, which beats the file, which beats the default.
 *
 * @throws ConfigurationFailure that names each flag, variable or line and what it may be
 */
export async function readConfiguration(flags: Flags, environment: NodeJS.ProcessEnv): Promise<Configuration> {
  const { outside, file } = await readSources(flags, environment);
  // Sets, because a mistake outside of the file or at its top is found again for each tracker.
  const warnings = new Set(file.warnings);
  const problems = new Set<string>();
  const trackers = file.trackers.flatMap(({ name, given }): ConfiguredTracker[] => {
    checkConflicts(outside, given, problems, warnings);
    try {
      return [{ name, config: trackerConfig({ ...given, ...outside }, file.folder, warnings) }];
    } catch (error) {
      if (!(error instanceof ConfigurationFailure)) throw error;
      problems.add(error.message);
      return [];
    }
  });
  const [first, ...others] = trackers;
  if (problems.size > 0 || !first) throw new ConfigurationFailure([...problems].join('\n'));
  warnOfSharedKeys(trackers, warnings);
  return {
    server: settle({ ...file.shared, ...outside }),
    trackers: [first, ...others],
    byDefault: file.byDefault,
    warnings: [...warnings],
  };
}

/**
 * Reads the settings of each tracker without its address and key, for commands that call no tracker.
 *
 * @throws ConfigurationFailure that names each flag, variable or line and what it may be
 */
export async function readSharedSettings(flags: Flags, environment: NodeJS.ProcessEnv): Promise<SharedSettings[]> {
  const { outside, file } = await readSources(flags, environment);
  return file.trackers.map(({ given }) => settle({ ...given, ...outside }));
}

/** Reads flags, environment and the configuration file. Without a file there is a single tracker, without a name. */
async function readSources(flags: Flags, environment: NodeJS.ProcessEnv) {
  const outside = readGiven(flags, environment);
  if (outside.config === undefined) {
    const trackers = [{ name: undefined, given: {} }];
    return { outside, file: { shared: {}, trackers, byDefault: undefined, folder: process.cwd(), warnings: [] } };
  }
  refuseSecondTracker(outside);
  // Loaded here so that a server of one tracker starts without a JSON parser for files.
  const { readConfigFile } = await import('./config/config-file.ts');
  return { outside, file: await readConfigFile(outside.config.text) };
}

/** @param folder the working directory of a program that prints the key */
function trackerConfig(given: GivenSettings, folder: string, warnings: Set<string>): Config {
  const { url, apiKey, apiKeyFile, keyCommand, sandbox, ...rest } = settle(given);
  checkOAuth(rest);
  if (given.apiKey?.from === 'flag') {
    warnings.add(
      '--api-key shows the key to everyone who can list processes: use TRACKER_API_KEY or TRACKER_API_KEY_FILE.',
    );
  }
  if (given.redis?.from === 'flag' && rest.redis?.some((address) => new URL(address).password !== '')) {
    warnings.add(
      '--redis shows its password to everyone who can list processes: use TRACKER_MCP_REDIS for a URL that holds one.',
    );
  }
  if (usesSandbox(given, url, sandbox)) return { ...rest, tracker: 'sandbox' };
  if (url === undefined) {
    throw new ConfigurationFailure(
      'No tracker is set. There are two ways:',
      '\n  your tracker   set TRACKER_URL to its base URL and TRACKER_API_KEY to the key from its general settings' +
        '\n  sample data    --sandbox, or TRACKER_SANDBOX=1: an embedded tracker with nothing to set up',
    );
  }
  const key = apiKey ?? readKey();
  if (!key) {
    throw new ConfigurationFailure(
      'The tracker needs an API key.',
      'Set TRACKER_API_KEY, or TRACKER_API_KEY_FILE to a file that holds it; the tracker’s general settings show it.',
    );
  }
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    warnings.add(
      `${url} is not encrypted: the API key and every report can be read on the way. Use https:// if the tracker has it.`,
    );
  }
  return { ...rest, tracker: { url, apiKey: key } };

  function readKey(): string | undefined {
    if (apiKeyFile === undefined) {
      return keyCommand && readKeyFromCommand(keyCommand, folder, given.keyCommand?.name ?? '');
    }
    const { name = '', from } = given.apiKeyFile ?? {};
    const read = readKeyFile(apiKeyFile, name);
    const warning = filePermissionWarning(apiKeyFile);
    // No refusal if a variable names the file: it may be the secret of a container, whose mode the system sets.
    if (warning !== undefined && from === 'file') throw new ConfigurationFailure(`${name}: ${warning}`);
    if (warning !== undefined) warnings.add(warning);
    return read;
  }
}

function checkOAuth({ tokens, oauthIssuer, oauthAudience }: Partial<Settings>): void {
  if ((oauthIssuer === undefined) !== (oauthAudience === undefined)) {
    throw new ConfigurationFailure(
      'OAuth needs both --oauth-issuer (TRACKER_MCP_OAUTH_ISSUER) and --oauth-audience (TRACKER_MCP_OAUTH_AUDIENCE).',
      'The server must not take tokens that were issued for others.',
    );
  }
  if (tokens !== undefined && oauthIssuer !== undefined) {
    throw new ConfigurationFailure(
      'A file of tokens and OAuth are both set.',
      'Leave out one of --tokens (TRACKER_MCP_TOKENS) and --oauth-issuer (TRACKER_MCP_OAUTH_ISSUER).',
    );
  }
}

/** A flag beats a variable; two flags or two variables contradict each other. */
function usesSandbox(given: GivenSettings, url: string | undefined, sandbox: boolean): boolean {
  if (!sandbox || url === undefined) return sandbox;
  const isFlag = given.sandbox?.from === 'flag';
  if (isFlag !== (given.url?.from === 'flag')) return isFlag;
  throw new ConfigurationFailure(
    'A tracker URL and the sandbox are both set.',
    'Leave out one of --url (TRACKER_URL) and --sandbox (TRACKER_SANDBOX).',
  );
}

/** Whether the host name of a URL is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname);
}

/** It would be unclear whether a URL or key outside of the file replaces those of all its trackers, or adds one. */
function refuseSecondTracker(outside: GivenSettings): void {
  const names = settings.flatMap(({ key, locates }) => {
    const given = outside[key];
    return locates && given && !isBlank(given) && given.value !== false ? [given.name] : [];
  });
  if (names.length === 0) return;
  throw new ConfigurationFailure(
    `A configuration file names the trackers, and ${names.join(', ')} would name another.`,
    'Leave out one of them: --config (TRACKER_CONFIG), or what is set next to it.',
  );
}

/** Refuses a different limit outside of the file, which could loosen it silently. Warns of a variable, which may be forgotten. */
function checkConflicts(
  outside: GivenSettings,
  inFile: GivenSettings,
  problems: Set<string>,
  warnings: Set<string>,
): void {
  for (const { key, limitsWrites } of settings) {
    const [given, row] = [outside[key], inFile[key]];
    if (!given || !row || isBlank(given) || JSON.stringify(given.value) === JSON.stringify(row.value)) continue;
    if (limitsWrites) {
      problems.add(`${row.name} limits what may be written, and ${given.name} is different: set it in one place.`);
    } else if (given.from === 'variable') warnings.add(`${given.name} beats ${row.name}.`);
  }
}

/** One key at two URLs is probably a mistake: one of the trackers would get the key of the other. */
function warnOfSharedKeys(trackers: readonly ConfiguredTracker[], warnings: Set<string>): void {
  const located = trackers.flatMap(({ name, config: { tracker } }) =>
    tracker === 'sandbox' ? [] : { name, ...tracker },
  );
  for (const [index, { name, url, apiKey }] of located.entries()) {
    const other = located.slice(0, index).find((earlier) => earlier.apiKey === apiKey && earlier.url !== url);
    if (other) warnings.add(`${other.name} and ${name} have the same key at different URLs.`);
  }
}
