import { describe, expect, it } from 'vitest';
import { findPayoutChanges, salesOfVisits } from '../../../src/analysis/change/sales.ts';
import { coversMore } from '../../../src/analysis/change/whole.ts';
import { carriedOf, explainProfit, type SalesToCome } from '../../../src/analysis/profit-change.ts';
import { describeCause } from '../../../src/answer/profit-change.ts';
import {
  days,
  gathered,
  quiet,
  type Rates,
  type SpanVisit,
  type SpanVisits,
  simulateVisits,
  type Traits,
} from './visits.ts';

const spans = { before: days.slice(0, 7), after: days.slice(7) };
const began = days[9] ?? '';

type Edit = (visit: SpanVisit, valueIn: (dimension: string) => string | null) => SpanVisit;

function edited({ dimensions, rows }: SpanVisits, edit: Edit): SpanVisits {
  const edit1 = (row: SpanVisit) => edit(row, (dimension) => row.values[dimensions.indexOf(dimension)] ?? null);
  return { dimensions, rows: rows.map(edit1) };
}

const unsold = { conversions: 0, revenue: 0 };

/** The visits of a question that is asked at an hour of its last day. */
function until(hour: number, { dimensions, rows }: SpanVisits): SpanVisits {
  const place = dimensions.indexOf('hour');
  const isSoFar = ({ day, values }: SpanVisit) => days.indexOf(day) % 7 < 6 || Number(values[place]) < hour;
  return { dimensions, rows: rows.filter(isSoFar) };
}

/** Campaigns of an account, each with a network of its own for visits that clicked. */
function account(campaigns: Readonly<Record<string, SpanVisits>>): SpanVisits {
  const all = Object.entries(campaigns);
  const rows = all.flatMap(([name, { rows }], index) =>
    rows.map((row) => ({ ...row, values: [name, row.clicks > 0 ? `Network ${index}` : null, ...row.values] })),
  );
  return { dimensions: ['campaign', 'network', ...(all[0]?.[1].dimensions ?? [])], rows };
}

async function explain(visits: SpanVisits, toCome?: readonly SalesToCome[], untilHour?: number) {
  const explained = await explainProfit(await gathered(visits), { ...spans, untilHour }, undefined, { toCome });
  const told = explained.causes.map(({ groups, moved, since, noneSince, isSure }) => ({
    where: groups.map(({ dimension, value }) => `${dimension} ${value}`).join(', '),
    ...{ factor: moved[0], since, noneSince, isSure },
  }));
  return { ...explained, told };
}

describe('what all visits did alike', () => {
  it.each<[string, Partial<Rates>, object]>([
    ['no sale comes in any more', { saleRate: () => 0 }, { factor: 'sales_per_click', noneSince: began }],
    ['the traffic falls', { visits: 450 }, { factor: 'visits' }],
    ['no visit comes in any more', { visits: 0 }, { factor: 'visits', noneSince: began }],
    ['each visit costs more', { cost: () => 0.09 }, { factor: 'cost_per_visit' }],
    ['cost is missing', { cost: () => 0 }, { factor: 'cost_per_visit', noneSince: began }],
  ])('is the cause, with its day, if %s', async (_, trouble, expected) => {
    for (const seed of [1, 2, 3]) {
      const { told, rest } = await explain(simulateVisits(trouble, seed));
      const cause = { where: '', since: began, noneSince: undefined, isSure: true };
      expect(told, `seed ${seed}`).toEqual([{ ...cause, ...expected }]);
      expect(rest.after.views).toBe(0);
    }
  });

  it('names the campaign that all visits are from', async () => {
    const { told } = await explain(account({ Search: simulateVisits({ saleRate: () => 0 }, 1) }));
    expect(told.map(({ where }) => where)).toEqual(['campaign Search']);
  });

  it.each([
    ['a third of what all did', 30, true],
    ['most of it', 80, false],
    ['the opposite, as visits of robots that earn nothing do', -135, false],
  ])('is the cause in place of a group that did %s: %d of 100', (_, effect, isInPlace) => {
    const movedBy = (effect: number) => ({
      moved: ['visits' as const],
      factors: [{ factor: 'visits' as const, before: 400, after: 700, effect }],
    });
    expect(coversMore(movedBy(100), { ...movedBy(effect), isSure: true })).toBe(isInPlace);
  });

  it('is a cause though the later span has no visit', async () => {
    const visits = simulateVisits({ visits: 0 }, 1, quiet, 7);
    expect((await explain(visits)).told).toMatchObject([{ factor: 'visits', since: days[7], noneSince: days[7] }]);
  });

  it('is no cause if the days differ by chance, or rest on the same weekdays', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { dimensions, rows } = simulateVisits({}, seed);
      const restful = rows.filter(({ day }) => days.indexOf(day) % 7 < 5);
      for (const some of [rows, restful])
        expect((await explain({ dimensions, rows: some })).told.filter(({ isSure }) => isSure)).toEqual([]);
    }
  });

  it('is no cause on a day that is not over, nor are its later hours', async () => {
    for (const seed of [1, 2, 3, 4])
      for (const untilHour of [2, 9, 14]) {
        const { told } = await explain(until(untilHour, simulateVisits({}, seed)), undefined, untilHour);
        expect(told, `seed ${seed}, until ${untilHour}`).toEqual([]);
      }
    const dead = until(14, simulateVisits({ visits: 450 }, 1));
    expect((await explain(dead, undefined, 14)).told).toMatchObject([{ factor: 'visits', since: began, isSure: true }]);
  });

  it('sells no more than usual by what is still to come', async () => {
    const count = quiet.visits * 0.3 * 0.12;
    const offers = ['Cash', 'Gift'];
    for (const late of [days.slice(12), days.slice(13)]) {
      const toCome = late.flatMap((day) =>
        offers.map((offer) => ({ day, offer, campaign: undefined, count, revenue: count * 2.75 })),
      );
      expect((await explain(simulateVisits({}, 1), toCome)).told.filter(({ isSure }) => isSure)).toEqual([]);
    }
  });

  it('does not take sales that are still to come for a fall', async () => {
    const late = days.slice(12);
    const visits = edited(simulateVisits({}, 1), (visit) =>
      late.includes(visit.day) ? { ...visit, ...unsold } : visit,
    );
    const isOfSales = ({ factor }: { factor: string | undefined }) => factor === 'sales_per_click';
    expect((await explain(visits)).told.filter(isOfSales)).toHaveLength(1);
    const [count, campaign] = [(quiet.visits * 0.3 * 0.12) / 2, undefined];
    const toCome = (offers: readonly string[]) =>
      late.flatMap((day) => offers.map((offer) => ({ day, offer, campaign, count, revenue: count * 2.75 })));
    expect((await explain(visits, toCome(['Cash', 'Gift']))).told.filter(isOfSales)).toEqual([]);
  });

  it('does not take an offer whose sales are still to come for the cause, nor hide what is', async () => {
    const late = days.slice(12);
    for (const seed of [1, 2, 3]) {
      const visits = edited(
        simulateVisits({ clickRate: ({ device, page }) => (device === 'Phone' && page === 'Quiz' ? 0 : 0.3) }, seed),
        (visit, valueIn) => (late.includes(visit.day) && valueIn('offer') === 'Gift' ? { ...visit, ...unsold } : visit),
      );
      const count = (quiet.visits * 0.24 * 0.12) / 2;
      const toCome = late.map((day) => ({ day, offer: 'Gift', campaign: undefined, count, revenue: count * 2.5 }));
      const isOfSales = ({ factor }: { factor: string | undefined }) => factor === 'sales_per_click';
      expect((await explain(visits, [])).told.some(isOfSales)).toBe(true);
      const { told } = await explain(visits, toCome);
      expect(
        told.filter(({ isSure }) => isSure),
        `seed ${seed}`,
      ).toMatchObject([{ factor: 'clicks_per_visit' }]);
      expect(told[0]?.where).toMatch(/landing_page Quiz.*device Phone|device Phone.*landing_page Quiz/);
    }
  });

  it('says since when an offer sells nothing, though a few sales of others are still to come', async () => {
    const dead = simulateVisits({ saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) }, 1);
    const few = days.slice(11).flatMap((day) => ({ day, offer: 'Gift', campaign: undefined, count: 2, revenue: 5 }));
    expect((await explain(dead, few)).told[0]).toMatchObject({ where: 'offer Cash', noneSince: began });
  });

  it('is not that they click more, since the clicks of an offer with a smaller share are told apart', async () => {
    for (const seed of [1, 2, 3]) {
      const visits = edited(simulateVisits({}, seed), (visit, valueIn) => {
        const isMoved = valueIn('offer') === 'Cash' && visit.day >= began && Number(valueIn('hour')) % 8 > 0;
        const values = visit.values.map((value) => (isMoved && value === 'Cash' ? 'Gift' : value));
        return { ...visit, values };
      });
      const { told } = await explain(visits);
      expect(told[0], `seed ${seed}`).toMatchObject({ where: expect.stringContaining('offer'), factor: 'visits' });
      expect(told.filter(({ factor }) => factor === 'clicks_per_visit')).toEqual([]);
    }
  });

  it('is told of what came in, not of the sales to come that it was searched with', async () => {
    const toCome = days.slice(9).flatMap((day) => ({ day, offer: 'Cash', campaign: undefined, count: 3, revenue: 9 }));
    const { causes } = await explain(
      simulateVisits({ saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) }, 1),
      toCome,
    );
    const [cause] = causes;
    expect(cause?.groups).toMatchObject([{ value: 'Cash' }]);
    expect(cause?.rates?.sales_per_click?.after).toBe(0);
    expect(cause && describeCause(cause, null)).toMatch(/^offer Cash .*(stopped selling|none so far)/);
    const all = await explain(simulateVisits({ saleRate: () => 0 }, 1), toCome);
    expect(all.causes[0]?.after).toEqual(all.whole.after);
  });

  it.each([
    [600, 12, 2],
    [500, 11, 2],
    [450, 11, 8],
  ])('is not told as that of some hours: %d visits a day, from day %d on', async (visits, first, seed) => {
    const rates = { ...quiet, visits, saleRate: () => 0.08 };
    const { told } = await explain(simulateVisits({ saleRate: () => 0 }, seed, rates, first));
    expect(told.map(({ where }) => where).filter((where) => where.includes('hour'))).toEqual([]);
  });

  it('does not hide the group that did it', async () => {
    const { told } = await explain(simulateVisits({ clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) }, 1));
    expect(told[0]).toMatchObject({ where: 'landing_page Quiz', factor: 'clicks_per_visit' });
  });

  it('is no cause where the visits outside a group did not do it', async () => {
    const robots: Partial<Rates> = {
      clickRate: ({ isp }) => (isp === 'Amazon' ? 0.97 : 0.3),
      saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.12),
    };
    for (const seed of [19, 25]) {
      const { told } = await explain(simulateVisits(robots, seed, { ...quiet, visits: 2500 }, 10));
      expect(told[0], `seed ${seed}`).toMatchObject({ where: 'isp Amazon', factor: 'sales_per_click', isSure: true });
    }
  });

  it('on one day of several is the cause, with the day on which it was over', async () => {
    const day = days[9] ?? '';
    for (const seed of [1, 2, 3]) {
      const dear = edited(simulateVisits({}, seed), (visit) =>
        visit.day === day ? { ...visit, cost: visit.cost * 5 } : visit,
      );
      const { causes } = await explain(dear);
      const [cause] = causes;
      expect([causes.length, cause?.groups, cause?.moved, cause?.since, cause?.until, cause?.isSure]).toEqual([
        ...[1, [], ['cost_per_visit'], day, day, true],
      ]);
    }
  });

  const dearer = (visit: SpanVisit) => (visit.day >= began ? { ...visit, cost: visit.cost * 1.6 } : visit);
  const clicksOf = (page: string, valueIn: (dimension: string) => string | null) => valueIn('landing_page') === page;
  const deadAndDear = (seed: number) =>
    edited(simulateVisits({}, seed), (visit, valueIn) => {
      const isDead = visit.day >= began && clicksOf('Quiz', valueIn);
      return { ...dearer(visit), ...(isDead ? { ...unsold, clicks: 0 } : {}) };
    });
  const twoCauses = (campaign?: string) => {
    const outer = campaign === undefined ? [] : [{ dimension: 'campaign', value: campaign }];
    return [
      [outer, ['cost_per_visit']],
      [[...outer, { dimension: 'landing_page', value: 'Quiz' }], ['clicks_per_visit']],
    ];
  };
  it('is told of all visits beside what a part of them did', async () => {
    for (const seed of [1, 2, 3]) {
      const { causes, factors } = await explain(deadAndDear(seed));
      const ofCost = causes.find(({ moved }) => moved[0] === 'cost_per_visit');
      expect(causes.map(({ groups, moved }) => [groups, moved])).toEqual(expect.arrayContaining(twoCauses()));
      expect([causes.length, ofCost?.isOfOthers ?? false]).toEqual([2, false]);
      expect(ofCost && carriedOf(ofCost)).toBe(factors.find(({ factor }) => factor === 'cost_per_visit')?.effect);
    }
  });

  it('is told of a campaign of an account beside what a part of it did', async () => {
    for (const seed of [1, 2, 3]) {
      const visits = account({ One: deadAndDear(seed), Two: simulateVisits({}, seed + 5) });
      const { causes } = await explain(visits);
      expect(causes.map(({ groups, moved }) => [groups, moved])).toEqual(expect.arrayContaining(twoCauses('One')));
      expect(causes.map(({ isSure, isOfOthers = false }) => [isSure, isOfOthers])).toEqual([
        [true, false],
        [true, false],
      ]);
    }
  });
});

/** Robots of a provider that was not there before: all are from one keyword, on computers. */
const withRobots = (
  visits: SpanVisits,
  { days: from, part }: { days: readonly string[]; part: number },
): SpanVisits => {
  const values = {
    isp: 'Farm',
    keyword: visits.rows[0]?.values[visits.dimensions.indexOf('keyword')] ?? '',
    device: 'Desktop',
  };
  const robots = visits.rows.flatMap((row, index) => {
    if (!from.includes(row.day) || (index * 7919) % 100 >= part) return [];
    const hasClicked = index % 5 > 0;
    const named = visits.dimensions.map((name, place) =>
      name === 'offer'
        ? hasClicked
          ? 'Cash'
          : null
        : (values[name as keyof typeof values] ?? row.values[place] ?? null),
    );
    return { ...row, ...unsold, values: named, clicks: Number(hasClicked) };
  });
  return { ...visits, rows: [...visits.rows, ...robots] };
};

describe('robots of a new provider', () => {
  it.each([20, 40])(
    'are named by it, not by what they share with people, with %d of 100 visits as many',
    async (part) => {
      for (const seed of [1, 2, 3]) {
        const visits = withRobots(simulateVisits({}, seed), { days: days.slice(9), part });
        const { causes, told } = await explain(visits);
        expect(told.slice(0, 1), `seed ${seed}`).toMatchObject([{ where: 'isp Farm', factor: 'visits', since: began }]);
        expect(causes[0]?.isOfBots).toBe(true);
        const { told: overAccount } = await explain(account({ Push: visits, Search: simulateVisits({}, seed + 10) }));
        expect(overAccount[0], `seed ${seed}`).toMatchObject({ where: 'campaign Push, isp Farm', factor: 'visits' });
      }
    },
  );
});

describe('hours of the day', () => {
  it('in which a page is down are one cause', async () => {
    const dead = edited(simulateVisits({}, 1), (visit, valueIn) => {
      const isDead = visit.day >= began && Number(valueIn('hour')) < 6;
      const values = visit.values.with(1, null);
      return isDead ? { ...visit, ...unsold, clicks: 0, values } : visit;
    });
    const { told } = await explain(dead);
    expect(told.filter(({ isSure }) => isSure)).toMatchObject([
      { where: 'hour 00-05', factor: 'clicks_per_visit', since: began },
    ]);
  });
});

describe('a group', () => {
  it('that is sure is not told as a part of it that may be chance', async () => {
    const small: Rates = { ...quiet, visits: 500, saleRate: () => 0.06 };
    const dead: Partial<Rates> = { saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.06) };
    for (const seed of [22, 26]) {
      const { told } = await explain(simulateVisits(dead, seed, small, 10));
      expect(told[0], `seed ${seed}`).toMatchObject({ where: 'offer Cash', isSure: true });
    }
  });

  it('is told with the part that carries most of its change, though the others of the group fell as well', async () => {
    const dead: Partial<Rates> = {
      saleRate: ({ offer, country }) => (offer === 'Cash' && country === 'US' ? 0 : 0.12),
    };
    for (const seed of [25, 28]) {
      const { told } = await explain(simulateVisits(dead, seed, { ...quiet, visits: 1000 }, 10));
      expect(told[0], `seed ${seed}`).toMatchObject({ where: 'offer Cash, country US', isSure: true });
    }
  });
});

it('names the hours of an offer that sells nothing from some hour of each day on', async () => {
  for (const seed of [1, 2, 3]) {
    const visits = edited(simulateVisits({}, seed), (visit, valueIn) =>
      visit.day >= began && valueIn('offer') === 'Cash' && Number(valueIn('hour')) >= 14
        ? { ...visit, ...unsold }
        : visit,
    );
    const [first] = (await explain(visits)).told;
    expect(first?.where, `seed ${seed}`).toMatch(/^offer Cash, hour 1[3-6]-2[23]$/);
    expect(first).toMatchObject({ factor: 'sales_per_click', since: began, isSure: true });
  }
});

it('names the hours of a whole campaign that sells nothing from some hour of each day on', async () => {
  const small: Rates = { ...quiet, visits: 150, clickRate: () => 0.47, saleRate: () => 0.14 };
  for (const seed of [1, 2, 3, 4]) {
    const visits = edited(simulateVisits({}, seed, small), (visit, valueIn) =>
      visit.day >= began && Number(valueIn('hour')) >= 13 ? { ...visit, ...unsold } : visit,
    );
    const [first] = (await explain(visits)).told;
    expect(first?.where, `seed ${seed}`).toMatch(/^hour 1[0-5]-23$/);
    expect(first, `seed ${seed}`).toMatchObject({ factor: 'sales_per_click', isSure: true });
    const both = account({ Search: visits, Push: simulateVisits({}, 5 + seed) });
    expect((await explain(both)).told[0]?.where, `seed ${seed}`).toMatch(/^campaign Search, hour 1[0-5]-23$/);
  }
});

it('names no hours of an offer that sells nothing at all any more since noon of a day', async () => {
  for (const seed of [1, 2, 3]) {
    const visits = edited(simulateVisits({}, seed), (visit, valueIn) => {
      const isAfterNoon = visit.day > began || (visit.day === began && Number(valueIn('hour')) >= 12);
      return isAfterNoon && valueIn('offer') === 'Cash' ? { ...visit, ...unsold } : visit;
    });
    const [first] = (await explain(visits)).told;
    expect(first, `seed ${seed}`).toMatchObject({ where: 'offer Cash', factor: 'sales_per_click', isSure: true });
  }
});

describe('values of a source that all gave way to others on one day', () => {
  const renamed = (visits: SpanVisits) =>
    edited(visits, (visit, valueIn) => {
      const keyword = valueIn('keyword');
      const write = (value: string | null) => (value !== null && value === keyword ? `zone-${value}` : value);
      return visit.day < began ? visit : { ...visit, values: visit.values.map(write) };
    });
  const found = { dimension: 'keyword', since: began };

  it('are no cause, and told, and what else happened is found', async () => {
    for (const seed of [1, 2, 3]) {
      const { told, replaced } = await explain(renamed(simulateVisits({}, seed)));
      expect({ told, replaced }, `seed ${seed}`).toMatchObject({ told: [], replaced: [found] });
      const dead = await explain(
        renamed(simulateVisits({ clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) }, seed)),
      );
      expect(dead.told[0], `seed ${seed}`).toMatchObject({ where: 'landing_page Quiz', factor: 'clicks_per_visit' });
    }
  });

  it('are found in the campaign that has them', async () => {
    const costly = simulateVisits({ cost: ({ keyword }) => (keyword === 'site0' ? 0.5 : 0.05) }, 2);
    const visits = account({ Search: renamed(simulateVisits({}, 1)), Push: costly });
    const { told, replaced } = await explain(visits);
    expect(replaced).toMatchObject([{ ...found, campaign: 'Search' }]);
    expect(told).toMatchObject([{ where: 'campaign Push, keyword site0', factor: 'cost_per_visit' }]);
  });

  it('are not found where single ones come and go', async () => {
    for (const seed of [1, 2, 3]) {
      const { keywords } = quiet;
      const moved = Object.fromEntries(
        Object.entries(keywords).map(([name, weight], at) => [at % 2 ? name : `new ${name}`, weight]),
      );
      expect((await explain(simulateVisits({ keywords: moved }, seed))).replaced).toEqual([]);
    }
  });
});

describe('a new version of a system', () => {
  const versioned = (visits: SpanVisits, edit: (visit: SpanVisit) => Partial<SpanVisit> = () => ({})) => {
    let count = 0;
    return edited(visits, (visit, valueIn) => {
      const os = valueIn('os');
      if (os !== 'iOS' && os !== 'Android') return visit;
      count += 1;
      const isNew = os === 'iOS' && visit.day >= began && count % 3 > 0;
      const version = isNew ? 'iOS 19.1' : `${os} 18.4`;
      const values = visit.values.map((value) => (value === os ? version : value));
      return { ...visit, ...(isNew ? edit(visit) : {}), values };
    });
  };

  it('that visitors of all campaigns go over to is no cause, and told', async () => {
    for (const seed of [1, 2, 3]) {
      const visits = account({
        Search: versioned(simulateVisits({}, seed)),
        Push: versioned(simulateVisits({}, 10 + seed)),
      });
      const { told, updated } = await explain(visits);
      expect(
        told.filter(({ isSure }) => isSure),
        `seed ${seed}`,
      ).toEqual([]);
      expect(updated, `seed ${seed}`).toEqual([{ dimension: 'os', before: 'iOS 18.4', after: 'iOS 19.1' }]);
    }
  });

  it('on which nothing can be clicked is the cause', async () => {
    const values = (visit: SpanVisit) => ({ values: visit.values, clicks: 0, conversions: 0, revenue: 0 });
    const { told, updated } = await explain(versioned(simulateVisits({}, 1), values));
    expect(told[0]).toMatchObject({ where: 'os iOS 19.1', isSure: true });
    expect(updated).toEqual([]);
  });

  it('that came beside the old one, as robots do, is the cause', async () => {
    const visits = versioned(simulateVisits({}, 1));
    const more = versioned(simulateVisits({}, 2)).rows.filter(({ values }) => values.includes('iOS 19.1'));
    const [before, isOld] = [visits.rows.filter(({ day }) => day < began), 'iOS 18.4'];
    const after = versioned(simulateVisits({}, 3)).rows.filter(
      ({ day, values }) => day >= began && !values.includes('iOS 19.1') && values.includes(isOld),
    );
    const rest = visits.rows.filter(({ day, values }) => day >= began && !values.includes('iOS 19.1'));
    const { told, updated } = await explain({ ...visits, rows: [...before, ...rest, ...after, ...after, ...more] });
    expect(told[0]).toMatchObject({ where: 'os iOS 19.1', factor: 'visits', isSure: true });
    expect(updated).toEqual([]);
  });
});

describe('over an account', () => {
  it('a campaign that is dark is the campaign, not the network of its clicks', async () => {
    const visits = account({ Search: simulateVisits({ visits: 0 }, 1), Push: simulateVisits({}, 2) });
    expect((await explain(visits)).told).toMatchObject([
      { where: 'campaign Search', factor: 'visits', noneSince: began, isSure: true },
    ]);
  });

  it('a campaign whose cost is missing on all days is named', async () => {
    const visits = account({ Search: simulateVisits({ cost: () => 0 }, 1, quiet, 7), Push: simulateVisits({}, 2) });
    expect((await explain(visits)).told[0]).toMatchObject({ where: 'campaign Search', factor: 'cost_per_visit' });
  });

  it('visits that all sell or click no more since an hour of a day are named as one, however its campaigns differ', async () => {
    const since = (seed: number, rates: Partial<Rates>, none: Partial<SpanVisit>) =>
      edited(simulateVisits({}, seed, { ...quiet, ...rates }), (visit, valueIn) => {
        const isEarlier = visit.day < began || (visit.day === began && Number(valueIn('hour')) < 13);
        return isEarlier ? visit : { ...visit, ...none };
      });
    for (const [factor, none] of [
      ['sales_per_click', unsold],
      ['clicks_per_visit', { ...unsold, clicks: 0 }],
    ] as const) {
      for (const seed of [1, 2, 3]) {
        const first = since(seed, { visits: 2500, saleRate: () => 0.2 }, none);
        const others = { Push: since(10 + seed, { clickRate: () => 0.5 }, none), Native: since(20 + seed, {}, none) };
        const { told } = await explain(account({ Search: first, ...others }));
        expect(
          told.map(({ where, factor: one }) => [where, one]),
          `seed ${seed}`,
        ).toEqual([['', factor]]);
      }
    }
  });

  it('a page that phones cannot click is named with the device, also where another campaign moved more', async () => {
    const dead = {
      clickRate: ({ page, device }: Traits) => (page === 'Poll' && device === 'Phone' ? 0 : 0.3),
    };
    const own = { ...quiet, pages: { Poll: 50, Story: 50 } };
    for (const seed of [1, 2, 3, 4]) {
      const larger = simulateVisits({ visits: 2500 }, 10 + seed, { ...quiet, visits: 5000 });
      const { told } = await explain(account({ Search: simulateVisits(dead, seed, own), Push: larger }));
      expect(told.map(({ where }) => where).toSorted(), `seed ${seed}`).toEqual([
        'campaign Push',
        'campaign Search, landing_page Poll, device Phone',
      ]);
    }
  });

  it('the campaign of an offer is named, also where no other has the offer', async () => {
    const own = edited(
      simulateVisits({ saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) }, 1),
      (visit, valueIn) => ({
        ...visit,
        values: visit.values.map((value) => (value !== null && value === valueIn('offer') ? `${value} plus` : value)),
      }),
    );
    const visits = account({ Search: own, Push: simulateVisits({}, 2) });
    expect((await explain(visits)).told[0]).toMatchObject({
      where: 'campaign Search, offer Cash plus',
      factor: 'sales_per_click',
    });
  });

  it('an offer that pays double in one campaign, and always another amount in the other, is named with the campaign', async () => {
    const double = { payout: (offer: string) => (offer === 'Cash' ? 6 : 2.5) };
    const other: Rates = { ...quiet, payout: (offer) => (offer === 'Cash' ? 4 : 2.5) };
    const visits = account({ Search: simulateVisits(double, 1), Push: simulateVisits({}, 2, other) });
    expect(findPayoutChanges(salesOfVisits(await gathered(visits)))).toEqual([
      { offer: 'Cash', campaign: 'Search', before: 3, after: 6, since: began },
    ]);
    expect((await explain(visits)).told[0]).toMatchObject({
      where: 'campaign Search, offer Cash',
      factor: 'revenue_per_sale',
    });
  });

  it('the sure cause that carries most is told first, though another stands out more', async () => {
    const visits = account({
      Search: simulateVisits({ cost: ({ keyword }) => (keyword === 'site0' ? 0.3 : 0.05) }, 1),
      Push: simulateVisits({ saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) }, 2),
    });
    expect((await explain(visits)).told).toMatchObject([
      { where: 'campaign Push, offer Cash', factor: 'sales_per_click' },
      { where: 'campaign Search, keyword site0', factor: 'cost_per_visit' },
    ]);
  });

  it('offers whose payouts changed are named, each by itself, before the traffic source that shows it', async () => {
    const double = { payout: (offer: string) => (offer === 'Cash' ? 6 : 5) };
    const withSource = ({ dimensions, rows }: SpanVisits): SpanVisits => ({
      dimensions: ['traffic_source', ...dimensions],
      rows: rows.map((row) => ({ ...row, values: [row.values[0] === 'Search' ? 'Google' : 'Pop', ...row.values] })),
    });
    for (const seed of [1, 2]) {
      const [one, two, three] = [
        simulateVisits(double, seed),
        simulateVisits({}, seed + 5),
        simulateVisits({}, seed + 9),
      ];
      const { told } = await explain(withSource(account({ Casino: one, Dating: two, Search: three })));
      const expected = ['Cash', 'Gift'].map((offer) => `campaign Casino, offer ${offer}`);
      expect(told.map(({ where }) => where).sort(), `seed ${seed}`).toEqual(expected);
      const alone = await explain(one);
      expect(alone.told.map(({ where }) => where).sort(), `seed ${seed}`).toEqual(['offer Cash', 'offer Gift']);
    }
  });
});
