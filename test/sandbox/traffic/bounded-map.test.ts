import { expect, test } from 'vitest';
import { BoundedMap } from '../../../src/sandbox/traffic/bounded-map.ts';

test('the oldest entries are forgotten, once there are more than fit', () => {
  const map = new BoundedMap<number, string>(2);
  for (const key of [1, 2, 2, 3]) map.set(key, `value ${key}`);
  expect([1, 2, 3].map((key) => map.get(key))).toEqual([undefined, 'value 2', 'value 3']);
});
