import { createRequire } from 'node:module';

let isInstalled: boolean | undefined;

/** Whether the database that runs the queries is installed; it is optional, and large. */
export function isQueryInstalled(): boolean {
  if (isInstalled !== undefined) return isInstalled;
  try {
    createRequire(import.meta.url).resolve('@duckdb/node-api');
    isInstalled = true;
  } catch {
    isInstalled = false;
  }
  return isInstalled;
}
