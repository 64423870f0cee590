import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Builds the command line before the first test, if any source is newer. */
export default async function buildOnce(): Promise<void> {
  const built = await stat('dist/cli.js').catch(() => undefined);
  if (built && (await lastChange(['src', 'build', 'package.json'])) < built.mtimeMs) return;
  await promisify(execFile)(process.execPath, ['build/bundle.js']);
}

async function lastChange(paths: readonly string[]): Promise<number> {
  const times = await Promise.all(
    paths.map(async (path) => {
      const about = await stat(path);
      if (!about.isDirectory()) return about.mtimeMs;
      const names = await readdir(path);
      return lastChange(names.map((name) => join(path, name)));
    }),
  );
  return Math.max(0, ...times);
}
