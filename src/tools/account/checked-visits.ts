import { mapCoded, rowsThat, valueAt } from '../../analysis/coded.ts';
import type { Failure } from '../../api/failure.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { attempt } from '../asking.ts';
import type { ListedCampaign, Visited } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { shiftDays } from '../period.ts';
import { readAccountVisits, type VisitList } from './account-visits.ts';
import type { Span } from './read-visits.ts';
import { readVisitsOf, Turns, type VisitsOfCampaigns } from './visits-by-campaign.ts';

/** So few campaigns are read by themselves. So many days before the asked ones show what the others do. */
const [maxApart, usualDays] = [4, 2];

/** The visits that tracking is judged by. */
export interface TrackedRead extends VisitsOfCampaigns {
  /** If only some campaigns were read whole: what shows the others on some days, which may have failed. */
  readonly others?: {
    readonly lists: readonly VisitList[];
    readonly span: Span;
    /** The part of the account that the campaigns are that were read whole, 0 to 1: by these visits, and at least by their number. */
    readonly part: number;
    readonly failure: Failure | undefined;
  };
}

/**
 * Reads the visits of some campaigns over some days; of the others only what shows what is usual.
 * @throws Failure if those of the asked campaigns cannot be read
 */
export async function readVisitsToCheck(
  asked: readonly ListedCampaign[],
  listed: readonly ListedCampaign[],
  days: Readonly<Record<'read' | 'first' | 'last', string>>,
  context: CallContext,
): Promise<TrackedRead> {
  const span = { start: days.read, end: days.last };
  const ofAccount = { listing: Promise.resolve(listed), needsCampaigns: true, needsSales: false };
  const turns = new Turns({ first: asked.map(({ id }) => rawText(id)) });
  if (asked.length === listed.length || asked.length > maxApart)
    return readAccountVisits({ ...ofAccount, span, turns }, context);
  const usual = { start: shiftDays(days.first, -usualDays), end: shiftDays(days.first, -1) };
  const deadline = performance.now() + context.client.leftMs / 2;
  const [{ answer, failure }, own] = await Promise.all([
    attempt(
      () =>
        readAccountVisits(
          { ...ofAccount, span: usual, takesSample: true, deadline },
          { ...context, onProgress: undefined },
        ),
      context,
    ),
    readVisitsOf(asked, span, context),
  ]);
  const isAsked = ({ listed: one }: Visited) => one !== undefined && asked.includes(one);
  const others = (answer?.lists ?? []).map(({ visited: all, ...list }) => ({
    ...list,
    visited: mapCoded(all, (one) => (isAsked(one) ? { ...one, listed: undefined } : one)),
  }));
  return {
    ...own,
    lists: [...others, ...own.lists],
    others: {
      ...{ lists: others, span: usual, failure },
      // One that has no visits any more is a part as well.
      part: Math.max(partOf(answer?.lists ?? [], isAsked), asked.length / listed.length),
    },
  };
}

function partOf(lists: readonly VisitList[], isMeant: (visited: Visited) => boolean): number {
  let [meant, all] = [0, 0];
  for (const { table, visited } of lists) {
    const areMeant = mapCoded(visited, isMeant);
    meant += rowsThat(table.rowCount, (row) => valueAt(areMeant, row) === true).length;
    all += table.rowCount;
  }
  return meant / Math.max(all, 1);
}
