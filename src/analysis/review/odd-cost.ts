import { type CampaignHistory, reviewedDays, sumOfHours } from './campaign-history.ts';
import { type Look, median, perDay, ratio, well } from './looks.ts';

/** The last days in which a cost that was odd for a while still changes what is asked most. */
const tellingDays = 7;

/** A visit cost so many times more or less; an hour belongs to it from the root of that on. */
const minTimes = 3;
const bound = Math.sqrt(minTimes);

/** So many hours before and after it show that visits cost as usual then: where one visit has the cost of a day, they do not. */
const hoursAround = 24;

/** It took at most so many hours, and about so many visits have shown since then that it is over. Most of its visits are odd, and hardly any others. */
const [maxHours, minVisits, minOdd, maxOddOfOthers] = [72, 20, 0.8, 0.05];

/** A smaller part of what the last days cost changes nothing that is asked about them. */
const minPartOfCost = 0.05;

/** With fewer days of visits, nothing is usual. */
const minDays = 5;

/** Some hours in which visits cost far more or less than before and after them. */
interface OddCost {
  /** Whole hours of the clock before the present one. */
  readonly from: number;
  readonly to: number;
  readonly visits: number;
  readonly cost: number;
  /** What a visit usually costs. */
  readonly usual: number;
}

/** What was wrong with the cost of a campaign for some hours, and is over; undefined if nothing is. */
function oddCostOf(campaign: CampaignHistory): OddCost | undefined {
  const days = campaign.days.filter(({ views }) => views >= minVisits);
  if (days.length < minDays) return undefined;
  const usual = median(days.map(({ cost, views }) => cost / views));
  if (usual === 0) return undefined;
  const isDearer = (cost: number, views: number) => cost > views * usual * bound;
  const isCheaper = (cost: number, views: number) => cost < (views * usual) / bound;
  const found = [isDearer, isCheaper].flatMap((isOdd) => runOf(campaign, usual, isOdd) ?? []);
  return found.toSorted((one, other) => Math.abs(excessOf(other)) - Math.abs(excessOf(one))).at(0);
}

/** What the visits cost too much; negative if too little. */
const excessOf = ({ cost, visits, usual }: OddCost): number => cost - visits * usual;

/** The hours with most odd visits, where nearly all of their visits are odd and hardly any others. */
function runOf(
  { visitsByHour, costByHour }: CampaignHistory,
  usual: number,
  isOdd: (cost: number, views: number) => boolean,
): OddCost | undefined {
  const last = tellingDays * 24;
  let [score, start, best, odd, others] = [0, 0, 0, 0, 0];
  let run = { to: 0, from: -1 };
  for (const [hour, views] of visitsByHour.entries()) {
    const isHourOdd = views > 0 && isOdd(costByHour[hour] ?? 0, views);
    if (isHourOdd) odd += views;
    else others += views;
    if (hour >= last) continue;
    if (score <= 0) [score, start] = [0, hour];
    score += isHourOdd ? views : (-views * minOdd) / (1 - minOdd);
    if (score > best) [best, run] = [score, { to: start, from: hour }];
  }
  const { from, to } = run;
  const [visits, cost] = [visitsByHour, costByHour].map((byHour) => sumOfHours(byHour, to, from + 1)) as [
    number,
    number,
  ];
  const found = { from, to, visits, cost, usual };
  const isEnough =
    best > 0 && visits >= minVisits && sumOfHours(visitsByHour, 0, to) >= minVisits && from - to < maxHours;
  const isFar = cost >= visits * usual * minTimes || cost <= (visits * usual) / minTimes;
  // Those among the odd hours that are not odd themselves are few.
  const isAlone = odd - best <= maxOddOfOthers * others;
  return isEnough && isFar && isAlone && isUsualAround(visitsByHour, costByHour, found) ? found : undefined;
}

/** Whether visits before and after some hours cost about as usual. */
function isUsualAround(
  visitsByHour: Float64Array,
  costByHour: Float64Array,
  { from, to, visits, cost, usual }: OddCost,
) {
  const [first, end] = [Math.max(to - hoursAround, 0), from + 1 + hoursAround];
  const visitsAround = sumOfHours(visitsByHour, first, end) - visits;
  const times = ratio(sumOfHours(costByHour, first, end) - cost, visitsAround * usual);
  return visitsAround >= minVisits && times * bound >= 1 && times <= bound;
}

/** Visits that cost far more or less for some hours, and then what they did: the figures of these days are still wrong, if that is. */
export const oddCost = (campaign: CampaignHistory): Look[] => {
  const odd = oddCostOf(campaign);
  const lately = campaign.sum(0, tellingDays).cost;
  if (!odd || Math.abs(excessOf(odd)) < minPartOfCost * lately) return lately > 0 ? [{ ...well, chance: 0 }] : [];
  const { from, to, visits, cost, usual } = odd;
  return [
    {
      chance: 0,
      age: from + (campaign.hourOfNow % 1),
      moneyPerDay: perDay(Math.abs(excessOf(odd)), tellingDays),
      figures: {
        cost_a_visit: ratio(cost, visits),
        usual_cost_a_visit: usual,
        hours: from - to + 1,
        ...{ visits, cost, days: tellingDays },
        cost_of_days: lately,
      },
    },
  ];
};

/** The campaign, and one of its values, as if visits had cost no more than usual in the hours in which they did. */
export function atUsualCost(campaign: CampaignHistory, dimension: string, value: string): CampaignHistory {
  const odd = oddCostOf(campaign);
  if (!odd || excessOf(odd) < 0) return campaign;
  const more = new Float64Array(reviewedDays);
  for (let hour = odd.to; hour <= odd.from; hour += 1) {
    const day = Math.floor((hour + (campaign.hourOfNow % 1) - 0.5) / 24);
    const [visits = 0, cost = 0] = [campaign.visitsByHour[hour], campaign.costByHour[hour]];
    more[day] = (more[day] ?? 0) + cost - visits * odd.usual;
  }
  const parts = Array.from(more, (much, day) => Math.max(1 - ratio(much, campaign.on(day, 'cost')), 0));
  return campaign.withCost(parts, dimension, value);
}
