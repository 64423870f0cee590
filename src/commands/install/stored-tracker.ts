import { resolve } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { readConfigFile, topSettings, trackerSettings } from '../../config/config-file.ts';
import { Findings, type GivenSettings, isSet } from '../../config/read-settings.ts';
import type { Setting } from '../../config/settings.ts';
import { findStoredTrackers, storedTrackersPath } from '../stored-trackers.ts';
import { type FileChange, readIfThere } from './client-file.ts';

/** A tracker in the user's configuration file, by the name of its entry: commands at a terminal use it, and `install` offers it again. */

/** The name of an entry, as a configuration file can have it. */
function storedName(name: string): string {
  const words = name.replace(/[^\w.-]+/g, '-').replace(/^[^a-z\d]+/i, '');
  return words.slice(0, 40) || 'tracker';
}

/**
 * The settings of a tracker as they were stored; none if there is no file, or it does not have the name.
 *
 * @throws ConfigurationFailure if it cannot be used
 */
export async function readStored(name: string): Promise<GivenSettings> {
  const path = await findStoredTrackers();
  if (path === undefined) return {};
  const findings = new Findings();
  const { trackers } = await readConfigFile(path, findings);
  findings.throwProblems();
  return trackers.find((tracker) => tracker.name === storedName(name))?.given ?? {};
}

/**
 * The change that stores a tracker, and makes it the one of reads that name none.
 *
 * @param given all its settings
 * @param keyFile the file of its key, if no setting names one
 */
export async function storing(
  name: string,
  given: GivenSettings,
  keyFile: string | undefined,
): Promise<FileChange & { readonly what: string }> {
  const valuesOf = (known: readonly Setting[]) =>
    known.flatMap(({ key, nameInFile, isPath, isSecret, keyword }) => {
      const one = given[key];
      if (isSecret || key === 'sandbox' || !isSet(one)) return [];
      return [[nameInFile, isPath && one.text !== keyword ? resolve(one.text) : one.value] as const];
    });
  const own = Object.fromEntries([...valuesOf(trackerSettings), ...(keyFile ? [['key_file', keyFile] as const] : [])]);
  const ofServer = valuesOf(topSettings.filter(({ isPerServer }) => isPerServer));
  const edits: [path: string[], value: unknown][] = [
    [['default'], storedName(name)],
    ...ofServer.map(([setting, value]): [string[], unknown] => [[setting], value]),
    [['trackers', storedName(name)], own],
  ];
  const before = await readIfThere(storedTrackersPath());
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const after = edits.reduce(
    (text, [path, value]) => applyEdits(text, modify(text, path, value, { formattingOptions })),
    before ?? '{}\n',
  );
  const what = 'check, call and review find the tracker at a terminal, by';
  return { what, file: storedTrackersPath(), before, after, isSecret: true };
}
