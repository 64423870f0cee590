import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** Where each system keeps a browser of this kind, the first that is there counts. */
const usual: Partial<Record<NodeJS.Platform, (environment: NodeJS.ProcessEnv) => readonly string[]>> = {
  linux: ({ PATH = '' }) => [
    ...PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
    ...names.map((name) => join('/usr/bin', name)),
    ...names.map((name) => join('/snap/bin', name)),
  ],
  darwin: ({ HOME = '' }) =>
    ['/Applications', join(HOME, 'Applications')].flatMap((folder) => [
      join(folder, 'Google Chrome.app/Contents/MacOS/Google Chrome'),
      join(folder, 'Chromium.app/Contents/MacOS/Chromium'),
      join(folder, 'Microsoft Edge.app/Contents/MacOS/Microsoft Edge'),
    ]),
  win32: (environment) =>
    ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((variable) => [
      join(environment[variable] ?? '', 'Google/Chrome/Application/chrome.exe'),
      join(environment[variable] ?? '', 'Chromium/Application/chrome.exe'),
      join(environment[variable] ?? '', 'Microsoft/Edge/Application/msedge.exe'),
    ]),
};

/**
 * Finds a Chromium, Chrome or Edge: the one that CHROME_PATH names, else where the system keeps them.
 *
 * @throws where there is none, with what to do
 */
export function findBrowser(environment: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  const named = environment['CHROME_PATH'];
  const candidates = named ? [named] : (usual[platform]?.(environment) ?? []);
  const found = candidates.find(isThere);
  if (found !== undefined) return found;
  throw new Error(
    named
      ? `CHROME_PATH names ${named}, which is no program.`
      : 'There is no Chromium or Chrome. Install one, or name it with CHROME_PATH.',
  );
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
