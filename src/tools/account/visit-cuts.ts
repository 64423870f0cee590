import { mapCoded, pairCoded, sameInAll } from '../../analysis/coded.ts';
import { indexOfColumn } from '../../analysis/columns/columns.ts';
import { type Reader, type Reading, readerOf } from '../../analysis/visit-dimensions.ts';
import type { SoldBy, VisitGroups } from '../../analysis/visit-groups.ts';
import { distinct, type Note, type Notice } from '../../answer/notes.ts';
import type { Coded } from '../../api/cells.ts';
import { dimensionNamed } from '../../api/dimensions.ts';
import type { Table } from '../../api/table.ts';
import { isSameData } from '../../api/text/json.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { namesOf, thingsOf } from '../../api/vocabulary.ts';
import { optional } from '../asking.ts';
import type { ListedCampaign, Visited } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { shiftDays, today } from '../period.ts';
import { placementsNote } from '../placements.ts';
import {
  dimensionOfSlot,
  isPlacementName,
  isSlot,
  slotLabelled,
  slotNear,
  type TokenLabels,
  tokenMeant,
} from '../tokens.ts';
import type { Span } from './read-visits.ts';

/** One column that visits are grouped by. */
export interface Cut {
  /** As given by the caller. */
  readonly by: string;
  readonly heading: string;
  readonly readerOf: Reader;
}

/** A cut that means the same in every campaign. */
export function cutBy(by: string, sales: Sales | undefined, column = by): Cut {
  const read = readerOf(column);
  const isNetwork = dimensionNamed(by) === 'network';
  return { by, heading: headingOf(by), readerOf: isNetwork ? (table) => read(table) ?? sales?.networkOf(table) : read };
}

/** `landing_page` as a heading: "Landing page". */
export function headingOf(name: string): string {
  const words = name.trim().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The visits of all campaigns, and what to cut them by. */
export interface Question {
  readonly asked: readonly string[];
  readonly labels: ReadonlyMap<ListedCampaign, TokenLabels>;
  readonly sales: Sales | undefined;
}

type VisitedIn = (table: Table) => Coded<Visited>;

/** Cuts over several campaigns; campaigns of one name stay separate by their IDs. */
export function cutsOf(question: Question, visitedIn: VisitedIn): Cut[] {
  const { asked, labels, sales } = question;
  const byCampaign =
    (read: (campaign: Visited) => string | null): Reader =>
    (table) =>
      mapCoded(visitedIn(table), read);
  return asked.flatMap((by): Cut[] => {
    const usual = cutBy(by, sales);
    const { heading } = usual;
    const dimension = dimensionNamed(by);
    if (dimension === 'campaign')
      return [
        { by, heading: 'Campaign ID', readerOf: byCampaign(({ id }) => id) },
        { by, heading, readerOf: byCampaign(({ name }) => name) },
      ];
    if (dimension === 'traffic_source') {
      const listed = byCampaign((campaign) => rawCell(campaign.listed?.source ?? null));
      return [{ by, heading, readerOf: (table) => usual.readerOf(table) ?? listed(table) }];
    }
    const slots = slotsOf(by, labels);
    if (isPlacementName(by)) {
      const read = tokenReader(slots, visitedIn, null);
      const placement = {
        ...{ by, heading },
        readerOf: (table: Table) => read(table) ?? usual.readerOf(table) ?? noPlacement(table, labels.values()),
      };
      return needsSource(asked, labels)
        ? [...cutsOf({ ...question, asked: ['traffic_source'] }, visitedIn), placement]
        : [placement];
    }
    if (dimension === undefined && slots.size > 0) return [{ by, heading, readerOf: tokenReader(slots, visitedIn) }];
    const near = nearSlotsOf(by, labels);
    if (near.size === 0) return [usual];
    const readNear = tokenReader(near, visitedIn);
    return [{ by, heading, readerOf: (table) => usual.readerOf(table) ?? readNear(table) }];
  });
}

/** Two traffic sources may give one number to different placements. */
function needsSource(asked: readonly string[], labels: Question['labels']): boolean {
  const isTold = asked.some((name) => ['campaign', 'traffic_source'].includes(dimensionNamed(name) ?? ''));
  return !isTold && new Set([...labels.keys()].map(({ source }) => rawCell(source))).size > 1;
}

/** The placement of visits whose traffic source has none, if it has any tokens. */
export function noPlacement({ rowCount }: Table, labels: Iterable<TokenLabels>): Reading | undefined {
  return [...labels].some(({ size }) => size > 0) ? sameInAll(rowCount, null) : undefined;
}

/** Whether the campaign of a visit matters: an unknown dimension is a token, whose slot differs between campaigns. */
export function needsCampaigns(asked: readonly string[]): boolean {
  return asked.some((name) => [undefined, 'campaign', 'traffic_source'].includes(dimensionNamed(name)));
}

/** Whether some name may be a token's; `network` may be one, too. */
export function needsLabels(asked: readonly string[]): boolean {
  return asked.some((name) => [undefined, 'network'].includes(dimensionNamed(name)));
}

type Slots = ReadonlyMap<ListedCampaign | undefined, string>;

/** The slots of the tokens that are clearly meant by a name that no token has. */
function nearSlotsOf(name: string, labels: Question['labels']): Slots {
  const isExact =
    isPlacementName(name) || dimensionNamed(name) !== undefined || slotsOf(name, labels).size > 0 || isSlot(name);
  return isExact ? new Map() : slotsOf(name, labels, slotNear);
}

/** The slot of the token with this name, by campaign. */
function slotsOf(label: string, labels: Question['labels'], find = slotLabelled): Slots {
  return new Map(
    [...labels].flatMap(([campaign, own]) => {
      const slot = find(label, own);
      return slot === undefined ? [] : [[campaign, slot] as const];
    }),
  );
}

/** @param other the value of the visits of other campaigns; undefined leaves them out */
function tokenReader(slots: ReturnType<typeof slotsOf>, visitedIn: VisitedIn, other?: null): Reader {
  return (table) => {
    const readings = [...new Set(slots.values())].flatMap((slot) => {
      const reading = readerOf(dimensionOfSlot(slot))(table);
      return reading ? [{ slot, reading }] : [];
    });
    if (readings.length === 0) return undefined;
    const slotOfRow = mapCoded(visitedIn(table), ({ listed }) => slots.get(listed));
    const [first] = readings;
    if (first && slotOfRow.values.every((slot) => slot === first.slot)) return first.reading;
    return readings.reduce<Reading>(
      (all, { slot, reading }) =>
        pairCoded(
          pairCoded(slotOfRow, reading, (own, value) => ({ own, value })),
          all,
          ({ own, value }, rest) => (own === slot ? value : rest),
        ),
      sameInAll(table.rowCount, other),
    );
  };
}

/** All tokens of some campaigns, each name once. */
export function tokensIn(labels: Question['labels']): [slot: string, label: string][] {
  const all = [...labels.values()].flatMap((own) => [...own]);
  return [...new Map(all.map(([slot, label]) => [label, slot]))].map(([label, slot]) => [slot, label]);
}

/** Campaigns may have different tokens that one name means. */
const maxNear = 3;

export function tokenNotes({ leftOut }: VisitGroups, { asked, labels }: Question): Notice[] {
  const near = asked.flatMap((name) => {
    const tokens = [...nearSlotsOf(name, labels)].flatMap(([campaign, slot]) => {
      const own = campaign && labels.get(campaign);
      return own ? [tokenMeant(name, slot, own)] : [];
    });
    return distinct(tokens).slice(0, maxNear);
  });
  const slots = asked.filter(
    (name) => dimensionNamed(name) === undefined && !isPlacementName(name) && slotsOf(name, labels).size === 0,
  );
  return [
    ...(leftOut > 0 ? [{ code: 'visits-without-token', visits: leftOut } as const] : []),
    ...near,
    ...(asked.some(isPlacementName) ? [placementsNote(labels.values())] : []),
    ...slots.flatMap((slot) => {
      const names = new Set([...labels.values()].map((own) => own.get(headingOf(slot))).filter(Boolean));
      return names.size < 2 ? [] : [{ code: 'another-token', slot: headingOf(slot) } as const];
    }),
  ];
}

/** The network of an offer takes precedence over a token of that name. */
export function sameNameNotes(asked: readonly string[], labels: readonly TokenLabels[]): Note[] {
  return asked.flatMap((name): Note[] => {
    const isNetwork = dimensionNamed(name) === 'network';
    const slots = new Set(labels.flatMap((own) => (isNetwork ? (slotLabelled(name, own) ?? []) : [])));
    return slots.size === 0 ? [] : [{ code: 'token-of-same-name', name: name.trim(), slots: [...slots] }];
  });
}

export interface Sales {
  readonly tables: readonly Table[];
  readonly hasOffers: boolean;
  /**
   * Assigns sales of a visitor list to the offer and network of the sale. The visitor list has the offer seen last, which changes
   * with a later click.
   */
  readonly soldBy: (visitors: Table, cuts: readonly Cut[]) => SoldBy;
  /** The visitors among those so far who bought of several offers or networks: all that they bought is of one of them. */
  readonly mixed: ReadonlySet<string>;
  /** Reads the network of a visit's offer, if only the conversion list names it. */
  readonly networkOf: (visitors: Table) => Reading | undefined;
}

/** The dimensions that a sale has, too. */
const saleDimensions = ['offer', 'network'] as const;

const saleDimensionOf = (name: string) => saleDimensions.find((dimension) => dimension === dimensionNamed(name));

export const needsSales = (asked: readonly string[]): boolean => asked.some(saleDimensionOf);

const visitorNames = namesOf('conversion', 'visitor');
const saleNames = { offer: namesOf('conversion', 'converted'), network: thingsOf('dimension').network };

/**
 * The sales of the visits of a span, up to today because they may come later; undefined if the conversion list cannot be read.
 * @param campaignId 0 is all
 */
export async function readSales(
  campaignId: number,
  { start, end }: Span,
  context: CallContext,
): Promise<Sales | undefined> {
  const latest = shiftDays(today(context.timeZone, context.now()), 1);
  const question = { campaign_id: campaignId, start_date: start, end_date: latest > end ? latest : end };
  const tables = await optional(
    async () => (await context.client.read('list_conversions', question, { signal: context.signal })).reply.tables,
    context,
  );
  if (!tables) return undefined;
  const sales = new Map<string, Record<(typeof saleDimensions)[number], string | null>>();
  const networks = new Map<string, string | null>();
  const [several, mixed] = [new Set<string>(), new Set<string>()];
  for (const table of tables) {
    const columnReader = (names: readonly string[]) => {
      const column = indexOfColumn(table, names) ?? -1;
      return (row: number) => rawCell(table.text(row, column));
    };
    const visitorOf = columnReader(visitorNames);
    const [offerOf, networkOf] = [columnReader(saleNames.offer), columnReader(saleNames.network)];
    for (let row = 0; row < table.rowCount; row += 1) {
      const visitor = visitorOf(row);
      const sale = { offer: offerOf(row), network: networkOf(row) };
      const first = visitor === null ? undefined : sales.get(visitor);
      if (visitor !== null && !first) sales.set(visitor, sale);
      if (visitor !== null && first && !isSameData(first, sale)) several.add(visitor);
      if (sale.offer === null || sale.network === null) continue;
      // The network of an offer is unknown if two networks have an offer of that name.
      const known = networks.get(sale.offer);
      networks.set(sale.offer, known === undefined || known === sale.network ? sale.network : null);
    }
  }
  return {
    tables,
    hasOffers: [...sales.values()].some(({ offer }) => offer !== null),
    soldBy: (visitors, cuts) => {
      const visitor = indexOfColumn(visitors, visitorNames) ?? -1;
      const fields = cuts.map(({ by }) => saleDimensionOf(by));
      return (row, values) => {
        const id = rawCell(visitors.text(row, visitor)) ?? '';
        const sale = sales.get(id);
        if (several.has(id)) mixed.add(id);
        return values.map((value, index) => (fields[index] && sale?.[fields[index]]) ?? value);
      };
    },
    mixed,
    networkOf: (visitors) => {
      const offerOf = readerOf('offer')(visitors);
      return offerOf && networks.size > 0 ? mapCoded(offerOf, (offer) => networks.get(offer ?? '') ?? null) : undefined;
    },
  };
}

/** The row on which a sale counts. */
export function salesNote(lists: readonly (Sales | undefined)[]): Note {
  const all = [...new Set(lists)].flatMap((sales) => sales ?? []);
  const isByOfferOfSale = all.some(({ hasOffers }) => hasOffers);
  return { code: 'sale-with-visit', isByOfferOfSale, mixed: all.reduce((count, { mixed }) => count + mixed.size, 0) };
}
