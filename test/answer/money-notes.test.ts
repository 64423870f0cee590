import { expect, it } from 'vitest';
import { sayNotice } from '../../src/answer/notes.ts';

it('says of days of which no sale is in that none of them is, and no range where there is none', () => {
  const expected = { seen: 40, count: 10, low: 5, high: 20, revenue: 30, later: [] };
  const byDay = [
    { day: '2026-11-14', seen: 40, count: 1, low: 1, high: 1 },
    { day: '2026-11-15', seen: 0, count: 9, low: 4, high: 19 },
  ];
  expect(sayNotice({ code: 'late-sales', ...expected, byDay })).toMatch(
    / In by day of the visit: 2026-11-14 98%, 2026-11-15 none of them\.$/,
  );
});

it('says since when sales are held back, instead of that they come late', () => {
  const expected = { seen: 40, count: 10, low: 5, high: 20, revenue: 30, later: [], byDay: [] };
  const heldBack = { since: '2026-11-14 07:00', hours: 30 };
  expect(sayNotice({ code: 'late-sales', ...expected, heldBack })).toMatch(
    /^Sales are held back: since 2026-11-14 07:00 each comes about 30 hours later than before, .* About 10 more sales/,
  );
});
