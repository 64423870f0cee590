import { groupPages, type PageGroup, type PlacedPage, trafficPercent } from '../../analysis/page-rows.ts';
import type { Endpoint } from '../../api/endpoints.ts';
import { joinSome } from '../../api/rules.ts';
import { fromTracker } from '../../api/text/tracker-text.ts';
import type { Given } from '../define-tool.ts';
import { argumentsOf, describePage } from './campaign-pages.ts';

/** The share of a page, and with it the part of the group's traffic in percent; null if it is not known. */
type Part = Pick<PlacedPage, 'share'> & { readonly percent: number | null };

/** What a page of a group gets before and after a change. */
export interface PageEffect {
  readonly page: PlacedPage;
  readonly before: Part;
  readonly after: Part;
}

/** What a change does to all pages of a group. */
export interface GroupEffect {
  readonly group: string;
  readonly pages: readonly PageEffect[];
}

/** The new values of some pages, by page ID. */
export type PageChanges = ReadonlyMap<
  string,
  { readonly share?: number | undefined; readonly active?: boolean | undefined }
>;

function partOf(page: PlacedPage, pages: readonly PlacedPage[]): Part {
  return { share: page.share, percent: trafficPercent(page, pages) };
}

/** What changes of shares, or of what is on, do to a group. */
export function effectOn({ name, pages }: PageGroup, changes: PageChanges): GroupEffect {
  const moved = pages.map((page) => {
    const { share = page.share, active = page.active } = changes.get(page.pageId) ?? {};
    return { page, next: { ...page, share, active } };
  });
  const after = moved.map(({ next }) => next);
  return {
    group: name,
    pages: moved.map(({ page, next }) => ({ page, before: partOf(page, pages), after: partOf(next, after) })),
  };
}

/** The page that a write adds. Without a path or level of its own it joins the others of its kind. */
export function addedBy({ parameters }: Endpoint, given: Given, pages: readonly PlacedPage[]): PlacedPage {
  const { offer_id: offer, landing_page_id: landingPage, share = null, active = true, ...about } = argumentsOf(given);
  const kind = 'offer_id' in parameters ? 'offer' : 'landing';
  const placeOf = (name: 'level' | 'path') => {
    const [known = null, ...others] = new Set(pages.filter((page) => page.kind === kind).map((page) => page[name]));
    return about[name] ?? (others.length === 0 ? known : null);
  };
  const existing = offer ?? landingPage;
  const name = about.name ?? (existing === undefined ? undefined : `ID ${existing}`);
  return {
    ...{ kind, pageId: 'new', name: name === undefined ? null : fromTracker(name), url: null, source: null },
    ...{ active, share, level: placeOf('level'), path: placeOf('path'), payout: null },
  };
}

/** What the group of an added page gets. */
export function effectOfAdding(added: PlacedPage, pages: readonly PlacedPage[], sharesOnePool: boolean): GroupEffect {
  const groups = groupPages([...pages, added], sharesOnePool);
  const { name, pages: all } = groups.find((group) => group.pages.includes(added)) ?? { name: 'pages', pages: [added] };
  const others = all.filter((page) => page !== added);
  return {
    group: name,
    pages: all.map((page) => ({
      page,
      before: page === added ? { share: 0, percent: 0 } : partOf(page, others),
      after: partOf(page, all),
    })),
  };
}

/** What a person should think about before a change of a group is sent. */
export function warningsOf({ group, pages }: GroupEffect, sharesOnePool: boolean): string[] {
  const runs = pages.some(({ after }) => after.percent !== 0);
  const stopped = pages.filter(({ before, after }) => before.percent !== 0 && after.percent === 0);
  const alone = pages.find(({ before, after }) => before.percent !== 100 && after.percent === 100);
  const [only, ...others] = pages;
  return [
    ...(runs
      ? []
      : [`No page of the ${group} would get traffic: the visitors of this group would have nowhere to go.`]),
    ...(alone && others.length > 0 ? [`Page ${describePage(alone.page)} gets all traffic of the ${group}.`] : []),
    ...(stopped.length > 0 && runs
      ? [`No traffic any more: ${nameSome(stopped.map(({ page }) => describePage(page)))}.`]
      : []),
    ...(only && others.length === 0
      ? [`Page ${describePage(only.page)} is alone among the ${group}: its share decides nothing.`]
      : []),
    ...(sharesOnePool ? ['Landing pages and offers of this campaign share one pool: a share takes from both.'] : []),
  ];
}

/** A sentence names so many pages. */
const maxNamed = 20;

export function nameSome(names: readonly string[]): string {
  return joinSome(names, maxNamed);
}

/** An answer may have no room for all pages of a group: from so many on, those that change stand first. */
const manyPages = 50;

/** The pages of a group, in an order from whose end some can be left out. */
export function changedFirst(pages: readonly PageEffect[]): readonly PageEffect[] {
  if (pages.length <= manyPages) return pages;
  const isChanged = ({ before, after }: PageEffect) =>
    before.share !== after.share || (before.percent === 0) !== (after.percent === 0);
  return [...pages.filter(isChanged), ...pages.filter((page) => !isChanged(page))];
}

/** The group, and a line a page: `3 “FitTrack coaching” (offer): share 40 -> 25, 40% -> 30.8% of the traffic` */
export function describeEffect({ group, pages }: GroupEffect): string[] {
  const lines = changedFirst(pages).map(({ page, before, after }) => {
    const share = move(before.share ?? 'unknown', after.share ?? 'unknown');
    return `- ${describePage(page)}: share ${share}, ${move(percentOf(before), percentOf(after))} of the traffic`;
  });
  return [`${group.charAt(0).toUpperCase()}${group.slice(1)}:`, ...lines];
}

function move(before: string | number, after: string | number): string {
  return before === after ? `${before}` : `${before} -> ${after}`;
}

function percentOf({ percent }: Part): string {
  return percent === null ? 'unknown' : `${percent}%`;
}
