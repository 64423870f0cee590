import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the copies of the sample data. */
    sampleDataFolder: string;
  }
}

/** Makes a folder for copies of the sample data, shared by the test files, and removes it in the end. */
export default async function makeFolder({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sample-data-'));
  provide('sampleDataFolder', folder);
  return () => rm(folder, { recursive: true });
}
