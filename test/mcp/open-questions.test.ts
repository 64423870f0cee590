import { expect, it } from 'vitest';
import { OpenQuestions, type SharedQuestions, type Subject } from '../../src/mcp/open-questions.ts';

const call = { tool: 'edit_campaign', arguments: { campaign_id: 1, bids: [2] } };
const subject: Subject = { tracker: 'https://tracker.example', owner: 'ann', ...call, question: 'Sure?' };

it.each<Partial<Subject>>([
  { tracker: 'https://other.example' },
  { owner: 'bob' },
  { tool: 'edit_offer' },
  { arguments: { campaign_id: 1, bids: [3] } },
  { question: 'Really?' },
])('an answer is not valid with %j', async (other) => {
  const questions = new OpenQuestions();
  const state = questions.seal(subject);
  expect(await questions.take(state, { ...subject, ...other })).toBe('stale');
  expect(await questions.take(state, { ...subject, arguments: { bids: [2], campaign_id: 1 } })).toBe('open');
});

it('replicas with shared state take an answer once in all', async () => {
  const taken = new Set<string>();
  const shared: SharedQuestions = {
    key: Buffer.alloc(32, 7),
    take: async (id) => !taken.has(id) && Boolean(taken.add(id)),
  };
  const [first, second] = [new OpenQuestions(shared), new OpenQuestions(shared)];
  const state = first.seal(subject);
  expect(await second.take(state, subject)).toBe('open');
  expect(await first.take(state, subject)).toBe('stale');
});
