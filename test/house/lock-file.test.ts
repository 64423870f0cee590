import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
}

const entries = Object.entries(
  JSON.parse(readFileSync('package-lock.json', 'utf8')).packages as Record<string, Entry>,
).filter(([path]) => path !== '');

/**
 * Programs for other systems, which the registry did not list when the lock file was written; SECURITY.md says how they are
 * checked. By package: for how many systems the hash is missing.
 */
const withoutIntegrity: Readonly<Record<string, number>> = {
  'node_modules/@biomejs/cli': 8,
  'node_modules/@duckdb/node-bindings': 6,
  'node_modules/@oxc-parser/binding': 15,
};

test('every entry has its integrity, but for the known programs of other systems; a new one needs its hash', () => {
  const missing = entries.filter(([, { integrity }]) => integrity === undefined);
  const groups = Object.keys(withoutIntegrity);
  const groupOf = (path: string) => groups.find((group) => path.startsWith(`${group}-`)) ?? path;
  const counts: Record<string, number> = {};
  for (const [path] of missing) counts[groupOf(path)] = (counts[groupOf(path)] ?? 0) + 1;
  expect(counts).toEqual(withoutIntegrity);
  expect(missing.filter(([, { optional, os }]) => !optional || !os)).toEqual([]);
});

test('no entry names the registry that it came from, so that each machine asks its own', () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
