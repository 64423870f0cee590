import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
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
  /** What the process reads from its standard input, which ends behind it. */
  readonly input?: string;
  readonly cli?: string;
}

/** What every process of a test gets: the cache of the tests, and none of the developer's. */
export const ownEnvironment: Environment = {
  PATH: process.env['PATH'] ?? '',
  XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
};

/** Starts the built command line with these variables alone, none of the machine's own settings. */
export function startCli(
  given: readonly string[],
  { environment = {}, cli = 'dist/cli.js' }: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [cli, ...given], { env: { ...ownEnvironment, ...environment } });
  // Whether it reads all that it is sent before it ends is up to the process, and to the machine; what it comes to, to the test.
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

/** The variables that name the sandbox the test files share. */
export function sharedSandbox(): Environment {
  const { url, api_key } = inject('sandbox');
  return { TRACKER_URL: url, TRACKER_API_KEY: api_key };
}
