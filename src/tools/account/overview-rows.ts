import { groupPages, type MeasuredPage, type PlacedPage, trafficPercent } from '../../analysis/page-rows.ts';
import { at, groupBy } from '../../analysis/statistics/history.ts';
import type { SoldOf } from '../../analysis/timed-sales.ts';
import type { Mark } from '../../answer/marks.ts';
import { noNameOf } from '../../answer/no-name.ts';
import type { Note } from '../../answer/notes.ts';
import { type Cell, rawCell, rawText } from '../../api/text/tracker-text.ts';
import { type ListedCampaign, namedCampaign } from '../campaigns.ts';
import { addFigures, type Figures } from '../past-figures.ts';
import type { Pool } from '../rotation/pool.ts';
import { campaignColumns, campaignColumnsOfPages, yesOrNo } from './choose-campaigns.ts';
import { type Column, count, figuresOfPage } from './figures.ts';
import { byNetwork, type LateBy } from './late-sales.ts';
import type { AccountLists, CampaignFigures } from './read-campaigns.ts';

/** A page of a campaign, with its part of its group's traffic. */
interface CampaignPage extends Omit<PlacedPage, 'source'> {
  readonly recordId: string | null;
  /** The offer source; null if unknown. */
  readonly network: string | null;
  readonly percent: number | null;
  /** The name of the one group of all pages, where landing pages and offers compete for the same visitors. */
  readonly pool: string | undefined;
}

export interface Row {
  readonly tracker?: string | undefined;
  readonly currency?: string | undefined;
  readonly campaign: Pick<ListedCampaign, 'id' | 'name' | 'source' | 'active'>;
  readonly page?: CampaignPage;
  readonly now: Figures;
  readonly before: Figures | undefined;
  /** Why its figures mislead; of campaigns alone. */
  readonly marks?: readonly Mark[];
  readonly parts?: readonly Row[];
}

/** What an overview lists, a row each. */
interface Cut {
  /** The pages that are read of each campaign; empty if its own figures are enough. */
  readonly kinds: readonly PlacedPage['kind'][];
  readonly columns: readonly Column<Row>[];
  /** Rows of the same key are added up. */
  readonly keyOf?: (row: Row) => string;
}

export type CutName = 'campaign' | 'traffic_source' | 'offer' | 'landing_page' | 'network' | 'page';

const sourceOf = ({ campaign }: Row) => rawCell(campaign.source) ?? noNameOf('traffic_source');
const nameOfPage = ({ page }: Row) => rawCell(page?.name ?? null) ?? noNameOf('page');
const nameOfNetwork = ({ page }: Row) => page?.network ?? noNameOf('network');

/** By the ID of the predefined record if known; otherwise by name, so that two with the same name are added up. */
const recordOf = (row: Row) => row.page?.recordId ?? nameOfPage(row);

/** What sales are of, as the rows of a cut are. */
export function lateBy(
  cut: CutName,
  campaigns: readonly ListedCampaign[],
  networkOf: AccountLists['networkOf'] | undefined,
): LateBy {
  const listed = new Map(
    ([({ name }) => name, ({ id }) => id] satisfies ((campaign: ListedCampaign) => Cell)[]).flatMap((textOf) =>
      campaigns.map((campaign) => [rawText(textOf(campaign)), campaign] as const),
    ),
  );
  const ofCampaign = (read: (campaign: ListedCampaign) => Cell) => (of: SoldOf) => {
    const campaign = listed.get(of.campaign);
    return campaign && (rawCell(read(campaign)) ?? undefined);
  };
  const network = (of: SoldOf) => {
    const campaign = listed.get(of.campaign);
    return byNetwork.readValue(of) ?? (campaign && networkOf?.(campaign, of.offer));
  };
  const byCut: Partial<Record<CutName, LateBy>> = {
    campaign: { dimension: 'campaign', readValue: ofCampaign(({ name }) => name) },
    page: { dimension: 'campaign', readValue: ofCampaign(({ name }) => name) },
    traffic_source: { dimension: 'traffic_source', readValue: ofCampaign(({ source }) => source) },
    offer: { dimension: 'offer', readValue: ({ offer }) => offer || undefined },
  };
  return byCut[cut] ?? { ...byNetwork, readValue: network };
}

export const partsOf = (row: Row): readonly Row[] => row.parts ?? [row];

/** The different values in a row and the rows it adds up. */
function valuesIn(row: Row, valueIn: (row: Row) => string | null | undefined): string[] {
  return [...new Set(partsOf(row).flatMap((part) => valueIn(part) ?? []))];
}

const networkColumn: Column<Row> = {
  name: 'Network',
  cell: (row) => valuesIn(row, ({ page }) => page?.network).join(', ') || null,
};
const campaignCount: Column<Row> = {
  name: 'Campaigns',
  cell: (row) => count(valuesIn(row, ({ campaign }) => rawText(campaign.id)).length),
};
const recordColumns = (noun: string): readonly Column<Row>[] => [
  { name: `${noun} ID`, cell: ({ page }) => page?.recordId ?? null },
  { name: noun, cell: nameOfPage },
];

export const cuts: Readonly<Record<CutName, Cut>> = {
  campaign: { kinds: [], columns: campaignColumns },
  traffic_source: { kinds: [], columns: [{ name: 'Traffic source', cell: sourceOf }], keyOf: sourceOf },
  offer: { kinds: ['offer'], columns: [...recordColumns('Offer'), networkColumn, campaignCount], keyOf: recordOf },
  landing_page: { kinds: ['landing'], columns: [...recordColumns('Landing page'), campaignCount], keyOf: recordOf },
  network: {
    kinds: ['offer'],
    columns: [
      { name: 'Network', cell: nameOfNetwork },
      { name: 'Offers', cell: (row) => count(valuesIn(row, recordOf).length) },
      campaignCount,
    ],
    keyOf: nameOfNetwork,
  },
  page: {
    kinds: ['landing', 'offer'],
    columns: [
      ...campaignColumnsOfPages.filter(({ name }) => name !== 'Traffic source'),
      { name: 'Page ID', cell: ({ page }) => page?.pageId || null },
      { name: 'Page', cell: nameOfPage },
      { name: 'Kind', cell: ({ page }) => page?.kind ?? null },
      networkColumn,
      { name: 'Group', cell: ({ page }) => (page ? groupName(page) : null) },
      { name: 'Share', cell: ({ page }) => count(page?.share ?? undefined) },
      { name: 'Traffic %', cell: ({ page }) => count(page?.percent ?? undefined) },
      { name: 'Page active', cell: ({ page }) => yesOrNo(page?.active) },
    ],
  },
};

/** `level 1, path 2`; null if the page has neither. In a campaign that links directly to offers, `landing pages and offers`. */
function groupName({ level, path, pool }: CampaignPage): string | null {
  if (pool !== undefined) return pool;
  const parts = Object.entries({ level, path }).flatMap(([word, number]) =>
    number === null ? [] : [`${word} ${number}`],
  );
  return parts.join(', ') || null;
}

export function addUp(rows: readonly Row[], { keyOf }: Cut): readonly Row[] {
  if (!keyOf) return rows;
  return [...groupBy(rows, (row) => JSON.stringify([keyOf(row), row.currency])).values()].flatMap((parts) => {
    const [first] = parts;
    if (!first) return [];
    const hasBefore = parts.some(({ before }) => before);
    const before = hasBefore ? addFigures(parts.map((part) => part.before ?? {})) : undefined;
    return [{ ...first, marks: [], now: addFigures(parts.map(({ now }) => now)), before, parts }];
  });
}

/** Whether a visit is in several of these rows: at its landing page and at its offer, or at each level. */
export function areVisitsCountedTwice(rows: readonly Row[]): boolean {
  const campaignOf = ({ tracker, campaign }: Row) => JSON.stringify([tracker, rawText(campaign.id)]);
  const byCampaign = groupBy(rows.flatMap(partsOf), campaignOf);
  return [...byCampaign.values()].some((parts) => {
    const pages = parts.flatMap(({ page }) => page ?? []);
    return new Set(pages.map(({ kind, level }) => (kind === 'offer' ? kind : `${kind} ${level}`))).size > 1;
  });
}

/** Whether the network of some offer is missing: many trackers' offer reports do not have it. */
export function isNetworkMissing({ pages }: CampaignFigures): boolean {
  return pages.some(({ kind, source }) => kind === 'offer' && source === null);
}

/**
 * A row for each page of a campaign, also for pages that had traffic only before.
 * @param networkOf finds the network of an offer that its report lacks
 */
export function rowsOfPages(
  campaign: ListedCampaign,
  { pages, pagesBefore }: CampaignFigures,
  networkOf: AccountLists['networkOf'] | undefined,
  pool: Pool,
): (Pick<Row, 'now' | 'before'> & { readonly page: CampaignPage })[] {
  const before = new Map(pagesBefore?.map((page) => [keyOfPage(page), page]));
  const present = new Set(pages.map(keyOfPage));
  const gone = [...before].flatMap(([key, page]) => (present.has(key) ? [] : [page]));
  // A page that is no longer reported may be out of the rotation, so it gets no part of the traffic.
  const groups = groupPages(pages, pool === 'one');
  const groupOf = new Map(groups.flatMap((group) => group.pages.map((page) => [page, group.pages] as const)));
  const all = [...pages, ...gone];
  const measured = all.flatMap((page) => Object.keys(figuresOfPage(page)));
  const zeros: Figures = Object.fromEntries(measured.map((measure) => [measure, 0]));
  const figuresOf = (page: MeasuredPage | undefined) => (page ? figuresOfPage(page) : zeros);
  const networkFor = (offer: Cell) => networkOf?.(campaign, rawCell(offer) ?? '') ?? null;
  return all.map((page) => {
    const group = groupOf.get(page);
    const percent = group ? trafficPercent(page, group) : null;
    return {
      page: {
        ...page,
        recordId: rawCell(page.recordId),
        network: rawCell(page.source) ?? (page.kind === 'offer' ? networkFor(page.name) : null),
        // Whatever a page competes with, none is none.
        percent: typeof pool === 'object' && percent !== 0 ? null : percent,
        pool: pool === 'one' ? groups[0]?.name : undefined,
      },
      now: figuresOf(group && page),
      before: pagesBefore && figuresOf(before.get(keyOfPage(page))),
    };
  });
}

function keyOfPage({ kind, pageId, name, level, path }: PlacedPage): string {
  return JSON.stringify(pageId === '' ? [kind, rawCell(name), level, path] : [kind, pageId]);
}

/** What the reports of pages do not have. */
export function pageNotes(
  rows: readonly Row[],
  areNetworksMissing: boolean,
  pools: ReadonlyMap<ListedCampaign, Pool>,
): Note[] {
  const unknown = rows.filter(({ page }) => page?.kind === 'offer' && page.network === null).length;
  const unsure = [...pools].flatMap(([campaign, why]) => (typeof why === 'object' ? [{ campaign, why }] : []));
  return [
    { code: 'pages-with-traffic' },
    ...[...groupBy(unsure, ({ why }) => JSON.stringify(why)).values()].map(
      (alike): Note => ({
        code: 'parts-unknown',
        why: at(alike, 0).why,
        campaigns: alike.map(({ campaign }) => namedCampaign(campaign)),
      }),
    ),
    ...(areNetworksMissing ? [{ code: 'networks-from-lists', unknown } as const] : []),
  ];
}
