import { homedir, userInfo } from 'node:os';
import { posix, win32 } from 'node:path';

export interface System {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
}

export const thisSystem = (): System => ({
  platform: process.platform,
  // An empty HOME would put keys and logs into the current folder.
  home: homedir() || userInfo().homedir,
  environment: process.env,
});

/**
 * The folders for files of a user: settings, state and cache. Windows has its own variables for them, macOS and Linux use those of XDG.
 *
 * @returns also `join` for paths of the system, and `under` for a folder in the home, unless a variable names a different folder
 */
export function userFolders({ platform, home, environment }: System = thisSystem()) {
  const { join } = platform === 'win32' ? win32 : posix;
  const under = (variable: string, ...parts: readonly string[]) => environment[variable] || join(home, ...parts);
  const local = under('LOCALAPPDATA', 'AppData', 'Local');
  const onWindows = { config: under('APPDATA', 'AppData', 'Roaming'), state: local, cache: local };
  const elsewhere = {
    config: under('XDG_CONFIG_HOME', '.config'),
    state: under('XDG_STATE_HOME', '.local', 'state'),
    cache: under('XDG_CACHE_HOME', ...(platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'])),
  };
  return { join, under, ...(platform === 'win32' ? onWindows : elsewhere) };
}

export function ownPath(kind: 'config' | 'state' | 'cache', ...parts: readonly string[]): string {
  const folders = userFolders();
  return folders.join(folders[kind], 'tracker-mcp', ...parts);
}

export const changeLogFolder = (): string => ownPath('state', 'changes');
