import { isSet } from '../config/read-settings.ts';
import { settings } from '../config/settings.ts';
import { type Configuration, ConfigurationFailure, type ConfiguredTracker, type Flags, readGiven } from '../config.ts';
import { whyNot } from '../files/at-path.ts';
import { ifThere, readText } from '../files/read-file.ts';
import { configure } from './command-line.ts';
import { printToStderr } from './process.ts';
import { canAsk } from './terminal/ask.ts';
import { ownPath } from './user-folders.ts';

export const storedTrackersPath = (): string => ownPath('config', 'trackers.json');

/**
 * The configuration file of the trackers that `install` stored; undefined if there is none.
 *
 * @throws ConfigurationFailure if others can change it: it may name a program that prints a key
 */
export async function findStoredTrackers(): Promise<string | undefined> {
  const path = storedTrackersPath();
  const text = await ifThere(readText(path, { isKept: true })).catch((error: unknown) => {
    throw new ConfigurationFailure(`The trackers that install stored cannot be used: ${path} (${whyNot(error)}).`);
  });
  return text === undefined ? undefined : path;
}

/** Whether flags or variables name a tracker, or a file of trackers. */
function namesTracker(flags: Flags): boolean {
  const given = readGiven(flags, process.env);
  return isSet(given.config) || settings.some(({ key, locates }) => locates && isSet(given[key]));
}

/**
 * Reads the configuration of a command. For a person at a terminal, who names no tracker, it has those that `install` stored: stderr
 * says so, and writes are asked about unless a flag or variable says otherwise.
 *
 * @throws ConfigurationFailure if it cannot work
 */
export async function configureAtTerminal(flags: Flags): Promise<Configuration & { readonly isStored?: true }> {
  const path = canAsk() && !namesTracker(flags) ? await findStoredTrackers() : undefined;
  if (path === undefined) return configure(flags);
  const configuration = await configure({ ...flags, config: path }, process.env, { outsideWins: true });
  const isConfirmGiven = readGiven(flags, process.env).confirm !== undefined;
  const asking = ({ name, config }: ConfiguredTracker): ConfiguredTracker => {
    const isOff = config.confirm === 'off' && !isConfirmGiven;
    return { name, config: isOff ? { ...config, confirm: 'elicit' } : config };
  };
  const [first, ...others] = configuration.trackers;
  const names = [first, ...others].map(({ name, config: { tracker } }) =>
    typeof tracker === 'object' ? `${name} (${tracker.url})` : name,
  );
  printToStderr(`using ${names.join(', ')}, as install stored it in ${path}.`);
  return { ...configuration, trackers: [asking(first), ...others.map(asking)], isStored: true };
}
