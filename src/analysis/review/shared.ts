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
import { fallenCountries } from './fallen-values.ts';
import { type Look, maxDeadChance, type PartInCampaign, type Suspicion, well } from './looks.ts';
import { maxChanceOfWhole, missingCost, stopOf } from './money.ts';
import { type AmountKind, amounts, newAmountOf, salesOf } from './sale-amounts.ts';
import { stoppedClicksOf } from './traffic.ts';

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

/** What may be wrong with a network or a traffic source, or with the whole account. */
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

const campaignsOf = (members: readonly Member[]): string[] => [...new Set(members.map(({ campaign }) => campaign))];

/** Each campaign as a whole. */
const wholesOf = (campaigns: Campaigns) =>
  [...campaigns].map(([campaign, history]) => ({ campaign, offer: '', history, name: undefined }));

/** All that sells: the offers of each campaign, or the campaign if it has none. */
const sellersOf = (campaigns: Campaigns, offers: ReturnType<typeof offersOf>) => {
  const have = new Set(campaignsOf(offers));
  return [...offers, ...wholesOf(campaigns).filter(({ campaign }) => !have.has(campaign))];
};

/**
 * An account that sells or clicks nothing any more, a network that reports no sales of any of its offers any more, a traffic source whose
 * visits cost nothing any more, an offer whose sales are of a new amount, and a country that sells less.
 */
export function lookAtShared(campaigns: Campaigns, names: SharedNames, partIn: PartInCampaign): SharedSuspicion[] {
  const found = (
    kind: TroubleKind,
    dimension: 'network' | 'traffic_source' | 'offer',
    members: Parameters<typeof membersByName>[0],
    lookAt: (own: readonly Member[]) => readonly Look[],
  ): SharedSuspicion[] =>
    membersByName(members).flatMap(({ value, own }) =>
      lookAt(own).map((look) => ({ ...look, kind, dimension, value, campaigns: campaignsOf(own) })),
    );
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
  const sources = wholesOf(campaigns).map((one) => ({ ...one, name: sourceOf(one.campaign) }));
  const ids = [...campaigns.keys()];
  const ofAll = (kind: TroubleKind, looks: readonly Look[]) => looks.map((look) => ({ ...look, kind, campaigns: ids }));
  return [
    ...(ids.length < 2
      ? []
      : [
          ...ofAll('sales_stopped', stopOfMembers(sellersOf(campaigns, offers), partIn)),
          ...ofAll('clicks_stopped', clicksOfMembers(wholesOf(campaigns))),
        ]),
    ...found('sales_stopped', 'network', offers, (own) => stopOfMembers(own, partIn)),
    ...(Object.keys(amounts) as AmountKind[]).flatMap(amountOfAll),
    ...found('cost_missing', 'traffic_source', sources, (own) => missingCost(joined(own))),
    ...fallenCountries(campaigns, partIn).map((look) => ({ ...look, kind: 'sales_fell' as const })),
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

const clicksOfMembers = (members: readonly Member[]): Look[] =>
  stoppedClicksOf(
    joined(members),
    members.map(({ history }) => history),
  );

/** A finding, and whether it is about what campaigns have in common. */
interface Told extends Suspicion {
  readonly campaign: string | undefined;
  readonly campaigns?: readonly string[];
}

/** What is less of clicks where none of the account's visits click any more. */
const ofClicks: ReadonlySet<TroubleKind> = new Set([
  ...(['clicks_stopped', 'page_without_clicks', 'clicks_fell', 'click_rate_fell'] as const),
]);

const ofSales: ReadonlySet<TroubleKind> = new Set(['sales_stopped', 'sales_fell']);

/** The country that a finding is about, alone or with an offer or device. */
const countryOf = ({ dimension = '', value = '' }: Suspicion): string | undefined =>
  dimension === 'country' ? value : pairNamed(dimension)?.within === 'country' ? splitPair(value)[1] : undefined;

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
  const [sellers, clickers] = [sellersOf(campaigns, offersOf(campaigns, names)), wholesOf(campaigns)];
  const dropped = new Set<Finding>();
  for (const shared of findings) {
    if (!shared.campaigns) continue;
    const isOfAll = shared.dimension === undefined;
    const isOfClicks = shared.kind === 'clicks_stopped';
    const isDead = (some: readonly Member[], max: number) =>
      (isOfClicks ? clicksOfMembers(some) : stopOfMembers(some, partIn)).some(
        ({ isWell, chance }) => !isWell && chance <= max,
      );
    const members = isOfClicks ? clickers : sellers;
    const own = isOfAll ? members : members.filter(({ name }) => name === shared.value);
    const isCovered = (finding: Finding) => {
      const { kind, campaign = '', dimension, value, age } = finding;
      if (isOfAll) return finding !== shared && (isOfClicks ? ofClicks.has(kind) : kind === shared.kind);
      if (!shared.campaigns?.includes(campaign)) return false;
      if (shared.dimension === 'country') return ofSales.has(kind) && countryOf(finding) === shared.value;
      if (kind !== shared.kind) return false;
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
    const isDeadWithout = ({ campaign, dimension, value }: Finding) =>
      isDead(
        own.filter((one) =>
          dimension === 'network'
            ? one.name !== value
            : one.campaign !== campaign || (value !== undefined && one.offer !== value),
        ),
        maxDeadChance,
      );
    // Campaigns that stopped with all their networks may be all that stopped of this one.
    const wholes = findings.filter(
      (finding) =>
        finding.kind === shared.kind &&
        finding.value === undefined &&
        shared.campaigns?.includes(finding.campaign ?? '') === true,
    );
    const isOne = !(isOfAll || shared.dimension === 'network') || [...covered, ...wholes].every(isDeadWithout);
    for (const finding of isOne ? covered : [shared]) dropped.add(finding);
  }
  return findings.filter((finding) => !dropped.has(finding));
}
