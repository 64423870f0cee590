import { groupPages, type MeasuredPage, type PlacedPage, trafficPercent } from '../../analysis/page-rows.ts';
import { type Cell, rawCell } from '../../api/text/tracker-text.ts';
import type { ListedCampaign } from '../campaigns.ts';
import type { Figures } from '../past-figures.ts';
import { isDirectAndLanding } from '../rotation/campaign-pages.ts';
import type { AccountLists } from './account-lists.ts';
import type { PageOfCampaign, Row } from './cuts.ts';
import { figuresOfPage } from './figures.ts';

/** The pages of a campaign in the days that were asked for, and in those before; undefined if these were not. */
export interface PagesRead {
  readonly pages: readonly MeasuredPage[];
  readonly pagesBefore: readonly MeasuredPage[] | undefined;
}

/** The offer reports of many trackers do not say the network. */
export function lackNetworks({ pages }: PagesRead): boolean {
  return pages.some(({ kind, source }) => kind === 'offer' && source === null);
}

/**
 * The pages of a campaign with what they did; one that had traffic before alone is a row, too.
 * @param networkOf the network of an offer by its name, from elsewhere than the report
 */
export function rowsOfPages(
  campaign: ListedCampaign,
  { pages, pagesBefore }: PagesRead,
  networkOf: AccountLists['networkOf'] | undefined,
): (Pick<Row, 'now' | 'before'> & { readonly page: PageOfCampaign })[] {
  const before = new Map(pagesBefore?.map((page) => [keyOf(page), page]));
  const known = new Set(pages.map(keyOf));
  const gone = [...before].flatMap(([key, page]) => (known.has(key) ? [] : [page]));
  const all = [...pages, ...gone];
  // A page that is no longer reported may be out of the rotation: it takes no part of anyone's traffic.
  const groups = groupPages(pages, isDirectAndLanding(campaign));
  const groupOf = new Map(groups.flatMap((group) => group.pages.map((page) => [page, group.pages] as const)));
  const measured = all.flatMap((page) => Object.keys(figuresOfPage(page)));
  const nothing: Figures = Object.fromEntries(measured.map((measure) => [measure, 0]));
  const did = (page: MeasuredPage | undefined) => (page ? figuresOfPage(page) : nothing);
  const learn = (offer: Cell) => networkOf?.(campaign, rawCell(offer) ?? '') ?? null;
  return all.map((page) => ({
    page: {
      ...page,
      recordId: rawCell(page.recordId),
      network: rawCell(page.source) ?? (page.kind === 'offer' ? learn(page.name) : null),
      percent: groupOf.has(page) ? trafficPercent(page, groupOf.get(page) ?? []) : null,
    },
    now: did(groupOf.has(page) ? page : undefined),
    before: pagesBefore && did(before.get(keyOf(page))),
  }));
}

/** Tells the pages of a campaign apart. */
function keyOf({ kind, pageId, name, level, path }: PlacedPage): string {
  return JSON.stringify(pageId === '' ? [kind, rawCell(name), level, path] : [kind, pageId]);
}

/** What the reports of pages cannot say. */
export function pageNotices(rows: readonly Row[], areNetworksLearned: boolean): string[] {
  const unknown = rows.filter(({ page }) => page?.kind === 'offer' && page.network === null).length;
  const learned =
    'The offer reports do not say the network of every offer: it is what the lists of visitors and conversions of these days say';
  return [
    'Pages are those in the landing and offer reports of these days: a page without traffic then may be in no row.',
    ...(areNetworksLearned
      ? [unknown > 0 ? `${learned}; ${unknown} offer pages are in neither, and have none.` : `${learned}.`]
      : []),
  ];
}
