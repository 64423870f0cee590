import { groupPages, type PageGroup, type PlacedPage, trafficPercent } from '../../analysis/page-rows.ts';
import type { Note } from '../../answer/notes.ts';
import type { Part } from '../../answer/write-notes.ts';
import { fromTracker } from '../../api/text/tracker-text.ts';
import type { WriteRequest } from '../../guard/write.ts';
import type { Given } from '../define-tool.ts';
import { argumentsOf, type CampaignPages, kindAdded, namedPage } from './campaign-pages.ts';
import { lackNotes, withLacks } from './gaining-pages.ts';
import type { GroupEffect, PageEffect } from './page-effect.ts';

/** A page before and after the requests; before is undefined for a page that they add. */
interface PageChange {
  readonly before: PlacedPage | undefined;
  readonly after: PlacedPage;
}

/** The ID of a page that the tracker has not added yet. */
export const newPageId = 'new';

const places = ['level', 'path'] as const;

/** Whether an edit changes how traffic is split. */
export function changesTraffic(given: Given): boolean {
  return ['share', 'active', ...places].some((name) => given[name] !== undefined);
}

/** What requests to a campaign do to each group that has a page they change, add, or move in or out. */
export function effectsOf(requests: readonly WriteRequest[], campaign: CampaignPages): readonly GroupEffect[] {
  const { pages, pool } = campaign;
  const isOnePool = pool === 'one';
  const edits = requests.filter((request) => !isAddition(request)).map((request) => argumentsOf(request.arguments));
  const changes: readonly PageChange[] = [
    ...pages.map((page) => ({ before: page, after: edits.reduce(applyEdit, page) })),
    ...requests.filter(isAddition).map((request) => ({ before: undefined, after: addedPage(request, pages) })),
  ];
  const isUncertain = requests.some((request) => uncertainPlace(request, campaign) !== undefined);
  const unknown = typeof pool === 'object' ? (['before', 'after'] as const) : isUncertain ? (['after'] as const) : [];
  const groupsBefore = groupPages(pages, isOnePool);
  const groupsAfter = groupPages(
    changes.map(({ after }) => after),
    isOnePool,
  );
  const names = new Set([...groupsBefore, ...groupsAfter].map(({ name }) => name));
  const effects = [...names].map((name) => {
    const [before, after] = [groupsBefore, groupsAfter].map((groups) => pagesOf(name, groups));
    return effectOnGroup(name, changes, before ?? [], after ?? []);
  });
  const touched = new Set(changes.filter(({ before, after }) => before !== after).map(({ after }) => after));
  return effects
    .filter((effect) => effect.pages.some(({ page }) => touched.has(page)))
    .map((effect) => withoutPercentages(effect, unknown));
}

function pagesOf(name: string, groups: readonly PageGroup[]): readonly PlacedPage[] {
  return groups.find((group) => group.name === name)?.pages ?? [];
}

function effectOnGroup(
  group: string,
  changes: readonly PageChange[],
  pagesBefore: readonly PlacedPage[],
  pagesAfter: readonly PlacedPage[],
): GroupEffect {
  const partOf = (page: PlacedPage, pages: readonly PlacedPage[]): Part => ({
    share: page.share,
    percent: trafficPercent(page, pages),
  });
  const absent: Part = { share: 0, percent: 0 };
  const pages = changes.flatMap(({ before, after }) => {
    const wasIn = before !== undefined && pagesBefore.includes(before);
    const isIn = pagesAfter.includes(after);
    if (!wasIn && !isIn) return [];
    const joins = before && !wasIn ? ('joins' as const) : undefined;
    return {
      page: after,
      before: wasIn ? partOf(before, pagesBefore) : absent,
      after: isIn ? partOf(after, pagesAfter) : absent,
      move: isIn ? joins : ('leaves' as const),
    };
  });
  return { group, pages };
}

/** Whatever a page competes with, none is none. */
function withoutPercentages({ group, pages }: GroupEffect, sides: readonly ('before' | 'after')[]): GroupEffect {
  const withoutPart = (page: PageEffect) =>
    sides.map((side) => [side, { ...page[side], percent: page[side].percent === 0 ? 0 : null }] as const);
  return { group, pages: pages.map((page) => ({ ...page, ...Object.fromEntries(withoutPart(page)) })) };
}

function isAddition({ endpoint }: WriteRequest): boolean {
  return endpoint.access === 'create';
}

/** The page after an edit, which is the same object if the edit is not about it. */
function applyEdit(page: PlacedPage, edit: ReturnType<typeof argumentsOf>): PlacedPage {
  if (String(edit.page_id) !== page.pageId) return page;
  const { share = page.share, active = page.active, level, path } = edit;
  // A page whose place is not shown cannot be put into a different group.
  const place = {
    level: page.level === null ? null : (level ?? page.level),
    path: page.path === null ? null : (path ?? page.path),
  };
  return { ...page, ...place, share, active };
}

/** The page that a request adds. Without a path or level it joins the others of its kind. */
function addedPage(request: WriteRequest, pages: readonly PlacedPage[]): PlacedPage {
  const given = argumentsOf(request.arguments);
  const { offer_id: offer, landing_page_id: landingPage, share = null, active = true } = given;
  const kind = kindAdded(request);
  const placeOf = (name: (typeof places)[number]) => {
    const [first = null, ...others] = placesOf(kind, name, pages);
    return given[name] ?? (others.length === 0 ? first : null);
  };
  const existing = offer ?? landingPage;
  const name = given.name ?? (existing === undefined ? undefined : `ID ${existing}`);
  return {
    kind,
    pageId: newPageId,
    name: name === undefined ? null : fromTracker(name),
    url: null,
    source: null,
    active,
    share,
    level: placeOf('level'),
    path: placeOf('path'),
    payout: null,
  };
}

/** The levels or paths of the pages of a kind; null if a page does not show it. */
function placesOf(
  kind: PlacedPage['kind'] | undefined,
  name: (typeof places)[number],
  pages: readonly PlacedPage[],
): ReadonlySet<number | null> {
  return new Set(pages.filter((page) => page.kind === kind).map((page) => page[name]));
}

/** Why it is not known in which group a request puts its page; undefined if it is known. */
function uncertainPlace(request: WriteRequest, { pages, pool }: CampaignPages): Note | undefined {
  if (pool === 'one') return undefined;
  const given = argumentsOf(request.arguments);
  const edited = pages.find(({ pageId }) => pageId === String(given.page_id));
  const kind = isAddition(request) ? kindAdded(request) : edited?.kind;
  for (const name of places) {
    const all = placesOf(kind, name, pages);
    if (given[name] !== undefined && all.has(null)) {
      return { code: 'effect-unknown', why: { because: 'not shown', place: name } };
    }
    if (given[name] === undefined && isAddition(request) && all.size > 1) {
      return { code: 'effect-unknown', why: { because: 'several', place: name } };
    }
  }
  return undefined;
}

/** What requests to a campaign do to its traffic, as data and as a note for each line, and warnings for the person who decides. */
export function explainRequests(requests: readonly WriteRequest[], campaign: CampaignPages) {
  const { pool } = campaign;
  const effects = effectsOf(requests, campaign).map((effect) => withLacks(effect, campaign));
  const isUnknown = typeof pool === 'object' && effects.length > 0;
  return {
    effects,
    effect: effects.flatMap(effectNotes),
    warnings: [
      ...(isUnknown ? [{ code: 'effect-unknown', why: pool } as const] : []),
      ...requests.flatMap((request) => uncertainPlace(request, campaign) ?? []),
      ...effects.flatMap((effect) => warningsOf(effect, pool === 'one')),
    ],
  };
}

function warningsOf({ group, pages }: GroupEffect, isOnePool: boolean): Note[] {
  const hasTraffic = pages.some(({ after }) => after.percent !== 0);
  const stopped = pages.filter(
    ({ before, after, move }) => move !== 'leaves' && before.percent !== 0 && after.percent === 0,
  );
  const getsAll = pages.find(({ before, after }) => before.percent !== 100 && after.percent === 100);
  const [only, ...others] = pages;
  const isAlone = only?.after.percent === 100 && others.length === 0;
  const all: (Note | false | undefined)[] = [
    !hasTraffic && { code: 'no-traffic', group },
    getsAll && others.length > 0 && { code: 'gets-all-traffic', group, page: namedPage(getsAll.page) },
    stopped.length > 0 && hasTraffic && { code: 'traffic-stops', pages: stopped.map(({ page }) => namedPage(page)) },
    isAlone && { code: 'alone', group, page: namedPage(only.page) },
    ...pages.flatMap(lackNotes),
    isOnePool && { code: 'one-pool' },
  ];
  return all.filter((note) => note !== false && note !== undefined);
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

export const effectNotes = ({ group, pages }: GroupEffect): Note[] => [
  { code: 'in-group', group },
  ...changedFirst(pages).map(
    ({ page, before, after, move }): Note => ({
      ...{ code: 'page-effect', page: namedPage(page), before, after, move },
    }),
  ),
];
