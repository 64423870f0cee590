import { randomBytes } from 'node:crypto';
import { chmod, rename, writeFile } from 'node:fs/promises';

/** Writes a file that is its owner's alone. Who reads it at this moment finds the old one or the new one, and nothing between. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(next, text, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, path);
}
