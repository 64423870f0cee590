import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parameterFinder } from '../../../src/sandbox/traffic/visitor-request.ts';

const name = fc.constantFrom('c', 'ke', 'key', 'k y', 'ü', '%');
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '100%', 'a+b', '%e4', 'x=y'));
const written = fc.tuple(name, text, fc.constantFrom('raw', 'encoded', 'bare')).map(([parameter, value, how]) => {
  if (how === 'bare') return parameter;
  return how === 'raw' ? `${parameter}=${value}` : new URLSearchParams([[parameter, value]]).toString();
});

test('a parameter is read as the URL standard reads it, however it is written', () => {
  fc.assert(
    fc.property(fc.array(written), name, (parts, wanted) => {
      const query = parts.join('&').replaceAll('?', '');
      expect(parameterFinder(query)(wanted)).toBe(new URLSearchParams(query).get(wanted));
    }),
    { numRuns: 2000 },
  );
});
