import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Recorder } from '../../../src/sandbox/traffic/recorder.ts';
import { landing, makeCampaign, offer } from './fixtures.ts';
import { countRecords, type LiveTracker, startLive } from './live-tracker.ts';

const campaign = makeCampaign('Landing Page Sequence', [landing(1), offer(2)], { id: 1 });

let tracker: LiveTracker;
const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
beforeEach(async () => {
  log.mockClear();
  tracker = await startLive([campaign]);
});
afterEach(() => tracker.close());

const breakWrites = () => tracker.database.transaction((writer) => writer.execute('ALTER TABLE steps RENAME TO away'));
const repairWrites = () => tracker.database.transaction((writer) => writer.execute('ALTER TABLE away RENAME TO steps'));

test('visits that cannot be written are kept, logged, and written later', async () => {
  await breakWrites();
  expect(await tracker.visit(campaign)).toMatchObject({ status: 302 });
  const { subid } = await tracker.visit(campaign);
  await tracker.get(`/base2.php?id=1&subid=${subid}`);
  await expect(tracker.flush()).rejects.toThrow('steps');
  expect(log).toHaveBeenCalled();
  await repairWrites();
  expect(await countRecords(tracker)).toMatchObject({ visits: '2', steps: '3' });
  expect(await tracker.visit(campaign)).toMatchObject({ status: 302 });
  expect(await countRecords(tracker)).toMatchObject({ visits: '3', steps: '4' });
});

test('after three failed writes in a row visitors are turned away until one succeeds', async () => {
  await breakWrites();
  const { subid } = await tracker.visit(campaign);
  for (let failed = 0; failed < 3; failed++) await expect(tracker.flush()).rejects.toThrow();
  expect(await tracker.visit(campaign)).toMatchObject({ status: 503, subid: '' });
  expect((await tracker.get(`/base2.php?id=1&subid=${subid}`)).status).toBe(503);
  await repairWrites();
  await tracker.flush();
  expect(await tracker.visit(campaign)).toMatchObject({ status: 302 });
  expect(await countRecords(tracker)).toMatchObject({ visits: '2', steps: '2' });
});

test('a conversion that cannot be written fails, and is not recorded later', async () => {
  const { subid } = await tracker.visit(campaign);
  await breakWrites();
  await tracker.visit(campaign);
  expect((await tracker.get(`/adclick.php?subid=${subid}&revenue=5`)).status).toBe(500);
  await repairWrites();
  expect(await countRecords(tracker)).toMatchObject({ visits: '2', conversions: '0' });
});

test('a flush during traffic ends, and includes what was answered before', async () => {
  let isOver = false;
  const visitors = Array.from({ length: 4 }, async () => {
    while (!isOver) await tracker.visit(campaign);
  });
  for (let round = 0; round < 20; round++) {
    const { subid } = await tracker.visit(campaign);
    expect(await tracker.query('SELECT 1 FROM visits WHERE subid = $subid', { subid })).toHaveLength(1);
  }
  isOver = true;
  await Promise.all(visitors);
});

describe('with 10,000 unwritten steps', () => {
  const step = { clickId: 1, campaignId: 1, at: 0, page: 101, fromPage: null };

  async function fill(): Promise<Recorder> {
    const recorder = await Recorder.open(tracker.database);
    for (let count = 0; count < 10_000; count++) recorder.recordClick(step, undefined);
    return recorder;
  }

  test('the next visitor waits for a write, and is recorded', async () => {
    const recorder = await fill();
    let isRecorded = false;
    const late = recorder.whenRoom(() => {
      recorder.recordClick(step, undefined);
      isRecorded = true;
    });
    expect(isRecorded).toBe(false);
    await late;
    await recorder.flush();
    expect(await countRecords(tracker)).toMatchObject({ steps: '10001' });
  });

  test('a waiting visitor is turned away after three failed writes', async () => {
    await breakWrites();
    const recorder = await fill();
    const refused = expect(recorder.whenRoom(() => undefined)).rejects.toMatchObject({ status: 503 });
    for (let failed = 0; failed < 3; failed++) await recorder.flush().catch(() => undefined);
    await refused;
    await repairWrites();
    await recorder.flush();
  });
});
