import { chmod, copyFile, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../../api/failure.ts';
import { replaceFile } from '../../guard/secrets-file.ts';

export interface FileChange {
  readonly title: string;
  readonly file: string;
  /** Undefined if there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** The entry that stood there; undefined if none did. */
  readonly old: unknown;
}

/** The text of a file; undefined if there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(`${file} cannot be read: ${(error as Error).message}.`, 'Check its permissions.');
  }
}

/** The lines that change, as a person compares them; a key that stands in them is masked. */
export function changedLines({ before = '', after }: FileChange): string {
  const [old, changed] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const shortest = Math.min(old.length, changed.length);
  let start = 0;
  while (start < shortest && old[start] === changed[start]) start += 1;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === changed.at(-1 - end)) end += 1;
  const part = (lines: readonly string[], sign: string) =>
    lines.slice(start, lines.length - end).map((line) => `  ${sign} ${masked(line)}`.trimEnd());
  return [...part(old, '-'), ...part(changed, '+')].join('\n');
}

function masked(line: string): string {
  return line.replace(/(\bTRACKER_API_KEY"?\s*[:=]\s*["'])[^"']*/g, '$1***');
}

/**
 * Writes the change as a whole, so that a crash leaves the old file or the new one, and keeps the old text beside it.
 *
 * @returns where the old text is kept; undefined if there was none
 * @throws Failure if it cannot be written, or another program changed it meanwhile
 */
export async function applyChange({ file, before, after }: FileChange, now: Date): Promise<string | undefined> {
  if ((await readIfThere(file)) !== before) {
    throw new Failure(`${file} was changed meanwhile.`, 'Close the program that it belongs to, and try again.');
  }
  return writing(file, 'Nothing in it was changed.', async () => {
    if (before === undefined) {
      await mkdir(dirname(file), { recursive: true });
      await replaceFile(file, after);
      return undefined;
    }
    // A link, as people keep their settings in a repository, stays one.
    const target = await realpath(file);
    const { mode } = await stat(target);
    const backup = `${target}.${now.toISOString().replace(/[:.]/g, '-')}.bak`;
    await copyFile(target, backup);
    await replaceFile(target, after);
    await chmod(target, mode);
    return backup;
  });
}

/** Writes a file of the user's own that no other user may read. */
export function writePrivate(file: string, text: string): Promise<void> {
  return writing(file, 'Nothing was changed.', async () => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, text);
  });
}

async function writing<Result>(file: string, state: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${(error as Error).message}.`, state);
  }
}
