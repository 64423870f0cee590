import type { PageGroup, PlacedPage } from '../../analysis/page-rows.ts';
import { wholeShares } from '../../analysis/whole-shares.ts';
import type { Note } from '../../answer/notes.ts';
import { kindInWords, listPages } from '../../answer/write-notes.ts';
import { Failure } from '../../api/failure.ts';
import { describePage, namedPage } from './campaign-pages.ts';
import type { GroupEffect } from './page-effect.ts';

/** Max pages whose shares one call sets. */
export const maxShares = 50;

export interface AskedShare {
  readonly page: PlacedPage;
  readonly share: number;
}

/** A page and the percentage of its group's traffic that it is to get. */
export interface WishedPercentage {
  readonly page: PlacedPage;
  readonly percent: number;
}

/**
 * The shares of the named pages of a group, and of the others that change. Throws a Failure with the reason if no shares bring
 * about what is wished.
 */
export function sharesFor(group: PageGroup, wishes: readonly WishedPercentage[]): readonly AskedShare[] {
  const percentOf = new Map(wishes.map(({ page, percent }) => [page, percent] as const));
  const running = group.pages.filter(({ active }) => active !== false);
  const problem = whyNot(group, running, percentOf);
  if (problem) throw new Failure(`set_shares was not called: ${problem[0]}`, problem[1]);
  const shares = wholeShares(
    running.map((page) => ({ share: page.share, percent: percentOf.get(page) })),
    maxShares,
  );
  if (!shares) {
    throw new Failure(
      `set_shares was not called: the shares of more than ${maxShares} pages of the ${group.name} would change.`,
      'A call sets at most that many: set them in several calls, with share.',
    );
  }
  return running
    .map((page, index) => ({ page, share: shares[index] ?? 0 }))
    .filter(({ page, share }) => percentOf.has(page) || share !== page.share);
}

type Problem = readonly [what: string, next: string];

/** Why a wish cannot be met, and what to do instead. */
function whyNot(
  { name }: PageGroup,
  running: readonly PlacedPage[],
  percentOf: ReadonlyMap<PlacedPage, number>,
): Problem | undefined {
  const off = [...percentOf].filter(([page, percent]) => percent > 0 && !running.includes(page));
  if (off.length > 0) {
    const pages = listPages(off.map(([page]) => describePage(page)));
    return [`no share brings traffic to a page that is switched off: ${pages}.`, 'edit_campaign_page switches it on.'];
  }
  const others = running.filter((page) => !percentOf.has(page));
  const unknown = others.filter(({ share }) => share === null).map(describePage);
  if (unknown.length > 0) {
    return [
      `the others divide what is left by their shares, and the reports do not show the share of ${listPages(unknown)}.`,
      'Give percent for every page of the group, or share.',
    ];
  }
  const percents = [...percentOf.values()];
  const total = Number(percents.reduce((all, percent) => all + percent, 0).toFixed(6));
  const isAll = !others.some(({ share }) => share !== 0);
  const stopped =
    total < 100 ? undefined : others.find(({ kind, share }) => share !== 0 && !hasTraffic(kind, percentOf));
  if (stopped) {
    const kind = kindInWords(stopped.kind);
    return [
      `the named pages would get all traffic, so no ${kind} would get traffic any more.`,
      `Lower a percentage, or name each ${kind} with percent 0 if you want that.`,
    ];
  }
  if (isAll ? Math.abs(total - 100) < roundingOf(percents) : total <= 100) return undefined;
  if (!isAll || total > 100) {
    return [`the percentages for the ${name} sum to ${total}, which is over 100.`, 'Lower one of them.'];
  }
  if (others.length === 0) {
    return [
      `every page of the ${name} that is switched on has a percentage, and they sum to ${total}, not 100.`,
      'Together these pages get all traffic of the group, whatever their shares.',
    ];
  }
  return [
    `the other pages of the ${name} have share 0 and keep it, so the named ones get all traffic, not ${total}%.`,
    'Name a page that is to get the rest, too.',
  ];
}

const hasTraffic = (kind: PlacedPage['kind'], percentOf: ReadonlyMap<PlacedPage, number>) =>
  [...percentOf].some(([page, percent]) => page.kind === kind && percent > 0);

/** What percentages can miss 100 by, if each was rounded to its last digit, or to the one decimal that answers show. */
function roundingOf(percents: readonly number[]): number {
  const units = percents.map((percent) => Math.max(10 ** -(String(percent).split('.')[1]?.length ?? 0), 0.1));
  return units.reduce((all, unit) => all + unit / 2, 0);
}

/** Where whole shares do not reach what is wished. */
export function missedNotes(wishes: readonly WishedPercentage[], effects: readonly GroupEffect[]): readonly Note[] {
  const reached = new Map(
    effects.flatMap(({ pages }) => pages.map(({ page, after }) => [page.pageId, after.percent] as const)),
  );
  return wishes.flatMap(({ page, percent }): Note[] => {
    const part = reached.get(page.pageId);
    if (part === null || part === undefined || part === Math.round(percent * 10) / 10) return [];
    return [{ code: 'percent-missed', page: namedPage(page), percent: part, wished: percent }];
  });
}
