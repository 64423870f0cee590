import type { PlacedPage } from '../../analysis/page-rows.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import type { ListedCampaign } from '../campaigns.ts';
import { addFigures, type Figures } from '../past-figures.ts';
import { campaignColumns, campaignColumnsAmongPages, yesOrNo } from './choose-campaigns.ts';
import { type Column, count } from './figures.ts';

/** A page of a campaign, and the part of its group's traffic that it gets. */
export interface PageOfCampaign extends Omit<PlacedPage, 'source'> {
  readonly recordId: string | null;
  /** Its offer source; null if nothing says it. */
  readonly network: string | null;
  readonly percent: number | null;
}

/** What a row of an overview is about, and what it did. */
export interface Row {
  readonly tracker?: string | undefined;
  readonly currency?: string | undefined;
  readonly campaign: Pick<ListedCampaign, 'id' | 'name' | 'source' | 'active'>;
  readonly page?: PageOfCampaign;
  readonly now: Figures;
  readonly before: Figures | undefined;
  /** The rows that it adds up. */
  readonly parts?: readonly Row[];
}

/** What an overview can have a row for each of. */
interface Cut {
  /** The pages that are read of each campaign; none if its own figures are enough. */
  readonly kinds: readonly PlacedPage['kind'][];
  readonly columns: readonly Column<Row>[];
  /** Adds the rows of one key up. */
  readonly keyOf?: (row: Row) => string;
}

export type CutName = 'campaign' | 'traffic_source' | 'offer' | 'landing_page' | 'network' | 'page';

const noneNamed = '(none named)';

const sourceOf = ({ campaign }: Row) => rawCell(campaign.source) ?? noneNamed;
const nameOfPage = ({ page }: Row) => rawCell(page?.name ?? null) ?? noneNamed;
const networkOf = ({ page }: Row) => page?.network ?? noneNamed;

const networkColumn: Column<Row> = {
  name: 'Network',
  cell: (row) => differentIn(row, ({ page }) => page?.network).join(', ') || null,
};
const campaignCount: Column<Row> = {
  name: 'Campaigns',
  cell: (row) => count(differentIn(row, ({ campaign }) => rawText(campaign.id)).length),
};

/** By the ID of the predefined record if the tracker gives it; else two offers of one name cannot be told apart. */
const recordOf = (row: Row) => row.page?.recordId ?? nameOfPage(row);
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
      { name: 'Network', cell: networkOf },
      { name: 'Offers', cell: (row) => count(differentIn(row, recordOf).length) },
      campaignCount,
    ],
    keyOf: networkOf,
  },
  page: {
    kinds: ['landing', 'offer'],
    columns: [
      ...campaignColumnsAmongPages.filter(({ name }) => name !== 'Traffic source'),
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

/** `level 1, path 2`; null if the page has neither. */
function groupName({ level, path }: PlacedPage | PageOfCampaign): string | null {
  const parts = Object.entries({ level, path }).flatMap(([word, number]) =>
    number === null ? [] : [`${word} ${number}`],
  );
  return parts.join(', ') || null;
}

/** What a row, or each of those it adds up, says of something. */
function differentIn(row: Row, saidBy: (row: Row) => string | null | undefined): string[] {
  return [...new Set((row.parts ?? [row]).flatMap((part) => saidBy(part) ?? []))];
}

/** The rows of a cut: those of one key are added up. */
export function addUp(rows: readonly Row[], { keyOf }: Cut): readonly Row[] {
  if (!keyOf) return rows;
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].map((parts) => ({
    ...parts[0],
    now: addFigures(parts.map(({ now }) => now)),
    before: parts.some(({ before }) => before) ? addFigures(parts.map(({ before }) => before ?? {})) : undefined,
    parts,
  }));
}

/** Whether a visit is in several of these rows: at its landing page and at its offer, or at each level. */
export function countVisitsTwice(rows: readonly Row[]): boolean {
  const pages = rows.flatMap((row) => (row.parts ?? [row]).flatMap(({ page }) => page ?? []));
  return new Set(pages.map(({ kind, level }) => (kind === 'offer' ? kind : `${kind} ${level}`))).size > 1;
}
