import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly environment?: Environment;
  /** All of its standard input. */
  readonly input?: string;
  readonly cli?: string;
  /** The clock of the process, and of what it starts, stands at this moment. */
  readonly now?: string;
  /** The user who runs it, if that is another one. */
  readonly user?: number | undefined;
}

/** The folder of the tests, not of the developer. */
const ownFolder = process.env['XDG_CACHE_HOME'] ?? '';

/** The environment of a test process: with the cache of the tests, and a state of its own. */
export const environmentOf = (given: Environment): Environment => ({
  PATH: process.env['PATH'] ?? '',
  ...cacheIn(ownFolder),
  ...stateIn(join(ownFolder, randomUUID())),
  ...given,
});

/** The variables that put the user's state into a folder; on Windows it is where the cache is. */
export function stateIn(folder: string): Environment {
  return process.platform === 'win32' ? { LOCALAPPDATA: folder } : { XDG_STATE_HOME: folder };
}

/** The variables that put the user's cache into a folder, on every system. */
export function cacheIn(folder: string): Environment {
  return { XDG_CACHE_HOME: folder, LOCALAPPDATA: folder };
}

/** Starts the built command line with these variables alone, none of the machine's own settings. */
export function startCli(
  given: readonly string[],
  { environment = {}, cli = 'dist/cli.js', now, user }: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const clock = now ? ['--import', `${new URL('../../support/fixed-clock.js', import.meta.url)}?${now}`] : [];
  const child = spawn(process.execPath, [...clock, cli, ...given], {
    env: environmentOf(environment),
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  // The process may end before it has read everything.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
  });
  return child;
}

/** Runs the built command line to its end. */
export async function runCli(given: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const child = startCli(given, options);
  child.stdin.end(options.input ?? '');
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Puts a database file with sample data of its own at the path. */
export async function copySampleData(path: string): Promise<string> {
  await copyFile(inject('sampleData'), path);
  return path;
}

/** The variables for the sandbox that all test files share. */
export function sharedSandbox(): Environment {
  const { url, api_key } = inject('sandbox');
  return { TRACKER_URL: url, TRACKER_API_KEY: api_key };
}
