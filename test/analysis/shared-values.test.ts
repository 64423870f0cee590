import { expect, it } from 'vitest';
import { findSharedValues } from '../../src/analysis/shared-values.ts';
import { at } from '../../src/analysis/statistics/history.ts';
import { chanceOfAtLeast } from '../../src/analysis/statistics/hypergeometric.ts';
import { Table } from '../../src/api/table.ts';
import { seeded } from '../calibrate/simulated-campaigns.ts';

const columns = ['SubID', 'Date', 'ISP', 'Device', 'IP', 'Extra1'];

/** Two campaigns whose traffic has nothing in common: 300 visits from cable, 2,700 from phones. */
function visitsOf(random: () => number): string[][] {
  const pick = (values: readonly string[]) => at(values, Math.floor(random() * values.length));
  return Array.from({ length: 3000 }, (_, index) => {
    const campaign = index < 300 ? 1 : 2;
    return [
      `ab_${campaign}_${String(index).padStart(8, '0')}`,
      `2026-11-${String(10 + (index % 5))} ${String(index % 24).padStart(2, '0')}:10:00`,
      campaign === 1 ? pick(['North Cable', 'South Cable']) : pick(['One Mobile', 'Two Mobile', 'Third Mobile']),
      campaign === 1 ? 'Desktop' : 'Mobile',
      `198.51.100.${Math.floor(random() * 250)}`,
      pick(Array.from({ length: 40 }, (__, zone) => `zone-${zone}`)),
    ];
  });
}

const given = (rows: readonly string[][]) =>
  rows.map(([subid = '', date = '']) => ({ subid, campaignId: subid.split('_')[1] ?? '', day: date.slice(0, 10) }));

const find = (some: readonly string[][], all: readonly string[][]) =>
  findSharedValues(given(some), [
    Table.fromRows(
      'visitors',
      columns,
      all.map((row) => [...row]),
    ),
  ]);

it('draws as the hypergeometric distribution', () => {
  // 3 of 4 aces in 5 cards of 52, or all 4: 4512 and 48 of 2598960 hands.
  expect(chanceOfAtLeast(3, [{ drawn: 5, all: 52, marked: 4 }])).toBeCloseTo((4512 + 48) / 2_598_960, 10);
  // Two draws of one out of two: both marked in a quarter of all cases.
  const coin = { drawn: 1, all: 2, marked: 1 };
  expect(chanceOfAtLeast(2, [coin, coin])).toBeCloseTo(0.25, 10);
  expect(chanceOfAtLeast(3, [{ drawn: 3, all: 3, marked: 3 }])).toBe(1);
});

it('names what visits share, and neither what their campaign has anyway nor what one visit has alone', async () => {
  const all = visitsOf(seeded(1));
  const some = [...all.slice(0, 40).filter((_, index) => index % 4 === 0), ...all.slice(1000, 1003)];
  for (const row of some.slice(0, 9)) row[5] = 'zone-7';
  const found = await find(some, all);
  // Of the second campaign, only the three days count that the given visits are on.
  expect(found).toMatchObject({ given: 13, others: 300 - 10 + 3 * 540 - 3 });
  expect(found?.values).toHaveLength(1);
  const [zone] = found?.values ?? [];
  expect(zone).toMatchObject({ dimension: 'Extra1', value: 'zone-7', given_of: 13, others_of: 1907 });
  expect(zone?.given).toBeGreaterThanOrEqual(9);
  expect(zone?.chance).toBeLessThan(0.001);
});

it('names something by chance in fewer calls than its budget says', async () => {
  const random = seeded(7);
  let named = 0;
  for (let call = 0; call < 150; call += 1) {
    const all = visitsOf(random);
    const some = all.filter((_, index) => random() < (index < 300 ? 0.05 : 0.004));
    named += (await find(some, all))?.values.length ? 1 : 0;
  }
  expect(named).toBeLessThanOrEqual(4);
});

it('says nothing of fewer than three visits', async () => {
  const all = visitsOf(seeded(3));
  expect(await find(all.slice(0, 2), all)).toBeUndefined();
});

it('counts a visit once that two lists have', async () => {
  const all = visitsOf(seeded(4));
  const table = () =>
    Table.fromRows(
      'visitors',
      columns,
      all.map((row) => [...row]),
    );
  const found = await findSharedValues(given(all.slice(0, 5)), [table(), table()]);
  expect(found).toMatchObject({ given: 5, others: 295 });
});
