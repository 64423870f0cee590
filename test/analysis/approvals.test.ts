import { describe, expect, it } from 'vitest';
import { expectApprovals, fallenBy, learnApprovals, type StatedSale } from '../../src/analysis/approvals.ts';
import { seededRandom } from '../../src/sandbox/rotation/random.ts';
import { isLate } from '../../src/tools/account/held-money.ts';
import { quietApprovals } from '../calibrate/quiet-worlds.ts';

/** A network: its usual share today, how much more it approved each day before, days until it decides on a rejection and on an approval. */
interface World {
  readonly share: number;
  readonly drift: number;
  readonly rejects: number;
  readonly approves: number;
  readonly salesPerDay: number;
}

const usualWorlds: Readonly<Record<string, World>> = {
  'decides at once': { share: 0.9, drift: 0, rejects: 0, approves: 0, salesPerDay: 6 },
  'decides after a week': { share: 0.7, drift: 0, rejects: 7, approves: 7, salesPerDay: 8 },
  'rejects sooner than it approves': { share: 0.65, drift: 0, rejects: 2, approves: 14, salesPerDay: 8 },
  'approves ever less': { share: 0.4, drift: 0.008, rejects: 6, approves: 8, salesPerDay: 10 },
  'approves ever more': { share: 0.85, drift: -0.006, rejects: 6, approves: 6, salesPerDay: 10 },
  'has few sales': { share: 0.6, drift: 0.004, rejects: 5, approves: 9, salesPerDay: 1 },
};

/** Networks of which few sales, or only some, are decided within the days that are read. */
const slowWorlds: typeof usualWorlds = {
  'rejects at once and approves after a month': { share: 0.7, drift: 0, rejects: 1, approves: 28, salesPerDay: 6 },
  'rejects long after it approves': { share: 0.7, drift: 0, rejects: 60, approves: 10, salesPerDay: 6 },
  'approves after three months': { share: 0.6, drift: 0, rejects: 3, approves: 120, salesPerDay: 6 },
  'never decides': { share: 0, drift: 0, rejects: 1000, approves: 1000, salesPerDay: 6 },
};

function simulate(random: () => number, worlds: Readonly<Record<string, World>>) {
  const sales: (StatedSale & { readonly amount: number; readonly isApproved: boolean })[] = [];
  for (const [network, { share, drift, rejects, approves, salesPerDay }] of Object.entries(worlds)) {
    for (let age = 0; age < 60; age += 1) {
      for (let index = 0; index < salesPerDay; index += 1) {
        const isApproved = random() < Math.min(share + drift * age, 0.99);
        const wait = (isApproved ? approves : rejects) * (0.5 + random());
        const standing = age < wait ? 'pending' : isApproved ? 'approved' : 'rejected';
        sales.push({ network, age, standing, amount: 10 + 30 * random() ** 3, isApproved });
      }
    }
  }
  return sales;
}

/** How many times of 100 the range has what pending sales bring, by network and for all, and how wide it is of all. */
function measure(worlds: Readonly<Record<string, World>>) {
  const hits = new Map([...Object.keys(worlds), 'all'].map((name) => [name, 0]));
  const count = 100;
  let widths = 0;
  for (let seed = 1; seed <= count; seed += 1) {
    const sales = simulate(seededRandom(seed, 0), worlds);
    const approvals = learnApprovals(sales);
    for (const name of hits.keys()) {
      const pending = sales.filter((sale) => sale.standing === 'pending' && (name === 'all' || sale.network === name));
      const { low, high } = expectApprovals(pending, approvals);
      const truth = pending.reduce((total, sale) => total + (sale.isApproved ? sale.amount : 0), 0);
      if (truth >= low - 1e-9 && truth <= high + 1e-9) hits.set(name, (hits.get(name) ?? 0) + 1);
      if (name === 'all') widths += (high - low) / pending.reduce((total, { amount }) => total + amount, 0);
    }
  }
  return { hits, width: widths / count };
}

describe('what pending sales will bring', () => {
  it('is in its 90% range in at least 85 of 100 worlds, for each kind of network and for all together, and the range is narrow', () => {
    const { hits, width } = measure(usualWorlds);
    for (const [name, hit] of hits) expect(hit, name).toBeGreaterThanOrEqual(85);
    expect(width).toBeLessThan(0.3);
  });

  it('is in its range, too, for networks that decide late, or one way first', () => {
    for (const [name, hit] of measure({ ...usualWorlds, ...slowWorlds }).hits)
      expect(hit, name).toBeGreaterThanOrEqual(85);
  });

  it('is in its range where all networks reject at once what they reject', () => {
    const worlds = Object.entries({
      Alpha: [0.8, 3],
      Beta: [0.6, 7],
      Delta: [0.45, 7],
      Eps: [0, 10],
      Gamma: [0.9, 14],
      Zeta: [0.7, 30],
    } as const).map(
      ([name, [share, approves]]) => [name, { share, drift: 0, rejects: 1, approves, salesPerDay: 6 }] as const,
    );
    for (const [name, hit] of measure(Object.fromEntries(worlds)).hits) expect(hit, name).toBeGreaterThanOrEqual(85);
  });

  it('is not late of a network that has not decided on sales of any age', () => {
    const pending = Array.from({ length: 60 }, (_, age) => ({ network: 'Reef', age, standing: 'pending' as const }));
    const known = pending.map((sale) => ({ ...sale, network: 'Harbor', standing: 'approved' as const }));
    const isOverdue = isLate(learnApprovals([...pending, ...known]));
    expect(isOverdue({ network: 'Reef', age: 50 })).toBe(false);
    expect(isOverdue({ network: 'Harbor', age: 50 })).toBe(true);
  });

  it('is what a network approves since the day from which on it rejects most, and not a share between that and the one before', () => {
    const sales = Array.from({ length: 150 }, (_, index) => {
      const age = Math.floor(index / 5);
      const isApproved = index % 5 < (age < 10 ? 1 : 4);
      return { network: 'Reef', age, standing: age < 2 ? 'pending' : isApproved ? 'approved' : 'rejected' } as const;
    });
    const others = sales.map(({ age }) => ({ network: 'Harbor', age, standing: 'approved' as const }));
    const approvals = learnApprovals([...sales, ...others]);
    const { share = 1, earlier = 0 } = approvals.get('Reef') ?? {};
    expect(share).toBeLessThan(0.3);
    expect(earlier).toBeGreaterThan(0.7);
    const pending = sales.filter(({ standing }) => standing === 'pending').map((sale) => ({ ...sale, amount: 10 }));
    const { amount, low, high } = expectApprovals(pending, approvals);
    expect(amount).toBeGreaterThan(10);
    expect(amount).toBeLessThan(30);
    expect(low).toBeLessThanOrEqual(20);
    expect(high).toBeGreaterThanOrEqual(20);
  });

  it('is nothing where nothing is pending, and the share of all networks for one that has decided nothing', () => {
    expect(expectApprovals([], learnApprovals([]))).toEqual({ amount: 0, low: 0, high: 0 });
    const known = Array.from({ length: 40 }, (_, index) => ({
      ...{ network: 'Old', age: index, standing: index % 4 === 0 ? ('rejected' as const) : ('approved' as const) },
    }));
    const young = { network: 'Young', age: 1, standing: 'pending' as const };
    const { amount, low, high } = expectApprovals([{ ...young, amount: 100 }], learnApprovals([...known, young]));
    expect(amount).toBeGreaterThan(60);
    expect(amount).toBeLessThan(85);
    expect([low, high]).toEqual([0, 100]);
  });
});

it('what an offer approved less is over once its last decided sales are approved as before', () => {
  const fallAfter = (good: number, decidedAt = 0) => {
    const sales = Array.from({ length: 300 }, (_, index) => {
      const age = Math.floor(index / 8);
      const isFallen = age >= good && age < 16;
      const standing = age < decidedAt ? 'pending' : index % 8 < (isFallen ? 5 : 1) ? 'rejected' : 'approved';
      return { network: 'Reef', age, standing } as const;
    });
    return fallenBy(sales, ({ network }) => network).get('Reef')?.isOver;
  };
  expect([0, 2, 4, 6].map((good) => fallAfter(good))).toEqual([false, false, true, true]);
  // What is not decided yet shows nothing.
  expect(fallAfter(4, 4)).toBe(false);
});

it('no network that approves what it always did is said to approve less', () => {
  expect(quietApprovals(30, 30)).toEqual([]);
});
