import { resolve } from 'node:path';
import { type Config, type Flags, settings } from '../../config.ts';
import { commandLinePath } from '../typed-name.ts';

/** How a client starts this server. */
export interface ServerEntry {
  /** The absolute path of Node: a program of the desktop has not the PATH of a shell. */
  readonly command: string;
  readonly args: readonly [commandLine: string];
  readonly env: Readonly<Record<string, string>>;
}

/** Whether the API key itself is in the entry, left out of it, or marked as missing. */
export type KeyHandling = 'written' | 'left-out' | 'placeholder';

/** Settings that name a file: a client starts the server in a folder of its own. */
const files: ReadonlySet<string> = new Set(['apiKeyFile', 'auditLog']);

/** Settings that say where the tracker is; the other way is not meant, even where the environment has it. */
const ofTracker: ReadonlySet<string> = new Set(['url', 'apiKey', 'apiKeyFile']);

/** The entry that starts a server with the settings of this command line and environment. */
export function serverEntry(
  { tracker }: Config,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  keyHandling: KeyHandling,
): ServerEntry {
  const isSandbox = tracker === 'sandbox';
  const given = settings.flatMap(({ key, variable, isSecret, example = '' }) => {
    const value = flags[key] ?? environment[variable]?.trim();
    if (!value || (isSandbox ? ofTracker.has(key) : key === 'sandbox')) return [];
    if (isSecret && keyHandling === 'left-out') return [];
    const text = isSecret && keyHandling === 'placeholder' ? example : files.has(key) ? resolve(value) : value;
    return [[variable, text] as const];
  });
  const env = Object.fromEntries(given);
  // The file beats a placeholder, which would beat the file.
  if (keyHandling === 'placeholder' && env['TRACKER_API_KEY_FILE']) Reflect.deleteProperty(env, 'TRACKER_API_KEY');
  return { command: process.execPath, args: [commandLinePath()], env };
}
