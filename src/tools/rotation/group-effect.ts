import { groupPages, type PageGroup, type PlacedPage, trafficPercent } from '../../analysis/page-rows.ts';
import { joinSome } from '../../api/rules.ts';
import { fromTracker } from '../../api/text/tracker-text.ts';
import type { WriteRequest } from '../../guard/write.ts';
import { argumentsOf, type CampaignPages, describePage } from './campaign-pages.ts';

/** The share of a page, and the percentage of the group's traffic that it gets; null if unknown. */
type Part = Pick<PlacedPage, 'share'> & { readonly percent: number | null };

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

/** @param after the same pages in the same order, then the pages that are added */
function compare(group: string, before: readonly PlacedPage[], after: readonly PlacedPage[]): GroupEffect {
  const partOf = (page: PlacedPage | undefined, pages: readonly PlacedPage[]): Part =>
    page ? { share: page.share, percent: trafficPercent(page, pages) } : { share: 0, percent: 0 };
  return {
    group,
    pages: after.map((page, index) => ({ page, before: partOf(before[index], before), after: partOf(page, after) })),
  };
}

/** The effect of new shares, or of switching pages on or off, on a group. */
export function effectOn({ name, pages }: PageGroup, changes: PageChanges): GroupEffect {
  const after = pages.map((page) => {
    const { share = page.share, active = page.active } = changes.get(page.pageId) ?? {};
    return { ...page, share, active };
  });
  return compare(name, pages, after);
}

/** The page that a request adds, and the effect on its group. Without a path or level it joins the others of its kind. */
export function effectOfAdding(
  { endpoint, arguments: given }: WriteRequest,
  { pages, sharesOnePool }: CampaignPages,
): { readonly page: PlacedPage; readonly effect: GroupEffect } {
  const { offer_id: offer, landing_page_id: landingPage, share = null, active = true, ...about } = argumentsOf(given);
  const kind = 'offer_id' in endpoint.parameters ? 'offer' : 'landing';
  const levelOrPath = (name: 'level' | 'path') => {
    const [first = null, ...others] = new Set(pages.filter((page) => page.kind === kind).map((page) => page[name]));
    return about[name] ?? (others.length === 0 ? first : null);
  };
  const existing = offer ?? landingPage;
  const name = about.name ?? (existing === undefined ? undefined : `ID ${existing}`);
  const page: PlacedPage = {
    kind,
    pageId: 'new',
    name: name === undefined ? null : fromTracker(name),
    url: null,
    source: null,
    active,
    share,
    level: levelOrPath('level'),
    path: levelOrPath('path'),
    payout: null,
  };
  const group = groupPages([...pages, page], sharesOnePool).find((candidate) => candidate.pages.includes(page));
  const after = group?.pages ?? [page];
  return { page, effect: compare(group?.name ?? 'pages', after.slice(0, -1), after) };
}

/** The same for all groups of a campaign that have changed pages, in lines. */
export function explainEdits({ groups, sharesOnePool }: CampaignPages, changes: PageChanges) {
  const changed = groups.filter(({ pages }) => pages.some(({ pageId }) => changes.has(pageId)));
  const effects = changed.map((group) => effectOn(group, changes));
  return explainEffects(effects, sharesOnePool);
}

/** The effects in lines, and what a person should consider before they agree. */
export function explainEffects(effects: readonly GroupEffect[], sharesOnePool: boolean) {
  return {
    effect: effects.flatMap(describeEffect),
    warnings: effects.flatMap((effect) => warningsOf(effect, sharesOnePool)),
  };
}

function warningsOf({ group, pages }: GroupEffect, sharesOnePool: boolean): string[] {
  const hasTraffic = pages.some(({ after }) => after.percent !== 0);
  const stopped = pages.filter(({ before, after }) => before.percent !== 0 && after.percent === 0);
  const getsAll = pages.find(({ before, after }) => before.percent !== 100 && after.percent === 100);
  const [only, ...others] = pages;
  return [
    ...(hasTraffic
      ? []
      : [`No page of the ${group} would get traffic: the visitors of this group would have nowhere to go.`]),
    ...(getsAll && others.length > 0 ? [`Page ${describePage(getsAll.page)} gets all traffic of the ${group}.`] : []),
    ...(stopped.length > 0 && hasTraffic
      ? [`No traffic any more: ${listPages(stopped.map(({ page }) => describePage(page)))}.`]
      : []),
    ...(only && others.length === 0
      ? [`Page ${describePage(only.page)} is alone among the ${group}: its share has no effect.`]
      : []),
    ...(sharesOnePool ? ['Landing pages and offers of this campaign share one pool: a share takes from both.'] : []),
  ];
}

/** Max names in a sentence. */
const maxNamed = 20;

export function listPages(names: readonly string[]): string {
  return joinSome(names, maxNamed);
}

/** From this size on an answer may have no room for the whole group, so the pages that change come first. */
const manyPages = 50;

/** The pages of a group, the least important last. */
export function changedFirst(pages: readonly PageEffect[]): readonly PageEffect[] {
  if (pages.length <= manyPages) return pages;
  const isChanged = ({ before, after }: PageEffect) =>
    before.share !== after.share || (before.percent === 0) !== (after.percent === 0);
  return [...pages.filter(isChanged), ...pages.filter((page) => !isChanged(page))];
}

/** The group, then a line for each page: `3 “FitTrack” (offer): share 40 -> 25, 40% -> 30.8% of the traffic` */
export function describeEffect({ group, pages }: GroupEffect): string[] {
  const lines = changedFirst(pages).map(({ page, before, after }) => {
    const share = arrow(before.share ?? 'unknown', after.share ?? 'unknown');
    return `- ${describePage(page)}: share ${share}, ${arrow(percentOf(before), percentOf(after))} of the traffic`;
  });
  return [`${group.charAt(0).toUpperCase()}${group.slice(1)}:`, ...lines];
}

function arrow(before: string | number, after: string | number): string {
  return before === after ? `${before}` : `${before} -> ${after}`;
}

function percentOf({ percent }: Part): string {
  return percent === null ? 'unknown' : `${percent}%`;
}
