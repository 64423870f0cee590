import { type PageGroup, type PlacedPage, trafficPercent } from '../../analysis/placed-pages.ts';
import { maxNameLength } from '../../api/text/clean-text.ts';
import { shown as shownText } from '../../api/text/tracker-text.ts';
import { describePage } from './campaign-pages.ts';

/** What a page of a group gets before and after a change. */
export interface PageEffect {
  readonly page_id: string;
  readonly name: string | null;
  readonly kind: PlacedPage['kind'];
  readonly share_before: number | null;
  readonly share_after: number | null;
  /** The part of the group's traffic, in percent; null where shares are not known. */
  readonly percent_before: number | null;
  readonly percent_after: number | null;
}

/** What a change does to a group of pages, those that it does not name among them. */
export interface GroupEffect {
  readonly group: string;
  readonly pages: readonly PageEffect[];
}

/** The new values of some pages, by page ID. */
export type PageChanges = ReadonlyMap<string, { readonly share?: number; readonly active?: boolean }>;

/** What changes of shares, or of what is on, do to a group. */
export function effectOn(group: PageGroup, changes: PageChanges): GroupEffect {
  const after = group.pages.map((page) => {
    const change = changes.get(page.pageId);
    return { ...page, share: change?.share ?? page.share, active: change?.active ?? page.active };
  });
  return {
    group: group.name,
    pages: group.pages.map((page, index): PageEffect => {
      const next = after[index] ?? page;
      return {
        page_id: page.pageId,
        name: page.name === null ? null : shownText(page.name, maxNameLength),
        kind: page.kind,
        share_before: page.share,
        share_after: next.share,
        percent_before: trafficPercent(page, group.pages),
        percent_after: trafficPercent(next, after),
      };
    }),
  };
}

/** What a person should think about before a change of a group is sent. */
export function warningsOf(effect: GroupEffect, group: PageGroup, sharesOnePool: boolean): string[] {
  const running = effect.pages.filter(({ percent_after }) => percent_after !== 0);
  const named = (pageId: string) => {
    const page = group.pages.find((candidate) => candidate.pageId === pageId);
    return page ? describePage(page) : pageId;
  };
  const stopped = effect.pages.filter(
    ({ percent_before, percent_after }) => percent_before !== 0 && percent_after === 0,
  );
  const alone = effect.pages.find(
    ({ percent_before, percent_after }) => percent_before !== 100 && percent_after === 100,
  );
  return [
    ...(running.length === 0
      ? [`No page of the ${effect.group} would get traffic: the visitors of this group would have nowhere to go.`]
      : []),
    ...(alone && effect.pages.length > 1
      ? [`Page ${named(alone.page_id)} gets all traffic of the ${effect.group}.`]
      : []),
    ...(stopped.length > 0 && running.length > 0
      ? [`No traffic any more: ${nameSome(stopped.map(({ page_id }) => named(page_id)))}.`]
      : []),
    ...(group.pages.length === 1
      ? [`Page ${named(effect.pages[0]?.page_id ?? '')} is alone among the ${effect.group}: its share decides nothing.`]
      : []),
    ...(sharesOnePool ? ['Landing pages and offers of this campaign share one pool: a share takes from both.'] : []),
  ];
}

/** A sentence names so many pages. */
const maxNamed = 20;

export function nameSome(names: readonly string[]): string {
  const rest = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** An answer may have no room for all pages of a group: from so many on, those that change stand first. */
const manyPages = 50;

/** The pages of a group, in an order from whose end some can be left out. */
export function changedFirst(pages: readonly PageEffect[]): readonly PageEffect[] {
  if (pages.length <= manyPages) return pages;
  const isChanged = (page: PageEffect) =>
    page.share_before !== page.share_after || (page.percent_before === 0) !== (page.percent_after === 0);
  return [...pages.filter(isChanged), ...pages.filter((page) => !isChanged(page))];
}

/** `3 “FitTrack coaching” (offer): share 40 -> 25, 40% -> 30.8% of the traffic` */
export function describeEffect({ group, pages }: GroupEffect, all: PageGroup): string {
  const lines = changedFirst(pages).map((effect) => {
    const page = all.pages.find(({ pageId }) => pageId === effect.page_id);
    const share =
      effect.share_before === effect.share_after
        ? `share ${effect.share_before ?? 'unknown'}`
        : `share ${effect.share_before ?? 'unknown'} -> ${effect.share_after ?? 'unknown'}`;
    const percent =
      effect.percent_before === effect.percent_after
        ? `${shown(effect.percent_before)} of the traffic`
        : `${shown(effect.percent_before)} -> ${shown(effect.percent_after)} of the traffic`;
    return `- ${page ? describePage(page) : effect.page_id}: ${share}, ${percent}`;
  });
  return [`${group.charAt(0).toUpperCase()}${group.slice(1)}:`, ...lines].join('\n');
}

function shown(percent: number | null): string {
  return percent === null ? 'unknown' : `${percent}%`;
}
