import { beforeEach, describe, expect, it } from 'vitest';
import { callTool, type Reply, textOf, until, worked } from './support/call.ts';
import { startCountingTracker } from './support/counting-tracker.ts';
import { startRedis } from './support/redis-server.ts';
import { startReplica } from './support/replicas.ts';

/** State that replicas share. */

const [tracker, redis] = await Promise.all([startCountingTracker(), startRedis()]);
const settings = { TRACKER_URL: tracker.url, TRACKER_MCP_REDIS: redis.url };
const start = (more: Readonly<Record<string, string>> = {}) => startReplica({ ...settings, ...more });
const confirming = { TRACKER_CONFIRM: 'elicit' };
const replicas = await Promise.all([start(), start(), start(confirming), start(confirming)]);
const [first, second, asking, answering] = replicas.map(({ url }) => url) as [string, string, string, string];

/** Kills Redis and starts it empty; returns when every replica is ready again. */
async function restartRedis(whileAway: () => Promise<void> = async () => undefined) {
  await redis.kill();
  await whileAway();
  await redis.restart();
  for (const replica of replicas) await until(async () => (await replica.readiness()).status === 'ready');
}

const yes = { inputResponses: { agree: { action: 'accept', content: { agree: true } } } };

/** No two tests set the same bid. */
let bid = 1;
beforeEach(() => {
  bid += 1;
});

const edit = (url: string, answer = {}) => callTool(url, 'edit_campaign', { campaign_id: 1, bid }, answer);
/** Asks a question at one replica; it can be answered at any. */
async function question() {
  const { result } = await edit(asking);
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
  const answered = { requestState: result?.requestState, ...yes };
  return { answered, answer: (url: string) => edit(url, answered) };
}
const bidsSet = () => tracker.bids.filter((set) => set === String(bid)).length;
const changeOf = ({ result }: Reply) => String(result?.structuredContent?.['change_id']);

describe('a question', () => {
  it('of one replica can be answered at another, only once', async () => {
    const { answer } = await question();
    const ends = await Promise.all([answering, asking, answering].map(answer));
    expect(ends.filter(worked)).toHaveLength(1);
    expect(ends.filter(({ error }) => /belongs to no open question/.test(error?.message ?? ''))).toHaveLength(2);
    expect(bidsSet()).toBe(1);
    expect(textOf(await answer(answering))).toContain('belongs to no open question');
    expect(bidsSet()).toBe(1);
  });

  it('is valid at another replica only for its arguments', async () => {
    const { answered } = await question();
    const reply = await callTool(answering, 'edit_campaign', { campaign_id: 1, bid: bid + 0.5 }, answered);
    expect(textOf(reply)).toContain('belongs to no open question');
    expect(tracker.bids).not.toContain(String(bid + 0.5));
  });

  it('cannot be answered again after Redis has lost the used answers', async () => {
    const { answer } = await question();
    expect(worked(await answer(asking))).toBe(true);
    await restartRedis();
    expect(textOf(await answer(answering))).toContain('belongs to no open question');
    expect(bidsSet()).toBe(1);
  });
});

describe('an answer', () => {
  it('is kept by the replica that read it; another replica reads the next page again, with a notice', async () => {
    const given = { campaign_id: 77, limit: 20 };
    const read = await callTool(first, 'list_conversions', given);
    const asked = tracker.reads();
    const same = await callTool(first, 'list_conversions', { ...given, offset: 20 });
    expect(tracker.reads()).toBe(asked);
    expect(textOf(same)).not.toContain('Read again');
    const anew = await callTool(second, 'list_conversions', { ...given, offset: 20 });
    expect(tracker.reads()).toBe(asked + 1);
    expect([read, anew].map(worked)).toEqual([true, true]);
    expect(textOf(anew)).toContain('Read again from the tracker');
    expect(JSON.stringify(anew.result?.structuredContent?.['notices'])).toContain('Read again from the tracker');
    const third = await callTool(second, 'list_conversions', { ...given, offset: 40 });
    expect(tracker.reads()).toBe(asked + 1);
    expect(textOf(third)).not.toContain('Read again');
  });
});

describe('a change', () => {
  it('made at one replica is listed and undone at another', async () => {
    const change = changeOf(await edit(first));
    const listed = new RegExp(`^${change}.*edit_campaign: done.*bid .* -> ${bid} \\(ok\\)`, 's');
    expect(textOf(await callTool(second, 'list_changes', { limit: 1 }))).toMatch(listed);
    expect(worked(await callTool(second, 'undo_change', { change_id: change }))).toBe(true);
    expect(textOf(await callTool(first, 'undo_change', { change_id: change }))).toContain('already undone');
    expect(textOf(await callTool(first, 'list_changes', { limit: 2 }))).toContain('undone by');
  });

  it('is undone once by two replicas that are asked at the same time', async () => {
    const change = changeOf(await edit(first));
    const sent = tracker.bids.length;
    const ends = await Promise.all([first, second].map((url) => callTool(url, 'undo_change', { change_id: change })));
    expect(ends.filter(worked)).toHaveLength(1);
    expect(ends.map(textOf).join()).toMatch(/being undone by another call|already undone/);
    expect(tracker.bids).toHaveLength(sent + 1);
  });
});

it('the rate limit counts over both replicas, and per replica if Redis is away', async () => {
  const limited = await Promise.all([1, 2].map(() => start({ TRACKER_MCP_RATE_LIMIT: '3' })));
  const ask = async (index: number) => callTool(limited[index]?.url ?? '', 'list_changes');
  const statuses = [];
  for (const index of [0, 1, 0, 1, 0]) statuses.push((await ask(index)).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  expect(textOf(await ask(1))).toMatch(/Too many requests within a minute; ask again in \d+ s/);
  await restartRedis(async () => {
    expect((await ask(1)).status).toBe(200);
  });
});
