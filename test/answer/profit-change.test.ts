import { expect, it } from 'vitest';
import { nameGroups, sayProfitChange } from '../../src/answer/profit-change.ts';

const fallen: Parameters<typeof sayProfitChange>[0] = {
  ...{
    measure: 'Profit',
    isWhole: true,
    isCut: false,
    isFull: false,
    currency: 'EUR',
    change: -100,
    usual: 30,
    rest: -100,
  },
  spans: { before: { start: '2026-11-14', end: '2026-11-20' }, after: { start: '2026-11-21', end: '2026-11-27' } },
  ...{ before: { views: 300, profit: 150 }, after: { views: 300, profit: 50 } },
  ...{
    factors: [],
    restFactors: [],
    causes: [],
    expectedRevenue: undefined,
    toReject: 0,
    ...{ leftOut: undefined, lost: undefined },
    surelyLost: 0,
  },
};

const gap = { from: Date.parse('2026-11-24T10:00Z'), to: Date.parse('2026-11-25T02:00Z'), expected: 70, worth: 140 };

it.each([
  [
    { leftOut: 80 },
    /^Pending sales may explain 80% of this: 80\.00 of the later days is not decided, and left out\. Profit of /,
  ],
  [{ leftOut: 20 }, /^Profit of /],
  [{ expectedRevenue: 60 }, /^Late sales may explain 60% of this: they are expected to bring 60\.00 more\. Profit of /],
  [{ leftOut: 80, change: 100 }, /^Profit of /],
  // A sure cause that lost more is no matter of waiting.
  [{ expectedRevenue: 60, surelyLost: 70 }, /^Profit of .* Late sales are expected to bring 60\.00 more\.$/],
  [
    { expectedRevenue: 75, surelyLost: 80 },
    /: this is more\. Late sales are expected to bring 75\.00 more: with them, the total may be chance\.$/,
  ],
  [{ expectedRevenue: 60, surelyLost: 50 }, /^Late sales may explain 60% of this/],
  [{ expectedRevenue: 95 }, /^Late sales may explain this: they/],
  [{ leftOut: 80, surelyLost: 90 }, /^Profit of /],
  [
    { lost: { ...gap, revenue: 60 } },
    /^Lost sales may explain 60% of this: no sale came in from Tue 24 Nov 10:00 to Wed 25 Nov/,
  ],
  [
    { lost: { ...gap, revenue: 0 } },
    /^Profit of .* Sales were lost: no sale came in from .*, where about 70, worth 140.00, are usual/,
  ],
])('says first what is only not in, not decided or lost: %j', (given, start) => {
  expect(sayProfitChange({ ...fallen, ...given })).toMatch(start);
});

it('does not say that there is no cause where the time was over before all were looked for', () => {
  const ended = 'The time of the call ended before all causes were looked for';
  expect(sayProfitChange({ ...fallen, isCut: true })).toContain(`(150.00 to 50.00). ${ended}.`);
  expect(sayProfitChange({ ...fallen, isCut: true })).not.toContain('No single part');
  const cause = { what: 'country US stopped selling', factor: 'sales_per_click', carried: -80, is_sure: true };
  expect(sayProfitChange({ ...fallen, causes: [cause], isCut: true })).toContain(`. ${ended}. `);
});

it('says that there may be more causes where as many are told as are looked for', () => {
  const cause = { what: 'country US stopped selling', factor: 'sales_per_click', carried: -80, is_sure: true };
  const more = ' There may be more causes: ask about one campaign, or fewer days.';
  expect(sayProfitChange({ ...fallen, causes: [cause], isFull: true })).toContain(more);
  expect(sayProfitChange({ ...fallen, causes: [cause] })).not.toContain(more);
});

it('says how much of the later revenue will probably be rejected, if it is not little', () => {
  const risen = { ...fallen, change: 100, after: { views: 300, profit: 250, revenue: 400 } };
  const said = 'The figures have about 90.00 of pending revenue that will probably be rejected.';
  expect(sayProfitChange({ ...risen, toReject: 90 })).toContain(said);
  expect(sayProfitChange({ ...risen, toReject: 15 })).not.toContain('rejected');
});

it('names visits that have no value', () => {
  expect(nameGroups([{ dimension: 'offer', value: '' }])).toBe('(no offer reached)');
  expect(nameGroups([{ dimension: 'keyword', value: null }])).toBe('(no keyword)');
});

it('says of what part several causes are', () => {
  const cause = { what: 'country US stopped selling', factor: 'sales_per_click', carried: -20, is_sure: true };
  const said = sayProfitChange({ ...fallen, causes: [cause, { ...cause, what: 'country GB stopped selling' }] });
  expect(said).toContain(': 40% of it by these: -20.00 because country US stopped selling; -20.00 because country GB');
  expect(sayProfitChange({ ...fallen, causes: [cause] })).toContain(': 20% of it: -20.00 because');
});
