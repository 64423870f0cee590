import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterTests } from './closing.ts';

/** A new, empty folder, which is removed after the tests of the file. */
export async function newFolder(prefix = 'test-'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  closeAfterTests(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
