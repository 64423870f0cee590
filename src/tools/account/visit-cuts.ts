import { dimensionNamed, readerOf, type VisitGroups } from '../../analysis/visit-groups.ts';
import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import type { ListedCampaign } from '../campaigns.ts';
import { slotLabelled, type TokenLabels } from '../tokens.ts';
import { type Cut, cutBy, headingOf, type Sales } from './break-down-visits.ts';
import type { Visited } from './campaign-of-row.ts';

/** What is asked of the visits of all campaigns. */
export interface Question {
  readonly asked: readonly string[];
  readonly labels: ReadonlyMap<ListedCampaign, TokenLabels>;
  readonly sales: Sales | undefined;
}

/** What needs to know of which campaign a visit is: undefined is a token, whose slot is another in each. */
const ofCampaigns: ReadonlySet<string | undefined> = new Set(['campaign', 'traffic_source', undefined]);

export const needsCampaigns = (asked: readonly string[]): boolean =>
  asked.some((name) => ofCampaigns.has(dimensionNamed(name)));

/** Of which campaign each visit of a list is. */
type CampaignOf = (table: Table) => (row: number) => Visited;

/** How visits are cut; campaigns of one name stay apart by their IDs. */
export function cutsOf({ asked, labels, sales }: Question, campaignOf: CampaignOf): Cut[] {
  const ofCampaign =
    (read: (campaign: Visited) => string | null): Cut['readerOf'] =>
    (table) => {
      const found = campaignOf(table);
      return (row) => read(found(row));
    };
  return asked.flatMap((by): Cut[] => {
    const usual = cutBy(by, sales);
    const { heading } = usual;
    const dimension = dimensionNamed(by);
    if (dimension === 'campaign')
      return [
        { by, heading: 'Campaign ID', readerOf: ofCampaign(({ id }) => id) },
        { by, heading, readerOf: ofCampaign(({ name }) => name) },
      ];
    if (dimension === 'traffic_source') {
      const listed = ofCampaign((campaign) => rawCell(campaign.listed?.source ?? null));
      return [{ by, heading, readerOf: (table) => usual.readerOf(table) ?? listed(table) }];
    }
    const slots = slotsOf(by, labels);
    return [
      dimension === undefined && slots.size > 0 ? { by, heading, readerOf: tokenReader(slots, campaignOf) } : usual,
    ];
  });
}

/** The slot that a token of this name fills, by campaign. */
function slotsOf(label: string, labels: Question['labels']): ReadonlyMap<ListedCampaign | undefined, string> {
  return new Map(
    [...labels].flatMap(([campaign, own]) => {
      const slot = slotLabelled(label, own);
      return slot === undefined ? [] : [[campaign, slot] as const];
    }),
  );
}

function tokenReader(slots: ReturnType<typeof slotsOf>, campaignOf: CampaignOf): Cut['readerOf'] {
  return (table) => {
    const readings = new Map([...new Set(slots.values())].map((slot) => [slot, readerOf(slot)(table)]));
    if ([...readings.values()].every((reading) => reading === undefined)) return undefined;
    const found = campaignOf(table);
    return (row) => readings.get(slots.get(found(row).listed) ?? '')?.(row);
  };
}

export function tokensIn(labels: Question['labels']): [slot: string, label: string][] {
  const all = [...labels.values()].flatMap((own) => [...own]);
  return [...new Map(all.map(([slot, label]) => [label, slot]))].map(([label, slot]) => [slot, label]);
}

export function tokenNotices({ leftOut }: VisitGroups, { asked, labels }: Question): string[] {
  const slots = asked.filter((name) => dimensionNamed(name) === undefined && slotsOf(name, labels).size === 0);
  return [
    ...(leftOut > 0
      ? [`${leftOut} visits of campaigns that have no token of this name are in no row and no total.`]
      : []),
    ...slots.flatMap((slot) => {
      const names = new Set([...labels.values()].map((own) => own.get(headingOf(slot))).filter(Boolean));
      return names.size < 2
        ? []
        : [`${headingOf(slot)} is another token in each campaign: cut by a token’s name to compare.`];
    }),
  ];
}
