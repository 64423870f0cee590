import { expect, it } from 'vitest';
import { type Counts, lackOf } from '../../src/tools/page-lacks.ts';

const span = (since: string, own: Counts, others: Counts) => ({ since, own: () => own, others: () => others });
const counts = (visits: number, sales: number): Counts => ({ visits, clicks: Number.NaN, sales });

it('an offer without sales lately lacks what it sold before, where that is less than what others sell', () => {
  const others = [span('2026-11-29', counts(170, 0), counts(900, 65)), counts(9000, 700)] as const;
  const lackAfter = (whole: Counts) => lackOf('page', 'offer', [others[0], span('2026-11-02', whole, others[1])]);
  expect(lackAfter(counts(1800, 40))).toBeUndefined();
  expect(lackAfter(counts(1800, 60))).toMatchObject({ lacks: 'sales', expected: 6, rate_of: 'page' });
  expect(lackAfter(counts(1800, 200))).toMatchObject({ expected: 12, rate_of: 'others' });
  expect(lackAfter(counts(170, 0))).toMatchObject({ expected: 12, rate_of: 'others' });
});
