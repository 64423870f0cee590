import { describe, expect, it } from 'vitest';
import type { Question } from '../../../../src/client/decode/decode.ts';
import { type Body, problemWith, readTables } from '../read.ts';

const one = [
  { PageID: '1', Name: 'Keto', Views: '100' },
  { PageID: '2', Name: 'Men', Views: '200' },
];
const other = [
  { PageID: '3', Name: 'Yoga', Views: '300' },
  { PageID: '4', Name: 'Gym', Views: '400' },
];
const names = one.map(({ PageID, Name }) => ({ PageID, Name }));
const offers: Question = { reply: 'reports', reports: ['offer'] };
const campaigns: Question = { reply: 'rows', table: 'campaigns' };
const xml = (rows: readonly object[], name: string) =>
  `<${name}>${rows
    .map(
      (row) =>
        `<row>${Object.entries(row)
          .map(([key, value]) => `<${key}>${value}</${key}>`)
          .join('')}</row>`,
    )
    .join('')}</${name}>`;

/** Answers in which two tables could be the one asked for. */
const ambiguous: Readonly<Record<string, readonly [Body, Question]>> = {
  'offer and offers': [{ offer: one, offers: other }, offers],
  'offer and Offer Performance': [{ offer: one, 'Offer Performance': other }, offers],
  'the same report in two wrappers': [{ Reports: { offer: one }, stats: { offer: other } }, offers],
  'two reports of one name in a list': [
    [
      { report: 'offer', rows: one },
      { report: 'offer', rows: other },
    ],
    offers,
  ],
  'two items of one name': [[{ offer: one }, { offer: other }], offers],
  'rows and data of a report': [{ offer: { rows: one, data: other } }, offers],
  'rows and items': [{ rows: one, items: other }, offers],
  'rows and items of a list': [{ Status: 'OK', rows: one, items: other }, campaigns],
  'campaigns and Campaign': [{ campaigns: one, Campaign: other }, campaigns],
  'these days and those before': [{ offer: { current: one, previous: other } }, offers],
  'offer and offers in XML': [`<r>${xml(one, 'offer')}${xml(other, 'offers')}</r>`, offers],
  'data and items in XML': [`<r>${xml(one, 'data')}${xml(other, 'items')}</r>`, campaigns],
};

/** Answers in which one of them has all that the others have. */
const clear: Readonly<Record<string, readonly [Body, Question]>> = {
  'the same rows twice': [{ offer: one, offers: one }, offers],
  'the same rows in another order': [{ offer: one, offers: one.toReversed() }, offers],
  'an empty one first': [{ offer: [], offers: one }, offers],
  'an empty one last': [{ offer: one, offers: [] }, offers],
  'one with fewer columns': [{ offer: names, 'Offer Performance': one }, offers],
  'one under the name of the list': [{ data: other, campaigns: one }, campaigns],
  'one beside a record about the answer': [{ result: { code: 0 }, data: { rows: one } }, campaigns],
};

describe('two tables that could be the rows asked for', () => {
  it.each(Object.entries(ambiguous))('are refused by their names: %s', async (_, [body, question]) => {
    expect(await problemWith(body, question)).toMatch(/^several: \w+(, \w+)?$/);
  });

  it.each(Object.entries(clear))('are one if it has all rows: %s', async (_, [body, question]) => {
    const { tables } = await readTables(body, question);
    expect(tables).toHaveLength(1);
    expect(tables[0]?.columns).toEqual(['PageID', 'Name', 'Views']);
    expect(tables[0]?.rows.flat().sort()).toEqual(one.flatMap((row) => Object.values(row)).sort());
  });

  it.each([
    ['a text among its rows', { offer: [...one, 'error'] }],
    ['rows beside it under numbers', { offer: { rows: one, '2': other[0], '3': other[1] } }],
  ])('%s make a report unreadable', async (_, body) => {
    expect(await problemWith(body, offers)).toBe('unreadable');
  });

  it('are refused in XML where each element of a report has rows', async () => {
    const body = `<r>${xml(one, 'offer')}${xml(other, 'offer')}</r>`;
    expect(await problemWith(body, offers)).toBe('unreadable');
  });

  it('are all told where wrappers have different reports', async () => {
    const { tables } = await readTables({ Reports: { offer: one }, stats: { landing: other } }, offers);
    expect(tables.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['offer', 2],
      ['landing', 2],
    ]);
  });

  it('are joined if their names are parts of a list, whatever is beside them', async () => {
    const { tables } = await readTables({ active: one, inactive: other, meta: { took: '0.1' } }, campaigns);
    expect(tables[0]?.rows).toHaveLength(4);
  });
});
