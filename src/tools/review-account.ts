import * as z from 'zod';
import { falseFindingsPerWeek, reviewedDays } from '../analysis/account-review.ts';
import { groups, moneyOfFinding, underHeadings } from '../answer/findings.ts';
import * as is from '../api/parameters.ts';
import {
  blockListsOf,
  type Finding,
  hasMoved,
  readReviewedAccount,
  reviewAt,
  shownFinding,
  Turns,
} from './account-review.ts';
import { defineTool } from './define-tool.ts';
import { zoneNotice } from './period.ts';
import { untrustedTextNotice } from './present/cells.ts';
import { blockHeading, chanceOfFinding, nothingFound } from './present/for-views.ts';
import { query } from './present/outputs.ts';

const values = z.record(z.string(), z.string());

const finding = z.object({
  id: z.string(),
  kind: z.string(),
  group: z.enum(groups),
  campaign_id: z.number(),
  campaign: z.string().optional(),
  dimension: z.string().optional(),
  value: z.string().optional(),
  within: values.optional(),
  same_visits: values.optional(),
  what: z.string(),
  since: z.string(),
  began: z.string(),
  money_a_day: z.number(),
  figures: z.record(z.string(), z.number()),
  changed: z.object({ figure: z.string(), before: z.number(), after: z.number() }).optional(),
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
  /** What can be blocked at the traffic source because of these findings. */
  to_block: z
    .array(z.object({ campaign_id: z.number(), dimension: z.string(), values: z.array(z.string()) }))
    .optional(),
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
    const isNew = new Map(
      review.findings.map((finding) => {
        const { key, money_a_day } = finding;
        const before = earlier.moneyByKey.get(key);
        earlier.moneyByKey.set(key, money_a_day);
        return [finding, before === undefined || hasMoved(before, money_a_day)];
      }),
    );
    const { currency } = context;
    const { findings } = review;
    return {
      parts: [
        { count: Math.min(limit, findings.length), min: Math.min(1, findings.length) },
        { count: maxToBlock, min: 0 },
      ],
      render: ([count = 0, blocked = 0]) => {
        const chosen = chooseFindings(findings, count);
        const lists = blockListsOf(chosen)
          .map((list) => ({ ...list, values: list.values.slice(0, blocked) }))
          .filter(({ values }) => values.length > 0);
        const structured = {
          query: { limit, ...(currency === undefined ? {} : { currency }) },
          as_of: review.asOf,
          findings: chosen.map((finding) => ({ ...shownFinding(finding), is_new: isNew.get(finding) ?? true })),
          more: findings.length - count,
          ...(lists.length === 0 ? {} : { to_block: lists }),
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

/** Values to block in each list. */
const maxToBlock = 500;

/** The part of a short list that is kept for each group after the first. */
const partOfOthers = 0.2;

/** The first findings of each group: what costs comes first, and leaves some room for the others. */
function chooseFindings(findings: readonly Finding[], count: number): readonly Finding[] {
  const room = Math.floor(count * partOfOthers);
  const kept = new Set(
    groups.slice(1).flatMap((group) => findings.filter((finding) => finding.group === group).slice(0, room)),
  );
  const rest = findings.filter((finding) => !kept.has(finding)).slice(0, count - kept.size);
  return findings.filter((finding) => kept.has(finding) || rest.includes(finding));
}

interface EarlierReviews {
  /** The money per day of each finding that was returned. */
  readonly moneyByKey: Map<string, number>;
  readonly turns: Turns;
}

/** The earlier reviews of each tracker in this process. */
const earlierReviews = new WeakMap<object, EarlierReviews>();

/** One line per finding, under the heading of its group; then what can be blocked, one value a line. */
function renderReview({ as_of, findings, more, to_block = [], could_not_see: unseen, notices }: AccountReview): string {
  const lineOf = ({
    what,
    campaign_id,
    since,
    by_chance,
    is_new,
    next,
    ...finding
  }: AccountReview['findings'][number]) => {
    const money = moneyOfFinding(finding);
    return `${is_new ? '' : 'still: '}${campaign_id} ${what}, since ${since}; ${money === '' ? '' : `${money}; `}${chanceOfFinding(by_chance)}. Next: ${next.tool} ${JSON.stringify(next.arguments)}`;
  };
  const lines = underHeadings(findings).flatMap(({ heading, findings: ofGroup }) => [
    `${heading}:`,
    ...ofGroup.map(lineOf),
  ]);
  return [
    `As of ${as_of}`,
    ...(lines.length === 0 ? [nothingFound(unseen)] : lines),
    ...(more > 0 ? [`${more} more, with less money.`] : []),
    ...to_block.flatMap((list) => [`${blockHeading(list)}:`, ...list.values]),
    ...unseen,
    ...notices,
  ].join('\n');
}
