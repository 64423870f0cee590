import { resolve } from 'node:path';
import { settings } from '../../config/settings.ts';
import { type Configuration, type Flags, readGiven } from '../../config.ts';
import { commandLinePath } from '../process.ts';

/** How a client starts this server. */
export interface ServerEntry {
  /** The absolute path of Node: desktop programs do not have the PATH of a shell. */
  readonly command: string;
  readonly args: readonly [commandLine: string];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The entry that starts a server with the settings of this command line and environment. Of the settings that locate a tracker, it has
 * only those that are in use.
 *
 * @param keyHandling whether the entry holds the API key, leaves it out, or has a placeholder for it
 */
export function serverEntry(
  { trackers: [{ name, config }] }: Configuration,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  keyHandling: 'written' | 'left-out' | 'placeholder',
): ServerEntry {
  const given = readGiven(flags, environment);
  const isSandbox = name === undefined && config.tracker === 'sandbox';
  // A placeholder would override a key file or a program.
  const needsPlaceholder = keyHandling === 'placeholder' && !given.apiKeyFile && !given.keyCommand;
  const env = settings.flatMap(({ key, variable, isSecret, isPath, keyword, locates, example }) => {
    const text = given[key]?.text;
    if (!text || (locates && isSandbox !== (key === 'sandbox'))) return [];
    if (!isSecret || keyHandling === 'written') {
      return [[variable, isPath && text !== keyword ? resolve(text) : text] as const];
    }
    return needsPlaceholder && example ? [[variable, example] as const] : [];
  });
  return { command: process.execPath, args: [commandLinePath()], env: Object.fromEntries(env) };
}

/**
 * The lines that clients such as Claude Desktop, Claude Code and Cursor read, as JSON.
 *
 * @param path dist/cli.js
 * @param servers the environment of each server, by the server's name
 * @param command desktop programs may not find `node` by its name
 */
export function clientConfiguration(
  path: string,
  servers: Readonly<Record<string, Readonly<Record<string, string>>>>,
  command = 'node',
): string {
  const entries = Object.entries(servers).map(([name, env]) => [name, { command, args: [path], env }]);
  const json = JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2);
  // One argument or variable goes on one line.
  return json.replace(/([[{])\n\s+("[^\n]*")\n\s+[\]}]/g, (_, open, item) =>
    open === '[' ? `[${item}]` : `{ ${item} }`,
  );
}
