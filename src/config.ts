import { ConfigurationFailure, readKeyFile, readKeyFromCommand } from './config/read-key.ts';
import { Findings, type Flags, type GivenSettings, isSet, readGiven } from './config/read-settings.ts';
import { type Settings, settings } from './config/settings.ts';

export { ConfigurationFailure, type Flags, readGiven };

/** All settings except the tracker’s address and key. */
export type SharedSettings = Omit<Settings, 'url' | 'apiKey' | 'apiKeyFile' | 'keyCommand' | 'sandbox'>;

/** The settings of one tracker. */
export type Config = SharedSettings & {
  /** `none` only where a server may start without one. */
  readonly tracker: 'sandbox' | 'none' | { readonly url: string; readonly apiKey: string };
};

export interface ConfiguredTracker {
  /** Undefined for the tracker that flags and the environment name. */
  readonly name: string | undefined;
  readonly config: Config;
}

/** One tracker, or all trackers of a configuration file. */
export interface Configuration {
  /** The settings of the server, which do not depend on the tracker. */
  readonly server: SharedSettings;
  readonly trackers: readonly [ConfiguredTracker, ...ConfiguredTracker[]];
  /** The tracker for a read that names none. */
  readonly byDefault: string | undefined;
  /** One line each. */
  readonly warnings: readonly string[];
}

/** What is no mistake in a configuration. */
export interface Leniency {
  /** That no tracker is set; then it is `none`. */
  readonly mayLackTracker?: boolean;
  /** That a flag or a variable sets a limit different from the file, which it beats. */
  readonly outsideWins?: boolean;
}

/**
 * Reads the configuration: the one tracker of flags and environment, or the trackers of the file that they name. A flag beats the
 * environment, which beats the file, which beats the default.
 *
 * @throws ConfigurationFailure that names each flag, variable or line and what it may be
 */
export async function readConfiguration(
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  { mayLackTracker = false, outsideWins = false }: Leniency = {},
): Promise<Configuration> {
  const { outside, file, findings } = await readSources(flags, environment);
  const server = { ...file.shared, ...outside };
  checkOAuth(server, findings);
  const located = file.trackers.map(({ name, place, given }) => {
    if (!outsideWins) checkConflicts(outside, given, findings);
    return { name, read: locate(place, { ...given, ...outside }, file.folder, findings, mayLackTracker) };
  });
  // No program that prints a key runs before everything else is right.
  const settle = findings.throwProblems();
  const trackers: ConfiguredTracker[] = [];
  for (const { name, read } of located) {
    const config = await read(settle);
    if (config) trackers.push({ name, config });
  }
  findings.throwProblems();
  const [first, ...others] = trackers;
  if (!first) throw new TypeError('A configuration without problems has a tracker.');
  refuseKeysAsNames(trackers, findings);
  findings.throwProblems();
  warnOfSharedKeys(trackers, findings);
  return {
    server: settle(server),
    trackers: [first, ...others],
    byDefault: file.byDefault,
    warnings: [...findings.warnings],
  };
}

/**
 * Reads the settings of each tracker without its address and key, for commands that call no tracker.
 *
 * @throws ConfigurationFailure that names each flag, variable or line and what it may be
 */
export async function readSharedSettings(flags: Flags, environment: NodeJS.ProcessEnv): Promise<SharedSettings[]> {
  const { outside, file, findings } = await readSources(flags, environment);
  for (const { place, given } of file.trackers) if (place) locate(place, given, file.folder, findings);
  const settle = findings.throwProblems();
  return file.trackers.map(({ given }) => settle({ ...given, ...outside }));
}

/** Reads flags, environment and the configuration file. Without a file there is a single tracker, without a name. */
async function readSources(flags: Flags, environment: NodeJS.ProcessEnv) {
  const findings = new Findings();
  const outside = readGiven(flags, environment, findings);
  if (outside.config === undefined) {
    const trackers = [{ name: undefined, place: undefined, given: {} }];
    return { outside, findings, file: { shared: {}, trackers, byDefault: undefined, folder: process.cwd() } };
  }
  // It would be unclear whether a URL or key outside of the file replaces those of all its trackers, or adds one.
  for (const { key, locates } of settings) {
    const given = outside[key];
    if (!locates || !isSet(given) || given.value === false) continue;
    findings.problems.add(`${given.name} would name a different tracker than --config (TRACKER_CONFIG): use only one.`);
  }
  findings.throwProblems();
  // Loaded here so that a server of one tracker starts without a JSON parser for files.
  const { readConfigFile } = await import('./config/config-file.ts');
  return { outside, findings, file: await readConfigFile(outside.config.text, findings) };
}

/**
 * Decides where a tracker is: at a URL, or embedded. A flag beats a variable; two flags or two variables contradict each other.
 *
 * @param place the line and name of the tracker in the configuration file
 * @param folder the working directory of a program that prints the key
 * @param mayLackTracker whether flags and environment may name none
 * @returns a function that reads the key; its result is undefined if there is a problem
 */
function locate(
  place: string | undefined,
  given: GivenSettings,
  folder: string,
  { problems, warnings }: Findings,
  mayLackTracker = false,
) {
  const { url, sandbox } = given;
  const isSandbox = sandbox?.value === true;
  if (isSandbox && isSet(url) && (url.from === 'flag') === (sandbox.from === 'flag')) {
    problems.add(`${url.name} and ${sandbox.name} are both set: leave out one of them.`);
  }
  const isEmbedded = isSandbox && (sandbox.from === 'flag' || url?.from !== 'flag');
  const isMissing = mayLackTracker && !isEmbedded && !isSet(url) && place === undefined;
  if (isEmbedded || isMissing) return read;
  if (!isSet(url)) {
    problems.add(place ? `${place} must be an object with a url, or with "sandbox": true.` : noTracker);
  } else if (![given.apiKey, given.apiKeyFile, given.keyCommand].some(isSet)) {
    const ways = place ? 'key_file or key_command' : 'TRACKER_API_KEY, or TRACKER_API_KEY_FILE to a file that holds it';
    problems.add(`${place ?? 'The tracker'} needs an API key, which its general settings show: set ${ways}.`);
  }
  const base = url?.value;
  if (typeof base !== 'string') return read;
  const { protocol, hostname } = new URL(base);
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    warnings.add(`${base} is not encrypted: others can read the API key and all reports. Use https:// if possible.`);
  }
  return read;

  async function read(settle: ReturnType<Findings['throwProblems']>): Promise<Config | undefined> {
    const { url, apiKey, apiKeyFile, keyCommand, sandbox: _, ...shared } = settle(given);
    if (isEmbedded) return { ...shared, tracker: 'sandbox' };
    if (isMissing) return { ...shared, tracker: 'none' };
    const key = apiKey ?? (await readKey(apiKeyFile, keyCommand));
    return url === undefined || key === undefined ? undefined : { ...shared, tracker: { url, apiKey: key } };
  }

  async function readKey(file: string | undefined, command: readonly string[] = []): Promise<string | undefined> {
    const { name = '', from } = given[file === undefined ? 'keyCommand' : 'apiKeyFile'] ?? {};
    if (file === undefined) return readKeyFromCommand(command, folder, name, problems);
    const { key, warning } = (await readKeyFile(file, name, problems)) ?? {};
    // No refusal if a variable names the file: it may be the secret of a container, whose mode the system sets.
    if (warning && from === 'file') problems.add(`${name}: ${warning}`);
    else if (warning) warnings.add(warning);
    return key;
  }
}

/** The two ways to set a tracker. */
export const noTracker = `No tracker is set. There are two ways:
  your tracker   set TRACKER_URL to its base URL and TRACKER_API_KEY to the key from its general settings
  sample data    --sandbox, or TRACKER_SANDBOX=1: an embedded tracker with nothing to set up
At a terminal, tracker-mcp install asks for either, and enters it into your chat program.`;

function checkOAuth({ tokens, oauthIssuer, oauthAudience }: GivenSettings, { problems }: Findings): void {
  if (isSet(oauthIssuer) !== isSet(oauthAudience)) {
    problems.add(
      'OAuth needs both --oauth-issuer (TRACKER_MCP_OAUTH_ISSUER) and --oauth-audience (TRACKER_MCP_OAUTH_AUDIENCE). ' +
        'The server must not take tokens that were issued for others.',
    );
  }
  if (isSet(tokens) && isSet(oauthIssuer)) {
    problems.add(`${tokens.name} and ${oauthIssuer.name} are both set: leave out one of them.`);
  }
}

/** Whether the host name of a URL is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname);
}

/** Refuses a different limit outside of the file, which could loosen it silently. Warns of a variable, which may be forgotten. */
function checkConflicts(outside: GivenSettings, inFile: GivenSettings, { problems, warnings }: Findings): void {
  for (const { key, limitsWrites } of settings) {
    const [given, fixed] = [outside[key], inFile[key]];
    if (!isSet(given) || !fixed || JSON.stringify(given.value) === JSON.stringify(fixed.value)) continue;
    if (limitsWrites) {
      problems.add(`${fixed.name} limits what may be written, and ${given.name} is different: set it in one place.`);
    } else if (given.from === 'variable') warnings.add(`${given.name} beats ${fixed.name}.`);
  }
}

/** A shorter key could be an ordinary word. */
const minKeyLength = 6;

/** Names are shown to agents and in logs. A key is masked there, so the tracker could not be named in a call. */
function refuseKeysAsNames(trackers: readonly ConfiguredTracker[], { problems }: Findings): void {
  const keys = trackers.flatMap(({ config: { tracker } }) => (typeof tracker === 'object' ? [tracker.apiKey] : []));
  const index = trackers.findIndex(({ name = '' }) =>
    keys.some((key) => key.length >= minKeyLength && name.includes(key)),
  );
  if (index >= 0) problems.add(`The name of tracker ${index + 1} in the file holds an API key: give it another one.`);
}

/** One key at two URLs is probably a mistake: one of the trackers would get the key of the other. */
function warnOfSharedKeys(trackers: readonly ConfiguredTracker[], { warnings }: Findings): void {
  const located = trackers.flatMap(({ name, config: { tracker } }) =>
    typeof tracker === 'object' ? { name, ...tracker } : [],
  );
  for (const [index, { name, url, apiKey }] of located.entries()) {
    const other = located.slice(0, index).find((earlier) => earlier.apiKey === apiKey && earlier.url !== url);
    if (other) warnings.add(`${other.name} and ${name} have the same key at different URLs.`);
  }
}
