import { ConfigurationFailure, filePermissionWarning, readKeyFile, readKeyFromCommand } from './config/read-key.ts';
import { type Flags, type GivenSettings, givenBy, isBlank, parseSettings } from './config/read-settings.ts';
import { type Settings, settings } from './config/settings.ts';

export { ConfigurationFailure, type Flags, givenBy };

/** All settings except the tracker’s address and key. */
export type SharedSettings = Omit<Settings, 'url' | 'apiKey' | 'apiKeyFile' | 'keyCommand' | 'sandbox'>;

/** What is set for one tracker. */
export type Config = SharedSettings & {
  readonly tracker: 'sandbox' | { readonly url: string; readonly apiKey: string };
};

/** A tracker and what is set for it. */
export interface ConfiguredTracker {
  /** Undefined for the one that flags and the environment name. */
  readonly name: string | undefined;
  readonly config: Config;
}

/** One tracker, or those of a configuration file. */
export interface Configuration {
  /** What is set for the server, whatever the tracker. */
  readonly server: SharedSettings;
  /** At least one. */
  readonly trackers: readonly [ConfiguredTracker, ...ConfiguredTracker[]];
  /** The tracker that a read is about if the call names none. */
  readonly byDefault: string | undefined;
  /** What a person should know, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration: the one tracker of flags and environment, or the trackers of the file that they name. A flag beats the
 * environment, which beats the file, which beats the default.
 *
 * @throws ConfigurationFailure that names each flag, variable or line and what it may be
 */
export async function readConfiguration(flags: Flags, environment: NodeJS.ProcessEnv): Promise<Configuration> {
  const { beside, file } = await readSources(flags, environment);
  const warnings = new Set(file.warnings);
  // What stands beside the file is wrong for each tracker, and is said once.
  const problems = new Set<string>();
  const trackers = file.trackers.flatMap(({ name, given }): ConfiguredTracker[] => {
    findConflicts(beside, given, { problems, warnings });
    try {
      return [{ name, config: configOf({ ...given, ...beside }, file.folder, warnings) }];
    } catch (error) {
      if (!(error instanceof ConfigurationFailure)) throw error;
      problems.add(error.message);
      return [];
    }
  });
  const [first, ...others] = trackers;
  if (problems.size > 0 || !first) throw new ConfigurationFailure([...problems].join('\n'));
  findSharedKeys(trackers, warnings);
  return {
    server: parseSettings({ ...file.shared, ...beside }),
    trackers: [first, ...others],
    byDefault: file.byDefault,
    warnings: [...warnings],
  };
}

/**
 * Reads what is set for each tracker, without its key, for commands that call no tracker.
 *
 * @throws ConfigurationFailure that names each flag, variable or line and what it may be
 */
export async function readOffers(flags: Flags, environment: NodeJS.ProcessEnv): Promise<readonly SharedSettings[]> {
  const { beside, file } = await readSources(flags, environment);
  return file.trackers.map(({ given }) => parseSettings({ ...given, ...beside }));
}

/** What stands beside the configuration file, and in it; without one there is a single tracker, which has no name. */
async function readSources(flags: Flags, environment: NodeJS.ProcessEnv) {
  const beside = givenBy(flags, environment);
  if (beside.config === undefined) {
    const trackers = [{ name: undefined, given: {} }];
    return { beside, file: { shared: {}, trackers, byDefault: undefined, folder: process.cwd(), warnings: [] } };
  }
  refuseSecondTracker(beside);
  // A server of one tracker does not load what reads the file.
  const { readConfigFile } = await import('./config/config-file.ts');
  return { beside, file: await readConfigFile(beside.config.text) };
}

/** @param folder in which a program that prints the key is run */
function configOf(given: GivenSettings, folder: string, warnings: Set<string>): Config {
  const { url, apiKey, apiKeyFile, keyCommand, sandbox, ...rest } = parseSettings(given);
  refuseHalfOAuth(rest);
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
  if (isSandboxMeant(given, url, sandbox)) return { ...rest, tracker: 'sandbox' };
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
  if (protocol === 'http:' && !isThisMachine(hostname)) {
    warnings.add(
      `${url} is not encrypted: the API key and every report can be read on the way. Use https:// if the tracker has it.`,
    );
  }
  return { ...rest, tracker: { url, apiKey: key } };

  function readKey(): string | undefined {
    const { name = '', from } = (apiKeyFile === undefined ? given.keyCommand : given.apiKeyFile) ?? {};
    if (apiKeyFile === undefined) return keyCommand && readKeyFromCommand(keyCommand, folder, name);
    const read = readKeyFile(apiKeyFile, name);
    const problem = filePermissionWarning(apiKeyFile);
    // A variable names the secrets of containers too, whose modes the system keeps.
    if (problem !== undefined && from === 'file') throw new ConfigurationFailure(`${name}: ${problem}`);
    if (problem !== undefined) warnings.add(problem);
    return read;
  }
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
function isSandboxMeant(given: GivenSettings, url: string | undefined, sandbox: boolean): boolean {
  if (!sandbox || url === undefined) return sandbox;
  const isFlag = given.sandbox?.from === 'flag';
  if (isFlag !== (given.url?.from === 'flag')) return isFlag;
  throw new ConfigurationFailure(
    'A tracker URL and the sandbox are both set.',
    'Leave out one of --url (TRACKER_URL) and --sandbox (TRACKER_SANDBOX).',
  );
}

/** Whether a URL's host name is this machine's own. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname);
}

/** A URL or key beside the file would have to be one of its trackers', or meant for all of them. */
function refuseSecondTracker(beside: GivenSettings): void {
  const names = settings.flatMap(({ key, locates }) => {
    const given = beside[key];
    return locates && given && !isBlank(given) && given.value !== false ? [given.name] : [];
  });
  if (names.length === 0) return;
  throw new ConfigurationFailure(
    `A configuration file names the trackers, and ${names.join(', ')} would name another.`,
    'Leave out one of them: --config (TRACKER_CONFIG), or what stands beside it.',
  );
}

/** What is set beside the file, and otherwise in it: a limit may not be loosened in silence, and a variable may be forgotten. */
function findConflicts(
  beside: GivenSettings,
  inFile: GivenSettings,
  found: Record<'problems' | 'warnings', Set<string>>,
) {
  for (const { key, schema, limitsWrites } of settings) {
    const [given, known] = [beside[key], inFile[key]];
    if (!given || !known || isBlank(given)) continue;
    // However each is written.
    const [value, other] = [given, known].map((one) => JSON.stringify(schema.safeParse(one.value).data));
    if (value === other) continue;
    if (limitsWrites) {
      const problem = `${known.name} limits what may be written, and ${given.name} says otherwise: set it in one place.`;
      found.problems.add(problem);
    } else if (given.from === 'variable') found.warnings.add(`${given.name} beats ${known.name}.`);
  }
}

/** A key that is sent to two URLs is that of one of them at most, more likely than not. */
function findSharedKeys(trackers: readonly ConfiguredTracker[], warnings: Set<string>): void {
  const known = trackers.flatMap(({ name, config: { tracker } }) =>
    tracker === 'sandbox' ? [] : { name, ...tracker },
  );
  for (const [index, { name, url, apiKey }] of known.entries()) {
    const other = known.slice(0, index).find((earlier) => earlier.apiKey === apiKey && earlier.url !== url);
    if (other) warnings.add(`${other.name} and ${name} have the same key at different URLs.`);
  }
}
