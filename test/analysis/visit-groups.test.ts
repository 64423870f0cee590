import { expect, it } from 'vitest';
import { PageDays } from '../../src/analysis/page-days.ts';
import { readerOf } from '../../src/analysis/visit-dimensions.ts';
import { missingFigures, VisitGroups } from '../../src/analysis/visit-groups.ts';
import { Failure } from '../../src/api/failure.ts';
import type { Pace } from '../../src/api/running-call.ts';
import { Table } from '../../src/api/table.ts';

const rowCount = 100_000;

const visits = Table.fromColumns(
  'visitors',
  ['Date', 'Country', 'Offer', 'Converted', 'Revenue', 'Cost'],
  [
    Array.from({ length: rowCount }, (_, row) => `2026-06-${10 + (row % 10)} 12:00:00`),
    Array.from({ length: rowCount }, (_, row) => ['US', 'DE', 'FR'][row % 3] ?? null),
    Array.from({ length: rowCount }, (_, row) => `Offer ${row % 2}`),
    Array.from({ length: rowCount }, (_, row) => String(Number(row % 50 === 0))),
    Array.from({ length: rowCount }, (_, row) => (row % 50 === 0 ? '3.50' : '')),
    Array.from({ length: rowCount }, () => '0.10'),
  ],
);

/** A call whose time is over, or that is cancelled, after so many rests. */
function paceOf(rests: number, ending: 'over' | 'cancelled'): Pace & { readonly rests: number } {
  let count = 0;
  return {
    rest: async () => {
      count += 1;
      if (ending === 'cancelled' && count >= rests) throw new Failure('The call was cancelled.');
    },
    get isOver() {
      return ending === 'over' && count >= rests;
    },
    get rests() {
      return count;
    },
  };
}

const byCountry = [readerOf('country')(visits)].flatMap((reading) => reading ?? []);

it('visits are grouped until the time of the call is over, and the others are counted as missing', async () => {
  const groups = new VisitGroups();
  await groups.add(visits, byCountry, { pace: paceOf(2, 'over') });
  expect(groups.counted).toBeGreaterThan(0);
  expect(groups.uncounted).toBeGreaterThan(0);
  expect(groups.counted + groups.uncounted).toBe(rowCount);
  const [first] = groups.rows(['country']);
  expect(first?.figures.views).toBeLessThan(rowCount / 3);
});

it('grouping visits ends with its call', async () => {
  const pace = paceOf(2, 'cancelled');
  await expect(new VisitGroups().add(visits, byCountry, { pace })).rejects.toThrow('cancelled');
  expect(pace.rests).toBe(2);
});

it('the days of pages end with their call, and say if they are cut', async () => {
  const campaigns = { codes: new Uint8Array(rowCount), values: ['7'] };
  await expect(new PageDays().add(visits, campaigns, paceOf(2, 'cancelled'))).rejects.toThrow('cancelled');
  const [whole, cut] = [new PageDays(), new PageDays()];
  await whole.add(visits, campaigns, paceOf(1000, 'over'));
  await cut.add(visits, campaigns, paceOf(2, 'over'));
  expect([whole.isCut, cut.isCut]).toEqual([false, true]);
  const day = whole.on('7', 'offer', 'Offer 0', '2026-06-10');
  expect(day).toMatchObject({ visits: 10_000, sales: 2000, revenue: 7000, squares: 24_500 });
  expect(day.cost).toBeCloseTo(1000);
});

it('cost that is blank in each visit is not 0, unless others of the lists have some', async () => {
  const listed = (costs: readonly (string | null)[]) =>
    Table.fromColumns('visitors', ['Country', 'Cost'], [costs.map(() => 'US'), costs]);
  const add = async (tables: readonly Table[]) => {
    const groups = new VisitGroups();
    const read = readerOf('country');
    for (const table of tables)
      await groups.add(
        table,
        [read(table)].flatMap((reading) => reading ?? []),
      );
    return { ...groups.rows(['country'])[0]?.figures, missing: missingFigures(tables).includes('cost') };
  };
  const [blank, some] = [listed([null, null]), listed(['0.10', null])];
  expect(await add([blank])).toMatchObject({ views: 2, missing: true });
  expect((await add([blank])).cost).toBeUndefined();
  expect(await add([blank, some])).toMatchObject({ views: 4, cost: 0.1, missing: false });
});
