import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the copies of the sample data are. */
    sampleDataFolder: string;
  }
}

/** Makes a folder for copies of the sample data, which outlives the test files that share one, and takes it away in the end. */
export default async function makeFolder({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sample-data-'));
  provide('sampleDataFolder', folder);
  return () => rm(folder, { recursive: true });
}
