import { hourMs } from '../../api/durations.ts';
import { sum } from '../statistics/history.ts';
import { allBad, among, changeIn, countOn, type DayCounts, medianOf, shareOf, sumOf, together } from './counts.ts';
import { macroFor } from './macros.ts';
import { isUnusual, type Looked, minKnown, minSure, minVisits, most, type Rule, type Sign } from './rules.ts';
import type { SeenCampaign } from './seen.ts';
import { subidFaults } from './subids.ts';

/** What is wrong with a campaign's pages, subIDs, cost and state. */
export const campaignRules: readonly Rule[] = [
  ...subidFaults.map((code): Rule => {
    const find: Rule['find'] = ({ subids, visits }) => {
      const found = subids.get(code);
      return found ? [{ ...found, days: among(found.days, visits) }] : [];
    };
    // A tracker gives every visit a subID: even a few wrong ones are a fault.
    return { code, at: 'page', needs: 'subids', min: minSure, find };
  }),
  { code: 'no_subid', at: 'page', needs: 'subids', min: minSure, find: withoutSubid },
  { code: 'clicks_without_subid', at: 'page', needs: 'clicks', min: minVisits, find: unclickedPages },
  { code: 'offer_without_subid', at: 'campaign', min: minVisits, find: unsoldOffers },
  { code: 'visits_while_off', at: 'ads', min: minVisits, find: visitsWhileOff },
  { code: 'no_cost', at: 'ads', needs: 'cost', min: minVisits, isOfSource: true, find: missingCost },
  { code: 'cost_too_large', at: 'ads', needs: 'cost', min: minVisits, find: largeCost },
];

function withoutSubid({ landings, offers }: SeenCampaign, { form }: Looked): Sign[] {
  const bare = [landings, offers]
    .map((pages) => [...pages.values()].filter(({ subids }) => shareOf(changeIn(subids).after) > 0.5))
    .find((pages) => pages.length > 0);
  if (!form || !bare) return [];
  const page = bare.map(({ name }) => name).join(', ');
  return [{ days: together(bare.map(({ subids }) => subids)), page, use: 'subid={!subid!}' }];
}

/** So many clicks or sales must have been missed: none by chance is one in 100,000. */
const minMissed = 12;

function unclickedPages({ campaign, landings }: SeenCampaign): Sign[] {
  const pages = [...landings.values()];
  // Where calls to action lead, by the campaign's link.
  const base = /^(https?:\/\/[^?#]*\/)base\.php\?/.exec(campaign.link ?? '')?.[1];
  return pages.flatMap(({ name, unclicked: days }): Sign[] => {
    const { before, after } = changeIn(days);
    const others = sumOf(together(pages.flatMap((one) => (one.unclicked === days ? [] : [one.unclicked]))));
    const usual = [before, others].find(({ of }) => of > 0);
    const isLost = usual && after.bad === after.of && (1 - shareOf(usual)) * after.of > minMissed;
    return isLost ? [{ days, page: name, use: base && `${base}base2.php` }] : [];
  });
}

const offersOf = ({ offers }: SeenCampaign) => together([...offers.values()].map((page) => page.unclicked));

/** The visits of a campaign that reached an offer. */
export const reachedOffers = (seen: SeenCampaign) => sumOf(offersOf(seen));

function unsoldOffers(seen: SeenCampaign, { offers: all }: Looked): Sign[] {
  const { campaign, offers, sales } = seen;
  if (campaign.passesSubidToOffer !== false || sales > 0) return [];
  const { of } = reachedOffers(seen);
  if (!((all.sales / (all.reached - of)) * of > 2 * minMissed)) return [];
  const [page] = [...offers.values()].sort((one, other) => sumOf(other.unclicked).of - sumOf(one.unclicked).of);
  return [{ days: allBad(offersOf(seen)), page: page?.name }];
}

/** Visits that still come, as late as any visit or sale of the account, to a campaign that is off. */
function visitsWhileOff({ campaign, visits, latest }: SeenCampaign, { lastSale, lastVisit }: Looked): Sign[] {
  const last = Math.max(lastSale, lastVisit);
  return campaign.active === false && last - latest <= 3 * hourMs ? [{ days: allBad(visits) }] : [];
}

const tokenOfCost = ({ campaign }: SeenCampaign) => campaign.tokens.find(({ slot }) => slot === 'Cost');

/** A campaign without a cost of its own, which a cost that arrives has for most visits: since a day, or ever where other sources have one. */
function missingCost(seen: SeenCampaign, { all }: Looked): Sign[] {
  const { campaign, unpaid, costs } = seen;
  const [token, last = []] = [tokenOfCost(seen), costs.at(-1)];
  const othersUnpaid = () =>
    all.flatMap((one) =>
      tokenOfCost(one) && one.campaign.source !== campaign.source && one.unpaid.length > 0 ? [one.unpaid] : [],
    );
  const { before, after } = changeIn(unpaid);
  const isNew = before.of > 0;
  const isOwn = token !== undefined || (isNew && last.every((cost) => cost === 0));
  const isKnown =
    after.of >= (isNew ? minVisits : minKnown) && shareOf(after) >= most && (!isNew || new Set(costs.flat()).size > 3);
  if (!isOwn || !isKnown || !isUnusual(unpaid, othersUnpaid, 0.3, 0.5)) return [];
  const macro = token && (macroFor(campaign.source, token) ?? token.placeholder);
  const use = macro ? `${token.parameter ?? token.label}=${macro}` : undefined;
  const example = last[0] ? { example: String(last[0]) } : {};
  return [{ days: unpaid, token: token?.label, ...example, use, link: campaign.link ?? undefined }];
}

/** How near a cost must be to a hundred or a thousand times the usual one. By others' costs only if it earns less than a part of itself. */
const [tolerance, widely, maxEarned, minEarned] = [2, 4, 0.2, 0.05];

/** Costs that are about a hundred or a thousand times what they were, or what other campaigns or the bid say. */
function largeCost(seen: SeenCampaign, looked: Looked): Sign[] {
  const { campaign, costs, revenue } = seen;
  if (sum(costs.map(({ length }) => length)) < 2 * minVisits) return [];
  const medians = costs.map((ofDay) => medianOf(ofDay));
  const known = medians.filter((cost) => cost > 0);
  if (known.length === 0) return [];
  const [dearest, paid] = [Math.max(...known), sum(costs.map(sum))];
  const factorOver = (usual: number, by: number) =>
    [100, 1000].find((factor) => dearest / usual > factor / by && dearest / usual < factor * by);
  const usual = () => {
    const { bid = 0 } = campaign;
    if (dearest < 3 * bid) return [];
    const { ofSource, ofAccount } = looked.usualCosts.of(seen);
    return [
      ...ofSource.slice(ofSource.length / 2).slice(0, 1),
      ...(ofAccount.length > 2 ? [ofAccount.at(-1) ?? 0] : []),
      ...(bid > 0 ? [bid] : []),
    ];
  };
  const byOthers = (part: number, by: number) =>
    revenue < part * paid
      ? usual()
          .map((cost) => factorOver(cost, by))
          .find(Boolean)
      : undefined;
  const factor =
    factorOver(Math.min(...known), tolerance) ?? byOthers(maxEarned, tolerance) ?? byOthers(minEarned, widely);
  if (factor === undefined) return [];
  const limit = dearest / Math.sqrt(factor);
  const days: DayCounts = [];
  costs.forEach((ofDay, day) => {
    for (const cost of ofDay) countOn(days, day, cost > limit, cost);
  });
  if (shareOf(changeIn(days).after) < most) return [];
  const example = costs[medians.findLastIndex((cost) => cost > limit)]?.[0];
  return [{ days, token: tokenOfCost(seen)?.label, example: String(example), factor }];
}
