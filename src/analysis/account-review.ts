import type { CampaignHistory } from './review/campaign-history.ts';
import type { Detector, PartByAge, Suspicion } from './review/looks.ts';
import { burningPlacements, lostMoney, missingCost } from './review/losses.ts';
import { decisiveSales, fallenPayouts, pagesBehind, soldNoMore } from './review/sales.ts';
import { changedElsewhere, clicksOfNoPeople, pagesWithoutClicks, wentDark } from './review/traffic.ts';
import { groupBy, sum } from './statistics/history.ts';

export { CampaignHistory, reviewedDays } from './review/campaign-history.ts';
export type { Kind, PartByAge, Suspicion } from './review/looks.ts';

/** At most so many findings a week are made by chance, over the whole account. */
export const falseFindingsPerWeek = 1;

/** Reviews a week, at most, that the budget is for. */
const reviewsPerWeek = 7;

/** A finding is over once chance explains it this well. */
const maxFading = 0.05;

const detectors: readonly Detector[] = [
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

/** A suspicion that chance does not explain. */
export interface Finding<Campaign> extends Suspicion {
  /** Undefined if it is the whole account. */
  readonly campaign: Campaign | undefined;
  /** What else the same visits have in common, so that nothing tells which of them it is. */
  readonly alike?: readonly Finding<Campaign>[];
  /** How many more of its kind the campaign has, which are not said. */
  readonly more?: number;
}

/**
 * What needs a person, most money first. The looks of all campaigns share one budget of errors: each may be wrong once in so many
 * times that all together are wrong once a week at most (Bonferroni).
 * @param partIn how much of the sales of a campaign is in by now
 * @param isExplained what is known to be no trouble
 * @param isClockKnown whether the tracker's clock is known; else hours without any visit may be those of another zone
 */
export function reviewAccount<Campaign>(
  campaigns: ReadonlyMap<Campaign, CampaignHistory>,
  partIn: PartByAge,
  isExplained: (suspicion: Suspicion, campaign: Campaign) => boolean = () => false,
  isClockKnown = true,
): {
  readonly findings: readonly Finding<Campaign>[];
  readonly fading: readonly Finding<Campaign>[];
  /** Looks that found all well. */
  readonly well: readonly Finding<Campaign>[];
  readonly looks: number;
} {
  const histories = [...campaigns.values()];
  const payouts = histories.map((history) => {
    const { revenue, conversions } = history.sum(0);
    return conversions > 0 ? revenue / conversions : 0;
  });
  const account = {
    anyPayout: Math.max(0, ...payouts),
    isSeenUntilNow: isClockKnown || histories.some(({ lastVisit }) => lastVisit <= 1),
  };
  const suspicions = [...campaigns].flatMap(([campaign, history]) =>
    detectors
      .flatMap((detect) => detect(history, partIn, account))
      .filter((suspicion) => !isExplained(suspicion, campaign))
      .map((suspicion) => ({ ...suspicion, campaign })),
  );
  const looks = suspicions.filter(({ chance }) => chance > 0).length;
  const maxChance = falseFindingsPerWeek / reviewsPerWeek / Math.max(looks, 1);
  const sure = suspicions
    .filter(({ chance, isWell }) => chance <= maxChance && !isWell)
    .sort((one, other) => other.moneyPerDay - one.moneyPerDay);
  const withTraffic = suspicions.filter(({ kind }) => kind === 'campaign_dark').length;
  const { kept, together } = joinDark<Campaign>(sure, withTraffic);
  const stopped = new Set(kept.filter(isWholeStop).map(({ campaign }) => campaign));
  const isConsequence = ({ kind, campaign }: Finding<Campaign>) => kind === 'loses_money' && stopped.has(campaign);
  const { said, folded } = foldAlike(kept.filter((found) => !isConsequence(found)));
  return {
    findings: said.sort((one, other) => other.moneyPerDay - one.moneyPerDay),
    // What hovers about the bound, or is said with others, is not well again, and no finding of its own.
    fading: [
      ...suspicions.filter(({ chance }) => chance > maxChance && chance <= maxFading),
      ...together,
      ...folded,
      ...kept.filter(isConsequence),
    ],
    well: wellOf<Campaign>(suspicions),
    looks,
  };
}

/** A campaign that sells nothing any more loses money by that. */
const isWholeStop = ({ kind, value }: Suspicion) => kind === 'sales_stopped' && value === undefined;

/** So many campaigns, and this part of all with traffic, go dark at once for one reason. */
const [minDark, minPartDark] = [3, 0.5];

/** Hours between which campaigns go dark at once. */
const atOnce = 12;

/** Campaigns that went dark at once are one finding about the account. */
function joinDark<Campaign>(findings: readonly Finding<Campaign>[], withTraffic: number) {
  const dark = findings.filter(({ kind }) => kind === 'campaign_dark').sort((one, other) => one.age - other.age);
  const middle = dark[Math.floor(dark.length / 2)]?.age ?? 0;
  const together = dark.filter(({ age }) => Math.abs(age - middle) <= atOnce);
  if (together.length < Math.max(minDark, withTraffic * minPartDark)) return { kept: findings, together: [] };
  const sumOf = (read: (found: Suspicion) => number) => sum(together.map(read));
  const joined: Finding<Campaign> = {
    kind: 'account_dark',
    campaign: undefined,
    chance: Math.min(...together.map(({ chance }) => chance)),
    age: together[0]?.age ?? 0,
    moneyPerDay: sumOf(({ moneyPerDay }) => moneyPerDay),
    figures: {
      campaigns: together.length,
      with_traffic: withTraffic,
      visits: sumOf(({ figures }) => figures['visits'] ?? 0),
      usual_visits: sumOf(({ figures }) => figures['usual_visits'] ?? 0),
    },
  };
  return { kept: [joined, ...findings.filter((found) => !together.includes(found))], together };
}

/** The looks that found all well; if a campaign has visits, the account is not dark. */
function wellOf<Campaign>(suspicions: readonly Finding<Campaign>[]): readonly Finding<Campaign>[] {
  const well = suspicions.filter(({ isWell }) => isWell);
  const withVisits = well.find(({ kind }) => kind === 'campaign_dark');
  return withVisits ? [...well, { ...withVisits, kind: 'account_dark', campaign: undefined }] : well;
}

/** So many findings of one kind are said of a campaign. */
const maxAlike = 3;

function foldAlike<Campaign>(findings: readonly Finding<Campaign>[]) {
  const groups = [...groupBy(findings, ({ campaign }) => campaign).values()]
    .flatMap((own) => [...groupBy(own, ({ kind }) => kind).values()])
    .map(joinMirrors);
  const said = groups.flatMap((some) =>
    some
      .slice(0, maxAlike)
      .map((found, index) =>
        index === maxAlike - 1 && some.length > maxAlike ? { ...found, more: some.length - maxAlike } : found,
      ),
  );
  return {
    said,
    folded: groups.flatMap((some) => [...some.flatMap(({ alike = [] }) => alike), ...some.slice(maxAlike)]),
  };
}

/** A placement and a provider with the same figures are the same visits. */
function joinMirrors<Campaign>(findings: readonly Finding<Campaign>[]): readonly Finding<Campaign>[] {
  const mirrors = groupBy(findings, ({ figures, age }) => JSON.stringify([figures, age]));
  return [...mirrors.values()].flatMap(([first, ...others]) =>
    first ? [others.length > 0 ? { ...first, alike: others } : first] : [],
  );
}
