import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { Database } from '../../../src/sandbox/store/database.ts';
import { newFolder } from '../../support/folders.ts';
import { killedExit } from '../../support/system.ts';

/** Starts killed-process.ts on a database file. Node cannot run TypeScript, so it is bundled first. */
async function startKilledProcess(folder: string, file: string) {
  const program = join(folder, 'program.cjs');
  await build({
    ...{ entryPoints: [fileURLToPath(new URL('killed-process.ts', import.meta.url))], outfile: program },
    ...{ bundle: true, platform: 'node', format: 'cjs', external: ['@duckdb/node-api'], logLevel: 'error' },
  });
  const env = { ...process.env, NODE_PATH: resolve('node_modules') };
  return spawn(process.execPath, [program, file], { env, stdio: 'inherit' });
}

test('after a kill during sample data, the next start makes all of it', async () => {
  const folder = await newFolder();
  const file = join(folder, 'killed.duckdb');
  expect(await once(await startKilledProcess(folder, file), 'exit')).toEqual(killedExit);
  await (await startSandbox({ file })).close();
  const database = await Database.open(file);
  const [counted] = await database.query(
    `SELECT (SELECT count(*) FROM campaigns)::INTEGER AS campaigns, count(*)::INTEGER AS visits,
       count(DISTINCT click_id)::INTEGER AS clicks FROM visits`,
  );
  await database.close();
  expect(counted).toMatchObject({ campaigns: 10, clicks: counted?.['visits'] });
  expect(counted?.['visits']).toBeGreaterThan(55_000);
});
