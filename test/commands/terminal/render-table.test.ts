import widthOf from 'fast-string-width';
import { expect, test } from 'vitest';
import { renderTable } from '../../../src/commands/terminal/render-table.ts';

const wide = 1000;

test('numbers stand to the right with the decimals of their column, text to the left', () => {
  expect(
    renderTable(
      ['Name', 'Revenue'],
      [
        ['Gym', 1772],
        ['Yoga monthly', 306.5],
        ['New', null],
      ],
      wide,
    ),
  ).toBe(['Name          Revenue', 'Gym            1772.0', 'Yoga monthly    306.5', 'New'].join('\n'));
});

test('columns behind emoji and wide letters stay under each other', () => {
  const rows = [
    ['plain', 1],
    ['family 👨‍👩‍👧', 2],
    ['日本語', 3],
    ['flag 🇩🇪', 4],
  ] as const;
  const ends = renderTable(['Keyword', 'Views'], rows, wide)
    .split('\n')
    .map((line) => widthOf(line));
  expect(new Set(ends).size).toBe(1);
});

test('a table wider than the terminal goes on below with the first column again', () => {
  const headings = ['Name', ...Array.from({ length: 12 }, (_, index) => `Column${index}`)];
  const parts = renderTable(headings, [['Gym', ...headings.slice(1).map((_, index) => index)]], 40).split('\n\n');
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    expect(part).toMatch(/^Name/);
    expect(Math.max(...part.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  }
  for (const heading of headings) expect(parts.join('\n')).toContain(heading);
});

test('text longer than a column is cut, never within a character', () => {
  const [, line = ''] = renderTable(['Keyword'], [['👍🏽'.repeat(60)]], wide).split('\n');
  expect(widthOf(line)).toBeLessThanOrEqual(40);
  expect(line).toMatch(/^(👍🏽)+…$/u);
});

test('a table of one column that is wider than the terminal is shown all the same', () => {
  expect(renderTable(['Name'], [['twelve signs']], 5)).toBe('Name\ntwelve signs');
});
