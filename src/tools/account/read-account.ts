import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { fromTracker, rawCell, rawText } from '../../api/text/tracker-text.ts';
import { askMany, type Outcome } from '../asking/ask-many.ts';
import { type ListedCampaign, listCampaigns, nameCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { type Figures, pastKeptForMs } from '../past-figures.ts';
import { type Days, lengthInDays, type Period, settleDays, shiftDays } from '../period.ts';
import { addFigures, readCampaignFigures } from './campaign-figures.ts';
import type { Row } from './overview-columns.ts';

/** What an account is asked about. */
export type AccountQuestion = Days & {
  readonly by: 'campaign' | 'traffic_source';
  readonly period?: Period | undefined;
  readonly compare_to: 'previous' | 'none';
  readonly status: 'all' | 'active' | 'inactive';
  readonly campaign_ids?: readonly number[] | undefined;
};

export const usualPeriod: Period = 'last_7_days';

/** What one tracker says of its account. */
export interface Account<Question extends AccountQuestion> {
  /** The question with the days that it came to in the zone of the tracker. */
  readonly query: Question;
  readonly rows: readonly Row[];
  readonly notices: readonly string[];
}

/**
 * Reads what every campaign of a tracker did. A campaign that cannot be read is named.
 *
 * @throws Failure where the days contradict each other, or none can be read
 */
export async function readAccount<Question extends AccountQuestion>(
  given: Question,
  context: CallContext,
): Promise<Account<Question>> {
  const { query, start, end } = settleDays('get_overview', given, usualPeriod, context);
  const zone = given.timezone;
  const now = { start_date: start, end_date: end, timezone: zone };
  const length = lengthInDays(start, end);
  const before = { start_date: shiftDays(start, -length), end_date: shiftDays(start, -1), timezone: zone };
  const spans = given.compare_to === 'previous' ? [now, before] : [now];

  const campaigns = await chooseCampaigns(given.status, given.campaign_ids, context);
  const questions = spans.flatMap((days) => campaigns.map((campaign) => ({ campaign, days })));
  const outcomes = await askMany(
    questions,
    ({ campaign, days }) => readCampaignFigures(rawText(campaign.id), days, context),
    context,
    'reports read',
  );
  const results = campaigns.map((campaign, index) => ({
    campaign,
    now: outcomes[index],
    before: outcomes[index + campaigns.length],
  }));
  const { trackerName: tracker, currency } = context;
  const read = results.flatMap(({ campaign, now, before }): Row[] =>
    now?.kind === 'answer' && (before === undefined || before.kind === 'answer')
      ? [{ tracker, currency, campaign, now: now.value, before: before?.value }]
      : [],
  );
  const [failure] = outcomes.flatMap((outcome) => (outcome.kind === 'failure' ? [outcome.failure] : []));
  if (read.length === 0 && failure) throw failure;
  return {
    query,
    rows: given.by === 'campaign' ? read : bySource(read),
    notices: [
      ...(campaigns.length === 0
        ? [`The tracker lists no campaigns${given.status === 'all' ? '' : ` that are ${given.status}`}.`]
        : []),
      ...(given.compare_to === 'previous' ? [`Before: ${before.start_date} to ${before.end_date}.`] : []),
      ...unreadNotices(results),
    ],
  };
}

/** That many campaigns that failed are told with their reason. */
const maxNamed = 5;

/** Campaigns that share a traffic source, as one row. */
function bySource(rows: readonly Row[]): Row[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const source = rawCell(row.campaign.source) ?? '(none named)';
    groups.set(source, [...(groups.get(source) ?? []), row]);
  }
  return [...groups].map(([source, group]) => ({
    tracker: group[0]?.tracker,
    currency: group[0]?.currency,
    campaign: { id: fromTracker(''), name: fromTracker(''), source: fromTracker(source), active: undefined },
    now: addFigures(group.map(({ now }) => now)),
    before: group.some(({ before }) => before) ? addFigures(group.map(({ before }) => before ?? {})) : undefined,
  }));
}

/** The campaigns that are asked for, by the tracker's own list. */
async function chooseCampaigns(
  status: 'all' | 'active' | 'inactive',
  ids: readonly number[] | undefined,
  { client, signal }: CallContext,
): Promise<readonly ListedCampaign[]> {
  const listed = await listCampaigns(client, signal, status);
  if (!ids) return listed;
  const byId = new Map(listed.map((campaign) => [rawText(campaign.id), campaign]));
  const unknown = ids.filter((id) => !byId.has(String(id)));
  if (unknown.length > 0) {
    throw new Failure(
      `There is no campaign ${joinWords(unknown.map(String), 'or')}${status === 'all' ? '' : ` that is ${status}`}.`,
      `The campaigns are: ${nameCampaigns(listed)}.`,
    );
  }
  return ids.flatMap((id) => byId.get(String(id)) ?? []);
}

interface Result {
  readonly campaign: ListedCampaign;
  readonly now: Outcome<Figures> | undefined;
  readonly before: Outcome<Figures> | undefined;
}

/** A campaign that is missing must be known by name, or the totals mislead. */
function unreadNotices(results: readonly Result[]): string[] {
  const failed = results.flatMap(({ campaign, now, before }) => {
    const failure = [now, before].find((outcome) => outcome?.kind === 'failure');
    return failure?.kind === 'failure' ? [`${nameCampaigns([campaign])} (${failure.failure.message})`] : [];
  });
  const late = results.filter(
    ({ now, before }) =>
      [now, before].some((outcome) => outcome?.kind === 'not-asked') &&
      ![now, before].some((outcome) => outcome?.kind === 'failure'),
  );
  return [
    ...(failed.length > 0
      ? [
          `Not read, and in no total: ${failed.slice(0, maxNamed).join('; ')}${failed.length > maxNamed ? `; and ${failed.length - maxNamed} more` : ''}.`,
        ]
      : []),
    ...(late.length > 0
      ? [
          `There was no time to read ${late.length} of ${results.length} campaigns, which are in no total: ${nameCampaigns(late.map(({ campaign }) => campaign))}. ` +
            `Call again: past days that were read serve for ${pastKeptForMs / 60_000} minutes. Or choose campaigns by status or campaign_ids, compare_to none, or raise TRACKER_TIMEOUT_MS.`,
        ]
      : []),
  ];
}
