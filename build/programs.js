// The programs that build and tests start. See programs.d.ts.
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** On Windows `npm` is a shell script, so its JavaScript in the folder of Node is run instead. */
export const npm =
  process.platform === 'win32'
    ? [process.execPath, join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js')]
    : ['npm'];

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** Where each system keeps its browsers; the first that exists is used. */
const browserPaths = {
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

export function findBrowser() {
  const { platform, env } = process;
  return (env.CHROME_PATH ? [env.CHROME_PATH] : (browserPaths[platform]?.(env) ?? [])).find(isProgram);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findRedis() {
  return findByVersion(process.env.REDIS_SERVER_PATH ?? 'redis-server', '--version');
}

export function findCaddy() {
  return findByVersion(process.env.CADDY_PATH ?? 'caddy', 'version');
}

function findByVersion(program, argument) {
  try {
    execFileSync(program, [argument], { stdio: 'ignore' });
    return program;
  } catch {
    return undefined;
  }
}
