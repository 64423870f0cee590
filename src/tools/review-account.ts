import { falseFindingsPerWeek, reviewedDays } from '../analysis/account-review.ts';
import { daysFrom } from '../analysis/sale-delay.ts';
import type { Block } from '../answer/blocks.ts';
import {
  blockHeading,
  groups,
  moreFindings,
  nothingFound,
  nothingToEarn,
  sayFinding,
  underHeadings,
} from '../answer/findings.ts';
import { sayHeldInReview } from '../answer/held-in-review.ts';
import { type Note, type Notice, sayNotice, type Unworded } from '../answer/notes.ts';
import { Failure } from '../api/failure.ts';
import { fromOutside, mention } from '../api/text/tracker-text.ts';
import {
  blockListsOf,
  type Finding,
  hasMoved,
  type Review,
  type ReviewedAccount,
  readReviewedAccount,
  reviewAt,
  shownFinding,
  Turns,
} from './account-review.ts';
import type { AccountReview, reviewInput } from './account-tools.ts';
import { paceOf } from './asking.ts';
import { namedCampaign } from './campaigns.ts';
import type { Answer, CallContext } from './define-tool.ts';
import type { FromSchema } from './json-schema.ts';
import { type Days, hasNoDays, listDays, type Period, settleDays, shiftDays, today, zoneNote } from './period.ts';
import { strangersText } from './present/cells.ts';
/** Reports what needs attention, over all campaigns or some. */
export async function run(
  { limit, ...given }: Readonly<FromSchema<typeof reviewInput>>,
  context: CallContext,
): Promise<Answer> {
  const { query, days } = reviewedSpan(given, context);
  const earlier = earlierReviews.get(context.client.ofAllCalls) ?? { moneyByKey: new Map(), turns: new Turns() };
  earlierReviews.set(context.client.ofAllCalls, earlier);
  const daysBack = days[0] === undefined ? 0 : daysFrom(days[0], today(context.timeZone, context.now()));
  const account = await readReviewedAccount(reviewedDays + daysBack, context, earlier.turns, given);
  const { review, over } = await reviewDays(account, days, context);
  const isNew = new Map(
    review.findings.map((finding) => {
      const { key, money_a_day } = finding;
      const before = earlier.moneyByKey.get(key);
      earlier.moneyByKey.set(key, money_a_day);
      return [finding, before === undefined || hasMoved(before, money_a_day)];
    }),
  );
  const { campaigns, campaigns_without_visits: quiet, visits, looks, notJudged: kinds } = review;
  const looked = { campaigns, campaigns_without_visits: quiet, visits, days: reviewedDays, looks };
  const { currency } = context;
  const findings = [...review.findings, ...over];
  const hasOpportunity = findings.some(({ group }) => group === 'opportunity');
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
        query: { ...query, limit, ...(currency === undefined ? {} : { currency }) },
        as_of: review.asOf,
        findings: chosen.map((finding) => ({
          ...shownFinding(finding),
          is_new: isNew.get(finding) ?? false,
          ...(over.includes(finding) ? { is_over: true } : {}),
        })),
        more: findings.length - count,
        ...(lists.length === 0 ? {} : { to_block: lists.map((list) => ({ ...list })) }),
        ...(review.held ? { held_money: review.held } : {}),
        looked,
        not_judged: kinds.map((one) => ({ ...one, kinds: [...one.kinds] })),
        could_not_see: review.unseen.map(sayNotice),
        notices: [
          ...inactiveNote(account),
          ...(review.lost.campaigns.length === 0 ? [] : [{ code: 'lost-most', ...review.lost } as const]),
          lookedNote(review),
          ...(days.length > 1 ? [{ code: 'reviewed-days', days: days.length, first: days[0] ?? '' } as const] : []),
          ...(kinds.length === 0 ? [] : [{ code: 'not-judged', all: campaigns - quiet, kinds } as const]),
          ...account.late,
          ...zoneNote({ start_date: review.asOf }, context),
          strangersText,
        ],
      };
      return { structured, blocks: blocksOf(structured, review.unseen, hasOpportunity, context) };
    },
  };
}

type Span = Days & { readonly period?: Period | undefined };

/** The days of a question that are not in the future; none if it asks about now. */
function reviewedSpan<Given extends Span>(given: Given, context: CallContext) {
  if (hasNoDays(given)) return { query: given, days: [] };
  const { query, start, end } = settleDays('review_account', given, 'today', context);
  const now = today(context.timeZone, context.now());
  if (start > now) throw new Failure(`review_account was not called: ${start} is in the future.`);
  if (daysFrom(start, now) > maxDaysBack)
    throw new Failure(
      `review_account was not called: it looks back ${maxDaysBack} days at most.`,
      'Ask explain_change about earlier days.',
    );
  return { query, days: listDays(start, end).filter((day) => day <= now) };
}

const maxDaysBack = 92;

/**
 * Reviews an account as of the end of each of some days; without any, as of now.
 * @returns the last review, and earlier findings that are over by then
 */
async function reviewDays(account: ReviewedAccount, days: readonly string[], context: CallContext) {
  const ends = days.map((day) => Math.min(Date.parse(shiftDays(day, 1)), account.clock));
  const clocks = ends.length === 0 ? [account.clock] : ends;
  const found = new Map<string, Finding>();
  let review = await reviewAt(account, clocks[0] ?? account.clock, context);
  const pace = paceOf(context);
  for (const clock of clocks.slice(1)) {
    // The last day says that no time was left.
    if (pace.isOver && clock !== clocks.at(-1)) continue;
    for (const finding of review.findings) found.set(finding.key, finding);
    review = await reviewAt(account, clock, context);
  }
  const { findings, isOver } = review;
  const open = new Set(findings.map(({ key }) => key));
  return { review, over: [...found.values()].filter(({ key, missing }) => !open.has(key) && isOver(key, missing)) };
}

const lookedNote = ({ looks, visits, campaigns, campaigns_without_visits: quiet }: Review): Note => ({
  ...{ code: 'looked', looks, visits, days: reviewedDays, campaigns, quiet, falseFindings: falseFindingsPerWeek },
});

/** Of campaigns that were asked for, since their silence has a reason. */
function inactiveNote({ isAll, campaigns }: ReviewedAccount): readonly Note[] {
  const inactive = isAll ? [] : campaigns.filter(({ active }) => active === false);
  return inactive.length === 0 ? [] : [{ code: 'campaigns-inactive', campaigns: inactive.map(namedCampaign) }];
}

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

/** Findings under the heading of their group; then what can be blocked, one value a line. */
function blocksOf(
  review: Unworded<AccountReview>,
  unseen: readonly Notice[],
  hasOpportunity: boolean,
  { timeZone, currency }: CallContext,
): Block[] {
  const { as_of, findings, more, to_block: toBlock = [], held_money: held } = review;
  return [
    {
      is: 'heading',
      text: [`As of ${as_of}`, timeZone, ...(currency === undefined ? [] : [`money in ${currency}`])].join(', '),
    },
    ...(findings.length === 0 ? [nothingFound(unseen)] : []),
    ...underHeadings(findings).flatMap(({ heading, findings: ofGroup }) => [
      { is: 'heading' as const, text: `${heading}:` },
      ...ofGroup.map(sayFinding),
    ]),
    ...(hasOpportunity || findings.length === 0 ? [] : [nothingToEarn]),
    ...(more > 0 ? [moreFindings(more)] : []),
    ...toBlock.flatMap(({ campaign_id, dimension, values }) => [
      `${blockHeading(campaign_id, mention(fromOutside(dimension)))}:`,
      ...values,
    ]),
    ...(held ? sayHeldInReview(held) : []),
    ...unseen,
  ];
}
