import { sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type CampaignHistory, type History, reviewedDays } from './campaign-history.ts';
import { chanceOfAtMost, scatterOfCounts } from './tails.ts';

/** What may need a person. */
export type Kind =
  | 'account_dark'
  | 'campaign_dark'
  | 'sales_stopped'
  | 'page_without_clicks'
  | 'loses_money'
  | 'burning_placement'
  | 'clicks_of_no_people'
  | 'payout_fell'
  | 'cost_missing'
  | 'page_behind'
  | 'changed_elsewhere'
  | 'decisive_sale';

/** Something that may be wrong with a campaign. */
export interface Suspicion {
  readonly kind: Kind;
  /** Of what in the campaign: the value of a dimension; absent if it is the whole campaign. */
  readonly dimension?: string;
  readonly value?: string;
  /** How likely chance alone makes it, 0 to 1; 0 if it is no matter of chance. */
  readonly chance: number;
  /** Hours since it began. */
  readonly age: number;
  /** What it costs a day, in money, at least 0. */
  readonly moneyPerDay: number;
  /** The figures it rests on. */
  readonly figures: Readonly<Record<string, number>>;
}

/** How much of the sales of visits so many days old is in by now, 0 to 1. */
export type PartByAge = (days: number) => number;

/** All that is asked of a campaign; each look costs a part of the budget of errors. */
export const detectors: readonly ((
  campaign: CampaignHistory,
  partIn: PartByAge,
  anyPayout: number,
) => readonly Suspicion[])[] = [
  wentDark,
  soldNoMore,
  pagesWithoutClicks,
  lostMoney,
  burningPlacements,
  clicksOfNoPeople,
  fallenPayouts,
  missingCost,
  pagesBehind,
  changedElsewhere,
  decisiveSales,
];

/** Days differ at least so much, beyond chance. */
const [scatterOfVisits, scatterOfRates] = [0.09, 0.02];

/** With fewer expected, nothing can be said of a day. */
const minExpected = 8;

/** A count that is at least this part of what is expected is no breakdown. */
const maxPart = 0.2;

const perDay = (amount: number, days: number) => (days === 0 ? 0 : amount / days);
const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

function wentDark(campaign: CampaignHistory): Suspicion[] {
  const { pastDays, lastVisit } = campaign;
  const past = campaign.sum(1);
  const expected = Math.min(perDay(past.views, pastDays), usualOfWeekday(campaign));
  if (pastDays < 3 || expected < minExpected) return [];
  const { views } = campaign.sum(0, 1);
  const counts = campaign.days.slice(1, pastDays + 1).map((day) => day.views);
  const chance = chanceOfAtMost(views, expected, scatterOfCounts(counts, scatterOfVisits));
  if (views > expected * maxPart) return [{ ...nothing, kind: 'campaign_dark', chance: 1 }];
  return [
    {
      kind: 'campaign_dark',
      chance,
      age: lastVisit,
      moneyPerDay: Math.max(perDay(past.revenue - past.cost, pastDays), 0),
      figures: { visits: views, usual_visits_a_day: expected },
    },
  ];
}

/** The visits of the same stretch of the weeks before; infinite if there was none. */
function usualOfWeekday({ days, pastDays }: CampaignHistory): number {
  const same = days.filter((_, age) => age > 0 && age % 7 === 0 && age <= pastDays);
  return same.length === 0 ? Number.POSITIVE_INFINITY : sum(same.map(({ views }) => views)) / same.length;
}

/** A look that found nothing, which counts as a look. */
const nothing = { age: 0, moneyPerDay: 0, figures: {} };

/** The stretches over which sales may have stopped. */
const stops = [1, 2, 3] as const;

/** Clicks go on and sales do not, of the campaign or of one of its offers. */
function soldNoMore(campaign: CampaignHistory, partIn: PartByAge): Suspicion[] {
  const offers = [...(campaign.groups.get('offer') ?? [])];
  const whole = stopOf(campaign, campaign, partIn);
  if (whole && whole.chance < maxGuess) return [{ ...whole, kind: 'sales_stopped' }];
  return [
    ...(whole ? [{ ...whole, kind: 'sales_stopped' as const }] : []),
    ...offers.flatMap(([value, history]) => {
      const stop = stopOf(history, campaign, partIn);
      return stop ? [{ ...stop, kind: 'sales_stopped' as const, dimension: 'offer', value }] : [];
    }),
  ];
}

/** From here on a campaign's own finding stands for those of its parts. */
const maxGuess = 1e-3;

function stopOf(
  history: History,
  { pastDays }: CampaignHistory,
  partIn: PartByAge,
): Omit<Suspicion, 'kind'> | undefined {
  const past = history.sum(stops.length);
  const days = pastDays - stops.length + 1;
  const rate = ratio(past.conversions, past.clicks);
  if (days < 3 || past.conversions < minExpected) return undefined;
  const looks = stops.map((stop) => {
    const clicks = history.days.slice(0, stop).map((day, age) => day.clicks * partIn(age));
    const expected = sum(clicks) * rate;
    const { conversions } = history.sum(0, stop);
    return { expected, conversions, chance: chanceOfAtMost(conversions, expected, scatterOfRates) * stops.length };
  });
  const [best] = looks.sort((one, other) => one.chance - other.chance);
  if (!best || best.expected < minExpected || best.conversions > best.expected * maxPart)
    return { ...nothing, chance: 1 };
  return {
    chance: best.chance,
    age: history.lastSale,
    moneyPerDay: perDay(past.revenue, days),
    figures: { sales: best.conversions, expected_sales: best.expected },
  };
}

function pagesWithoutClicks(campaign: CampaignHistory): Suspicion[] {
  const whole = campaign.sum(1);
  return [...(campaign.groups.get('landing_page') ?? [])].flatMap(([value, page]) => {
    const [now, past] = [page.sum(0, 1), page.sum(1)];
    const usual = past.views >= minExpected ? past : whole;
    const expected = now.views * ratio(usual.clicks, usual.views);
    if (expected < minExpected) return [];
    if (now.clicks > expected * maxPart) return [{ ...nothing, kind: 'page_without_clicks', chance: 1 }];
    return [
      {
        kind: 'page_without_clicks',
        dimension: 'landing_page',
        value,
        chance: chanceOfAtMost(now.clicks, expected, scatterOfRates),
        age: 24,
        moneyPerDay: now.views * ratio(usual.revenue, usual.views),
        figures: { visits: now.views, clicks: now.clicks, expected_clicks: expected },
      },
    ];
  });
}

const lossDays = 7;

/** Costs more than it would if it paid for itself and had bad luck. */
function chanceOfLoss(sums: GroupFigures, meanRevenue: number, part: number): number | undefined {
  const expected = ratio(sums.cost, meanRevenue) * part;
  if (meanRevenue === 0 || expected < minExpected || sums.revenue >= sums.cost * part) return undefined;
  return chanceOfAtMost(sums.revenue / meanRevenue, expected, scatterOfRates);
}

/** @param anyPayout of a campaign without a sale, whose payout is not known: the highest of the account is that of bad luck */
function lostMoney(campaign: CampaignHistory, partIn: PartByAge, anyPayout: number): Suspicion[] {
  const week = campaign.sum(0, lossDays);
  const all = campaign.sum(0);
  const part = sum(Array.from({ length: lossDays }, (_, age) => partIn(age))) / lossDays;
  const chance = chanceOfLoss(week, ratio(all.revenue, all.conversions) || anyPayout, part);
  if (chance === undefined) return all.cost > 0 ? [{ ...nothing, kind: 'loses_money', chance: 1 }] : [];
  return [
    {
      kind: 'loses_money',
      chance,
      age: lossDays * 24,
      moneyPerDay: perDay(week.cost - week.revenue, lossDays),
      figures: { cost: week.cost, revenue: week.revenue, sales: week.conversions },
    },
  ];
}

const notPlacements: ReadonlySet<string> = new Set(['landing_page', 'offer', 'isp']);

/** A placement or keyword that loses money itself, and sells less than the campaign does. */
function burningPlacements(campaign: CampaignHistory): Suspicion[] {
  const all = campaign.sum(0);
  const meanRevenue = ratio(all.revenue, all.conversions);
  if (meanRevenue === 0) return [];
  return [...campaign.groups]
    .filter(([dimension]) => !notPlacements.has(dimension))
    .flatMap(([dimension, values]) =>
      [...values].flatMap(([value, history]): Suspicion[] => {
        const own = history.sum(0);
        const loss = chanceOfLoss(own, meanRevenue, 1);
        const expected = (own.views * (all.conversions - own.conversions)) / Math.max(all.views - own.views, 1);
        if (loss === undefined)
          return own.cost / meanRevenue < minExpected ? [] : [{ ...nothing, kind: 'burning_placement', chance: 1 }];
        const chance = Math.max(loss, chanceOfAtMost(own.conversions, expected, scatterOfRates));
        return [
          {
            kind: 'burning_placement',
            dimension,
            value,
            chance,
            age: reviewedDays * 24,
            moneyPerDay: perDay(own.cost - own.revenue, Math.max(history.pastDays, 1)),
            figures: { cost: own.cost, revenue: own.revenue, clicks: own.clicks, sales: own.conversions },
          },
        ];
      }),
    );
}

/** People do not click this often. */
const robotRate = 0.8;
const robotDays = 3;

function clicksOfNoPeople(campaign: CampaignHistory): Suspicion[] {
  const all = campaign.sum(0);
  return [...campaign.groups]
    .filter(([dimension]) => dimension !== 'offer')
    .flatMap(([dimension, values]) =>
      [...values].flatMap(([value, history]): Suspicion[] => {
        const own = history.sum(0, robotDays);
        const rest = {
          clicks: all.clicks - own.clicks,
          views: all.views - own.views,
          conversions: all.conversions - own.conversions,
        };
        const rate = ratio(own.clicks, own.views);
        const expected = own.clicks * ratio(rest.conversions, rest.clicks);
        if (expected < minExpected) return [];
        if (rate < robotRate || rate < 2 * ratio(rest.clicks, rest.views))
          return [{ ...nothing, kind: 'clicks_of_no_people', chance: 1 }];
        return [
          {
            kind: 'clicks_of_no_people',
            dimension,
            value,
            chance: chanceOfAtMost(own.conversions, expected, scatterOfRates),
            age: robotDays * 24,
            moneyPerDay: perDay(own.cost, robotDays),
            figures: { clicks: own.clicks, visits: own.views, sales: own.conversions, expected_sales: expected },
          },
        ];
      }),
    );
}

const payoutDays = 3;
const minSales = 3;

function fallenPayouts(campaign: CampaignHistory): Suspicion[] {
  return [...(campaign.groups.get('offer') ?? [])].flatMap(([value, history]): Suspicion[] => {
    const sales = campaign.sales.filter(({ offer }) => offer === value);
    const usual = (some: typeof sales) => {
      const counts = new Map<number, number>();
      for (const { revenue } of some) counts.set(revenue, (counts.get(revenue) ?? 0) + 1);
      const [most] = [...counts].sort((one, other) => other[1] - one[1]);
      return most && most[1] >= minSales && most[1] > 0.8 * some.length ? most[0] : undefined;
    };
    const recent = sales.filter(({ age }) => age < payoutDays * 24);
    const [before, now] = [usual(sales.filter(({ age }) => age >= payoutDays * 24)), usual(recent)];
    if (before === undefined || now === undefined || now >= before) return [];
    const first = Math.max(...recent.filter(({ revenue }) => revenue === now).map(({ age }) => age));
    return [
      {
        kind: 'payout_fell',
        dimension: 'offer',
        value,
        chance: 0,
        age: first,
        moneyPerDay: (before - now) * perDay(history.sum(0, payoutDays).conversions, payoutDays),
        figures: { payout: now, payout_before: before },
      },
    ];
  });
}

function missingCost(campaign: CampaignHistory): Suspicion[] {
  const [now, past] = [campaign.sum(0, 1), campaign.days.slice(1, campaign.pastDays + 1)];
  const hadCost = past.filter(({ views, cost }) => views > 0 && cost > 0).length;
  if (now.views < 20 || now.cost > 0 || hadCost < 3 || hadCost < past.length * 0.8) return [];
  const sums = campaign.sum(1);
  return [
    {
      kind: 'cost_missing',
      chance: 0,
      age: 24,
      moneyPerDay: perDay(sums.cost, campaign.pastDays),
      figures: { visits: now.views, usual_cost_a_day: perDay(sums.cost, campaign.pastDays) },
    },
  ];
}

/** A page that sells and earns less than the other pages of the campaign, by more than luck, and still gets traffic. */
function pagesBehind(campaign: CampaignHistory): Suspicion[] {
  return ['offer', 'landing_page'].flatMap((dimension) => {
    const pages = [...(campaign.groups.get(dimension) ?? [])].filter(([, page]) => page.sum(0, 1).views > 0);
    if (pages.length < 2) return [];
    return pages.flatMap(([value, page]): Suspicion[] => {
      const own = page.sum(0);
      const others = pages.filter(([other]) => other !== value).map(([, other]) => other.sum(0));
      const sumOf = (measure: keyof GroupFigures) => sum(others.map((other) => other[measure]));
      const rest = { views: sumOf('views'), conversions: sumOf('conversions'), revenue: sumOf('revenue') };
      // What the others sell is not known exactly either.
      const rate = Math.max(rest.conversions - 2 * Math.sqrt(rest.conversions), 0) / Math.max(rest.views, 1);
      const expected = own.views * rate;
      if (expected < minExpected) return [];
      const behind = ratio(rest.revenue, rest.views) - ratio(own.revenue, own.views);
      if (behind <= 0 || own.conversions > expected) return [{ ...nothing, kind: 'page_behind', chance: 1 }];
      return [
        {
          kind: 'page_behind',
          dimension,
          value,
          chance: chanceOfAtMost(own.conversions, expected, scatterOfRates),
          age: reviewedDays * 24,
          moneyPerDay: behind * page.sum(0, 1).views,
          figures: {
            visits: own.views,
            sales: own.conversions,
            expected_sales: own.views * ratio(rest.conversions, rest.views),
          },
        },
      ];
    });
  });
}

/** Shares of pages wander this much from day to day, beyond chance. */
const shareScatter = 0.1;

/** The traffic of a page went to others at once, as it does if somebody changes shares. */
function changedElsewhere(campaign: CampaignHistory): Suspicion[] {
  const [now, past] = [campaign.sum(0, 1), campaign.sum(1)];
  if (campaign.pastDays < 3 || now.views < 50) return [];
  return [...(campaign.groups.get('landing_page') ?? [])].flatMap(([value, page]): Suspicion[] => {
    const [before, after] = [ratio(page.sum(1).views, past.views), ratio(page.sum(0, 1).views, now.views)];
    const expected = before * now.views;
    if (expected < minExpected) return [];
    const chance = chanceOfAtMost(after * now.views, expected, shareScatter ** 2);
    return [
      {
        kind: 'changed_elsewhere',
        dimension: 'landing_page',
        value,
        chance: after < before / 2 ? chance : 1,
        age: 24,
        moneyPerDay: 0,
        figures: { percent_of_visits: after * 100, percent_before: before * 100 },
      },
    ];
  });
}

function decisiveSales(campaign: CampaignHistory): Suspicion[] {
  const week = campaign.sales.filter(({ age }) => age < lossDays * 24);
  const [largest, ...others] = week.toSorted((one, other) => other.revenue - one.revenue);
  const [, second] = campaign.sales.toSorted((one, other) => other.revenue - one.revenue);
  const middle = others[Math.floor(others.length / 2)];
  const whole = campaign.sum(0, lossDays);
  if (
    !largest ||
    !middle ||
    others.length < 4 ||
    largest.revenue < 5 * middle.revenue ||
    largest.revenue < 3 * (second?.revenue ?? 0) ||
    largest.revenue < whole.revenue / 2
  )
    return [];
  return [
    {
      kind: 'decisive_sale',
      chance: 0,
      age: largest.age,
      moneyPerDay: perDay(largest.revenue, lossDays),
      figures: {
        amount: largest.revenue,
        revenue_without: whole.revenue - largest.revenue,
        profit_without: whole.revenue - largest.revenue - whole.cost,
      },
    },
  ];
}
