import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SecretKey } from '../../src/client/mask-key.ts';

const key = '5f0c2a9be1d74c38a6b5e7f810293d4c';

it('a key split over fields is masked in all of them', () => {
  const text = JSON.stringify({ error: 'wrong key', first: key.slice(0, 16), second: key.slice(16), keyword: 'shoes' });
  const masked = new SecretKey(key).mask(text);
  expect(masked).toBe('{"error":"wrong key","first":"***","second":"***","keyword":"shoes"}');
});

it.each([[[0, 11, 22, 32]], [[0, 8, 16, 24, 32]], [[0, 20, 32]]])('parts cut at %j are found', (cuts) => {
  const parts = cuts.slice(1).map((end, index) => key.slice(cuts[index], end));
  for (const part of parts) expect(new SecretKey(key).mask(parts.join(' | '))).not.toContain(part);
});

it('a part of a key that occurs in a report by chance is not masked', () => {
  const text = `<Keyword>${key.slice(4, 14)}</Keyword>`;
  expect(new SecretKey(key).mask(text)).toBe(text);
});

it('a short key, which could be a word, is not masked', () => {
  expect(new SecretKey('12345').mask('offer 12345')).toBe('offer 12345');
  expect(new SecretKey('123456').mask('offer 123456')).toBe('offer ***');
});

it('a key of digits is masked where it is a number', () => {
  const data = { rows: [['shoes', 73920461, 739204615]], total: 7, 73920461: 'x' };
  expect(new SecretKey('73920461').maskData(data)).toEqual({
    rows: [['shoes', '***', 739204615]],
    ...{ total: 7, '***': 'x' },
  });
});

it.each([6, 32, 400, 2000])('a key of %i characters is found whole, escaped and where a text was cut', (length) => {
  const long = `é&/"${createHash('shake256', { outputLength: length }).update('key').digest('hex')}`.slice(0, length);
  const escaped = JSON.stringify(long).slice(1, -1).replaceAll('é', '\\u00e9').replaceAll('/', '\\/');
  const data = { whole: `x ${long} y`, escaped, inUrl: [encodeURIComponent(long)], number: 1, none: null };
  const secret = new SecretKey(long);
  expect(secret.maskData(data)).toEqual({ whole: 'x *** y', escaped: '***', inUrl: ['***'], number: 1, none: null });
  expect(secret.maskData(`x ${long.slice(0, 300)}…`)).toBe('x ***…');
  expect(secret.isIn([{ [`x ${long}`]: 1 }])).toBe(true);
});

it.each(['', '\u200b', '\u001b[31m'])('a key is found in arguments with %j between all characters', (hidden) => {
  const escaped = [...key].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  for (const written of [key, escaped])
    expect(new SecretKey(key).isIn({ name: `Café ${[...written].join(hidden)}` })).toBe(true);
  expect(new SecretKey(key).isIn({ name: `Café ${[...key.slice(1)].join(hidden)}` })).toBe(false);
});

it.each(['\\\\\\\\\\\\', '%25%25%25', '......(.)*', 'a\ud800bcdef'])('the key %j is read literally, in time', (odd) => {
  const secret = new SecretKey(odd);
  expect(secret.mask(`x${odd}y`)).toBe('x***y');
  const near = `${'\\'.repeat(5)}x${'a'.repeat(11)}%2${'.'.repeat(6)}(`.repeat(5000);
  expect(secret.mask(near) === near).toBe(true);
});

/** Ways to write a character: plain, or escaped for JSON, a URL or XML. */
const waysToWrite: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => JSON.stringify(character).slice(1, -1).replace('/', '\\/'),
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  (character) => encodeURIComponent(character),
  (character) => encodeURIComponent(character).replace(/%../g, (byte) => byte.toLowerCase()),
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
];
const keyCharacter = fc.constantFrom(...'abcXYZ019-_.~/"\\+= &<>%#ü€');
const written = fc.tuple(keyCharacter, fc.constantFrom(...waysToWrite));

it('a key is found however each of its characters is written', () => {
  fc.assert(
    fc.property(fc.array(written, { minLength: 6, maxLength: 20 }), (characters) => {
      const key = characters.map(([character]) => character).join('');
      const text = characters.map(([character, write]) => write(character)).join('');
      const body = `{"Url":"https:\\/\\/t.example\\/?key=${text}"}`;
      const secret = new SecretKey(key);
      expect(secret.isSurelyNotIn(Buffer.from(body))).toBe(false);
      // After a key that ends in & or %, a rest of its escape may be left, which does not show the key.
      expect(secret.mask(body)).toContain('?key=***');
      expect(secret.mask(body)).not.toContain(text);
    }),
    { numRuns: 2000 },
  );
});
