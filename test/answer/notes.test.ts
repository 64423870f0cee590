import { expect, test } from 'vitest';
import { type Note, sayNotice, sayToPerson } from '../../src/answer/notes.ts';

/** A model and a person read the same. */
function both(words: string): [string, string] {
  return [words, words];
}

/** Each kind of note, with what a model and a person read of it. */
const all: { readonly [Code in Note['code']]: readonly [Extract<Note, { code: Code }>, string, string | null][] } = {
  'open-day': [
    [
      { code: 'open-day', day: '2026-11-22', isSure: true },
      '2026-11-22 is not over, and is set against a whole day. Without dates get_overview compares whole days.',
      '2026-11-22 is not over, and is set against a whole day.',
    ],
    [
      { code: 'open-day', day: '2026-11-22', isSure: false },
      '2026-11-22 may not be over in the tracker’s zone, and is set against a whole day. Without dates get_overview compares whole days.',
      '2026-11-22 may not be over in the tracker’s zone, and is set against a whole day.',
    ],
  ],
  'so-far': [
    [
      { code: 'so-far', day: '2026-11-22', before: '2026-11-21', until: '09:40', without: [] },
      ...both('Before: 2026-11-21 up to 09:40, since 2026-11-22 is not over.'),
    ],
    [
      { code: 'so-far', day: '2026-11-22', before: '2026-11-21', until: '09:40', without: ['clicks', 'revenue'] },
      ...both('Before: 2026-11-21 up to 09:40, since 2026-11-22 is not over. Not known up to then: clicks, revenue.'),
    ],
    [
      { code: 'so-far', day: '2026-11-22', before: '2026-11-21', until: { unknown: 'list' }, without: [] },
      ...both(
        '2026-11-22 is not over, and 2026-11-21 cannot be told up to the same time, since its list of visitors cannot be read whole: nothing is compared.',
      ),
    ],
  ],
};

const notes = Object.values(all).flat() as [Note, string, string | null][];

test.each(notes)('a note has its words: %j', (note, said, toPerson) => {
  expect([sayNotice(note), sayToPerson(note)]).toEqual([said, toPerson]);
});

test.each(notes)('a person reads no names of tools, arguments and tables: %j', (note) => {
  expect(sayToPerson(note) ?? '').not.toMatch(/_[a-z]|\boffset\b|\br\d+\b|query_report|instructions/);
});
