import { expect, test } from 'vitest';
import { readTimes, timesIn, timesInLongList } from '../../../src/analysis/columns/times.ts';
import { unhurried } from '../../../src/api/running-call.ts';
import { Table } from '../../../src/api/table.ts';

const cells = [
  '2026-08-02 10:00:00',
  '2026-08-02 23:59:59',
  '2026-02-29 10:00:00',
  '2024-02-29 00:00:00',
  '2026-08-02 24:00:00',
  '2026-08-02 10:60:00',
  '2026-13-02 10:00:00',
  '0000-00-00 00:00:00',
  '1899-01-01 00:00:00',
  '2026-08-02T10:00:00',
  '2026-08-02 10:00 AM',
  '13/08/2026 10:00:00',
  '03/04/2026 10:00:00',
  '2026-08-02',
  null,
  '',
  'yesterday at noon..',
  '2026-08-02 10:00:0x',
];

test('times in the usual form are read as any other form is', async () => {
  const table = Table.fromColumns('visitors', ['Date'], [cells]);
  const long = await timesInLongList(table, ['date'], unhurried);
  const plain = readTimes(cells.map((cell) => cell ?? '')).values;
  for (const times of [timesIn(table, ['date']), long]) {
    expect(cells.map((_, row) => times?.momentOf(row))).toEqual(plain.map((moment) => moment ?? null));
    expect(cells.map((_, row) => times?.dayOf(row))).toEqual(
      plain.map((moment) => (moment === undefined ? null : new Date(moment).toISOString().slice(0, 10))),
    );
  }
});

test('a list without times of day has days and no moments', () => {
  const times = timesIn(Table.fromColumns('visitors', ['Date'], [['2026-08-02 00:00:00', '2026-08-03']]), ['date']);
  expect([0, 1].map((row) => [times?.dayOf(row), times?.momentOf(row)])).toEqual([
    ['2026-08-02', null],
    ['2026-08-03', null],
  ]);
});

test.each([
  '2. 8. 2026 10:00',
  '02.08.2026 - 10:00 Uhr',
  '2026-08-02_10:00:00',
  '2026-08-02 | 10:00',
  'domenica 2 agosto 2026, 10:00',
  'zondag 2 augustus 2026 10:00',
  '2 ago 2026 10:00',
])('the same moment is read from %s', (time) => {
  expect(readTimes([time]).values).toEqual([Date.UTC(2026, 7, 2, 10)]);
});

/** Languages whose months are read in each of these forms, and others, which may be refused. */
const read =
  'en-US en-GB de-DE fr-FR es-ES pt-BR it-IT nl-NL sv-SE da-DK nb-NO fi-FI ru-RU uk-UA cs-CZ tr-TR el-GR hu-HU ro-RO id-ID vi-VN zh-CN ja-JP ko-KR';
const others =
  'pl-PL hr-HR sl-SI sr-RS sr-Latn bs-BA sk-SK bg-BG be-BY mk-MK lt-LT lv-LV et-EE ca-ES eu-ES gl-ES is-IS ga-IE cy-GB sq-AL az-AZ ka-GE hy-AM kk-KZ ar-EG he-IL hi-IN th-TH sw-KE ms-MY fil-PH af-ZA lb-LU mt-MT';

test.each([...read.split(' '), ...others.split(' ')])('a month is read as no other one: %s', (locale) => {
  for (const form of [{ dateStyle: 'long' }, { dateStyle: 'medium' }, { dateStyle: 'full' }] as const) {
    for (let month = 0; month < 12; month += 1) {
      const moment = Date.UTC(2026, month, 17);
      const text = new Intl.DateTimeFormat(locale, { ...form, timeZone: 'UTC' }).format(moment);
      const [found] = readTimes([text]).values;
      if (found !== undefined || (read.includes(locale) && form.dateStyle === 'long')) expect(found, text).toBe(moment);
    }
  }
});

test.each([
  ...[
    '2 sierpnia 2026 r. 10:00',
    '2 sie 2026 10:00',
    '2 августа 2026 г., 10:00',
    '02 авг. 2026 10:00',
    '2 серп. 2026 р. 10:00',
  ],
  ...[
    '2026年8月2日 10:00',
    '2026年08月02日 10时00分',
    '2026/8/2(日) 10:00',
    '2026년 8월 2일 10:00',
    '2026. 08. 02. 10:00',
  ],
  ...[
    '2026. augusztus 2. 10:00',
    '2.8.2026 klo 10.00',
    '2. aug. 2026 kl. 10.00',
    'söndag 2 augusti 2026 10:00',
    'le 2 août 2026 10:00',
  ],
  ...[
    '2 de ago. de 2026, 10:00',
    '2026-08-02-10.00.00.000000',
    '2026-08-02 10-00-00',
    '02AUG2026:10:00:00',
    '1785664800000000',
  ],
])('a time is read: %s', (text) => {
  expect(readTimes([text]).values).toEqual([Date.UTC(2026, 7, 2, 10)]);
});

test.each(['17 lip 2026', '2. srp 2026', '17. listopada 2026', '2 xyz 2026', '2 foo bar 2026'])(
  'a time with a month that may be two is refused: %s',
  (text) => {
    expect(readTimes([text]).values).toEqual([undefined]);
  },
);
