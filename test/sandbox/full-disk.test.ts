import { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, expect, test, vi } from 'vitest';
import { fixtureDay, setup, traffic } from './support/fixture.ts';
import { startTracker } from './support/tracker.ts';

const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
const tracker = await startTracker([...setup, ...traffic]);
afterAll(() => tracker.close());

/** Makes every commit fail as DuckDB lets it fail on a full disk. Returns what makes room again. */
function fillDisk(): () => void {
  const { run } = DuckDBConnection.prototype;
  const commits = vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(function (
    this: DuckDBConnection,
    sql,
    ...rest
  ) {
    if (sql !== 'COMMIT') return run.call(this, sql, ...rest);
    return Promise.reject(
      new Error(
        'TransactionContext Error: Failed to commit: Could not write file "/data/t.duckdb.wal": No space left on device',
      ),
    );
  });
  return () => commits.mockRestore();
}

test('while the disk is full, reports, writes and conversions say so, and nothing that was answered is lost', async () => {
  const [campaign] = (await tracker.ask('campaign/list')).Rows ?? [];
  const makeRoom = fillDisk();
  const link = new URL(campaign?.['CampaignUrl'] ?? '');
  const visit = await fetch(link, { redirect: 'manual' });
  expect(visit.status).toBe(302);
  const subid = /tracker_subid=([^;]+)/.exec(visit.headers.get('set-cookie') ?? '')?.[1];
  const full = 'The data file cannot be written: No space left on device.';
  expect(await tracker.refusal('stats', { camp: 1, ...fixtureDay })).toContain(full);
  expect(await tracker.refusal('campaign/edit', { campaignid: 1, bid: 1 })).toContain(full);
  const postback = await fetch(new URL(`/adclick.php?subid=${subid}&revenue=1`, link));
  expect({ status: postback.status, text: await postback.text() }).toEqual({
    status: 500,
    text: expect.stringContaining(full),
  });
  // One line each for whoever runs the tracker, and no stack.
  expect(log.mock.calls.flat().filter((part) => typeof part !== 'string')).toEqual([]);
  makeRoom();
  expect((await tracker.ask('stats', { camp: 1, ...fixtureDay })).Status).toBe('OK');
  expect(await tracker.stored(`SELECT 1 FROM visits WHERE subid = '${subid}'`)).toHaveLength(1);
});
