import { expect, it } from 'vitest';
import { isSigned, keyFrom, publicKeyOf, Signer } from '../../src/guard/proposals/approvers.ts';
import { makeProposal, type Proposal } from '../../src/guard/proposals/proposal.ts';

const secret = '0123456789abcdefghjkmnpqrstvwxyz';
const key = keyFrom(secret, 'salt');
const now = new Date('2026-11-22T10:00:00Z');
const proposal = makeProposal(
  {
    ...{ tracker: 'https://tracker.example.com', tool: 'edit_campaign', surroundings: {}, effect: [], client: 'test' },
    steps: [{ tool: 'edit_campaign', arguments: { bid: 1 }, sent: { bid: '1' }, before: {} }],
    ...{ holder: null, policy: { readOnly: false, limits: {}, confirm: 'approve' } },
  },
  now,
);
const decided = new Signer('ann', key).decide(proposal, 'yes', now);

it('a decision is that of the secret it was made with, and says all that it says', () => {
  expect(isSigned(decided, proposal, publicKeyOf(key))).toBe(true);
  expect(isSigned(decided, proposal, publicKeyOf(keyFrom(secret, 'other salt')))).toBe(false);
  const changes = [
    { verdict: 'no' },
    { approver: 'bob' },
    { time: '2027-01-01T00:00:00.000Z' },
    { hash: 'x' },
    { proposal: 'x' },
  ] as const;
  for (const change of changes) {
    expect(isSigned({ ...decided, ...change }, proposal, publicKeyOf(key)), JSON.stringify(change)).toBe(false);
  }
});

it('a decision is about the whole of a proposal, and not about its ID alone', () => {
  const changes: readonly Partial<Proposal>[] = [
    { tracker: 'https://other.example.com' },
    { effect: ['nothing'] },
    { surroundings: { 'page 1 of campaign 1': '[]' } },
    { steps: [{ tool: 'edit_campaign', arguments: { bid: 2 }, sent: { bid: '2' }, before: {} }] },
    { expires: '2099-01-01T00:00:00.000Z' },
  ];
  for (const change of changes) {
    expect(isSigned(decided, { ...proposal, ...change }, publicKeyOf(key)), JSON.stringify(change)).toBe(false);
  }
});
