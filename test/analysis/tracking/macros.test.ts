import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlainId, oddIn } from '../../../src/analysis/tracking/macros.ts';

const isPlain = (text: string) => {
  const bytes = new TextEncoder().encode(`"${text}"`);
  return isPlainId(bytes, 1, bytes.length - 1);
};

test.each(['f3a9c1', '12345', 'a-b.9', 'EAIaIQobChMI8'])('%s need not be read as a text', (text) => {
  expect(isPlain(text)).toBe(true);
});

test.each(['', 'MFOXClickID', '{clickid}', 'sub_id', '%7bsubid%7d', 'é1', '7b!', 'click id 1', '@1', '`1'])(
  '“%s” must be read',
  (text) => {
    expect(isPlain(text)).toBe(false);
  },
);

test('what need not be read is nothing odd', () => {
  const pieces = fc.constantFrom(
    'mfoxclickid',
    'jt_keyword',
    'sub',
    'id',
    '{',
    '}',
    '7',
    '0',
    '-',
    '.',
    '_',
    '%',
    '#',
    'é',
  );
  const texts = fc.array(pieces, { maxLength: 6 }).map((some) => some.join(''));
  fc.assert(
    fc.property(fc.oneof(texts, fc.string()), (text) => !isPlain(text) || oddIn(text, undefined) === undefined),
    { numRuns: 5000 },
  );
});
