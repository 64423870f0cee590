import { resolve } from 'node:path';
import { settings } from '../../config/settings.ts';
import { type Configuration, type Flags, readGiven } from '../../config.ts';
import { commandLinePath } from '../process.ts';

/** How a client starts this server. */
export interface ServerEntry {
  /** The absolute path of Node: a program of the desktop has not the PATH of a shell. */
  readonly command: string;
  readonly args: readonly [commandLine: string];
  readonly env: Readonly<Record<string, string>>;
}

/** By which setting a configuration says where its tracker is. */
export function locationOf({ trackers: [{ name, config }] }: Configuration): 'config' | 'sandbox' | 'url' {
  if (name !== undefined) return 'config';
  return config.tracker === 'sandbox' ? 'sandbox' : 'url';
}

/**
 * The entry that starts a server with the settings of this command line and environment; those of another way to
 * reach the tracker are left out.
 *
 * @param keyHandling whether the API key itself is in the entry, left out of it, or marked as missing
 */
export function serverEntry(
  configuration: Configuration,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  keyHandling: 'written' | 'left-out' | 'placeholder',
): ServerEntry {
  const given = readGiven(flags, environment);
  const location = locationOf(configuration);
  // A file or a program beats a placeholder, which would beat both.
  const hasKey = Boolean(given.apiKeyFile ?? given.keyCommand);
  const env = settings.flatMap(({ key, variable, isSecret, isPath, locates, example = '' }) => {
    const { text = '' } = given[key] ?? {};
    const ofLocation = key === 'config' || key === 'sandbox' ? key : locates ? 'url' : location;
    if (!text || ofLocation !== location) return [];
    if (!isSecret || keyHandling === 'written')
      return [[variable, isPath && text !== 'none' ? resolve(text) : text] as const];
    return keyHandling === 'left-out' || hasKey || example === '' ? [] : [[variable, example] as const];
  });
  return { command: process.execPath, args: [commandLinePath()], env: Object.fromEntries(env) };
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
