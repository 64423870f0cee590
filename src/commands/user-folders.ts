import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

export interface System {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
}

export const thisSystem = (): System => ({ platform: process.platform, home: homedir(), environment: process.env });

/**
 * The folders in which programs keep files of a user. Windows has variables for them; macOS and Linux have those of XDG.
 *
 * @returns also the functions that join paths of the system, and that name a folder in the home which a variable can move
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
