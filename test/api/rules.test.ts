import { expect, test } from 'vitest';
import { amountInWords, countInWords, findBrokenRule, numberInWords, type Rule } from '../../src/api/rules.ts';

const label = (argument: string) => `<${argument}>`;
const someOf: Rule = { kind: 'some-of', arguments: ['name', 'url', 'active'] };
const needed = ['name', 'url'];
const existingOrNew: Rule = { kind: 'existing-or-new', existing: 'id', needed, onlyNew: [...needed, 'active'] };
const inOrder: Rule = { kind: 'in-order', first: 'start', last: 'end' };

test.each<[rule: Rule, given: object, broken: string | undefined]>([
  [someOf, { id: 4 }, 'This changes nothing. Give at least one of <name>, <url> or <active>.'],
  [someOf, { active: false }, undefined],
  [someOf, { name: '' }, undefined],
  [existingOrNew, { id: 4 }, undefined],
  [existingOrNew, { name: 'x', url: 'y' }, undefined],
  [
    existingOrNew,
    { id: 4, name: 'x', active: true },
    '<name> and <active> cannot be combined with <id>: they describe a new record. ' +
      'Leave them out to add the existing one, or leave <id> out to add a new one.',
  ],
  [
    existingOrNew,
    { name: 'x' },
    'Give <id> to add an existing record, or <name> and <url> to add a new one; missing: <url>.',
  ],
  [inOrder, { start: '2026-11-02', end: '2026-11-01' }, '<end> 2026-11-01 is before <start> 2026-11-02. Swap them.'],
  [inOrder, { start: '2026-11-01', end: '2026-11-01' }, undefined],
  [inOrder, { end: '2026-11-01' }, undefined],
])('%o with the arguments %j is broken: %s', (rule, given, broken) => {
  expect(findBrokenRule([rule], { ...given }, label)).toBe(broken);
});

test('the first broken rule is named', () => {
  const given = { start: '2026-11-02', end: '2026-11-01' };
  expect(findBrokenRule([inOrder, someOf], given, label)).toMatch(/^<end>/);
  expect(findBrokenRule([someOf, inOrder], given, label)).toMatch(/^This changes nothing/);
});

test.each([
  [1, '1 visit'],
  [3, '3 visits'],
  [28_684, '28,684 visits'],
] as const)('a count in a sentence separates thousands, as tables do: %j', (count, expected) => {
  expect(countInWords(count, 'visit')).toBe(expected);
});

test.each([
  [0, '0.00'],
  [1495.756, '1,495.76'],
  [-1_243_480.5, '-1,243,480.50'],
] as const)('an amount in a sentence has cents and separates thousands: %j', (amount, expected) => {
  expect(amountInWords(amount)).toBe(expected);
});

test.each([0, 2])('numbers are written as Intl writes them, with at least %i decimals', (digits) => {
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: 6 });
  const sizes = Array.from({ length: 13 }, (_, power) => 10 ** power);
  const numbers = sizes.flatMap((size) => [1, 1.05, 2.345678, 9.9999999, 12.5, 999.995].map((one) => one * size));
  for (const number of [0, ...numbers, ...numbers.map((one) => -one)]) {
    expect(numberInWords(number, digits)).toBe(format.format(number));
  }
});
