import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** Where each system keeps a browser of this kind; the first that is there counts. */
const usual = {
  linux: ({ PATH = '' }) => PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
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

/** See find-browser.d.ts. */
export function findBrowser(environment = process.env, platform = process.platform) {
  const named = environment.CHROME_PATH;
  return (named ? [named] : (usual[platform]?.(environment) ?? [])).find(isProgram);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
