import { sum } from '../statistics/history.ts';
import {
  allBad,
  among,
  changeIn,
  countOn,
  type DayCounts,
  medianCost,
  medianOf,
  shareOf,
  sumOf,
  together,
} from './counts.ts';
import { macroFor } from './macros.ts';
import { type Looked, minKnown, minVisits, most, type Rule, type Sign } from './rules.ts';
import type { SeenCampaign } from './seen.ts';

const subidFaults = ['cut_subid', 'doubled_subid', 'other_campaigns_subid'] as const;

/** What is wrong with a campaign's pages, subIDs, cost and state. */
export const campaignRules: readonly Rule[] = [
  ...subidFaults.map(
    // A tracker gives every visit a subID: even a few wrong ones are a fault.
    (code): Rule => ({ code, at: 'page', needs: ['subids'], min: 5, find: wrongSubids(code) }),
  ),
  { code: 'no_subid', at: 'page', needs: ['subids'], min: minVisits, find: withoutSubid },
  { code: 'clicks_without_subid', at: 'page', needs: ['clicks'], min: minVisits, find: unclickedPages },
  { code: 'offer_without_subid', at: 'campaign', min: minVisits, find: unsoldOffers },
  { code: 'visits_while_off', at: 'ads', min: minVisits, find: visitsWhileOff },
  { code: 'no_cost', at: 'ads', needs: ['cost'], min: minVisits, isOfSource: true, find: missingCost },
  { code: 'cost_too_large', at: 'ads', needs: ['cost'], min: minKnown, find: largeCost },
];

function wrongSubids(code: (typeof subidFaults)[number]): Rule['find'] {
  return ({ subids, visits }) => {
    const { days = [], example } = subids.get(code) ?? {};
    return example === undefined ? [] : [{ days: among(days, visits), example }];
  };
}

function withoutSubid({ landings, offers }: SeenCampaign, { hasSubids }: Looked): Sign[] {
  const bare = [landings, offers]
    .map((pages) => [...pages.values()].filter(({ subids }) => shareOf(changeIn(subids).after) > 0.5))
    .find((pages) => pages.length > 0);
  if (!hasSubids || !bare) return [];
  const page = bare.map(({ name }) => name).join(', ');
  return [{ days: together(bare.map(({ subids }) => subids)), page, use: 'subid={!subid!}' }];
}

/** So many clicks or sales must have been missed: none by chance is one in 100,000. */
const minMissed = 12;

function unclickedPages({ campaign, landings }: SeenCampaign): Sign[] {
  const pages = [...landings.values()];
  return pages.flatMap((page) => {
    const { before, after } = changeIn(page.unclicked);
    const others = sumOf(together(pages.flatMap((other) => (other === page ? [] : [other.unclicked]))));
    const usual = [before, others].find(({ of }) => of > 0);
    const isLost = usual && after.bad === after.of && (1 - shareOf(usual)) * after.of > minMissed;
    // Where calls to action lead, by the campaign's link.
    const base = /^(https?:\/\/[^?#]*\/)base\.php\?/.exec(campaign.link ?? '')?.[1];
    return isLost
      ? [{ days: page.unclicked, page: page.name, ...(base === undefined ? {} : { use: `${base}base2.php` }) }]
      : [];
  });
}

function unsoldOffers({ campaign, offers, sales }: SeenCampaign, { all }: Looked): Sign[] {
  if (campaign.passesSubidToOffer !== false || sales > 0) return [];
  const reached = together([...offers.values()].map(({ unclicked }) => unclicked));
  const everywhere = sum(all.flatMap((one) => [...one.offers.values()].map(({ unclicked }) => sumOf(unclicked).of)));
  const rate = sum(all.map((one) => one.sales)) / Math.max(everywhere, 1);
  const [page] = [...offers.values()].toSorted((one, other) => sumOf(other.unclicked).of - sumOf(one.unclicked).of);
  return rate * sumOf(reached).of > 2 * minMissed ? [{ days: allBad(reached), page: page?.name }] : [];
}

const hourMs = 3_600_000;

/** Visits that still come, as late as any of the account, to a campaign that is off. */
function visitsWhileOff({ campaign, visits, latest }: SeenCampaign, { all }: Looked): Sign[] {
  const last = Math.max(...all.map((one) => one.latest));
  return campaign.active === false && last - latest <= 3 * hourMs ? [{ days: allBad(visits) }] : [];
}

/** A cost that arrives has a value of its own for most visits; the first day with a fault may have been half over. */
const [minUnpaid, minUnpaidSince] = [0.95, most];

const tokenOfCost = ({ campaign }: SeenCampaign) => campaign.tokens.find(({ slot }) => slot === 'Cost');

/** A campaign without a cost of its own: since a day, or ever where other sources have one. */
function missingCost(seen: SeenCampaign, { all }: Looked): Sign[] {
  const { campaign, unpaid, costs } = seen;
  const { before, after } = changeIn(unpaid);
  const [token, [last = 0, ...more]] = [tokenOfCost(seen), costs.at(-1) ?? []];
  const isNew = before.of > 0;
  if (after.of < minKnown || shareOf(after) < (isNew ? minUnpaidSince : minUnpaid)) return [];
  const isZero = last === 0 && more.every((cost) => cost === 0);
  const paying = all.filter((one) => tokenOfCost(one) && one !== seen && sumOf(one.unpaid).of > 0);
  const others = paying.flatMap((one) => (one.campaign.source === campaign.source ? [] : [one.unpaid]));
  const isFault = isNew
    ? shareOf(before) < 0.5 && (isZero || token !== undefined) && new Set(costs.flat()).size > 3
    : token !== undefined && paying.length > 0 && shareOf(sumOf(together(others))) < 0.5;
  if (!isFault) return [];
  const macro = token && (macroFor(campaign.source, token) ?? token.placeholder);
  const use = macro ? { use: `${token.parameter ?? token.label}=${macro}` } : {};
  const link = campaign.link ?? undefined;
  return [{ days: unpaid, token: token?.label, ...(last > 0 ? { example: String(last) } : {}), ...use, link }];
}

/** A cost this many times the usual one is a hundred or a thousand times it; by other campaigns only if it earns next to nothing. */
const tolerance = 2;
const [widely, maxEarned, minEarned] = [4, 0.2, 0.05];

/** Costs that are about a hundred or a thousand times what they were, or what other campaigns or the bid say. */
function largeCost(seen: SeenCampaign, { all, usualCost }: Looked): Sign[] {
  const { campaign, costs, revenue } = seen;
  const medians = costs.map(medianCost);
  const known = Object.values(medians).filter((cost) => cost > 0);
  const dearest = Math.max(0, ...known);
  const paid = sum(costs.flat());
  if (costs.flat().length < minKnown || dearest === 0) return [];
  const factorOver = (usual: number, by: number) =>
    [100, 1000].find((factor) => dearest / usual > factor / by && dearest / usual < factor * by);
  const usualOf = (some: readonly SeenCampaign[]) =>
    some.flatMap((one) => (one === seen ? [] : usualCost.get(one) || []));
  const [alike, account] = [usualOf(all.filter((one) => one.campaign.source === campaign.source)), usualOf(all)];
  const isAsBid = campaign.bid !== undefined && dearest < 3 * campaign.bid;
  const usual = [
    ...(alike.length > 0 ? [medianOf(alike)] : []),
    ...(account.length > 2 ? [Math.max(...account)] : []),
    ...(dearest >= 1 && campaign.bid ? [campaign.bid] : []),
  ].filter(() => !isAsBid);
  const factor =
    factorOver(Math.min(...known), tolerance) ??
    usual.map((cost) => (revenue < maxEarned * paid ? factorOver(cost, tolerance) : undefined)).find(Boolean) ??
    usual.map((cost) => (revenue < minEarned * paid ? factorOver(cost, widely) : undefined)).find(Boolean);
  if (factor === undefined) return [];
  const limit = dearest / Math.sqrt(factor);
  const days: DayCounts = [];
  costs.forEach((ofDay, day) => {
    for (const cost of ofDay) countOn(days, day, cost > limit, cost);
  });
  const example = costs[medians.findLastIndex((cost) => cost > limit)]?.[0];
  return [{ days, token: tokenOfCost(seen)?.label, example: String(example), factor }];
}
