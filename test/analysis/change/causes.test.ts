import { describe, expect, it, test } from 'vitest';
import { isPartOf } from '../../../src/analysis/change/cause.ts';
import { findCauses } from '../../../src/analysis/change/causes.ts';
import { factorEffects, profitOf, toCents } from '../../../src/analysis/change/factors.ts';
import {
  changeOfPayout,
  findOutstandingSale,
  findPayoutChanges,
  payoutChangesIn,
  salesOfVisits,
} from '../../../src/analysis/change/sales.ts';
import { better } from '../../../src/analysis/change/search.ts';
import { spansOf, sumRows } from '../../../src/analysis/change/sums.ts';
import { allRows } from '../../../src/analysis/change/visit-columns.ts';
import { explainProfit, findMixes, usualMove } from '../../../src/analysis/profit-change.ts';
import { describeCause } from '../../../src/answer/profit-change.ts';
import { unhurried } from '../../../src/api/running-call.ts';
import { days, gathered, quiet, type Rates, type SpanVisit, type SpanVisits, simulateVisits } from './visits.ts';

const causesOf = async (visits: SpanVisits) => {
  const columns = await gathered(visits);
  return findCauses(columns, findPayoutChanges(salesOfVisits(columns)));
};

const profitsOf = async (visits: SpanVisits) => {
  const columns = await gathered(visits);
  const { before, after } = spansOf(sumRows(allRows(columns), columns));
  return { before: profitOf(before), after: profitOf(after) };
};

const seeds = [1, 2, 3];
const spans = { before: days.slice(0, 7), after: days.slice(7) };
const fallenPayout = { payout: (offer: string) => (offer === 'Cash' ? 1.5 : 2.5) };

const troubles: Record<string, readonly [cause: string, trouble: Partial<Rates>]> = {
  'a page with a dead link': [
    'landing_page Quiz: clicks_per_visit',
    { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) },
  ],
  'a page switched off': ['landing_page Quiz: visits', { pages: { Story: 30, Video: 30 } }],
  'an offer whose sales stop': [
    'offer Cash: sales_per_click',
    { saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) },
  ],
  'a payout that falls': ['offer Cash: revenue_per_sale', fallenPayout],
  'a country without visits': ['country US: visits', { countries: { GB: 20, DE: 15, FR: 15 }, visits: 750 }],
  'a device that no longer buys': [
    'device Phone: sales_per_click',
    { saleRate: ({ device }) => (device === 'Phone' ? 0.01 : 0.12) },
  ],
  'a system within a device': ['os iOS: sales_per_click', { saleRate: ({ os }) => (os === 'iOS' ? 0 : 0.12) }],
  'a page that phones cannot click': [
    'landing_page Story device Phone: clicks_per_visit',
    { clickRate: ({ page, device }) => (page === 'Story' && device === 'Phone' ? 0 : 0.3) },
  ],
  'an offer that no longer sells in a country': [
    'offer Cash country US: sales_per_click',
    { saleRate: ({ offer, country }) => (offer === 'Cash' && country === 'US' ? 0 : 0.12) },
  ],
  'a new placement that burns': ['keyword burner: visits', { keywords: { ...quiet.keywords, burner: 60 } }],
  'a placement that costs more': [
    'keyword site0: cost_per_visit',
    { cost: ({ keyword }) => (keyword === 'site0' ? 0.5 : 0.05) },
  ],
  'clicks that never buy from one provider': [
    'isp Amazon: sales_per_click',
    {
      clickRate: ({ isp }) => (isp === 'Amazon' ? 0.95 : 0.3),
      saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.12),
    },
  ],
};

it('a cap is told from its hour and day on, also where few of all hours are capped, and since few days', async () => {
  for (const [hour, first] of [
    [15, 11],
    [18, 10],
    [12, 9],
  ] as const) {
    for (const seed of seeds) {
      const all = simulateVisits({}, seed, { ...quiet, visits: 3000 });
      const isCapped = ({ values, day }: (typeof all.rows)[number]) =>
        values[1] === 'Cash' && Number(values[7]) >= hour && day >= (days[first] ?? '');
      const rows = all.rows.map((row) => (isCapped(row) ? { ...row, conversions: 0, revenue: 0 } : row));
      const { causes: [cause] = [] } = await causesOf({ ...all, rows });
      const [offer, hours = ''] = cause?.groups.map(({ value }) => value ?? '') ?? [];
      expect([offer, Math.abs(Number.parseInt(hours, 10) - hour) <= 1]).toEqual(['Cash', true]);
      expect(cause?.since ?? cause?.noneSince).toBe(days[first]);
    }
  }
});

describe('findCauses', () => {
  it.each(Object.entries(troubles))('names %s first, and the day it began', async (_, [cause, trouble]) => {
    for (const seed of seeds) {
      const [first] = (await causesOf(simulateVisits(trouble, seed))).causes;
      const named = first?.groups.map(({ dimension, value }) => `${dimension} ${value}`).join(' ');
      expect([`${named}: ${first?.moved[0]}`, first?.since], `seed ${seed}`).toEqual([cause, days[9]]);
    }
  });

  it('is sure of nothing where no two groups have enough visits', async () => {
    for (let seed = 0; seed < 40; seed += 1) {
      const { causes } = await causesOf(simulateVisits({}, seed, { ...quiet, visits: 1.4 }));
      expect(causes.filter(({ isSure }) => isSure)).toEqual([]);
    }
  });

  it.each<[string, Partial<Rates>]>([
    ['no sale comes in any more', { saleRate: () => 0 }],
    ['the traffic falls', { visits: 450 }],
    ['each visit costs more', { cost: () => 0.09 }],
    ['nothing happened', {}],
  ])('names no group if %s everywhere', async (_, trouble) => {
    const explained = await Promise.all(seeds.map((seed) => causesOf(simulateVisits(trouble, seed))));
    const found = explained.map(({ causes }) => causes);
    expect(found.flat().filter(({ isSure }) => isSure)).toEqual([]);
    expect(found.filter((causes) => causes.length > 0).length).toBeLessThanOrEqual(1);
  });

  it('names the share of the traffic that a page got before and after it moved, and none of a country', async () => {
    const shareOf = async (trouble: Partial<Rates>) => (await causesOf(simulateVisits(trouble, 1))).causes[0]?.share;
    const moved = await shareOf({ pages: { Quiz: 8, Story: 46, Video: 46 } });
    expect(moved?.before).toBeCloseTo(40, -1);
    expect(moved?.after).toBeCloseTo(8, -1);
    expect(await shareOf({ pages: { Story: 30, Video: 30 } })).toMatchObject({ after: 0 });
    expect(await shareOf({ countries: { GB: 20, DE: 15, FR: 15 }, visits: 750 })).toBeUndefined();
  });

  it('counts what a moved share brought only as far as pages surely earn more or less', async () => {
    const pages = { Quiz: 8, Story: 46, Video: 46 };
    const effects = async (clickRate: Rates['clickRate']) => {
      const usual = { ...quiet, clickRate };
      const found = await Promise.all(seeds.map((seed) => causesOf(simulateVisits({ pages }, seed, usual))));
      return found.map(({ causes }) => causes[0]?.share?.effect ?? Number.NaN);
    };
    const alike = await effects(() => 0.3);
    expect(alike.filter((effect) => effect === 0).length).toBeGreaterThan(0);
    for (const effect of alike) expect(Math.abs(effect)).toBeLessThan(40);
    for (const effect of await effects(({ page }) => (page === 'Quiz' ? 0.6 : 0.2))) expect(effect).toBeLessThan(-80);
  });

  it('names the day from which on nothing came, but not where only the last sales are missing', async () => {
    const noneOf = async (trouble: Partial<Rates>, first = 9) =>
      (await causesOf(simulateVisits(trouble, 1, quiet, first))).causes[0]?.noneSince;
    expect(await noneOf({ clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) })).toBe(days[9]);
    expect(await noneOf({ clickRate: ({ page }) => (page === 'Quiz' ? 0.02 : 0.3) })).toBeUndefined();
    const dead: Partial<Rates> = { saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) };
    expect(await noneOf(dead)).toBe(days[9]);
    expect(await noneOf(dead, 12)).toBeUndefined();
  });

  it('finds an offer whose sales stop in a campaign with a dozen sales a day', async () => {
    const small: Rates = { ...quiet, visits: 550, clickRate: () => 0.43, saleRate: () => 0.06 };
    const dead: Partial<Rates> = { saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.06) };
    const explained = await Promise.all(seeds.map((seed) => causesOf(simulateVisits(dead, seed, small))));
    const found = explained.map(({ causes }) => causes[0]?.groups.map(({ value }) => value).join());
    expect(found.filter((value) => value === 'Cash').length).toBeGreaterThanOrEqual(2);
  });

  it('is sure of a fallen payout after a few sales', async () => {
    const small: Rates = { ...quiet, visits: 150 };
    for (const seed of seeds) {
      const [first] = (await causesOf(simulateVisits(fallenPayout, seed, small, 11))).causes;
      const groups = [{ dimension: 'offer', value: 'Cash' }];
      expect(first, `seed ${seed}`).toMatchObject({ groups, moved: ['revenue_per_sale'], isSure: true });
    }
  });

  it('finds a page dead on one system by a few dozen visits, whatever little money they brought', async () => {
    const dead: Partial<Rates> = { clickRate: ({ page, os }) => (page === 'Story' && os === 'macOS' ? 0 : 0.3) };
    for (const seed of [1, 2, 3, 4]) {
      const visits = simulateVisits(dead, seed, { ...quiet, visits: 600 });
      const few = visits.rows.filter(
        ({ values, day }) => values.includes('macOS') && values.includes('Story') && day > '2026-11-10',
      );
      expect(few.length).toBeLessThan(90);
      const [first] = (await causesOf(visits)).causes;
      expect(first?.moved).toEqual(['clicks_per_visit']);
      expect(first?.groups.map(({ value }) => value)).toEqual(['Story', 'macOS']);
    }
  });

  it('calls clicks of one provider what they are, not visits of the offers that they lead to', async () => {
    const robots: Partial<Rates> = {
      clickRate: ({ isp }) => (isp === 'Amazon' ? 0.97 : 0.3),
      saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.12),
    };
    for (const seed of [1, 2, 3]) {
      const { causes } = await causesOf(simulateVisits(robots, seed));
      expect(causes[0]?.groups).toEqual([{ dimension: 'isp', value: 'Amazon' }]);
      expect(causes[0]?.moved.toSorted()).toEqual(['clicks_per_visit', 'sales_per_click']);
      expect(causes.filter(({ groups }) => groups.some(({ dimension }) => dimension === 'offer'))).toEqual([]);
    }
  });

  it('lists the factor of all visits that moved by more than chance first, even if chance moved another more', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const visits = simulateVisits({ visits: 0 }, seed, { ...quiet, visits: 150 }, 10);
      const { causes, restFactors } = await causesOf(visits);
      expect(
        causes.filter(({ isSure }) => isSure),
        `seed ${seed}`,
      ).toEqual([]);
      expect(restFactors[0]?.factor, `seed ${seed}`).toBe('visits');
    }
  });

  it('counts each visit once', async () => {
    for (const [, trouble] of Object.values(troubles)) {
      const visits = simulateVisits(trouble, 6);
      const { causes, rest } = await causesOf(visits);
      const whole = await profitsOf(visits);
      for (const span of ['before', 'after'] as const) {
        const parts = [...causes, rest].map((part) => profitOf(part[span]));
        expect(parts.reduce((sum, part) => sum + part)).toBeCloseTo(whole[span], 6);
      }
    }
  });
});

describe('factorEffects', () => {
  const whole = { views: 1000, clicks: 300, conversions: 30, cost: 50, revenue: 90 };

  it('adds up to the change, even if a span lacks figures', () => {
    const figures = [
      whole,
      { views: 400, clicks: 0, conversions: 0, cost: 20, revenue: 0 },
      { views: 0, clicks: 0, conversions: 0, cost: 0, revenue: 0 },
      { views: 100, clicks: 0, conversions: 5, cost: 4, revenue: 12.5 },
      { views: 100, clicks: 10, conversions: 0, cost: 4, revenue: 12.5 },
      { views: 0, clicks: 0, conversions: 2, cost: 3, revenue: 10 },
      { views: 100, clicks: 10, conversions: 2, cost: 4, revenue: -6 },
    ];
    for (const [before, after] of figures.flatMap((before) => figures.map((after) => [before, after] as const))) {
      const sum = factorEffects(before, after).reduce((total, { effect }) => total + effect, 0);
      expect(sum).toBeCloseTo(profitOf(after) - profitOf(before), 9);
    }
  });

  it('gives a change to the visits where hardly any are left, whatever these did', () => {
    const before = { views: 1000, clicks: 300, conversions: 30, cost: 50, revenue: 90 };
    const last = { views: 5, clicks: 3, conversions: 0, cost: 0.25, revenue: 0 };
    const effects = new Map(factorEffects(before, last).map(({ factor, effect }) => [factor, effect]));
    expect(effects.get('visits')).toBeCloseTo(-40.25, 6);
    expect(effects.get('sales_per_click')).toBe(0);
    // Sales without any clicks are no sales of few clicks.
    const sold = factorEffects({ ...before, clicks: 0 }, { ...before, clicks: 0, conversions: 15, revenue: 45 });
    expect(sold.find(({ factor }) => factor === 'sales_per_click')?.effect).toBeCloseTo(-45, 6);
  });

  it('blames the only factor that moved', () => {
    const effects = factorEffects(whole, { ...whole, conversions: 15, revenue: 45 });
    const moved = effects.filter(({ effect }) => Math.abs(effect) > 1e-9);
    expect(moved).toEqual([{ factor: 'sales_per_click', before: 0.1, after: 0.05, effect: expect.closeTo(-45, 9) }]);
  });
});

test('amounts to the cent add up to the rounded whole', () => {
  expect(toCents([10.004, 10.004, 10.004], 30.012)).toEqual([10.01, 10, 10]);
  expect(toCents([], 0)).toEqual([]);
});

it.each([
  ['fewer', false, 'had fewer of its sales rejected so far'],
  ['more', true, 'had more of its sales rejected'],
])('says that %s sales are rejected, and not that a sale pays otherwise', async (_, isAfter, words) => {
  const visits = simulateVisits({}, 1);
  const isp = visits.dimensions.indexOf('isp');
  let sold = 0;
  const unpaid = visits.rows.map(({ values, isAfter: isLater, conversions }) => {
    if (values[isp] !== 'Comcast' || isLater !== isAfter || conversions === 0) return false;
    sold += 1;
    return sold % 3 > 0;
  });
  const rows = visits.rows.map((row, index) => (unpaid[index] ? { ...row, revenue: 0 } : row));
  const columns = { ...(await gathered({ ...visits, rows })), unpaid: Uint8Array.from(unpaid, Number) };
  const { causes } = await findCauses(columns, findPayoutChanges(salesOfVisits(columns)));
  const cause = causes.find(({ groups }) => groups.some(({ value }) => value === 'Comcast'));
  expect(cause).toMatchObject({ isSure: true, moved: ['revenue_per_sale'] });
  expect(cause?.rejected?.[isAfter ? 'after' : 'before']).toBeCloseTo(2 / 3, 1);
  expect(cause?.rejected?.[isAfter ? 'before' : 'after']).toBe(0);
  expect(cause && describeCause(cause, null)).toContain(words);
});

it.each(seeds)(
  'names an offer of which more is rejected, though what its sales bring scatters: seed %i',
  async (seed) => {
    const visits = simulateVisits({}, seed, { ...quiet, visits: 1000 });
    const [offer, since] = [visits.dimensions.indexOf('offer'), days[9] ?? ''];
    let sold = 0;
    const rows = visits.rows.map((row) => {
      if (row.conversions === 0) return row;
      sold += 1;
      const isHigh = row.values[offer] === 'Cash' && row.day >= since;
      const isRejected = isHigh ? sold % 2 === 0 : sold % 10 === 0;
      return { ...row, isRejected, revenue: isRejected ? 0 : row.revenue * (1 + (sold % 7)) };
    });
    const columns = await gathered({ ...visits, rows });
    const [cause] = (await findCauses(columns, findPayoutChanges(salesOfVisits(columns)))).causes;
    expect(cause).toMatchObject({ isSure: true, moved: ['revenue_per_sale'], groups: [{ value: 'Cash' }] });
    expect(cause && describeCause(cause, null)).toMatch(
      /^offer Cash had more of its sales rejected \(\d+% to \d\d%\) since Wed 11 Nov$/,
    );
  },
);

it('does not take sales that are not rejected yet for a cause, which would hide what else happened', async () => {
  const visits = simulateVisits({ cost: () => 0 }, 1);
  const offer = visits.dimensions.indexOf('offer');
  let sold = 0;
  const unpaid = visits.rows.map((row) => {
    if (row.conversions > 0) sold += 1;
    return !row.isAfter && row.conversions > 0 && sold % 2 === 0;
  });
  const rows = visits.rows.map((row, index) => (unpaid[index] ? { ...row, revenue: 0 } : row));
  const columns = { ...(await gathered({ ...visits, rows })), unpaid: Uint8Array.from(unpaid, Number) };
  const undecided = new Set(visits.rows.flatMap(({ values }) => values[offer] ?? []));
  const decided = await explainProfit(columns, spans);
  expect(decided.causes[0]?.moved).toContain('revenue_per_sale');
  const { causes, whole } = await explainProfit(columns, spans, undefined, { undecided });
  expect(causes[0]?.moved).toEqual(['cost_per_visit']);
  expect(whole).toEqual(decided.whole);
});

it('says first that cost is missing, though sales rose at the same time by more money', async () => {
  const columns = await gathered(simulateVisits({ cost: () => 0, saleRate: () => 0.24 }, 1));
  const [cause] = (await explainProfit(columns, spans)).causes;
  expect(cause).toMatchObject({ moved: ['cost_per_visit', 'sales_per_click'], isSure: true });
  expect(cause && describeCause(cause, null)).toMatch(
    /no longer costs anything \(0\.0500 before\) since Wed 11 Nov: its cost is probably missing, which is no gain, and sold to more/,
  );
});

describe('an offer of which each sale is listed twice', () => {
  /** Visits that are listed once for each of their sales, which are of one payout. */
  const listedTwice = async (
    isTwice: (day: string) => boolean,
    bookedAgain: (day: string) => string,
    isDated = true,
  ) => {
    const visits = simulateVisits({}, 1);
    const offer = visits.dimensions.indexOf('offer');
    const sold = visits.rows.flatMap((row, visitor) =>
      row.conversions > 0 ? [{ ...row, visitor, offer: row.values[offer] ?? null }] : [],
    );
    const again = sold.filter((sale) => sale.offer === 'Cash' && isTwice(sale.day));
    const listed = [...sold, ...again].map(({ day, ...sale }, index) => {
      const booked = isDated ? (index < sold.length ? day : bookedAgain(day)) : null;
      return { ...{ offer: sale.offer, campaign: null, visitor: sale.visitor }, day, booked, revenue: sale.revenue };
    });
    return explainProfit(await gathered({ ...visits, rows: [...visits.rows, ...again] }), spans, undefined, { listed });
  };
  const [since = ''] = days.slice(9);

  it('is told by the list of sales, where visits have one each', async () => {
    const { causes, counted } = await listedTwice(
      (day) => day >= since,
      (day) => day,
    );
    expect(counted).toEqual([expect.objectContaining({ offer: 'Cash', before: 1, after: 2, since })]);
    expect(causes[0]).toMatchObject({ groups: [{ value: 'Cash' }], moved: ['sales_per_click'], isSure: true });
  });

  it('is not known where the list does not say when sales came in', async () => {
    const { counted } = await listedTwice(
      (day) => day >= since,
      (day) => day,
      false,
    );
    expect(counted).toEqual([]);
  });

  it('is none of a subscription, which is paid again on later days', async () => {
    const { counted } = await listedTwice(
      (day) => day < since,
      () => '2026-11-15',
    );
    expect(counted).toEqual([]);
  });
});

it('does not take what is expected of pending sales for a new payout', async () => {
  const columns = await gathered(simulateVisits({ payout: () => 1.7 }, 1));
  expect((await explainProfit(columns, spans)).payouts).toMatchObject([{ after: 1.7 }, { after: 1.7 }]);
  expect((await explainProfit(columns, spans, undefined, { areExpected: true })).payouts).toEqual([]);
});

it.each([
  [
    'clicks that grow and sell no more, though few sales are missing',
    500,
    {
      visits: 500,
      clickRate: ({ isp }) => (isp === 'Amazon' ? 0.7 : 0.3),
      saleRate: ({ isp }) => (isp === 'Amazon' ? 0.05 : 0.12),
    },
    /^isp Amazon had more of its visits click \(\d\d\.\d% to \d\d\.\d%\) since Wed 11 Nov, and sold to fewer of its clicks \(1\d\.\d+% to [2-8]\.\d+%\).*$/,
  ],
  [
    'robots that click more and buy nothing',
    2000,
    { clickRate: ({ isp }) => (isp === 'Amazon' ? 0.95 : 0.3), saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.12) },
    /^isp Amazon stopped selling \(1\d\.\d% before\) since Wed 11 Nov, and had more of its visits click \(\d\d\.\d% to 9\d\.\d%\): probably bots$/,
  ],
  [
    'visits that grow and sell no more',
    2000,
    {
      visits: 2400,
      countries: { ...quiet.countries, US: 200 },
      saleRate: ({ country }) => (country === 'US' ? 0.03 : 0.12),
    },
    /^country US sold to fewer of its clicks \(\d\d\.\d+% to 3\.\d+%\) since Wed 11 Nov, and got more visits \(\d+ to \d+\)$/,
  ],
] satisfies [string, number, Partial<Rates>, RegExp][])(
  'tells what moved and what moved against it as one: %s',
  async (_, visits, trouble, words) => {
    const [cause] = (await causesOf(simulateVisits(trouble, 1, { ...quiet, visits }))).causes;
    expect(cause && describeCause(cause, null)).toMatch(words);
  },
);

it.each([
  ['one day', ['2026-11-12'], / cost more per visit \(0\.0\d+ to 0\.\d+\) on Thu 12 Nov, and not since then$/],
  ['two days', ['2026-11-11', '2026-11-12'], / from Wed 11 Nov to Thu 12 Nov, and not since then$/],
  ['all days since', ['2026-11-12', '2026-11-13', '2026-11-14', '2026-11-15'], / since Thu 12 Nov$/],
])('says of a cost that was wrong when it was: %s', async (_, wrong, words) => {
  const visits = simulateVisits({}, 1);
  const isWrong = ({ day, values }: SpanVisit) => wrong.includes(day) && values.includes('Phone');
  const rows = visits.rows.map((row) => (isWrong(row) ? { ...row, cost: row.cost * 10 } : row));
  const [cause] = (await causesOf({ ...visits, rows })).causes;
  expect(cause && describeCause(cause, null)).toMatch(words);
});

test('visits are others than all where few are missing, if these have the sales', async () => {
  const rows = Array.from({ length: 100 }, (_, index) => {
    const sold = index < 5 ? 1 : 0;
    return {
      isAfter: index % 2 > 0,
      day: '2026-11-09',
      values: ['x'],
      clicks: 1,
      conversions: sold,
      cost: 0,
      revenue: sold,
    };
  });
  const columns = await gathered({ dimensions: ['device'], rows });
  const all = allRows(columns);
  expect(isPartOf(all.slice(5), all, columns)).toBe(true);
  expect(isPartOf(all.slice(0, 95), all, columns)).toBe(false);
  expect(isPartOf(all.slice(0, 80), all, columns)).toBe(true);
});

test('a mix is found only if it turns the total around', async () => {
  const mixed = (phones: [number, number]): SpanVisits => ({
    dimensions: ['device'],
    rows: [false, true].flatMap((isAfter) =>
      Array.from({ length: 1000 }, (_, index) => {
        const isPhone = index < (isAfter ? phones[1] : phones[0]);
        const every = isPhone ? (isAfter ? 45 : 50) : isAfter ? 9 : 10;
        const revenue = index % every === 0 ? 1 : 0;
        return {
          ...{ isAfter, day: isAfter ? '2026-11-09' : '2026-11-02', values: [isPhone ? 'Phone' : 'Desktop'] },
          ...{ clicks: 1, conversions: revenue, cost: 0.01, revenue },
        };
      }),
    ),
  });
  const [mix] = await findMixes(await gathered(mixed([200, 800])));
  expect(mix).toMatchObject({ dimension: 'device', isBetterInParts: true });
  expect(mix?.after).toBeLessThan(mix?.before ?? 0);
  expect(await findMixes(await gathered(mixed([500, 500])))).toEqual([]);
  // Visits that did not click are of no offer: more of them is no other mix.
  const { rows } = mixed([200, 800]);
  const ofOffers = rows.map((row) => ({
    ...row,
    values: row.values.map((value) => (value === 'Phone' ? null : value)),
  }));
  expect(await findMixes(await gathered({ dimensions: ['offer'], rows: ofOffers }))).toEqual([]);
  expect(await findMixes(await gathered({ dimensions: ['keyword'], rows: ofOffers }))).toHaveLength(1);
});

test('other calls may run often while a change is explained', async () => {
  const columns = await gathered(simulateVisits({}, 1, { ...quiet, visits: 2000 }));
  let rests = 0;
  const pace = {
    isOver: false,
    rest: async () => {
      rests += 1;
    },
  };
  await explainProfit(columns, spans, pace);
  expect(rests).toBeGreaterThan(50);
});

test('a search whose time is over gives the factors of the change, and says that there may be causes', async () => {
  const columns = await gathered(simulateVisits({ clickRate: () => 0.1 }, 1));
  const { causes, isCut, factors, movers } = await explainProfit(columns, spans, { ...unhurried, isOver: true });
  expect({ causes, isCut }).toEqual({ causes: [], isCut: true });
  const whole = await explainProfit(columns, spans);
  expect({ factors, movers }).toEqual({ factors: whole.factors, movers: whole.movers });
  expect(whole.isCut).toBe(false);
});

test('the change between two quiet weeks is usual, and the change of a dead page is not', async () => {
  const changeOf = async (trouble: Partial<Rates>, seed: number) => {
    const visits = simulateVisits(trouble, seed);
    const { before, after } = await profitsOf(visits);
    return Math.abs(after - before) / usualMove(await gathered(visits), spans).amount;
  };
  const moves = await Promise.all(Array.from({ length: 10 }, (_, seed) => changeOf({}, seed)));
  expect(moves.filter((change) => change > 1).length).toBeLessThanOrEqual(2);
  expect(await changeOf({ clickRate: () => 0 }, 1)).toBeGreaterThan(1);
});

test('the usual change includes the scatter of cost, so that two days without sales may differ', async () => {
  const costs = (count: number, isAfter: boolean) =>
    Array.from({ length: count }, () => ({
      ...{ isAfter, day: isAfter ? '2026-11-09' : '2026-11-02', values: [] },
      ...{ clicks: 0, conversions: 0, cost: 0.4, revenue: 0 },
    }));
  const rows = [...costs(30, false), ...costs(34, true)];
  // 1.96 times the root of 64 visits of 0.4 each.
  const columns = await gathered({ dimensions: [], rows });
  expect(usualMove(columns, { before: ['2026-11-02'], after: ['2026-11-09'] }).amount).toBeCloseTo(1.96 * 8 * 0.4, 9);
});

describe('findPayoutChanges', () => {
  /** Sales of one offer, by day. */
  const soldOn = (...amounts: readonly (readonly number[])[]) => ({
    dimensions: ['offer'],
    rows: amounts.flatMap((paid, index) =>
      paid.map((revenue) => ({
        ...{ isAfter: index >= 7, day: days[index] ?? '', values: ['Reorder'] },
        ...{ clicks: 1, conversions: 1, cost: 0, revenue },
      })),
    ),
  });
  const usual = Array.from({ length: 11 }, () => [12, 12, 12]);

  const changesIn = async (visits: SpanVisits) => findPayoutChanges(salesOfVisits(await gathered(visits)));

  it('ignores an offer that pays double now and then, in any order within a day', async () => {
    expect(await changesIn(soldOn([24, 12], [24, 12, 12, 12, 12, 24], ...usual))).toEqual([]);
    expect(await changesIn(soldOn([12, 24], [24, 24, 12, 12, 12, 12], ...usual))).toEqual([]);
  });

  it('finds the day on which a payout fell', async () => {
    const found = await changesIn(soldOn([24, 24, 24], [24, 24, 24], [24, 24, 12], ...usual));
    expect(found).toEqual([{ offer: 'Reorder', before: 24, after: 12, since: days[3] }]);
  });
});

describe('an outstanding sale', () => {
  const visits = simulateVisits({}, 1);
  const sold = visits.rows.findIndex(({ isAfter, revenue }) => isAfter && revenue > 0);
  const changeOf = async (rows: SpanVisits['rows']) => {
    const { before, after } = await profitsOf({ ...visits, rows });
    return after - before;
  };

  it('decides if it makes the change', async () => {
    const rows = visits.rows.map((row, index) => (index === sold ? { ...row, revenue: 900 } : row));
    const change = await changeOf(rows);
    expect(findOutstandingSale(salesOfVisits(await gathered({ ...visits, rows })), change)).toEqual({
      ...{ visit: sold, revenue: 900, day: visits.rows[sold]?.day, isDecisive: true },
      changeWithout: expect.closeTo(change - 900, 6),
    });
  });

  it.each([
    [900, true],
    [30, false],
  ])('of %d beside a larger change is a cause: %j', async (revenue, isTold) => {
    const rows = visits.rows.map((row, index) => (index === sold ? { ...row, revenue } : row));
    const found = findOutstandingSale(salesOfVisits(await gathered({ ...visits, rows })), -4000);
    expect(found).toEqual(isTold ? expect.objectContaining({ revenue, isDecisive: false }) : undefined);
  });

  it('is the first cause, by what it brought, and no trend of its offer', async () => {
    const rows = visits.rows.map((row, index) => (index === sold ? { ...row, revenue: 900 } : row));
    const { causes, whole } = await explainProfit(await gathered({ ...visits, rows }), spans);
    expect(causes[0]).toMatchObject({ sale: 900, moved: ['revenue_per_sale'], since: visits.rows[sold]?.day });
    expect(causes[0]?.groups.map(({ dimension }) => dimension)).toEqual(['offer']);
    expect(causes.length).toBe(1);
    expect(profitOf(whole.after) - profitOf(whole.before)).toBeGreaterThan(0);
  });

  it('comes after what surely did more', async () => {
    const dear = simulateVisits({ cost: ({ keyword }) => (keyword === 'site0' ? 0.5 : 0.05) }, 1);
    const late = dear.rows.findIndex(({ isAfter, revenue }) => isAfter && revenue > 0);
    const rows = dear.rows.map((row, index) => (index === late ? { ...row, revenue: 150 } : row));
    const { causes } = await explainProfit(await gathered({ ...dear, rows }), spans);
    expect(causes.map(({ moved, sale }) => [moved[0], sale])).toEqual([
      ['cost_per_visit', undefined],
      ['revenue_per_sale', 150],
    ]);
  });

  it('is none if the list of sales has others of its offer that pay about as much', async () => {
    const rows = visits.rows.map((row, index) => (index === sold ? { ...row, revenue: 900 } : row));
    const columns = await gathered({ ...visits, rows });
    const offer = visits.rows[sold]?.values[visits.dimensions.indexOf('offer')] ?? null;
    const listed = (revenues: readonly number[], of = offer) =>
      revenues.map((revenue, visitor) => ({
        ...{ offer: of, campaign: null, day: '2026-11-01', revenue },
        ...{ visitor, booked: null },
      }));
    const salesGiven = async (sales: ReturnType<typeof listed>) =>
      (await explainProfit(columns, spans, undefined, { listed: sales })).outstanding?.revenue;
    expect(await salesGiven(listed([900, 700]))).toBeUndefined();
    expect(await salesGiven(listed([900, 2, 2]))).toBe(900);
    expect(await salesGiven(listed([900, 700], 'Other'))).toBe(900);
  });

  it('is not found if sales pay alike', async () => {
    expect(findOutstandingSale(salesOfVisits(await gathered(visits)), await changeOf(visits.rows))).toBeUndefined();
  });
});

/** Sales by day, with a space between days. */
const salesOf = (days: string) =>
  days.split(' ').flatMap((sales, when) => sales.split(',').map((revenue) => ({ when, revenue: Number(revenue) })));

test.each([
  ['pays double now and then', '24,12 24,12,12,12,12,24 12,12 12 12,12 12,12,12 12 12,12,12 12,12 24 12,24,12 12,12'],
  ['always pays the same', '12,12 12,12,12 12,12 12'],
  ['pays varying amounts', '3,7 8,2,9 4,11 5,6'],
])('finds no change of payout in an offer that %s', (_, days) => {
  expect(changeOfPayout(salesOf(days))?.chance ?? 1).toBeGreaterThan(0.01);
});

test.each([
  ['for all sales', '24,24 24,24,24 24,24 12,12 12,12', 12],
  ['though some sales pay other amounts', '3,3,9,3 3,3,3 3,3,3 3,3,2,2 2,2,9,2 2,2,2 2,2', 2],
])('finds a payout that fell %s', (_, days, after) => {
  const change = changeOfPayout(salesOf(days));
  expect(change).toMatchObject({ since: 3, after });
  expect(change?.chance).toBeLessThan(0.01);
});

it('is sure of a page that is slow on one system, and of a payout only after more than a few sales', async () => {
  const slow: Partial<Rates> = { clickRate: ({ page, os }) => (page === 'Story' && os === 'iOS' ? 0.2 : 0.3) };
  const [cause] = (await causesOf(simulateVisits(slow, 1, { ...quiet, visits: 8000 }))).causes;
  const groups = [
    { dimension: 'landing_page', value: 'Story' },
    { dimension: 'os', value: 'iOS' },
  ];
  expect(cause).toMatchObject({ groups, moved: ['clicks_per_visit'], isSure: true });
  const changesIn = (counts: readonly [number, number]) =>
    payoutChangesIn(
      counts.flatMap((count, index) =>
        Array.from({ length: count }, (_, sale) => ({
          ...{ offer: 'Cash', campaign: null, revenue: index === 0 ? 12 : 6 },
          day: `2026-11-${String(2 + index * 9 + (sale % 4)).padStart(2, '0')}`,
        })),
      ),
    );
  expect(changesIn([4, 3])).toEqual([]);
  expect(changesIn([6, 4])).toMatchObject([{ before: 12, after: 6 }]);
});

describe('an offer that pays another amount in each country', () => {
  const payouts: Record<string, number> = { US: 6, GB: 4, DE: 2, FR: 1.5 };
  const byCountry =
    (times: number) =>
    (offer: string, country = '') =>
      (payouts[country] ?? 0) * (offer === 'Cash' && country === 'US' ? times : 1);

  it('and a new one in one of them is named with it', async () => {
    for (const seed of [1, 2, 3]) {
      const visits = simulateVisits({ payout: byCountry(0.5) }, seed, { ...quiet, payout: byCountry(1) });
      const { payouts: changes, causes } = await explainProfit(await gathered(visits), spans);
      expect(changes, `seed ${seed}`).toMatchObject([{ offer: 'Cash', country: 'US', before: 6, after: 3 }]);
      expect(causes[0], `seed ${seed}`).toMatchObject({ moved: ['revenue_per_sale'], isSure: true });
      expect(new Set(causes[0]?.groups.map(({ value }) => value)), `seed ${seed}`).toEqual(new Set(['Cash', 'US']));
    }
  });

  it('pays none where visitors of other countries come', async () => {
    const usual = { ...quiet, countries: { US: 94, GB: 2, DE: 2, FR: 2 }, payout: byCountry(1) };
    const visits = simulateVisits({ countries: { US: 2, GB: 2, DE: 94, FR: 2 } }, 1, usual);
    expect((await explainProfit(await gathered(visits), spans)).payouts).toEqual([]);
  });
});

test('of groups that may be chance, the one that chance produces most seldom is better, and a guess is better than none', () => {
  const sure = { isSure: true, isGuess: false, weight: 5, margin: 1 };
  const [likely, guess] = [
    { ...sure, isSure: false, weight: 9, margin: -4 },
    { ...sure, isSure: false, isGuess: true, weight: 99, margin: -3 },
  ];
  const others = { ...likely, weight: 2, margin: -2 };
  expect([better(sure, likely), better(likely, others), better(guess, likely), better(undefined, guess)]).toEqual([
    sure,
    others,
    likely,
    guess,
  ]);
  const heavier = { ...sure, weight: 6, margin: 0 };
  expect(better(sure, heavier)).toBe(heavier);
});

describe('an account of several campaigns', () => {
  const small: Rates = { ...quiet, visits: 500 };

  /** Campaigns whose pages, offers and keywords have the same names, and the first one's trouble. */
  const account = (trouble: Partial<Rates>, seed: number, rates = small, count = 5): SpanVisits => {
    const campaigns = Array.from({ length: count }, (_, id) =>
      simulateVisits(id === 0 ? trouble : {}, seed * 10 + id, rates),
    );
    const [{ dimensions } = { dimensions: [] }] = campaigns;
    const rows = campaigns.flatMap(({ rows: own }, id) =>
      own.map((row) => ({ ...row, values: [`Campaign ${id}`, ...row.values] })),
    );
    return { dimensions: ['campaign', ...dimensions], rows };
  };

  it('does not say that visits of a source cost more because its dear campaign grew', async () => {
    const campaigns = [{ cost: () => 0.01 }, { cost: () => 0.3, visits: 900 }, {}, {}].map((rates, id) => {
      const usual = { ...small, cost: rates.cost ?? small.cost };
      return simulateVisits(rates, id + 1, usual, 7).rows.map((row) => {
        return { ...row, values: [`Campaign ${id}`, id < 2 ? 'Push' : 'Search', ...row.values] };
      });
    });
    const { dimensions } = simulateVisits({}, 1, { ...small, visits: 1 });
    const visits = { dimensions: ['campaign', 'traffic_source', ...dimensions], rows: campaigns.flat() };
    const { causes } = await causesOf(visits);
    expect(causes.filter(({ moved }) => moved.includes('cost_per_visit'))).toEqual([]);
  });

  it.each<[string, string, Partial<Rates>]>([
    ['gone dark', '', { visits: 0 }],
    ['with a dead page', 'landing_page Quiz', { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) }],
    [
      'with a page that phones cannot click',
      'landing_page Story device Phone',
      { clickRate: ({ page, device }) => (page === 'Story' && device === 'Phone' ? 0 : 0.3) },
    ],
    ['whose payout fell', 'offer Cash', fallenPayout],
    [
      'with a placement that costs more',
      'keyword site0',
      { cost: ({ keyword }) => (keyword === 'site0' ? 0.5 : 0.05) },
    ],
  ])('is its campaigns first: names one %s before what it shares with others', async (_, within, trouble) => {
    for (const seed of seeds) {
      const [first] = (await causesOf(account(trouble, seed))).causes;
      const named = first?.groups.map(({ dimension, value }) => `${dimension} ${value}`).join(' ');
      expect([named, first?.isSure], `seed ${seed}`).toEqual([`campaign Campaign 0 ${within}`.trim(), true]);
    }
  });

  /** Four campaigns with costs and rates of their own, the first three of one source, some of which have other visits in the later week. */
  const sourced = (troubles: readonly Partial<Rates>[], seed: number, largest = small.visits): SpanVisits => {
    const campaigns = [0.4, 0.02, 0.1, 0.05].map((cost, id) => {
      const own = {
        ...small,
        ...(id === 1 ? { visits: largest } : {}),
        cost: () => cost,
        clickRate: () => 0.2 + cost,
        saleRate: () => 0.12 - cost / 5,
      };
      return simulateVisits(troubles[id] ?? {}, seed * 10 + id, own, 7);
    });
    const rows = campaigns.flatMap(({ rows: own }, id) =>
      own.map((row) => ({ ...row, values: [`Campaign ${id}`, id < 3 ? 'Push' : 'Search', ...row.values] })),
    );
    return { dimensions: ['campaign', 'traffic_source', ...(campaigns[0]?.dimensions ?? [])], rows };
  };

  it('narrows what a source seems to have done to the offer of the campaign that did it', async () => {
    for (const seed of seeds) {
      let sold = 0;
      const halfRejected = (offer: string) => (offer === 'Cash' && ++sold % 2 > 0 ? 0 : quiet.payout(offer));
      const [first] = (await causesOf(sourced([{}, { payout: halfRejected }], seed, 3000))).causes;
      const named = first?.groups.map(({ dimension, value }) => `${dimension} ${value}`).join(' ');
      expect(named, `seed ${seed}`).toBe('campaign Campaign 1 offer Cash');
    }
  });

  it('names the campaign that alone did what all visits seem to have done', async () => {
    for (const seed of seeds) {
      const visits = await gathered(sourced([{}, { saleRate: () => 0.065 }], seed, 3000));
      const [first] = (await explainProfit(visits, spans)).causes;
      expect([first?.groups, first?.moved[0]], `seed ${seed}`).toEqual([
        [{ dimension: 'campaign', value: 'Campaign 1' }],
        'sales_per_click',
      ]);
    }
  });

  it('has no changed cost, clicks or sales where only the mix of its campaigns moved', async () => {
    for (const seed of seeds) {
      const { causes } = await causesOf(sourced([{ visits: 330 }, { visits: 650 }], seed));
      const ofRates = causes.filter(({ isSure, moved }) => isSure && moved.some((factor) => factor !== 'visits'));
      expect(
        ofRates.map(({ groups, moved }) => [groups, moved]),
        `seed ${seed}`,
      ).toEqual([]);
    }
  });

  it('has a changed cost of a source where it rose in each of its campaigns, whatever their mix', async () => {
    const dearer = [0.8, 0.04, 0.2].map((cost, id) => ({ cost: () => cost, visits: id === 0 ? 330 : 500 }));
    for (const seed of seeds) {
      const [first] = (await causesOf(sourced(dearer, seed))).causes;
      expect(first, `seed ${seed}`).toMatchObject({ isSure: true, moved: ['cost_per_visit'] });
      expect(first?.groups, `seed ${seed}`).toEqual([{ dimension: 'traffic_source', value: 'Push' }]);
    }
  });

  const deadInCountry: Partial<Rates> = {
    saleRate: ({ offer, country }) => (offer === 'Cash' && country === 'US' ? 0 : 0.12),
  };
  const namesIn = ({ causes }: Awaited<ReturnType<typeof findCauses>>) =>
    causes.map(({ groups }) => groups.map(({ value }) => value).join(' '));

  it('has a guess named first where nothing else is found, and none besides others', async () => {
    for (const seed of [5, 7, 15]) {
      const { causes } = await explainProfit(
        await gathered(account(deadInCountry, seed, { ...small, visits: 300 }, 6)),
        spans,
      );
      expect(causes[0]?.groups.map(({ value }) => value).join(' '), `seed ${seed}`).toBe('Campaign 0 Cash US');
      expect(causes.map(({ isSure }) => isSure)).toEqual([false]);
    }
  });

  it('names each of two troubles of one campaign within it, without what else their visits have', async () => {
    const both = { ...deadInCountry, cost: ({ keyword }: { keyword: string }) => (keyword === 'site0' ? 0.001 : 0.05) };
    for (const seed of [1, 2]) {
      const found = await explainProfit(await gathered(account(both, seed, { ...small, visits: 4000 }, 3)), spans);
      expect(namesIn(found), `seed ${seed}`).toEqual(['Campaign 0 Cash US', 'Campaign 0 site0']);
    }
  });

  it('has another campaign named after one whose offers got other shares, and not what is left of that one', async () => {
    for (const seed of [1, 2]) {
      const visits = account({}, seed, { ...quiet, visits: 600 }, 5);
      const [offer, hour, device] = ['offer', 'hour', 'device'].map((name) => visits.dimensions.indexOf(name)) as [
        number,
        number,
        number,
      ];
      const rows = visits.rows.map((visit) => {
        const { values, isAfter } = visit;
        if (isAfter && values[0] === 'Campaign 0' && values[offer] === 'Cash' && Number(values[hour]) % 8 > 0)
          return { ...visit, values: values.with(offer, 'Gift') };
        if (isAfter && values[0] === 'Campaign 1' && values[device] === 'Phone')
          return { ...visit, values: values.with(offer, null), clicks: 0, conversions: 0, revenue: 0 };
        return visit;
      });
      const { causes } = await explainProfit(await gathered({ ...visits, rows }), spans);
      const told = causes.filter(({ isSure }) => isSure).map(({ groups, moved }) => [groups[0]?.value, moved[0]]);
      expect(told, `seed ${seed}`).toContainEqual(['Campaign 0', 'visits']);
      expect(told, `seed ${seed}`).toContainEqual(['Campaign 1', 'clicks_per_visit']);
      expect(told, `seed ${seed}`).not.toContainEqual(['Campaign 0', 'clicks_per_visit']);
    }
  });

  it('has what moved much within a campaign named beside what moved little in others', async () => {
    for (const seed of [1, 2]) {
      const visits = account({}, seed, { ...quiet, visits: 600 }, 10);
      const [hour, device] = ['hour', 'device'].map((name) => visits.dimensions.indexOf(name)) as [number, number];
      const rows = visits.rows.map((visit) => {
        const [campaign = '', id] = [visit.values[0] ?? '', Number(visit.values[0]?.slice(-1))];
        if (!visit.isAfter || id > 8) return visit;
        if (campaign === 'Campaign 0')
          return Number(visit.values[hour]) < 12 ? visit : { ...visit, conversions: 0, revenue: 0 };
        return visit.values[device] === 'Desktop' ? { ...visit, cost: visit.cost * (1.1 + 0.1 * id) } : visit;
      });
      const names = namesIn(await explainProfit(await gathered({ ...visits, rows }), spans));
      expect(
        names.some((name) => /^Campaign 0 .*1\d-23$/.test(name)),
        `seed ${seed}: ${names}`,
      ).toBe(true);
    }
  });

  it('with no trouble has no sure cause', async () => {
    for (const seed of seeds)
      expect((await causesOf(account({}, seed))).causes.filter(({ isSure }) => isSure)).toEqual([]);
  });
});
