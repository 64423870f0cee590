import { dirname, join } from 'node:path';
import { ConfigurationFailure } from '../../config.ts';
import { whyNot } from '../../files/at-path.ts';
import { ifThere, listFiles, listNames } from '../../files/read-file.ts';
import { removeFile, removeFolder } from '../../files/write-file.ts';
import { print, printToStderr } from '../process.ts';
import { storedTrackersPath } from '../stored-trackers.ts';
import { askYes, canAsk } from '../terminal/ask.ts';
import { changeLogFolder, ownPath, thisSystem } from '../user-folders.ts';
import { backupsOf, readIfThere } from './client-file.ts';
import { clientsOn } from './clients.ts';

interface Kept {
  readonly what: string;
  readonly path: string;
  readonly remove: (path: string) => Promise<void>;
}

/**
 * Deletes what this program keeps of a user in the user's folders, after a yes: changes, proposals, figures of past days, stored
 * trackers with their keys, and copies of the settings of chat programs. Files and folders that a setting names stay.
 */
export async function forget(isSilent: boolean): Promise<void> {
  const kept = await findKept();
  if (kept.length === 0) return print('Nothing is kept.');
  print(...kept.map(({ what, path }) => `${what}: ${path}`), '');
  if (!isSilent && !canAsk()) {
    throw new ConfigurationFailure(
      'No one can be asked here, so nothing of this was deleted.',
      'Add --yes to delete it.',
    );
  }
  if (!isSilent && !(await askYes(kept.length === 1 ? 'Delete this?' : `Delete these ${kept.length}?`))) {
    return print('Nothing of this was deleted.');
  }
  for (const { path, remove } of kept) {
    await remove(path).catch((error: unknown) => {
      printToStderr(`${path} cannot be deleted (${whyNot(error)}).`);
      process.exitCode = 1;
    });
  }
  if (!process.exitCode) print('Deleted.');
}

async function findKept(): Promise<readonly Kept[]> {
  const folders = [
    { what: 'Changes', path: changeLogFolder() },
    { what: 'Proposals', path: ownPath('state', 'proposals') },
    { what: 'Figures of past days', path: ownPath('cache', 'past-days') },
  ];
  const there = await Promise.all(
    folders.map(async ({ path }) => (await ifThere(listNames(path, /.*/))) !== undefined),
  );
  const file = (what: string) => (path: string) => ({ what, path, remove: removeFile });
  const stored = (await readIfThere(storedTrackersPath())) === undefined ? [] : [storedTrackersPath()];
  return [
    ...folders.filter((_, index) => there[index]).map((folder) => ({ ...folder, remove: removeFolder })),
    ...stored.map(file('Stored trackers')),
    ...(await unusedKeys()).map(file('An API key')),
    ...(await clientFiles(backupsOf)).map(file('A copy of settings')),
  ];
}

/** The key files that no entry of a chat program names. */
async function unusedKeys(): Promise<readonly string[]> {
  const folder = ownPath('config', 'keys');
  const keys = ((await ifThere(listFiles(folder, /.*/))) ?? []).map((name) => join(folder, name));
  const texts = await clientFiles(async (path) => [(await readIfThere(path)) ?? '']);
  return keys.filter((key) => !texts.some((text) => text.includes(JSON.stringify(key).slice(1, -1))));
}

/** What all files of chat programs give, of those in a folder that is there. */
async function clientFiles(read: (file: string) => Promise<readonly string[]>): Promise<readonly string[]> {
  const files = clientsOn(thisSystem()).flatMap(({ files }) => files);
  const results = await Promise.all(
    files.map(async (path) => ((await ifThere(listNames(dirname(path), /.*/))) ? read(path) : [])),
  );
  return results.flat();
}
