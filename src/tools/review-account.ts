import * as z from 'zod';
import { falseFindingsPerWeek, reviewedDays } from '../analysis/account-review.ts';
import * as is from '../api/parameters.ts';
import { hasMoved, readReviewedAccount, reviewAt, shownFinding, Turns } from './account-review.ts';
import { defineTool } from './define-tool.ts';
import { zoneNotice } from './period.ts';
import { untrustedTextNotice } from './present/cells.ts';
import { chanceOfFinding, nothingFound } from './present/for-views.ts';
import { query } from './present/outputs.ts';

const finding = z.object({
  kind: z.string(),
  campaign_id: z.number(),
  what: z.string(),
  since: z.string(),
  money_a_day: z.number(),
  by_chance: z.string(),
  is_new: z.boolean(),
  next: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
});

/** What review_account returns. Money is in the currency of the tracker. */
export const reviewOutput = z.object({
  query,
  as_of: z.string(),
  findings: z.array(finding),
  more: z.number(),
  could_not_see: z.array(z.string()),
  notices: z.array(z.string()),
});

export type AccountReview = z.infer<typeof reviewOutput>;

/** Reports what needs a person, over all campaigns. It only reads. */
export const reviewAccountTool = defineTool({
  name: 'review_account',
  title: 'What needs a person',
  description:
    'What needs a person now, over all campaigns, most money first: campaigns gone dark, sales that stopped, pages without clicks, sure losses, ' +
    'placements that burn, clicks of no people, fallen payouts, missing cost, pages surely behind, changes made elsewhere, sales that decide alone. ' +
    'Each with since when, the figures, the money a day, how likely by chance, and the next call. Use it for "what needs me today".',
  access: 'read',
  input: z.strictObject({
    limit: is.whole(1, 50, 'Most findings, 1 to 50; default 10').default(10),
  }),
  output: reviewOutput,
  run: async ({ limit }, context) => {
    const earlier = earlierReviews.get(context.client.ofAllCalls) ?? { moneyByKey: new Map(), turns: new Turns() };
    earlierReviews.set(context.client.ofAllCalls, earlier);
    const account = await readReviewedAccount(reviewedDays, context, earlier.turns);
    const review = await reviewAt(account, account.clock, context);
    const findings = review.findings.map((finding) => {
      const { key, money_a_day } = finding;
      const before = earlier.moneyByKey.get(key);
      earlier.moneyByKey.set(key, money_a_day);
      return { ...shownFinding(finding), is_new: before === undefined || hasMoved(before, money_a_day) };
    });
    const { currency } = context;
    return {
      parts: [{ count: Math.min(limit, findings.length), min: Math.min(1, findings.length) }],
      render: ([count = 0]) => {
        const structured = {
          query: { limit, ...(currency === undefined ? {} : { currency }) },
          as_of: review.asOf,
          findings: findings.slice(0, count),
          more: findings.length - count,
          could_not_see: [...review.unseen],
          notices: [
            `Looked ${review.looks} times at ${review.visits} visits of the last 15 days in ${review.campaigns} campaigns; at most ${falseFindingsPerWeek} finding a week is due to chance.`,
            ...account.late,
            ...zoneNotice({ start_date: review.asOf }, context),
            untrustedTextNotice,
          ],
        };
        return { structured, text: renderReview(structured) };
      },
    };
  },
});

interface EarlierReviews {
  /** The money per day of each finding that was returned. */
  readonly moneyByKey: Map<string, number>;
  readonly turns: Turns;
}

/** The earlier reviews of each tracker in this process. */
const earlierReviews = new WeakMap<object, EarlierReviews>();

/** One line per finding, most money first. */
function renderReview({ as_of, findings, could_not_see: unseen, notices }: AccountReview): string {
  const lines = findings.map(
    ({ what, campaign_id, since, money_a_day, by_chance, is_new, next }) =>
      `${is_new ? '' : 'still: '}${campaign_id} ${what}, since ${since}; ${money_a_day.toFixed(2)} a day; ${chanceOfFinding(by_chance)}. Next: ${next.tool} ${JSON.stringify(next.arguments)}`,
  );
  return [`As of ${as_of}`, ...(lines.length === 0 ? [nothingFound(unseen)] : lines), ...unseen, ...notices].join('\n');
}
