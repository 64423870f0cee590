import { afterAll, expect, test } from 'vitest';
import { Database } from '../../../src/sandbox/store/database.ts';

const database = await Database.open();
afterAll(() => database.close());

const count = 'SELECT count(*)::INTEGER AS sources FROM offer_sources';

test('a snapshot sees nothing of what is committed while it reads', async () => {
  await database.snapshot(async (reader) => {
    expect(await reader.query(count)).toEqual([{ sources: 0 }]);
    await database.transaction((writer) => writer.execute("INSERT INTO offer_sources VALUES ('Harbor')"));
    expect(await database.query(count)).toEqual([{ sources: 1 }]);
    expect(await reader.query(count)).toEqual([{ sources: 0 }]);
  });
  await database.snapshot(async (reader) => expect(await reader.query(count)).toEqual([{ sources: 1 }]));
});

test('a snapshot that fails leaves its connection fit for the next', async () => {
  await expect(database.snapshot((reader) => reader.query('SELECT nothing FROM nowhere'))).rejects.toThrow('nowhere');
  await database.snapshot(async (reader) => expect(await reader.query('SELECT 1 AS one')).toEqual([{ one: 1 }]));
});

test('a write that fails half way leaves nothing of itself', async () => {
  const before = await database.query(count);
  const failing = database.transaction(async (writer) => {
    await writer.execute("INSERT INTO offer_sources VALUES ('Half')");
    throw new Error('half way');
  });
  await expect(failing).rejects.toThrow('half way');
  expect(await database.query(count)).toEqual(before);
});
