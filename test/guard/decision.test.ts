import { expect, it } from 'vitest';
import { decide, keyFrom, makeProposal, publicKeyOf, readDecision } from '../../src/guard/approval.ts';

const secret = '0123456789abcdefghjkmnpqrstvwxyz';
const now = new Date('2026-11-22T10:00:00Z');
const proposal = makeProposal(
  {
    ...{ tracker: 'https://tracker.example.com', tool: 'edit_campaign', surroundings: {}, effect: [], client: 'test' },
    steps: [{ tool: 'edit_campaign', arguments: { bid: 1 }, sent: { bid: '1' }, before: {} }],
    ...{ holder: null, policy: { readOnly: false, limits: {}, confirm: 'approve' } },
  },
  now,
);
const decided = decide({ name: 'ann', key: keyFrom(secret, 'salt') }, proposal, 'yes', now);

/** Whether the decision is valid, if two approvers have the same key. */
function isValid(decision: object, about: object, salt = 'salt'): boolean {
  const public_key = publicKeyOf(keyFrom(secret, salt));
  const approvers = ['ann', 'bob'].map((name) => ({ name, public_key, salt, created: '' }));
  return readDecision({ ...decided, ...decision }, { ...proposal, ...about }, approvers) !== undefined;
}

it('a decision is valid only for the secret that signed it', () => {
  expect(isValid({}, {})).toBe(true);
  expect(isValid({}, {}, 'other salt')).toBe(false);
});

it.each<object>([
  { verdict: 'no' },
  { approver: 'bob' },
  { time: '2027-01-01T00:00:00.000Z' },
  { hash: 'x' },
  { proposal: 'x' },
])('a decision is not valid with %j changed', (change) => {
  expect(isValid(change, {})).toBe(false);
});

it.each<object>([
  { tracker: 'https://other.example.com' },
  { effect: ['nothing'] },
  { surroundings: { 'page 1 of campaign 1': '[]' } },
  { steps: [{ tool: 'edit_campaign', arguments: { bid: 2 }, sent: { bid: '2' }, before: {} }] },
  { expires: '2099-01-01T00:00:00.000Z' },
])('a decision is not valid for a proposal with %j changed, even with the same ID', (change) => {
  expect(isValid({}, change)).toBe(false);
});
