import { expect, test } from 'vitest';
import { Database } from '../../../src/sandbox/store/database.ts';

test('a transaction that fails tells its own error, even where nothing is left to roll back', async () => {
  const database = await Database.open();
  const failing = database.transaction(async (writer) => {
    await writer.execute('ROLLBACK');
    throw new Error('the first error');
  });
  await expect(failing).rejects.toThrow('the first error');
  await database.transaction((writer) => writer.execute("INSERT INTO settings VALUES ('after', '1')"));
  expect(await database.query('SELECT value FROM settings')).toEqual([{ value: '1' }]);
  await database.close();
});
