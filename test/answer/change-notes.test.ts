import { expect, it } from 'vitest';
import { isDouble } from '../../src/answer/change-notes.ts';

it.each([
  [7.33, 14.67, true],
  [0.02, 0.04, true],
  [10, 20.02, false],
  [0.004, 0.004, false],
])('a payout of %s that becomes %s has doubled: %s', (before, after, doubled) => {
  expect(isDouble(before, after)).toBe(doubled);
});
