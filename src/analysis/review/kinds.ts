import { changeOfPayout } from '../change/payouts.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type CampaignHistory, type History, type PartOfDay, partsOfDay, reviewedDays } from './campaign-history.ts';
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

/** What a campaign is looked at beside. */
interface Account {
  /** The highest of all campaigns. */
  readonly anyPayout: number;
  /** Whether the list reaches until now; else its last hours say nothing. */
  readonly isSeenUntilNow: boolean;
}

/** All that is asked of a campaign; each look costs a part of the budget of errors. */
export const detectors: readonly ((
  campaign: CampaignHistory,
  partIn: PartByAge,
  account: Account,
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

/** A look that found nothing, which counts as a look. */
const nothing = { chance: 1, age: 0, moneyPerDay: 0, figures: {} };

/**
 * Of several looks at the same thing, that which chance explains least; each may be the one that is wrong.
 * @param looks undefined where there is too little to look at
 */
function leastLikely(looks: readonly (Suspicion | undefined)[]): Suspicion[] {
  const known = looks.filter((look) => look !== undefined);
  const [least] = known.toSorted((one, other) => one.chance - other.chance);
  return least ? [{ ...least, chance: Math.min(least.chance * known.length, 1) }] : [];
}

/** Since when there was none of something: since the last one, or if there still are a few since the hours that were looked at. */
const sinceLast = (count: number, last: number, hours: number) => (count === 0 ? last : hours);

function wentDark(campaign: CampaignHistory, _: PartByAge, { isSeenUntilNow }: Account): Suspicion[] {
  const { pastDays, lastVisit } = campaign;
  if (pastDays < 3) return [];
  const past = campaign.sum(1);
  return leastLikely(
    partsOfDay.map((hours): Suspicion | undefined => {
      if (hours < 24 && !isSeenUntilNow) return undefined;
      const [now, ...before] = campaign.lastHours(hours).slice(0, pastDays + 1);
      const counts = before.map(({ views }) => views);
      const expected = Math.min(perDay(sum(counts), pastDays), usualOfWeekday(counts));
      if (!now || expected < minExpected) return undefined;
      const { views } = now;
      if (views > expected * maxPart) return { ...nothing, kind: 'campaign_dark' };
      return {
        kind: 'campaign_dark',
        chance: chanceOfAtMost(views, expected, scatterOfCounts(counts, scatterOfVisits)),
        age: sinceLast(views, lastVisit, hours),
        moneyPerDay: Math.max(perDay(past.revenue - past.cost, pastDays), 0),
        figures: { visits: views, usual_visits: expected, hours },
      };
    }),
  );
}

/** The visits on the same day of the weeks before; infinite if there was none. */
function usualOfWeekday(counts: readonly number[]): number {
  const same = counts.filter((_, index) => (index + 1) % 7 === 0);
  return same.length === 0 ? Number.POSITIVE_INFINITY : sum(same) / same.length;
}

/** The hours over which sales may have stopped. */
const stops = [12, 24, 48, 72] as const;
const stopDays = 3;

/** Clicks go on and sales do not, of the campaign or of one of its offers. */
function soldNoMore(campaign: CampaignHistory, partIn: PartByAge): Suspicion[] {
  const offers = [...(campaign.groups.get('offer') ?? [])];
  const whole = stopOf(campaign, campaign, partIn);
  if (whole.some(({ chance }) => chance < maxGuess)) return whole;
  return [
    ...whole,
    ...offers.flatMap(([value, history]) =>
      stopOf(history, campaign, partIn).map((stop) => ({ ...stop, dimension: 'offer', value })),
    ),
  ];
}

/** From here on a campaign's own finding stands for those of its parts. */
const maxGuess = 1e-3;

function stopOf(history: History, { pastDays }: CampaignHistory, partIn: PartByAge): Suspicion[] {
  const past = history.sum(stopDays);
  const days = pastDays - stopDays + 1;
  const rate = ratio(past.conversions, past.clicks);
  if (days < 3 || past.conversions < minExpected) return [];
  return leastLikely(
    stops.map((hours): Suspicion | undefined => {
      const isWithinDay = hours === 12;
      const recent = isWithinDay ? history.lastHours(hours).slice(0, 1) : history.days.slice(0, hours / 24);
      const clicks = recent.map((day, age) => day.clicks * (isWithinDay ? partInOfHours(partIn, hours) : partIn(age)));
      const expected = sum(clicks) * rate;
      const conversions = sum(recent.map((day) => day.conversions));
      if (expected < minExpected) return undefined;
      if (conversions > expected * maxPart) return { ...nothing, kind: 'sales_stopped' };
      return {
        kind: 'sales_stopped',
        chance: chanceOfAtMost(conversions, expected, scatterOfRates),
        age: sinceLast(conversions, history.lastSale, hours),
        moneyPerDay: perDay(past.revenue, days),
        figures: { sales: conversions, expected_sales: expected },
      };
    }),
  );
}

/** What is at least in of the sales of the last hours of a day, by what is in of the whole: those that are not may all be of them. */
function partInOfHours(partIn: PartByAge, hours: PartOfDay): number {
  return Math.max(1 - (24 / hours) * (1 - partIn(0)), 0);
}

function pagesWithoutClicks(campaign: CampaignHistory): Suspicion[] {
  const whole = campaign.sum(1);
  return [...(campaign.groups.get('landing_page') ?? [])].flatMap(([value, page]) => {
    const past = page.sum(1);
    const usual = past.views >= minExpected ? past : whole;
    return leastLikely(
      partsOfDay.map((hours): Suspicion | undefined => {
        const { views, clicks } = at(page.lastHours(hours), 0);
        const expected = views * ratio(usual.clicks, usual.views);
        if (expected < minExpected) return undefined;
        if (clicks > expected * maxPart) return { ...nothing, kind: 'page_without_clicks' };
        return {
          kind: 'page_without_clicks',
          dimension: 'landing_page',
          value,
          chance: chanceOfAtMost(clicks, expected, scatterOfRates),
          age: sinceLast(clicks, Math.min(page.lastClick, page.firstVisit), hours),
          moneyPerDay: at(page.days, 0).views * ratio(usual.revenue, usual.views),
          figures: { visits: views, clicks, expected_clicks: expected, hours },
        };
      }),
    );
  });
}

/** Luck of a day does not last: rates of several days scatter less. */
const scatterOver = (days: number) => scatterOfRates / Math.min(days, 3);

/** Costs more than it would if it paid for itself and had bad luck. */
function chanceOfLoss(sums: GroupFigures, days: number, meanRevenue: number, part: number): number | undefined {
  const expected = ratio(sums.cost, meanRevenue) * part;
  if (meanRevenue === 0 || expected < minExpected || sums.revenue >= sums.cost * part) return undefined;
  return chanceOfAtMost(sums.revenue / meanRevenue, expected, scatterOver(days));
}

/** What is in of the sales of some days, each taken to sell as much. */
function partInOfDays(partIn: PartByAge, days: number): number {
  return sum(Array.from({ length: days }, (_, age) => partIn(age))) / days;
}

/** The days over which a campaign may lose money. */
const lossDays = [2, 7] as const;

function lostMoney(campaign: CampaignHistory, partIn: PartByAge, { anyPayout }: Account): Suspicion[] {
  const all = campaign.sum(0);
  if (all.cost === 0) return [];
  // The payout of a campaign without a sale is not known; the highest is that of bad luck.
  const meanRevenue = ratio(all.revenue, all.conversions) || anyPayout;
  return leastLikely(
    lossDays.map((days): Suspicion => {
      const own = campaign.sum(0, days);
      const chance = chanceOfLoss(own, days, meanRevenue, partInOfDays(partIn, days));
      if (chance === undefined) return { ...nothing, kind: 'loses_money' };
      return {
        kind: 'loses_money',
        chance,
        age: days * 24,
        moneyPerDay: perDay(own.cost - own.revenue, days),
        figures: { cost: own.cost, revenue: own.revenue, sales: own.conversions, days },
      };
    }),
  );
}

const notPlacements: ReadonlySet<string> = new Set(['landing_page', 'offer', 'isp']);

/** The days over which a placement may burn. */
const burningDays = [2, reviewedDays] as const;

/** A placement or keyword that loses money itself, and sells less than the campaign does. */
function burningPlacements(campaign: CampaignHistory, partIn: PartByAge): Suspicion[] {
  const all = campaign.sum(0);
  const meanRevenue = ratio(all.revenue, all.conversions);
  if (meanRevenue === 0) return [];
  return [...campaign.groups]
    .filter(([dimension]) => !notPlacements.has(dimension))
    .flatMap(([dimension, values]) =>
      [...values].flatMap(([value, history]) =>
        leastLikely(
          burningDays.map((days): Suspicion | undefined => {
            const [own, whole] = [history.sum(0, days), campaign.sum(0, days)];
            if (own.cost / meanRevenue < minExpected) return undefined;
            const loss = chanceOfLoss(own, days, meanRevenue, partInOfDays(partIn, days));
            if (loss === undefined) return { ...nothing, kind: 'burning_placement' };
            const rest = {
              views: whole.views - own.views,
              conversions: whole.conversions - own.conversions,
              profit: whole.revenue - own.revenue - (whole.cost - own.cost),
            };
            const expected = (own.views * rest.conversions) / Math.max(rest.views, 1);
            // Where all lose, that which sells as much as others is not the trouble.
            const alike = rest.profit > 0 ? 0 : chanceOfAtMost(own.conversions, expected, scatterOver(days));
            return {
              kind: 'burning_placement',
              dimension,
              value,
              chance: Math.max(loss, alike),
              age: Math.min(days * 24, history.firstVisit),
              moneyPerDay: perDay(own.cost - own.revenue, Math.max(Math.min(days, history.pastDays), 1)),
              figures: { cost: own.cost, revenue: own.revenue, clicks: own.clicks, sales: own.conversions, days },
            };
          }),
        ),
      ),
    );
}

/** People do not click this often. */
const robotRate = 0.8;
const robotDays = [1, 3] as const;

function clicksOfNoPeople(campaign: CampaignHistory): Suspicion[] {
  const all = campaign.sum(0);
  return [...campaign.groups]
    .filter(([dimension]) => dimension !== 'offer')
    .flatMap(([dimension, values]) =>
      [...values].flatMap(([value, history]) =>
        leastLikely(
          robotDays.map((days): Suspicion | undefined => {
            const own = history.sum(0, days);
            const rest = {
              clicks: all.clicks - own.clicks,
              views: all.views - own.views,
              conversions: all.conversions - own.conversions,
            };
            const [rate, usualRate] = [ratio(own.clicks, own.views), ratio(rest.clicks, rest.views)];
            const expected = own.clicks * ratio(rest.conversions, rest.clicks);
            const isRobotic = rate >= robotRate && rate >= 2 * usualRate;
            // So many clicks say it without many sales to miss; but a page may be made so that each visit clicks.
            const isSure = isRobotic && dimension !== 'landing_page' && own.conversions <= expected * maxPart;
            if (expected < (isSure ? minExpectedOfRobots : minExpected)) return undefined;
            if (!isRobotic) return { ...nothing, kind: 'clicks_of_no_people' };
            const ofSales = chanceOfAtMost(own.conversions, expected, scatterOver(days));
            const ofClicks = chanceOfAtMost(own.views - own.clicks, own.views * (1 - usualRate), scatterOfRates);
            return {
              kind: 'clicks_of_no_people',
              dimension,
              value,
              chance: isSure ? Math.min(ofSales, ofClicks) : ofSales,
              age: days * 24,
              moneyPerDay: perDay(own.cost, days),
              figures: { clicks: own.clicks, visits: own.views, sales: own.conversions, expected_sales: expected },
            };
          }),
        ),
      ),
    );
}

/** With fewer sales expected, none says nothing. */
const minExpectedOfRobots = 0.5;

const payoutDays = 3;

function fallenPayouts(campaign: CampaignHistory): Suspicion[] {
  return [...(campaign.groups.get('offer') ?? [])].flatMap(([value, history]): Suspicion[] => {
    const sales = campaign.sales.filter(({ offer, conversions }) => offer === value && conversions === 1);
    const change = changeOfPayout(sales.map(({ age, revenue }) => ({ when: -age, revenue })));
    if (!change || change.after >= change.before) return [];
    return [
      {
        kind: 'payout_fell',
        dimension: 'offer',
        value,
        chance: change.chance,
        age: -change.since,
        moneyPerDay: (change.before - change.after) * perDay(history.sum(0, payoutDays).conversions, payoutDays),
        figures: { payout: change.after, payout_before: change.before },
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

/** The days over which a page may be behind; offers whose sales come late seem to be for some days. */
const behindDays = { landing_page: [3, reviewedDays], offer: [reviewedDays] } as const;

/** A page that sells and earns less than the other pages of the campaign, by more than luck, and still gets traffic. */
function pagesBehind(campaign: CampaignHistory): Suspicion[] {
  return (['offer', 'landing_page'] as const).flatMap((dimension) => {
    const pages = [...(campaign.groups.get(dimension) ?? [])].filter(([, page]) => page.sum(0, 1).views > 0);
    if (pages.length < 2) return [];
    return pages.flatMap(([value, page]) =>
      leastLikely(
        behindDays[dimension].map((days): Suspicion | undefined => {
          const own = page.sum(0, days);
          const others = pages.filter(([other]) => other !== value).map(([, other]) => other.sum(0, days));
          const sumOf = (measure: keyof GroupFigures) => sum(others.map((other) => other[measure]));
          const rest = { views: sumOf('views'), conversions: sumOf('conversions'), revenue: sumOf('revenue') };
          const expected = own.views * ratio(rest.conversions, rest.views);
          if (expected < minExpected) return undefined;
          const behind = ratio(rest.revenue, rest.views) - ratio(own.revenue, own.views);
          if (behind <= 0 || own.conversions > expected) return { ...nothing, kind: 'page_behind' };
          return {
            kind: 'page_behind',
            dimension,
            value,
            // What the others sell is not known exactly either.
            chance: chanceOfAtMost(own.conversions, expected, scatterOver(days) + 1 / rest.conversions),
            age: Math.min(days * 24, page.firstVisit),
            moneyPerDay: behind * page.sum(0, 1).views,
            figures: {
              visits: own.views,
              sales: own.conversions,
              expected_sales: expected,
            },
          };
        }),
      ),
    );
  });
}

/** Shares of pages wander this much from day to day, beyond chance. */
const shareScatter = 0.1;

/** The traffic of a page went to others at once, as it does if somebody changes shares. */
function changedElsewhere(campaign: CampaignHistory): Suspicion[] {
  const past = campaign.sum(1);
  if (campaign.pastDays < 3) return [];
  return [...(campaign.groups.get('landing_page') ?? [])].flatMap(([value, page]) => {
    const before = ratio(page.sum(1).views, past.views);
    return leastLikely(
      partsOfDay.map((hours): Suspicion | undefined => {
        const all = at(campaign.lastHours(hours), 0).views;
        const own = at(page.lastHours(hours), 0).views;
        const expected = before * all;
        if (all < 50 || expected < minExpected) return undefined;
        if (own >= expected / 2) return { ...nothing, kind: 'changed_elsewhere' };
        return {
          kind: 'changed_elsewhere',
          dimension: 'landing_page',
          value,
          chance: chanceOfAtMost(own, expected, shareScatter ** 2),
          age: sinceLast(own, page.lastVisit, hours),
          moneyPerDay: 0,
          figures: { percent_of_visits: ratio(own, all) * 100, percent_before: before * 100 },
        };
      }),
    );
  });
}

/** The days of which one sale may be the most. */
const decidedDays = 7;

function decisiveSales(campaign: CampaignHistory): Suspicion[] {
  const week = campaign.sales.filter(({ age }) => age < decidedDays * 24);
  const [largest, ...others] = week.toSorted((one, other) => other.revenue - one.revenue);
  const [, second] = campaign.sales.toSorted((one, other) => other.revenue - one.revenue);
  const middle = others[Math.floor(others.length / 2)];
  const whole = campaign.sum(0, decidedDays);
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
      moneyPerDay: perDay(largest.revenue, decidedDays),
      figures: {
        amount: largest.revenue,
        revenue_without: whole.revenue - largest.revenue,
        profit_without: whole.revenue - largest.revenue - whole.cost,
      },
    },
  ];
}
