import { expect, it } from 'vitest';
import { KeptTexts } from '../../../src/analysis/columns/kept-texts.ts';
import { atOnce } from '../../../src/api/steps.ts';
import { Table } from '../../../src/api/table.ts';

it('keeps the text of each row of a long column, and null for blank ones', () => {
  const blanks = ['', ' ', null];
  const texts = Array.from({ length: 9001 }, (_, row) => (row % 4 === 0 ? (blanks[row % 3] ?? null) : `x${row}`));
  const kept = atOnce(KeptTexts.of(Table.fromColumns('visitors', ['SubID'], [texts]), 0));
  const rows = texts.keys();
  expect([...rows].map((row) => kept.at(row))).toEqual(texts.map((text) => text?.trim() || null));
});
