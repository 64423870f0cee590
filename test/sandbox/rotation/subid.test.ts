import { expect, test } from 'vitest';
import { makeSubid, parseSubid } from '../../../src/sandbox/rotation/journey.ts';
import { seededRandom } from '../../../src/sandbox/rotation/random.ts';

test('a SubID is eight letters and digits, the campaign ID and the click ID in eight digits', () => {
  expect(makeSubid({ campaignId: 12, clickId: 345 }, seededRandom(1))).toMatch(/^[a-z0-9]{8}_12_00000345$/);
});

test('a SubID says which campaign and click it is of', () => {
  const parts = { campaignId: 3, clickId: 123_456_789 };
  expect(parseSubid(makeSubid(parts, seededRandom(1)))).toEqual(parts);
});

test.each(['', '345', '00000345', 'ab_1', 'ab_x_1', 'a-b_1_2', '_1_2', 'ab_1_2_3', 'ab_1_2 '])(
  '%j is no SubID',
  (text) => {
    expect(parseSubid(text)).toBeUndefined();
  },
);
