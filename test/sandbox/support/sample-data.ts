import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { loadSampleData } from '../../../src/sandbox/sample-data/load-sample-data.ts';
import { Database } from '../../../src/sandbox/store/database.ts';

/** When the sample data of the copies ends. */
export const sampleNow = new Date('2026-06-15T18:00:00Z');

let filled: Promise<string> | undefined;
let copies = 0;

/**
 * A database file of its own with the sample data of seed 1 until `sampleNow`. The data takes seconds to make: it is made once
 * for all test files that share their modules.
 */
export async function copySampleData(): Promise<string> {
  filled ??= fill();
  copies += 1;
  const copy = `${await filled}-${copies}`;
  await copyFile(await filled, copy);
  return copy;
}

async function fill(): Promise<string> {
  const file = join(inject('sampleDataFolder'), `${process.pid}.duckdb`);
  const database = await Database.open(file);
  await loadSampleData(database, { seed: 1, now: sampleNow });
  await database.close();
  return file;
}
