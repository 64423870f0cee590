import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { holdsKey, maskKey, maskKeyInData } from '../../src/client/mask-key.ts';

const key = '5f0c2a9be1d74c38a6b5e7f810293d4c';

it('a key split over fields is in none of them', () => {
  const text = JSON.stringify({ error: 'wrong key', first: key.slice(0, 16), second: key.slice(16), keyword: 'shoes' });
  const masked = maskKey(text, key);
  expect(masked).toBe('{"error":"wrong key","first":"***","second":"***","keyword":"shoes"}');
});

it.each([[[0, 11, 22, 32]], [[0, 8, 16, 24, 32]], [[0, 20, 32]]])('parts cut at %j are found', (cuts) => {
  const parts = cuts.slice(1).map((end, index) => key.slice(cuts[index], end));
  for (const part of parts) expect(maskKey(parts.join(' | '), key)).not.toContain(part);
});

it('a part that happens to stand in a report is left: the report may not change', () => {
  const text = `<Keyword>${key.slice(4, 14)}</Keyword>`;
  expect(maskKey(text, key)).toBe(text);
});

it('a key too short to be told from a word is left', () => {
  expect(maskKey('a test of tests', 'test')).toBe('a test of tests');
});

it.each([6, 32, 400, 2000])('a key of %i characters is found whole, escaped and where a text was cut', (length) => {
  const long = `é&/"${createHash('shake256', { outputLength: length }).update('key').digest('hex')}`.slice(0, length);
  const escaped = JSON.stringify(long).slice(1, -1).replaceAll('é', '\\u00e9').replaceAll('/', '\\/');
  const data = { whole: `x ${long} y`, escaped, inUrl: [encodeURIComponent(long)], number: 1, none: null };
  expect(maskKeyInData(data, long)).toEqual({
    whole: 'x *** y',
    escaped: '***',
    inUrl: ['***'],
    number: 1,
    none: null,
  });
  expect(maskKeyInData(`x ${long.slice(0, 300)}…`, long)).toBe('x ***…');
  expect(holdsKey([{ [`x ${long}`]: 1 }], long)).toBe(true);
});

it.each(['\\\\\\\\\\\\', '%25%25%25', '......(.)*', 'a\ud800bcdef'])(
  'the key %j is taken for what it says, in time',
  (odd) => {
    expect(maskKey(`x${odd}y`, odd)).toBe('x***y');
    const near = `${'\\'.repeat(5)}x${'a'.repeat(11)}%2${'.'.repeat(6)}(`.repeat(5000);
    expect(maskKey(near, odd) === near).toBe(true);
  },
);
