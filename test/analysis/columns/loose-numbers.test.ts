import { expect, test } from 'vitest';
import { numberIn } from '../../../src/analysis/columns/loose-numbers.ts';
import { fromTracker } from '../../../src/api/text/tracker-text.ts';

test('a cell is the number that a reader sees in it, whatever its sign of money or percent, or none', () => {
  const numbers = { '12': 12, ' 12.50 ': 12.5, '$1,234.50': 1234.5, '-$5': -5, '5 €': 5, '50%': 50, '0': 0 };
  for (const [text, number] of Object.entries(numbers)) expect(numberIn(fromTracker(text)), text).toBe(number);
  // A comma ahead of one digit is no thousands.
  for (const text of ['', 'x', '12abc', '0,5', '0,350', '1 of 2'])
    expect(numberIn(fromTracker(text)), text).toBeUndefined();
  expect(numberIn(null)).toBeUndefined();
});
