import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSampleData } from '../../../src/sandbox/sample-data/load-sample-data.ts';
import { Database } from '../../../src/sandbox/store/database.ts';

/** The end of the sample data in the copies. */
export const sampleNow = new Date('2026-06-15T18:00:00Z');

let filled: Promise<string> | undefined;
let copies = 0;

/**
 * Returns a new database file with the sample data of seed 1 until `sampleNow`. Making the data takes seconds, so it is made once
 * and copied.
 */
export async function copySampleData(): Promise<string> {
  filled ??= fill();
  copies += 1;
  const copy = `${await filled}-${copies}`;
  await copyFile(await filled, copy);
  return copy;
}

async function fill(): Promise<string> {
  // The cache of the tests, which vitest.config.ts removes.
  const file = join(process.env['XDG_CACHE_HOME'] ?? '', `sample-data-${process.pid}.duckdb`);
  const database = await Database.open(file);
  await loadSampleData(database, { seed: 1, now: sampleNow });
  await database.close();
  return file;
}
