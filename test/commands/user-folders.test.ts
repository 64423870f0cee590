import { isAbsolute } from 'node:path';
import { expect, test, vi } from 'vitest';
import { thisSystem, userFolders } from '../../src/commands/user-folders.ts';

/** The folders for settings, state and cache. */
function foldersOn(platform: NodeJS.Platform, environment: Readonly<Record<string, string>> = {}) {
  const { config, state, cache } = userFolders({
    platform,
    home: platform === 'win32' ? 'C:\\me' : '/me',
    environment,
  });
  return [config, state, cache];
}

const xdg = { XDG_CONFIG_HOME: '/config', XDG_STATE_HOME: '/state', XDG_CACHE_HOME: '/cache' };
const windows = { APPDATA: 'D:\\Roaming', LOCALAPPDATA: 'D:\\Local' };

test.each<[NodeJS.Platform, Readonly<Record<string, string>>, readonly string[]]>([
  ['linux', {}, ['/me/.config', '/me/.local/state', '/me/.cache']],
  ['linux', xdg, ['/config', '/state', '/cache']],
  ['darwin', {}, ['/me/.config', '/me/.local/state', '/me/Library/Caches']],
  ['darwin', xdg, ['/config', '/state', '/cache']],
  ['win32', {}, ['C:\\me\\AppData\\Roaming', 'C:\\me\\AppData\\Local', 'C:\\me\\AppData\\Local']],
  ['win32', { ...xdg, ...windows }, ['D:\\Roaming', 'D:\\Local', 'D:\\Local']],
])('the folders of a user on %s with %j', (platform, environment, folders) => {
  expect(foldersOn(platform, environment)).toEqual(folders);
});

test('an empty HOME leads to the home of the account, not to the current folder', () => {
  vi.stubEnv('HOME', '');
  expect(isAbsolute(thisSystem().home)).toBe(true);
  vi.unstubAllEnvs();
});
