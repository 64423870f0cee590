import pMap from 'p-map';
import type { PageReport, PageRow } from '../../analysis/page-rows.ts';
import { sum } from '../../analysis/statistics/history.ts';
import { isSplitAnew } from '../../analysis/statistics/moved-shares.ts';
import type { Span } from '../account/read-visits.ts';
import { maxAtOnce } from '../asking.ts';
import { type Groups, groupsToCompare } from '../page-reports.ts';
import { shiftDays } from '../period.ts';
import { inTime, type PageQuestion, readReport } from './read-pages.ts';

/** The spans beyond the usual one that a comparison without dates chooses from, in days. */
const longer = [21, 30, 45, 60] as const;

/** So many conversions decide all but tiny leads, and their list is long. */
const maxConversions = 2000;

/**
 * The longest span up to a day over which the pages of a group had the traffic that their shares give them: neither shares nor pages
 * changed in it by enough to matter. It is chosen by views alone, so it favours no page.
 *
 * @param usual the span if no longer one is steady
 * @param choose the group to compare
 * @returns its first day, YYYY-MM-DD, and the report, which is undefined if the tracker returns none
 */
export async function readSteadyDays(
  question: PageQuestion,
  usual: Span,
  choose: (groups: Groups) => Groups[number] | undefined,
): Promise<{ readonly start: string; readonly report: PageReport | undefined }> {
  const { end } = usual;
  const read = async (start: string, bounded: PageQuestion) => {
    const report = await readReport(bounded, { start, end });
    const [, pages] = choose(groupsToCompare(report?.rows ?? [])) ?? [];
    return { start, report, pages, views: viewsIn(pages) };
  };
  const shortest = await read(usual.start, question);
  if (!shortest.pages) return shortest;
  const others = await pMap(
    longer,
    (length) => inTime(question, (bounded) => read(shiftDays(end, 1 - length), bounded)),
    { concurrency: maxAtOnce },
  );
  const spans = [shortest, ...others.flatMap((span) => span ?? [])];
  const longest = spans.findLast(({ pages }) => pages && isSteady(pages)) ?? shortest;
  // Days ahead of the first visit would only thin out the traffic of a day.
  return spans.find(({ views }) => views === longest.views) ?? longest;
}

const viewsIn = (pages: readonly PageRow[] | undefined) => sum((pages ?? []).map(({ views }) => views));

function isSteady(pages: readonly PageRow[]): boolean {
  const shares = pages.map(({ share }) => share);
  return (
    shares.every((share) => share !== null) &&
    sum(pages.map(({ conversions }) => conversions)) <= maxConversions &&
    !isSplitAnew(
      pages.map(({ views }) => views),
      shares,
      'shares',
    )
  );
}
