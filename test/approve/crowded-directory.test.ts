import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toPlainLetters } from '../../src/guard/approval.ts';
import { startApproving } from '../support/approving.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { specialFiles } from '../support/special-files.ts';

const { tracker } = await startKeepingTracker();
const bid = { campaign_id: 1, bid: 0.5 };

/** A server whose directory of proposals holds as many files of others that only look like its own. */
async function startCrowded(count: number) {
  const server = await startApproving({ url: tracker.url });
  const { proposal_id: id = '' } = await server.propose('edit_campaign', bid);
  for (let index = 0; index < count; index += 500) {
    const names = Array.from({ length: 500 }, (_, more) => nameOf(index + more));
    await Promise.all(names.map((name) => writeFile(join(server.setup.directory, name), '{}')));
  }
  return { ...server.setup, server, id };
}

function nameOf(index: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(index + 1);
  return `${toPlainLetters(bytes).slice(0, 12)}.${['proposal', 'decision', 'taken'][index % 3]}.json`;
}

it.each(specialFiles)('%s in the place of a file of a proposal stops nothing', async (_, make) => {
  const { server, id, directory, proposals } = await startCrowded(0);
  for (const part of ['proposal', 'decision', 'taken', 'sign-in'])
    await make(join(directory, `${nameOf(0).slice(0, 12)}.${part}.json`));
  expect((await proposals().all()).map(({ proposal }) => proposal.id)).toEqual([id]);
  expect(await server.decided(id)).toMatchObject({ state: 'done' });
  tracker.taken();
});

const msFor = async (work: () => Promise<unknown>) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

it('50,000 files of others in the directory cost little, and no proposal is lost among them', async () => {
  const [few, many] = [await startCrowded(2000), await startCrowded(50_000)];
  const listed = ({ proposals }: typeof few) => msFor(() => proposals().all());
  const [small, large] = [await listed(few), await listed(many)];
  expect(large).toBeLessThan(10 * small);
  expect(await many.server.stateOf(many.id)).toMatchObject({ state: 'waiting' });
  expect(await many.server.decided(many.id)).toMatchObject({ state: 'done' });
  expect(tracker.writes()).toHaveLength(1);
  expect((await readdir(many.directory)).length).toBeGreaterThan(50_000);
});
