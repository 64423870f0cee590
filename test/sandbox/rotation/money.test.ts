import { expect, test } from 'vitest';
import { moneyFrom, parseMoney } from '../../../src/sandbox/rotation/records.ts';

test.each([
  ['12', 12_000_000n],
  ['0.35', 350_000n],
  ['1200.5', 1_200_500_000n],
  ['0.1234567', 123_456n],
  ['7.', 7_000_000n],
  ['999999999999.999999', 999_999_999_999_999_999n],
])('%s is read to the millionth', (text, amount) => {
  expect(parseMoney(text)).toBe(amount);
});

test.each(['', '-1', '1e5', '1,200', '$5', 'NaN', '0x10', ' 1', '.5', '1000000000000'])('%j is no amount', (text) => {
  expect(parseMoney(text)).toBeUndefined();
});

test('an amount in floating point becomes the money it stands for', () => {
  expect(moneyFrom(0.1 + 0.2)).toBe(300_000n);
});
