import { expect, test } from 'vitest';
import * as is from '../../src/api/parameters.ts';

const schemas = {
  id: is.id(''),
  'campaign or all': is.campaignOrAll(),
  ordinal: is.ordinal(''),
  measure: is.measure(''),
  percentage: is.percentage(''),
  flag: is.flag(''),
  text: is.text(''),
  note: is.note(''),
  url: is.url(''),
  date: is.date(''),
  subid: is.subid(''),
  'time zone': is.timeZone(''),
  'list of': is.listOf(['a', 'b'], ''),
};
type Name = keyof typeof schemas;

const url = 'https://o.example/?s={!subid!}';
/** The given value, and the parsed value if it differs. */
const taken: Partial<Record<Name, [given: unknown, parsed?: unknown][]>> = {
  id: [[12], [' 12 ', 12]],
  'campaign or all': [['0', 0]],
  measure: [
    ['0.015', 0.015],
    ['0.30000000000000004', 0.1 + 0.2],
  ],
  percentage: [[0], [100]],
  flag: [[true], ['false', false], [0, false], ['1', true]],
  text: [[' x '], ['Größe عربي 👩🏽‍💻 ❤️ 1️⃣']],
  note: [[''], ['first\nsecond\r\n\tthird']],
  url: [[url], ['http://localhost:8080']],
  date: [['2028-02-29']],
  subid: [['ab12cd34_7_00000345'], ['00000345'], [345, '345']],
  'time zone': [['America/New_York'], ['UTC']],
  'list of': [[['b', 'a']]],
};
const allTaken = Object.entries(taken).flatMap(([name, pairs]) =>
  pairs.map((pair) => [name as Name, pair[0], pair.at(-1)] as const),
);

test.each(allTaken)('%s takes %j', (name, given, parsed) => {
  expect(schemas[name].parse(given)).toEqual(parsed);
});

/** A control character, bidirectional, of no width, in tag letters, of a terminal, and half a pair. */
const hidden = ['a\0b', 'a\u202eb', 'a\u200bb', '\u{e0061}', '\u001b[31mred', 'a\ud800'];

const refused: Partial<Record<Name, unknown[]>> = {
  id: [0, -1, 1.5, '007x', '', null, true, 1e15],
  ordinal: [0],
  measure: [-0.01, '1,5', '0.300000000000000041', Number.NaN, Number.POSITIVE_INFINITY],
  percentage: [100.1],
  flag: ['yes', 2, ''],
  text: ['', ' \n', 'x'.repeat(1001), 'a\nb', 'a\tb', ...hidden],
  note: ['a\rb', 'a\u2028b', ...hidden],
  url: [
    'ftp://o.example',
    'o.example',
    'https://',
    'https://o.example/a b',
    'javascript:alert(1)',
    ...hidden.map((text) => `https://o.example/${text}`),
  ],
  date: ['2026-02-30', '2026-2-3', '20.11.2026', '2026-11-20T00:00:00Z'],
  subid: ['ab12cd34', 'a_b_c', "1' OR '1'='1"],
  'time zone': ['+02:00', 'Mars/Olympus', ''],
  'list of': [[], ['c']],
};
const allRefused = Object.entries(refused).flatMap(([name, values]) =>
  values.map((value) => [name as Name, value] as const),
);

test.each(allRefused)('%s refuses %j', (name, given) => {
  expect(schemas[name].safeParse(given).success).toBe(false);
});
