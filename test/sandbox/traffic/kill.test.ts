import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { Database } from '../../../src/sandbox/store/database.ts';
import { startCli } from '../../e2e/support/run-cli.ts';
import { newFolder } from '../../support/folders.ts';
import { landing, makeCampaign, offer } from './fixtures.ts';
import { startLive } from './live-tracker.ts';

const campaign = makeCampaign('Landing Page Sequence', [landing(1), offer(2)], { id: 1 });
const link = `/base.php?c=1&key=${campaign.linkKey}`;

/** Sends visitors one after another, each with a click and a conversion, until the tracker is gone. */
async function keepVisiting(url: string, answered: { visits: string[]; conversions: string[] }): Promise<void> {
  const get = (path: string) => fetch(url + path, { redirect: 'manual' });
  try {
    for (;;) {
      const subid = /tracker_subid=([^;]+)/.exec((await get(link)).headers.get('set-cookie') ?? '')?.[1] ?? '';
      answered.visits.push(subid);
      await get(`/base2.php?id=1&subid=${subid}`);
      if ((await get(`/adclick.php?subid=${subid}&revenue=1`)).status === 200) answered.conversions.push(subid);
    }
  } catch {
    // The connection broke: the tracker was killed.
  }
}

test('after a kill the file opens, and has all but the last visits', async () => {
  const file = join(await newFolder(), 'killed.duckdb');
  await (await startLive([campaign], { database: await Database.open(file) })).close();
  const child = startCli(['sandbox', '--json', '--data', file]);
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url } = JSON.parse(line);
  const answered = { visits: [] as string[], conversions: [] as string[] };
  const visitors = Array.from({ length: 8 }, () => keepVisiting(url, answered));
  while (answered.conversions.length < 60) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill('SIGKILL');
  await Promise.all([once(child, 'exit'), ...visitors]);

  const database = await Database.open(file);
  const rows = await database.query(
    `SELECT visit.subid, (SELECT count(*) FROM steps step WHERE step.click_id = visit.click_id AND from_page IS NULL)::INTEGER AS arrivals,
         (SELECT count(*) FROM conversions conversion WHERE conversion.click_id = visit.click_id)::INTEGER AS conversions
       FROM visits visit`,
  );
  await database.close();
  const recorded = new Map(rows.map((row) => [row['subid'], row]));
  expect(new Set(rows.map((row) => row['arrivals']))).toEqual(new Set([1]));
  // A conversion is answered after its commit, and the visit came before it.
  for (const subid of answered.conversions) expect(recorded.get(subid)).toMatchObject({ conversions: 1 });
  const lost = answered.visits.filter((subid) => !recorded.has(subid)).length;
  // Visits are answered before their commit, so each of the 8 visitors can lose one.
  expect(lost).toBeLessThanOrEqual(8);
  expect(rows.length).toBeGreaterThanOrEqual(answered.visits.length - lost);
});
