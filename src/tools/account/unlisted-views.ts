import type { Note } from '../../answer/notes.ts';
import type { NamedCampaign } from '../../answer/visit-notes.ts';
import { optional } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { isOver } from '../period.ts';
import { keptCampaignReport, readCampaignReport } from './figures.ts';
import type { Span } from './read-visits.ts';

/** The visits of a campaign in the list of visitors. */
export interface ListedVisits {
  readonly id: string;
  /** The campaign; undefined if it is the only one. */
  readonly campaign: NamedCampaign | undefined;
  readonly span: Span;
  readonly count: number;
}

/** A list with fewer of the views of the report lacks visits. */
const minPart = 0.95;

/** So many views may be missing by chance: a visit at midnight, a report that is a minute older. */
const minMissing = 20;

/**
 * Compares the visits of lists with the views of campaign reports, as far as these are cached, for days that are over.
 * @param asks whether the reports of a campaign that are not cached are read
 */
export async function findUnlistedViews(
  listed: readonly ListedVisits[],
  context: CallContext,
  asks: (id: string) => boolean = () => false,
): Promise<readonly Note[]> {
  const compared = await Promise.all(
    listed.map(async ({ id, campaign, span, count }) => {
      const days = { start_date: span.start, end_date: span.end };
      if (!isOver(span.end, {}, context)) return [];
      const report = asks(id)
        ? await optional(() => readCampaignReport(id, days, context), context)
        : await keptCampaignReport(id, days, context);
      const views = report?.figures.views ?? 0;
      return views - count >= minMissing && count < views * minPart ? [{ campaign, count, views }] : [];
    }),
  );
  const lacking = compared.flat();
  const sum = (key: 'count' | 'views') => lacking.reduce((total, one) => total + one[key], 0);
  const campaigns = [
    ...new Map(lacking.flatMap(({ campaign }) => (campaign ? [[campaign.id, campaign]] : []))).values(),
  ];
  if (lacking.length === 0) return [];
  return [{ code: 'unlisted-views', listed: sum('count'), reported: sum('views'), campaigns }];
}
