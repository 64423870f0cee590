import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { Database } from '../../../src/sandbox/store/database.ts';
import { newFolder } from '../../support/folders.ts';
import { killedExit } from '../../support/system.ts';
import { bundleProgram } from '../support/bundled-process.ts';

const folder = await newFolder();

test('after a kill during sample data, the next start makes all of it', async () => {
  const file = join(folder, 'killed.duckdb');
  const program = await bundleProgram(new URL('killed-process.ts', import.meta.url), folder);
  expect(await once(program.start(file), 'exit')).toEqual(killedExit);
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
