import { expect, test } from 'vitest';
import { BoundedMap } from '../../../src/sandbox/traffic/bounded-map.ts';

test('the oldest entries are forgotten, once there are more than fit', () => {
  const map = new BoundedMap<number, string>(4);
  for (const key of [1, 2, 3, 4, 5]) map.set(key, `value ${key}`);
  expect([1, 2, 3, 4, 5].map((key) => map.get(key))).toEqual([undefined, undefined, 'value 3', 'value 4', 'value 5']);
});
