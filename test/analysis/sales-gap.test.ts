import { describe, expect, it } from 'vitest';
import { salesGapIn, wereSalesDue } from '../../src/analysis/sales-gap.ts';
import { seededRandom } from '../../src/sandbox/rotation/random.ts';

const hourMs = 3_600_000;
const start = Date.parse('2026-10-01T00:00:00Z');
const [days, now] = [60, start + 60 * 24 * hourMs];

/** Sales of 60 days, more of them by day than by night. */
function salesOf(aDay: number, seed: number): number[] {
  const random = seededRandom(seed);
  const sales: number[] = [];
  for (let hour = 0; hour < days * 24; hour += 1) {
    const rate = (aDay / 24) * (1 + 0.8 * Math.sin(((hour % 24) / 24) * 2 * Math.PI));
    const wait = () => -Math.log(1 - random());
    for (let done = wait(); done < rate; done += wait()) sales.push(start + (hour + done / rate) * hourMs);
  }
  return sales;
}

const since = now - 7 * 24 * hourMs;
const [from, to] = [now - 60 * hourMs, now - 46 * hourMs];
const isLost = (sale: number) => sale >= from && sale < to;

describe('a time without a sale', () => {
  it('is found with how many are usual, if no other is like it', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const all = salesOf(200, seed);
      const gap = salesGapIn(
        all.filter((sale) => !isLost(sale)),
        since,
      );
      expect(gap?.from, `seed ${seed}`).toBeLessThanOrEqual(from);
      expect(gap?.to).toBeGreaterThanOrEqual(to);
      const lost = all.filter(isLost).length;
      expect(Math.abs((gap?.expected ?? 0) - lost)).toBeLessThan(4 * Math.sqrt(lost));
    }
  });

  it('is found by day for a network with some twenty sales a day', () => {
    const found = [1, 2, 3, 4, 5, 6, 7, 8].filter((seed) => {
      const all = salesOf(24, seed).filter((sale) => sale < now - 60 * hourMs || sale >= now - 41 * hourMs);
      return salesGapIn(all, since) !== undefined;
    });
    expect(found.length).toBeGreaterThanOrEqual(6);
  });

  it('is none by chance, however many sales there are', () => {
    for (const aDay of [2, 10, 20, 50, 400])
      for (let seed = 1; seed <= 60; seed += 1) expect(salesGapIn(salesOf(aDay, seed), start)).toBeUndefined();
  });

  it('is none if sales come in batches, or rest at weekends', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const all = salesOf(40, seed);
      const inBatches = all.map((sale) => Math.ceil(sale / (24 * hourMs)) * 24 * hourMs + 9 * hourMs);
      const weekly = all.map((sale) => Math.ceil(sale / (7 * 24 * hourMs)) * 7 * 24 * hourMs);
      const onWeekdays = all.filter((sale) => ![0, 6].includes(new Date(sale).getUTCDay()));
      for (const some of [inBatches, weekly, onWeekdays]) expect(salesGapIn(some, start)).toBeUndefined();
    }
  });

  it('is none if its sales came late, all after it', () => {
    const late = salesOf(200, 1).map((sale) => (isLost(sale) ? to + ((sale - from) % hourMs) : sale));
    expect(salesGapIn(late, since)).toBeUndefined();
  });

  it('is none if its sales were sent again together, a day after it', () => {
    const sent = now - 20 * hourMs;
    for (const seed of [1, 2, 3]) {
      const all = salesOf(120, seed);
      const lost = all.filter((sale) => !isLost(sale));
      const again = all.map((sale, index) => (isLost(sale) ? sent + (index % 30) * 60_000 : sale));
      expect([salesGapIn(lost, since) !== undefined, salesGapIn(again, since)], `seed ${seed}`).toEqual([
        true,
        undefined,
      ]);
    }
  });

  it('is none if it is over for longer than is asked for, or the history is short', () => {
    const sales = salesOf(200, 1).filter((sale) => !isLost(sale));
    expect(salesGapIn(sales, to + 12 * hourMs)).toBeUndefined();
    expect(
      salesGapIn(
        sales.filter((sale) => sale > now - 10 * 24 * hourMs),
        since,
      ),
    ).toBeUndefined();
  });
});

describe('sales of a gap', () => {
  const gap = { from, to };

  it('were due if clicks went on in it and in the days before', () => {
    expect(wereSalesDue(gap, salesOf(200, 2))).toBe(true);
  });

  it.each([
    ['in it', (click: number) => isLost(click)],
    ['from it on', (click: number) => click >= from],
    ['in the days before', (click: number) => click >= from - 60 * hourMs && click < from],
    ['before it, as far as is known', (click: number) => click < from - 24 * hourMs],
    ['at all', () => true],
  ])('were not due if there were no clicks %s', (_, isNone) => {
    const clicks = salesOf(200, 2).filter((click) => !isNone(click));
    expect(wereSalesDue(gap, clicks)).toBe(false);
  });
});
