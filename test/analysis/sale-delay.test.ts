import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DatedSale, saleDelayOf, salesToCome } from '../../src/analysis/sale-delay.ts';

const dateOf = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10);

/** Ten visits a day that buy, so many days later each, as a list has them that begins and ends. */
const listed = (delays: readonly number[], from: number, to: number, firstVisit = from): DatedSale[] =>
  Array.from({ length: to - firstVisit + 1 }, (_, index) => firstVisit + index).flatMap((day) =>
    delays
      .filter((delay) => day + delay >= from && day + delay <= to)
      .map((delay) => ({ visited: dateOf(day), booked: dateOf(day + delay) })),
  );

test('sales of the same day leave nothing to come', () => {
  const sales = listed([0, 0, 0], 1, 10);
  const delay = saleDelayOf(sales, dateOf(1), dateOf(10));
  expect(delay).toMatchObject({ meanDays: 0, daysUntilIn: 0 });
  expect(delay && salesToCome(delay, sales, dateOf(10))).toEqual({ days: 0, part: 0, count: 0 });
});

test('a list that ends today does not make sales look quick', () => {
  const sales = listed([0, 1, 2, 3, 4, 5, 6, 7], 1, 12);
  const raw = sales.filter(({ visited, booked }) => visited === booked).length / sales.length;
  const delay = saleDelayOf(sales, dateOf(1), dateOf(12));
  expect(raw).toBeGreaterThan(0.15);
  expect(delay?.partIn(0)).toBeCloseTo(1 / 8, 2);
  expect(delay?.meanDays).toBeCloseTo(3.5, 1);
  expect(delay?.daysUntilIn).toBe(7);
});

test('a list that begins after the visits does not make sales look slow', () => {
  const sales = listed([0, 1, 2, 3, 4, 5, 6, 7], 20, 32, 1);
  expect(saleDelayOf(sales, dateOf(20), dateOf(32))?.partIn(0)).toBeCloseTo(1 / 8, 2);
});

test('the number of sales to come follows from the delay', () => {
  const sales = listed([0, 4], 1, 30);
  const delay = saleDelayOf(sales, dateOf(1), dateOf(30));
  expect(delay && salesToCome(delay, sales, dateOf(30))).toEqual({ days: 4, part: 0.5, count: 4 });
});

test('one late sale of a few is luck', () => {
  const sales = listed([0], 1, 10).concat([{ visited: dateOf(1), booked: dateOf(9) }]);
  expect(saleDelayOf(sales, dateOf(1), dateOf(10))?.daysUntilIn).toBe(0);
});

test('without a sale that the list can hold nothing is known', () => {
  expect(saleDelayOf([], dateOf(1), dateOf(10))).toBeUndefined();
  expect(saleDelayOf(listed([0], 1, 5), dateOf(6), dateOf(10))).toBeUndefined();
});

test('for any dates parts grow from 0 to 1', () => {
  const sale = fc.record({ visited: fc.integer({ min: -80, max: 40 }), delay: fc.integer({ min: -2, max: 120 }) });
  fc.assert(
    fc.property(fc.array(sale, { minLength: 1, maxLength: 60 }), (raw) => {
      const sales = raw.map(({ visited, delay }) => ({ visited: dateOf(visited), booked: dateOf(visited + delay) }));
      const delay = saleDelayOf(sales, dateOf(1), dateOf(40));
      fc.pre(delay !== undefined);
      const parts = Array.from({ length: 100 }, (_, age) => delay?.partIn(age) ?? Number.NaN);
      for (const [age, part] of parts.entries()) expect(part).toBeGreaterThanOrEqual((parts[age - 1] ?? 0) - 1e-9);
      expect(parts.at(-1)).toBeCloseTo(1, 6);
      expect(Number.isFinite(delay?.meanDays)).toBe(true);
    }),
    { seed: 5, numRuns: 200 },
  );
});
