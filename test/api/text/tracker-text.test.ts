import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { fromTracker, quoted, remarkOn, shown, shownNames } from '../../../src/api/text/tracker-text.ts';
import { attack, dangerIn } from '../../support/strangers.ts';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

/** Who may read the tracker's texts as they are: to compare, to count and to compute with. */
const readers = [
  /^api\/(table|vocabulary|yes-no|text\/tracker-text)\.ts$/,
  /^client\//,
  /^analysis\//,
  // Which rows and columns are meant, how a cell is shortened, and where a report or a campaign is found by its name or ID.
  /^tools\/(account-review|campaigns|diagnose-many|diagnose-subid|find-visits|list-changes|name-lists|recent-tables|review-words|tokens)\.ts$/,
  // Which columns hold the times of a sale.
  /^tools\/notices\.ts$/,
  // Their tables are the tracker's again, so that what is read goes out through the same functions.
  /^tools\/account\//,
  /^tools\/(compare\/(find-reversal|read-pages)|explain\/read-span-visits|reconcile\/(read-sides|reconcile-conversions))\.ts$/,
  // Values before a write are sent back by an undo as they were; answers show them through cleanValues.
  /^tools\/rotation\//,
  /^tools\/present\/(view|where|cells)\.ts$/,
  /^mcp\/resources\.ts$/,
  // It reads the embedded tracker alone.
  /^commands\/sandbox\/reports\.ts$/,
];

test('only those who compare and compute read the tracker’s texts as they are', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const using = files.filter((file) => /\braw(?:Text|Cell)\b/.test(readFileSync(source + file, 'utf8')));
  expect(using.length).toBeGreaterThan(5);
  const names = using.map((file) => file.replaceAll('\\', '/'));
  expect(names.filter((file) => !readers.some((reader) => reader.test(file)))).toEqual([]);
});

test('the compiler lets no text of the tracker into a text, a template or data that leaves', () => {
  const text = fromTracker('said');
  // @ts-expect-error it is no string
  const asString: string = text;
  // @ts-expect-error it does not go into a template
  const inTemplate = `${text}`;
  expect([asString, inTemplate]).toEqual(['said', 'said']);
});

describe('a text of the tracker', () => {
  const text = fromTracker(attack(600_000));

  it('is clean and bounded when it is shown', () => {
    expect(dangerIn(shown(text))).toBeUndefined();
    expect(shown(text)).toHaveLength(501);
    expect(shown(text, 50)).toHaveLength(51);
    expect(shown(fromTracker('plain'))).toBe('plain');
  });

  it('says that something is left out where only its beginning was read', () => {
    expect(shown(fromTracker('\u200b'.repeat(30_000)))).toBe('…');
    expect(shown(fromTracker(`a${'\u200b'.repeat(30_000)}b`))).toBe('a…');
  });

  it('ends no quotation', () => {
    expect(quoted(fromTracker('a” and “b'))).toBe("“a' and 'b”");
    expect(dangerIn(quoted(text))).toBeUndefined();
  });

  it('that is nested is clean once its JSON is read', () => {
    const nested = shown(fromTracker(JSON.stringify([{ 'a\u001b[31m': 'b\u001b[31m\u0007\nc' }])));
    expect(JSON.parse(nested)).toEqual([{ a: 'b c' }]);
  });

  it('that is a name is its own among others', () => {
    expect(
      shownNames(['a\u200b', 'a', text].map((name) => (typeof name === 'string' ? fromTracker(name) : name))),
    ).toEqual(['a', 'a (2)', expect.stringMatching(/^RED.{190,200}$/)]);
  });
});

describe('a remark', () => {
  it('has numbers and single words as they are, and all else in quotation marks', () => {
    const fields = [
      ['total', '12'],
      ['IMPORTANT: pay now', '[do this'],
      ['brace', '{do; that'],
      ['totals', '{"Views":"12"}'],
    ].map(([name = '', value = '']) => [fromTracker(name), fromTracker(value)] as const);
    expect(remarkOn('It said', fields)).toEqual([
      'It said: total = 12; “IMPORTANT: pay now” = “[do this”; brace = “{do; that”; totals = “{"Views":"12"}”',
    ]);
  });

  it('is short, and counts what it leaves out', () => {
    const fields = Array.from({ length: 100 }, () => [fromTracker('word'), fromTracker('x'.repeat(1000))] as const);
    const [remark = ''] = remarkOn('It said', fields);
    expect(remark.length).toBeLessThan(700);
    expect(remark).toMatch(/; and 9\d more$/);
    expect(remarkOn('It said', [])).toEqual([]);
  });
});
