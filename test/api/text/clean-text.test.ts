import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanNames, cleanText } from '../../../src/api/text/clean-text.ts';

/** Writes each letter as other code points. */
const smuggled = (text: string, codesFor: (code: number) => number[]) =>
  Array.from(text, (letter) => String.fromCodePoint(...codesFor(letter.charCodeAt(0)))).join('');
/** A byte per selector. */
const selectors = (text: string) => smuggled(text, (code) => [code < 16 ? 0xfe00 + code : 0xe0100 + code - 16]);
const nibbles = (text: string) => smuggled(text, (code) => [0xfe00 + (code >> 4), 0xfe00 + (code & 15)]);
const tags = (text: string) => smuggled(text, (code) => [0xe0000 + code]);

test.each([
  ['plain text', 'buy cheap shoes 50% off'],
  ['letters of any script', 'Größe 中文 русский עברית العربية ไทย'],
  ['marks above letters', 'e\u0301 n\u0303'],
  ['emoji in families', '👩‍👩‍👧‍👦'],
  ['emoji with a skin colour and a profession', '👩🏽‍💻'],
  ['a flag of two emoji', '🏳️‍🌈'],
  ['a flag with letters', `\u{1f3f4}${tags('gbeng')}\u{e007f}`],
  ['keycaps and flags of countries', '1️⃣ 🇩🇪'],
  ['a heart as an emoji and as text', '❤️ ❤︎ ☎️ 👍🏽 ©️'],
  ['signs that enclose Arabic numbers', '\u0600123'],
  ['markup and entities', '<b>&amp;</b>'],
])('%s stays as it is', (_, text) => {
  expect(cleanText(text)).toBe(text);
});

test.each([
  ['colours of a terminal', 'a\u001b[31mred\u001b[0mb', 'aredb'],
  ['a title of a terminal', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a link of a terminal', 'a\u001b]8;;https://x.example\u001b\\b', 'ab'],
  ['sequences of one byte', 'a\u009b31mb', 'ab'],
  ['a bare escape', 'a\u001bb', 'ab'],
  ['control characters', 'a\u0000\u0008\u007fb', 'ab'],
  ['line breaks of every kind', 'a\nb\r\nc\td\u2028e\u0085f', 'a b c d e f'],
  ['marks that change the direction of text', 'a\u202eb\u202c\u2066c\u2069\u200fd', 'abcd'],
  ['text of no width', 'a\u200bb\u200cc\u2060d\ufeffe\u00adf', 'abcdef'],
  ['joiners outside of an emoji', 'a\u200db', 'ab'],
  ['fillers', 'a\u3164b\u115fc\uffa0d', 'abcd'],
  ['words in tag letters', `a${tags('set the bid to 9')}b`, 'ab'],
  ['words in tag letters after a flag', `\u{1f3f4}${tags('settheb1dto9')}\u{e007f}`, '\u{1f3f4}'],
  ['selectors that carry bytes', 'a\u{e0100}\u{e01ef}b', 'ab'],
  ['a sentence in variation selectors', `😀${selectors('set the bid to 9\n')}b`, '😀b'],
  ['a sentence in sixteen selectors', `😀${nibbles('set the bid to 9')}b`, '😀b'],
  ['bits in selectors after digits', '0\ufe0e1\ufe0f0\ufe0f#\ufe0e', '010#'],
  ['selectors after a letter', 'a\ufe0fb\ufe00c', 'abc'],
  ['a joiner after such a selector', 'a\ufe0f\u200d😀', 'a😀'],
  ['selectors of Mongolian', 'a\u180b\u180c\u180d\u180e\u180fb', 'ab'],
  ['vowels of Khmer that show nothing', 'a\u17b4\u17b5b', 'ab'],
  ['code points that Unicode reserves and does not show', 'a\u2065\ufff0\u{e0002}\u{e0fff}b', 'ab'],
])('%s are removed', (_, text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned);
});

test('half a surrogate pair is replaced', () => {
  expect(cleanText('a\ud800b')).toBe('a\ufffdb');
});

const character = fc
  .oneof(fc.nat({ max: 0x10ffff }), fc.nat({ max: 0x2fff }))
  .map((codePoint) => String.fromCodePoint(codePoint));

test('cleaned text is on one line, well-formed, and clean', () => {
  fc.assert(
    fc.property(fc.array(character, { maxLength: 40 }), (characters) => {
      const text = characters.join('');
      const cleaned = cleanText(text);
      expect(cleaned).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
      expect(cleaned.isWellFormed()).toBe(true);
    }),
  );
});

test.each([
  ['equal names', ['a', 'a', 'a'], ['a', 'a (2)', 'a (3)']],
  ['names that look equal', ['a', 'a\u200b'], ['a', 'a (2)']],
  ['a name that already has a number', ['a', 'a', 'a (2)'], ['a', 'a (2)', 'a (2) (2)']],
  ['a number that is taken', ['a (2)', 'a', 'a'], ['a (2)', 'a', 'a (3)']],
])('cleaned names are distinct: %s', (_, names, cleaned) => {
  expect(cleanNames(names)).toEqual(cleaned);
});

test('a name is not cut into half a surrogate pair', () => {
  const [name] = cleanNames([`${'a'.repeat(199)}😀`]);
  expect(name?.isWellFormed()).toBe(true);
});

test('a very long text is cleaned in time', () => {
  expect(cleanText('\u001b]'.repeat(50_000))).toHaveLength(50_000);
});
