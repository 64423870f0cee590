import widthOf from 'fast-string-width';
import { expect, test } from 'vitest';
import { forTerminal, type Look, paint } from '../../../src/commands/terminal/look.ts';
import { renderTable } from '../../../src/commands/terminal/render-table.ts';

const wide: Look = { width: 1000, shape: 'table', isColoured: false };

test('numbers are to the right in the format of their column, text to the left', () => {
  const rows = Object.entries({ Gym: 1772, 'Yoga monthly': 306.5, New: null });
  expect(renderTable(['Name', 'Revenue'], rows, wide)).toBe(
    ['Name           Revenue', 'Gym           1,772.00', 'Yoga monthly    306.50', 'New'].join('\n'),
  );
});

test('a cell with sequences of a terminal is words there, and the paint of this program stays', () => {
  const hostile = '\x1b]8;;https://evil.example\x07Gym\x1b[2J\u202e\x9b31m\r';
  const coloured: Look = { ...wide, isColoured: true };
  const shown = forTerminal(renderTable(['Name', 'Profit'], [[hostile, -5]], coloured));
  expect(shown).toContain(paint('Name', 'heading', coloured));
  expect(shown).toContain('Gym');
  expect(shown.replace(/\x1b\[(?:1|22|31|39)m/g, '')).toMatch(/^[\x20-\x7e\n]*$/);
});

test('columns after emoji and wide letters are aligned', () => {
  const rows = ['plain', 'family 👨‍👩‍👧', '日本語', 'flag 🇩🇪'].map((name) => [name, 1]);
  const lines = renderTable(['Keyword', 'Views'], rows, wide).split('\n');
  expect(new Set(lines.map((line) => widthOf(line))).size).toBe(1);
});

test('a table wider than the terminal is split into parts, each with the names', () => {
  const headings = ['Name', ...Array.from({ length: 12 }, (_, index) => `Column${index}`)];
  const row = (name: string) => [name, ...headings.slice(1).map((_, index) => index)];
  const parts = renderTable(headings, [row('Gym'), row('Yoga')], { ...wide, width: 40 }).split('\n\n');
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    expect(part).toMatch(/^Name/);
    expect(Math.max(...part.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  }
  for (const heading of headings) expect(parts.join('\n')).toContain(heading);
});

test('a figure counts once towards the width, even if its columns are apart', () => {
  const row = (name: string) => [name, 500, 42.5, 1234];
  const headings = ['Name', 'Profit', 'ROI', 'Profit change'];
  const whole = renderTable(headings, [row('Gym'), row('Yoga')], wide);
  const width = widthOf(whole.split('\n')[0] ?? '');
  expect(renderTable(headings, [row('Gym'), row('Yoga')], { ...wide, width })).toBe(whole);
});

test('text longer than a column is cut between characters', () => {
  const [, line = ''] = renderTable(['Keyword'], [['👍🏽'.repeat(60)]], wide).split('\n');
  expect(widthOf(line)).toBeLessThanOrEqual(40);
  expect(line).toMatch(/^(👍🏽)+…$/u);
});

test('a table of one column that is wider than the terminal is not split', () => {
  expect(renderTable(['Name'], [['twelve signs']], { ...wide, width: 5 })).toBe('Name\ntwelve signs');
});

test('the repeated columns are those that identify the rows', () => {
  const figures = Array.from({ length: 8 }, (_, index) => `Column${index}`);
  const partsOf = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]) => {
    const cells = rows.map((row) => [...row, ...figures.map(() => 1)]);
    const parts = renderTable([...headings, ...figures], cells, { ...wide, width: 40 }).split('\n\n');
    return parts.slice(1);
  };
  const pages = ['Gym', 'Yoga'].map((name, index) => [index + 3, name]);
  for (const part of partsOf(['PageID', 'Name'], pages)) expect(part).toMatch(/^Name .*\nGym .*\nYoga /);
  const days = ['Mon Mobile', 'Mon Tablet', 'Tue Mobile'].map((row) => row.split(' '));
  for (const part of partsOf(['Day', 'Device'], days)) expect(part).toMatch(/^Day {2}Device .*\nMon {2}Mobile /);
});

test('a number without a known measure, such as an ID, has no separators and keeps its digits', () => {
  expect(renderTable(['ID', 'Year', 'Bid'], [[60042, 2026, 0.125]], wide)).toBe(
    '   ID  Year    Bid\n60042  2026  0.125',
  );
});

const url = `https://example.com/${'path/'.repeat(20)}`;

test('--wide shows long cells whole, with one line for each row', () => {
  const rows = ['Gym', 'Yoga'].map((name) => [name, url]);
  const lines = renderTable(['Name', 'URL'], rows, { ...wide, width: 40, shape: 'wide' }).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toBe(`Gym   ${url}`);
});

test('a total below cells that are all empty is aligned as a number', () => {
  const table = renderTable(['Name', 'Revenue'], [['Alpha', null]], wide, { totals: { Revenue: 124 } });
  expect(table.split('\n').map((line) => line.length)).toEqual([14, 5, 14]);
});

test('--vertical shows each cell whole on its own line, and the totals at the end', () => {
  const rows = ['Gym', 'Yoga'].map((name, index) => [name, url, index + 1]);
  const facts = { totals: { Views: 3 } };
  expect(renderTable(['Name', 'URL', 'Views'], rows, { ...wide, shape: 'vertical' }, facts)).toBe(
    `Name   Gym\nURL    ${url}\nViews  1\n\nName   Yoga\nURL    ${url}\nViews  2\n\nTotals\nViews  3`,
  );
});

test('a column may be named like a method of JavaScript objects', () => {
  const facts = { units: { Cost: '$' }, totals: { Cost: 3 }, formats: {} };
  expect(renderTable(['constructor', 'Cost'], [['a', 3]], wide, facts)).toBe(
    'constructor  Cost $\na              3.00\nTotal          3.00',
  );
});

test('a single row that is wider than the terminal becomes a list of its cells', () => {
  expect(renderTable(['Name', 'URL'], [['Gym', url]], { ...wide, width: 20 })).toBe(`Name  Gym\nURL   ${url}`);
});

test('a coloured table is the plain one with colours around its cells', () => {
  const draw = (isColoured: boolean) => renderTable(['Name', 'Profit'], [['Gym', -5]], { ...wide, isColoured });
  expect(draw(true)).toContain('\x1b[31m -5.00\x1b[39m');
  expect(draw(true).replaceAll(/\x1b\[\d+m/g, '')).toBe(draw(false));
});
