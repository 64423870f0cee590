import { resolve } from 'node:path';
import { settings } from '../../config/settings.ts';
import type { Configuration, Flags } from '../../config.ts';
import { commandLinePath } from '../process.ts';

/** How a client starts this server. */
export interface ServerEntry {
  /** The absolute path of Node: a program of the desktop has not the PATH of a shell. */
  readonly command: string;
  readonly args: readonly [commandLine: string];
  readonly env: Readonly<Record<string, string>>;
}

/** Whether the API key itself is in the entry, left out of it, or marked as missing. */
export type KeyHandling = 'written' | 'left-out' | 'placeholder';

/** By what a configuration says where its tracker is; the other ways are not meant, even where the environment has them. */
export type Location = 'url' | 'sandbox' | 'file';

export function locationOf({ trackers: [{ name, config }] }: Configuration): Location {
  if (name !== undefined) return 'file';
  return config.tracker === 'sandbox' ? 'sandbox' : 'url';
}

function locationNamed(key: keyof Flags): Location {
  return key === 'config' ? 'file' : key === 'sandbox' ? 'sandbox' : 'url';
}

/** The entry that starts a server with the settings of this command line and environment. */
export function serverEntry(
  location: Location,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  keyHandling: KeyHandling,
): ServerEntry {
  const given = settings.flatMap(({ key, variable, isSecret, isPath, locates, example = '' }) => {
    const value = flags[key] ?? environment[variable]?.trim();
    const isLocation = locates || key === 'config';
    if (!value || (isLocation && locationNamed(key) !== location)) return [];
    if (isSecret && keyHandling === 'left-out') return [];
    const text = isSecret && keyHandling === 'placeholder' ? example : isPath ? resolve(value) : value;
    return [[variable, text] as const];
  });
  const env = Object.fromEntries(given);
  // A file or a program beats a placeholder, which would beat both.
  const hasKey = env['TRACKER_API_KEY_FILE'] ?? env['TRACKER_KEY_COMMAND'];
  if (keyHandling === 'placeholder' && hasKey) Reflect.deleteProperty(env, 'TRACKER_API_KEY');
  return { command: process.execPath, args: [commandLinePath()], env };
}

/**
 * The lines that clients such as Claude Desktop, Claude Code and Cursor read, as JSON.
 *
 * @param path the command line, dist/cli.js
 * @param servers the environment of each server, by the server's name
 * @param command what runs it; programs on a desktop may not find `node` by its name
 */
export function clientConfiguration(
  path: string,
  servers: Readonly<Record<string, Readonly<Record<string, string>>>>,
  command = 'node',
): string {
  const entries = Object.entries(servers).map(([name, env]) => [name, { command, args: [path], env }]);
  const json = JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2);
  // One argument or variable stands on one line.
  return json.replace(/([[{])\n\s+("[^\n]*")\n\s+[\]}]/g, (_, open, item) =>
    open === '[' ? `[${item}]` : `{ ${item} }`,
  );
}
