import { createRequire } from 'node:module';

let isInstalled: boolean | undefined;

/** Whether the database that runs the queries is installed; it is optional, and large. */
export function isQueryInstalled(): boolean {
  isInstalled ??= canResolve('@duckdb/node-api');
  return isInstalled;
}

function canResolve(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
