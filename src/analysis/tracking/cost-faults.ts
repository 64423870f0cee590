import type { TrackingFault } from '../../answer/tracking-faults.ts';
import { groupBy } from '../statistics/history.ts';
import { changeIn, countFrom, countOn, type Days, medianOf, shareOf, sumOf, sumOfDays } from './counts.ts';
import type { Gathered } from './gathered.ts';
import { macroFor } from './macros.ts';
import { found, type Looked, ofCampaign } from './token-faults.ts';

/** Fewer visits do not show what a visit costs. */
const minPaid = 50;

/** A cost that arrives has a value of its own for most visits. */
const minUnpaid = 0.95;

/** The first day with a fault may have been half over. */
const minUnpaidSince = 0.8;

/** Amounts that are a hundred or a thousand times too large are so within this range. */
const tolerance = 2;

/** With such a part of its cost earned, a campaign may just be dear. */
const maxEarned = 0.2;

const flat = ({ costs }: Gathered) => [...costs.values()].flat();
const lastCosts = ({ costs }: Gathered) => costs.get([...costs.keys()].toSorted().at(-1) ?? '') ?? [];
const tokenOfCost = ({ campaign }: Gathered) => campaign.tokens.find(({ slot }) => slot === 'Cost');

export function costFaults(looked: Looked): TrackingFault[] {
  const { all } = looked;
  return [...missingCosts(looked), ...all.flatMap((gathered) => largeCosts(gathered, looked))];
}

/** Campaigns without a cost of their own; a source, if all of its campaigns are. */
function missingCosts({ first, all }: Looked): TrackingFault[] {
  const paying = all.filter((one) => tokenOfCost(one) && countFrom(one.unpaid, '').of > 0);
  const others = (source: string | null) =>
    shareOf(sumOf(paying.flatMap((one) => (one.campaign.source === source ? [] : [countFrom(one.unpaid, '')]))));
  const lacking = all.filter((one) => {
    const { before, after } = changeIn(one.unpaid);
    if (after.of < minPaid || shareOf(after) < (before.of > 0 ? minUnpaidSince : minUnpaid)) return false;
    const costs = new Set(flat(one));
    const isZero = lastCosts(one).every((cost) => cost === 0);
    if (before.of > 0) return shareOf(before) < 0.5 && (isZero || tokenOfCost(one) !== undefined) && costs.size > 3;
    return tokenOfCost(one) !== undefined && others(one.campaign.source) < 0.5 && paying.length > 1;
  });
  return [...groupBy(lacking, ({ campaign }) => campaign.source)].flatMap(([source, group]): TrackingFault[] => {
    const ofSource = all.filter(
      ({ campaign, unpaid }) => campaign.source === source && countFrom(unpaid, first).of > 0,
    );
    const isWhole = source !== null && group.length === ofSource.length && group.length > 1;
    const parts = isWhole ? [group] : group.map((one) => [one]);
    return parts.flatMap((part): TrackingFault[] => {
      const days = sumOfDays(part.map(({ unpaid }) => unpaid));
      const [one] = part;
      const fields = found(days, first);
      if (!one || !fields) return [];
      const [last = 0] = lastCosts(one);
      const token = tokenOfCost(one);
      const macro = token && (macroFor(source, token) ?? token.placeholder);
      const use = macro ? { use: `${token.parameter ?? token.label}=${macro}` } : {};
      const who = isWhole ? { source } : ofCampaign(one);
      return [
        {
          code: 'no_cost',
          ...who,
          token: token?.label,
          ...fields,
          counts: 'visit',
          example: last > 0 ? String(last) : null,
          at: 'ads',
          ...use,
        },
      ];
    });
  });
}

/** Costs that are about a hundred or a thousand times what they were, or what the source's other campaigns or the bid say. */
function largeCosts(gathered: Gathered, { first, all }: Looked): TrackingFault[] {
  const days = [...gathered.costs].map(([day, costs]) => ({
    day,
    costs,
    median: medianOf(costs.filter((cost) => cost > 0)),
  }));
  const medians = days.flatMap(({ median }) => (median > 0 ? [median] : []));
  const most = Math.max(0, ...medians);
  const paid = flat(gathered).reduce((sum, cost) => sum + cost, 0);
  if (flat(gathered).length < minPaid || most === 0) return [];
  const usualOf = (some: readonly Gathered[]) =>
    some
      .flatMap((one) => (one === gathered ? [] : [medianOf(flat(one).filter((cost) => cost > 0))]))
      .filter((one) => one > 0);
  const sameSource = usualOf(all.filter(({ campaign }) => campaign.source === gathered.campaign.source));
  const account = usualOf(all);
  const usual = [
    ...(sameSource.length > 0 ? [medianOf(sameSource)] : []),
    ...(account.length > 2 ? [Math.max(...account)] : []),
    ...(most >= 1 && gathered.campaign.bid ? [gathered.campaign.bid] : []),
  ].filter(() => gathered.revenue < maxEarned * paid);
  usual.push(Math.min(...medians));
  const factor = [100, 1000].find((one) =>
    usual.some((cost) => most / cost > one / tolerance && most / cost < one * tolerance),
  );
  if (factor === undefined) return [];
  const large: Days = new Map();
  for (const { day, costs } of days)
    for (const cost of costs) countOn(large, day, cost > most / Math.sqrt(factor), cost);
  const fields = found(large, first);
  const example = days.findLast(({ median }) => median > most / Math.sqrt(factor))?.costs[0];
  if (!fields || fields.visits < minPaid) return [];
  const counted = { ...fields, counts: 'visit', example: String(example), at: 'ads', factor } as const;
  return [{ code: 'cost_too_large', ...ofCampaign(gathered), token: tokenOfCost(gathered)?.label, ...counted }];
}
