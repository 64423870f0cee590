import { afterAll, expect, test } from 'vitest';
import { Database } from '../../../src/sandbox/store/database.ts';

const database = await Database.open();
afterAll(() => database.close());

const countSources = 'SELECT count(*)::INTEGER AS sources FROM offer_sources';

test('a snapshot does not see commits during its reads', async () => {
  await database.snapshot(async (reader) => {
    expect(await reader.query(countSources)).toEqual([{ sources: 0 }]);
    await database.transaction((writer) => writer.execute("INSERT INTO offer_sources VALUES ('Harbor')"));
    expect(await database.query(countSources)).toEqual([{ sources: 1 }]);
    expect(await reader.query(countSources)).toEqual([{ sources: 0 }]);
  });
  await database.snapshot(async (reader) => expect(await reader.query(countSources)).toEqual([{ sources: 1 }]));
});

test('what a snapshot reads of the setup after a later commit is not kept for others', async () => {
  const setup = 'SELECT count(*)::INTEGER AS sources FROM traffic_sources';
  await database.snapshot(async (reader) => {
    await reader.query(countSources);
    await database.transaction((writer) => writer.execute("INSERT INTO traffic_sources VALUES (1, 'Push')"));
    expect(await reader.querySetup(setup)).toEqual([{ sources: 0 }]);
  });
  expect(await database.querySetup(setup)).toEqual([{ sources: 1 }]);
});

test('a snapshot that fails does not harm the next', async () => {
  await expect(database.snapshot((reader) => reader.query('SELECT nothing FROM nowhere'))).rejects.toThrow('nowhere');
  await database.snapshot(async (reader) => expect(await reader.query('SELECT 1 AS found')).toEqual([{ found: 1 }]));
});

test('a write that fails half way leaves nothing', async () => {
  const before = await database.query(countSources);
  const failing = database.transaction(async (writer) => {
    await writer.execute("INSERT INTO offer_sources VALUES ('Half')");
    throw new Error('half way');
  });
  await expect(failing).rejects.toThrow('half way');
  expect(await database.query(countSources)).toEqual(before);
});

test('a transaction that fails reports its own error, even if there is nothing to roll back', async () => {
  const failing = database.transaction(async (writer) => {
    await writer.execute('ROLLBACK');
    throw new Error('the first error');
  });
  await expect(failing).rejects.toThrow('the first error');
  await database.transaction((writer) => writer.execute("INSERT INTO settings VALUES ('after', '1')"));
  expect(await database.query('SELECT value FROM settings')).toEqual([{ value: '1' }]);
});

test('closing lets what runs end, and refuses what comes later', async () => {
  const closing = await Database.open();
  const slow = 'SELECT count(*)::INTEGER AS rows FROM range(1000000)';
  const running = [
    ...Array.from({ length: 20 }, () => closing.query(slow)),
    closing.snapshot((reader) => reader.query(slow)),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  await closing.close();
  expect(await Promise.all(running)).toEqual(running.map(() => [{ rows: 1_000_000 }]));
  await expect(closing.query(slow)).rejects.toThrow('closed');
});
