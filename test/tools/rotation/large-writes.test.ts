import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { endpointNamed } from '../../../src/api/endpoints.ts';
import { callTool } from '../../../src/tools/call-tool.ts';
import type { Answer, CallContext } from '../../../src/tools/define-tool.ts';
import { openSnapshot } from '../../../src/tools/rotation/current-values.ts';
import { defineWritingTool } from '../../../src/tools/rotation/writing-tool.ts';
import { type Connection, connect, contextFor, textOf } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

const largest = 40_000;

/** A client, and a tracker with one group of many offers, which keeps the shares it gets. */
async function startLarge(count: number) {
  const offers = Array.from({ length: count }, (_, index) => {
    const page = { PageID: String(index + 1), Name: `Offer "${index + 1}" ${'x'.repeat(60)}` };
    return { ...page, URL: 'https://example.com', Path: '1', Share: '10', Inactive: '0' };
  });
  const { tracker } = await startKeepingTracker(offers);
  return { tracker, ...(await connect({ url: tracker.url })) };
}

/** Calls a tool, and checks that the answer is no error and within the bound. */
async function fitting({ call }: Pick<Connection, 'call'>, name: string, given: Record<string, unknown>) {
  const result = await call(name, given);
  expect(result.isError ?? false, textOf(result)).toBe(false);
  expect(JSON.stringify(result.structuredContent).length).toBeLessThanOrEqual(largest);
  expect(textOf(result).length).toBeLessThanOrEqual(largest);
  return result.structuredContent as Record<string, unknown>;
}

const rotation = (count: number, share: number) => ({
  campaign_id: 1,
  shares: Array.from({ length: 50 }, (_, index) => ({ page_id: count - index, share })),
});

it.each([250, 500])(
  'set_shares in a group of %i pages answers with its change, and counts the pages that are not shown',
  async (count) => {
    const server = await startLarge(count);
    const dry = await fitting(server, 'set_shares', { ...rotation(count, 20), dry_run: true });
    expect(server.tracker.writes()).toEqual([]);
    const done = await fitting(server, 'set_shares', rotation(count, 20));
    expect(done).toMatchObject({ done: true, change_id: expect.stringMatching(/^[\da-f]{12}$/) });
    for (const { groups, notices } of [dry, done]) {
      const [{ pages }] = groups as [{ pages: { share_after: number }[] }];
      expect(pages.filter(({ share_after }) => share_after === 20)).toHaveLength(50);
      expect(String(notices)).toContain(`Not shown: ${count - pages.length} more pages of the offers of path 1.`);
    }
    const undone = await fitting(server, 'undo_change', { change_id: done['change_id'] });
    expect(undone).toMatchObject({ done: true, undoes: done['change_id'] });
  },
);

it('edit_campaign_page in a group of 500 pages, and its undo, answer with their changes', async () => {
  const server = await startLarge(500);
  const given = { campaign_id: 1, page_id: 499, share: 90 };
  await fitting(server, 'edit_campaign_page', { ...given, dry_run: true });
  const { change_id: id, notices } = await fitting(server, 'edit_campaign_page', given);
  expect(String(notices)).toMatch(/- 499 .*share 10 -> 90.*Not shown: \d+ more pages\./s);
  const undone = await fitting(server, 'undo_change', { change_id: id });
  expect(undone).toMatchObject({ done: true, change_id: expect.any(String) });
});

it.each(['\n', '"', '\\', '😀'])(
  'add_offer with notes of 10,000 characters, all %j, is sent once and answers',
  async (character) => {
    const server = await startLarge(1);
    const given = { name: 'Gym', url: 'https://example.com', notes: character.repeat(10_000 / character.length) };
    await fitting(server, 'add_offer', { ...given, dry_run: true });
    expect(server.tracker.writes()).toEqual([]);
    const done = await fitting(server, 'add_offer', given);
    expect(done).toMatchObject({ done: true, id: '12', change_id: expect.any(String) });
    expect(server.tracker.writes()).toHaveLength(1);
  },
);

it('list_changes returns many large changes page by page', async () => {
  const server = await startLarge(60);
  const ids: unknown[] = [];
  const change = async (name: string, given: object) =>
    ids.unshift((await server.data(name, { ...given }))['change_id']);
  for (let share = 1; share <= 7; share += 1) await change('set_shares', rotation(60, share));
  const long = { name: 'n'.repeat(1000), url: `https://example.com/${'u'.repeat(3900)}` };
  for (let page_id = 1; page_id <= 30; page_id += 1)
    await change('edit_campaign_page', { campaign_id: 1, page_id, ...long });
  const found: unknown[] = [];
  for (let offset: unknown = 0; offset !== null; ) {
    const page = await fitting(server, 'list_changes', { limit: 100, offset });
    const changes = page['changes'] as { change_id: string; steps: unknown[]; more_steps?: number }[];
    expect(changes.length).toBeGreaterThan(0);
    for (const { steps, more_steps: more = 0 } of changes) expect([1, 50]).toContain(steps.length + more);
    found.push(...changes.map(({ change_id }) => change_id));
    offset = page['next_offset'];
  }
  expect(found).toEqual(ids);
});

/** A tool that sends one request and returns this answer. */
async function calling(answer: (isDone: boolean) => Answer) {
  const logged: unknown[] = [];
  const tracker = await startForeignTracker({ 'offer/add': '{"Status":"OK","ID":"12"}' });
  const context: CallContext = {
    ...{ ...contextFor({ url: tracker.url }), caller: 'test', ask: async () => 'unavailable' },
    onDefect: (error) => logged.push(error),
  };
  const given = { name: 'Gym', url: 'https://example.com' };
  const steps = [{ request: context.client.request(endpointNamed('add_offer'), given) }];
  const tool = defineWritingTool({
    ...{ name: 'add_twice', title: 'Adds', description: 'Adds an offer', access: 'create' },
    ...{ input: () => z.strictObject({}), output: () => z.object({}) },
    plan: async () => ({
      isDryRun: false,
      write: { tool: 'add_twice', steps, consent: 'Add it?', effect: [], snapshot: openSnapshot(context) },
      answer: (done) => answer(done !== undefined),
    }),
  });
  return { tracker, logged, client: context.client, call: () => callTool(tool, {}, context) };
}

const fine = { structured: { kept: 1, done: false, change_id: null, notices: [] }, blocks: ['fine'] };

const fail = (): never => {
  throw new TypeError('a defect');
};

it.each<[string, () => Answer]>([
  ['cannot be made', fail],
  ['cannot be rendered', () => ({ parts: [], render: fail })],
  ['is too large', () => ({ parts: [], render: () => ({ ...fine, blocks: ['x'.repeat(largest + 1)] }) })],
])(
  'a write with an answer that %s after sending is reported as done, with its change, and logged',
  async (_, broken) => {
    const { tracker, logged, call } = await calling((isDone) =>
      isDone ? broken() : { parts: [], render: () => fine },
    );
    const { structured, text } = await call();
    expect(structured).toMatchObject({ kept: 1, done: true, change_id: expect.stringMatching(/^[\da-f]{12}$/) });
    expect(text).toMatch(/^add_twice: done, change [\da-f]{12}\. The answer could not be shown whole/);
    expect(tracker.writes()).toHaveLength(1);
    expect(logged).toEqual([expect.any(Error)]);
  },
);

it('a defect while a write is sent is logged, and reported with the change', async () => {
  const { logged, client, call } = await calling(() => ({ parts: [], render: () => fine }));
  vi.spyOn(client, 'write').mockRejectedValue(new TypeError('a defect'));
  await expect(call()).rejects.toThrow(/^Outcome unknown: .*defect.*\nIt is change [\da-f]{12}: list_changes/);
  expect(logged).toEqual([new TypeError('a defect')]);
});

it('a write is not sent if its shortest answer does not fit', async () => {
  const tooLong = { ...fine, blocks: ['x'.repeat(largest - 100)] };
  const { tracker, call } = await calling(() => ({ parts: [], render: () => tooLong }));
  await expect(call()).rejects.toThrow('Nothing was sent');
  expect(tracker.writes()).toEqual([]);
});
