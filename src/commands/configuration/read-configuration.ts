import { saysTheSame, settings } from '../../config/settings.ts';
import {
  type Config,
  ConfigurationFailure,
  type FileLayer,
  type Flags,
  readConfig,
  readShared,
  readVariable,
  type SharedSettings,
} from '../../config.ts';

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
  /** The tracker that reads are about where a call names none. */
  readonly byDefault: string | undefined;
  /** What a person should know, one line each. */
  readonly warnings: readonly string[];
}

/** The file of trackers that is named; undefined where there is none. */
function configFileOf(flags: Flags, environment: NodeJS.ProcessEnv): string | undefined {
  return flags.config ?? (readVariable(environment, 'TRACKER_CONFIG') || undefined);
}

/**
 * Reads the configuration: the one tracker of flags and environment, or the trackers of the file that they name.
 *
 * @throws ConfigurationFailure that names the flag, variable or line and what it may be
 */
export async function readConfiguration(flags: Flags, environment: NodeJS.ProcessEnv): Promise<Configuration> {
  const path = configFileOf(flags, environment);
  if (path === undefined) {
    const config = readConfig(flags, environment);
    const trackers = [{ name: undefined, config }] as const;
    return { server: config, trackers, byDefault: undefined, warnings: config.warnings };
  }
  refuseSecondTracker(flags, environment);
  // Whoever has one tracker need not wait for what reads the file.
  const { readConfigFile } = await import('./config-file.ts');
  const { shared, trackers: named, byDefault, warnings } = await readConfigFile(path);
  const problems: string[] = [];
  const trackers = named.flatMap(({ name, layer }): ConfiguredTracker[] => {
    problems.push(...contradictions(flags, environment, layer));
    try {
      return [{ name, config: readConfig(flags, environment, layer) }];
    } catch (error) {
      if (!(error instanceof ConfigurationFailure)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  const [first, ...others] = trackers;
  // What stands at the top of the file is wrong for each tracker, and is said once.
  if (problems.length > 0 || !first) throw new ConfigurationFailure([...new Set(problems)].join('\n'));
  const all = [first, ...others] as const;
  return {
    server: readShared(flags, environment, shared),
    trackers: all,
    byDefault,
    warnings: [
      ...new Set([
        ...warnings,
        ...named.flatMap(({ layer }) => overruled(environment, layer)),
        ...all.flatMap(({ config }) => config.warnings),
        ...sharedKeys(all),
      ]),
    ],
  };
}

/**
 * Reads what is set for each tracker, without its key, for whoever needs no tracker.
 *
 * @throws ConfigurationFailure that names the flag, variable or line and what it may be
 */
export async function readOffers(flags: Flags, environment: NodeJS.ProcessEnv): Promise<readonly SharedSettings[]> {
  const path = configFileOf(flags, environment);
  if (path === undefined) return [readShared(flags, environment)];
  const { readConfigFile } = await import('./config-file.ts');
  return (await readConfigFile(path)).trackers.map(({ layer }) => readShared(flags, environment, layer));
}

/**
 * A URL or key beside the file would have to be one of its trackers', or meant for all of them.
 *
 * @throws ConfigurationFailure that names what to leave out
 */
function refuseSecondTracker(flags: Flags, environment: NodeJS.ProcessEnv): void {
  const given = settings.filter(
    ({ key, variable, locates }) =>
      locates && isSet(flags[key] ?? readVariable(environment, variable)) && key !== 'sandbox',
  );
  const sandbox = settings.filter(
    ({ key, variable }) =>
      key === 'sandbox' && /^(1|true)$/i.test((flags[key] ?? readVariable(environment, variable) ?? '').trim()),
  );
  const names = [...given, ...sandbox].map(({ key, flag, variable }) => (flags[key] === undefined ? variable : flag));
  if (names.length === 0) return;
  throw new ConfigurationFailure(
    `A configuration file names the trackers, and ${names.join(', ')} would name another.`,
    'Leave out one of them: --config (TRACKER_CONFIG), or what stands beside it.',
  );
}

/** Limits that are set twice, and not to the same: neither may be loosened in silence. */
function contradictions(flags: Flags, environment: NodeJS.ProcessEnv, { values, placeOf }: FileLayer): string[] {
  return settings.flatMap(({ key, flag, variable, limitsWrites }) => {
    const [given, inFile] = [flags[key] ?? readVariable(environment, variable), values[key]];
    if (!limitsWrites || !isSet(given) || inFile === undefined || saysTheSame(key, given, inFile)) return [];
    const name = flags[key] === undefined ? variable : flag;
    return [`${placeOf(key)} limits what may be written, and ${name} says otherwise: set it in one place.`];
  });
}

/** What the environment has left of the file, which a variable of long ago may not have been meant for. */
function overruled(environment: NodeJS.ProcessEnv, { values, placeOf }: FileLayer): string[] {
  return settings.flatMap(({ key, variable }) => {
    const [given, inFile] = [readVariable(environment, variable), values[key]];
    if (!isSet(given) || inFile === undefined || saysTheSame(key, given, inFile)) return [];
    return [`${variable} beats ${placeOf(key)}.`];
  });
}

/** A key that is sent to two URLs is that of one of them at most, more likely than not. */
function sharedKeys(trackers: readonly ConfiguredTracker[]): string[] {
  const located = trackers.flatMap(({ name, config: { tracker } }) =>
    tracker === 'sandbox' ? [] : [{ name, ...tracker }],
  );
  return located.flatMap(({ name, url, apiKey }, index) => {
    const other = located.slice(0, index).find((earlier) => earlier.apiKey === apiKey && earlier.url !== url);
    return other ? [`${other.name} and ${name} have the same key at different URLs.`] : [];
  });
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
