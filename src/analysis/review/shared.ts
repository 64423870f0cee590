/** Trouble of what several campaigns have in common, by the evidence of all of them, and told once. */

import type { TroubleKind } from '../../answer/troubles.ts';
import { groupBy, sum } from '../statistics/history.ts';
import {
  type CampaignHistory,
  History,
  hoursOfDay,
  pairNamed,
  partsOfDay,
  type Sale,
  splitPair,
  stopDays,
} from './campaign-history.ts';
import { type Look, maxDeadChance, type PartInCampaign, type Suspicion, well } from './looks.ts';
import { maxChanceOfWhole, missingCost, stopOf } from './money.ts';
import { type AmountKind, amounts, newAmountOf, salesOf } from './sale-amounts.ts';

/** The names of what campaigns have in common; undefined if they are not known. */
export interface SharedNames {
  readonly networkOf?: (campaign: string, offer: string) => string | undefined;
  readonly sourceOf?: (campaign: string) => string | undefined;
}

/** The visits of one offer of a campaign, or of a whole campaign. */
interface Member {
  readonly campaign: string;
  readonly offer?: string;
  readonly history: History;
}

/** What may be wrong with a network or a traffic source. */
export interface SharedSuspicion extends Suspicion {
  readonly campaigns: readonly string[];
}

type Campaigns = ReadonlyMap<string, CampaignHistory>;

/** An offer or a campaign alone is looked at anyway. */
function membersByName(members: readonly (Member & { readonly name: string | undefined })[]) {
  const named = groupBy(members, ({ name }) => name);
  return [...named].flatMap(([name, own]) => (name === undefined || own.length < 2 ? [] : [{ value: name, own }]));
}

const offersOf = (campaigns: Campaigns, { networkOf = () => undefined }: SharedNames) =>
  [...campaigns].flatMap(([campaign, { groups }]) =>
    [...(groups.get('offer') ?? [])].map(([offer, history]) => {
      return { campaign, offer, history, name: networkOf(campaign, offer) };
    }),
  );

/**
 * A network that reports no sales of any of its offers any more, a traffic source whose visits cost nothing any more, and an offer whose
 * sales are of a new amount.
 */
export function lookAtShared(campaigns: Campaigns, names: SharedNames, partIn: PartInCampaign): SharedSuspicion[] {
  const found = (
    kind: TroubleKind,
    dimension: 'network' | 'traffic_source' | 'offer',
    members: Parameters<typeof membersByName>[0],
    lookAt: (own: readonly Member[]) => readonly Look[],
  ): SharedSuspicion[] =>
    membersByName(members).flatMap(({ value, own }) => {
      const ids = [...new Set(own.map(({ campaign }) => campaign))];
      return lookAt(own).map((look) => ({ ...look, kind, dimension, value, campaigns: ids }));
    });
  const { sourceOf = () => undefined } = names;
  const offers = offersOf(campaigns, names);
  const byOffer = offers.map((one) => ({ ...one, name: one.offer }));
  const amountOfAll = (kind: AmountKind) => {
    const { figures: names, of } = amounts[kind];
    return found(kind, 'offer', byOffer, (own) => {
      const sales = own.map(({ campaign, offer = '' }) => {
        const history = campaigns.get(campaign);
        return history ? salesOf(history, offer) : [];
      });
      const histories = own.map(({ history }) => history);
      return newAmountOf(kind, sales.flat(), histories).filter(({ isWell, figures }) => {
        const hasNew = (some: readonly Sale[]) => some.some((sale) => of(sale) === figures[names[1]]);
        return isWell || sales.filter(hasNew).length > 1;
      });
    });
  };
  const sources = [...campaigns].map(([campaign, history]) => ({ campaign, history, name: sourceOf(campaign) }));
  return [
    ...found('sales_stopped', 'network', offers, (own) => stopOfMembers(own, partIn)),
    ...(Object.keys(amounts) as AmountKind[]).flatMap(amountOfAll),
    ...found('cost_missing', 'traffic_source', sources, (own) => missingCost(joined(own))),
  ];
}

function joined(members: readonly Member[]): History {
  const all = new History(partsOfDay);
  for (const { history } of members) all.addAll(history);
  return all;
}

function stopOfMembers(members: readonly Member[], partIn: PartInCampaign): Look[] {
  const histories = members.map(({ history }) => history);
  if (sum(histories.map((history) => history.sum(0, stopDays).clicks)) === 0) return [{ ...well, chance: 0 }];
  return stopOf(
    members.map(({ campaign, offer, history }) => ({ history, partIn: (age) => partIn(age, campaign, offer) })),
    Math.max(...histories.map(({ pastDays }) => pastDays)),
  );
}

/** A finding, and whether it is about what campaigns have in common. */
interface Told extends Suspicion {
  readonly campaign: string | undefined;
  readonly campaigns?: readonly string[];
}

/** Trouble that began within so many hours of each other began together: cost is looked at by days. */
const together = 24;

/**
 * Leaves what is told once: the findings of a network or traffic source without those of its offers and campaigns, or the latter alone
 * if the other offers of the network go on to sell.
 */
export function withoutShared<Finding extends Told>(
  findings: readonly Finding[],
  campaigns: Campaigns,
  names: SharedNames,
  partIn: PartInCampaign,
): readonly Finding[] {
  const isDead = (members: readonly Member[], max: number) =>
    stopOfMembers(members, partIn).some(({ isWell, chance }) => !isWell && chance <= max);
  const dropped = new Set<Finding>();
  for (const shared of findings) {
    if (!shared.campaigns) continue;
    const members = shared.dimension === 'network' ? offersOf(campaigns, names) : [];
    const own = members.filter(({ name }) => name === shared.value);
    const isCovered = ({ kind, campaign = '', dimension, value, age }: Finding) => {
      if (kind !== shared.kind || !shared.campaigns?.includes(campaign)) return false;
      if (shared.dimension === 'offer') return value === shared.value;
      if (shared.dimension === 'traffic_source') return Math.abs(age - shared.age) <= together;
      if (value !== undefined && dimension !== hoursOfDay) {
        const offer = pairNamed(dimension) ? splitPair(value)[0] : value;
        return names.networkOf?.(campaign, offer) === shared.value;
      }
      // A campaign that stopped because its offers of the network did: nothing shows that the others stopped as well.
      return !isDead(
        members.filter((one) => one.campaign === campaign && one.name !== shared.value),
        maxChanceOfWhole,
      );
    };
    const covered = findings.filter(isCovered);
    const isDeadWithout = ({ campaign, value }: Finding) =>
      isDead(
        own.filter((one) => one.campaign !== campaign || (value !== undefined && one.offer !== value)),
        maxDeadChance,
      );
    const isOne = shared.dimension !== 'network' || covered.every(isDeadWithout);
    for (const finding of isOne ? covered : [shared]) dropped.add(finding);
  }
  return findings.filter((finding) => !dropped.has(finding));
}
