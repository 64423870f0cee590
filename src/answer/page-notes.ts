import { amountInWords, countInWords, joinSome } from '../api/rules.ts';
import { doubledInWords, isDouble, type Replaced } from './change-notes.ts';
import { type Untold, whatWouldTell } from './outcomes.ts';
import { apart, dayInWords, inQuotes, listSome, model, nameOf, quote } from './words.ts';
import { kindInWords, type Lack, lackInWords } from './write-notes.ts';

/** Pages whose traffic does not fit the shares that are set: it would by chance in less than one case in a thousand. */
type OffShares = {
  /** Those that are furthest off, first, with their shown names. Parts of the traffic in percent. */
  readonly pages: readonly { readonly name: string; readonly got: number; readonly due: number }[];
  /** Whether the shares stayed the same on the days that were looked at. */
  readonly isSteady: boolean;
};

const maxNamed = 3;

function sayOffShares({ pages, isSteady }: OffShares): string {
  const named = pages
    .slice(0, maxNamed)
    .map(({ name, got, due }) => `${quote(name, 100)} got ${Math.round(got)}% and should get ${Math.round(due)}%`);
  const last = isSteady ? 'a change elsewhere' : 'shares changed within these days';
  return `The traffic does not fit the shares that are set (by chance in less than 1 of 1,000 cases): ${named.join('; ')}. It may be a cap, a redirect, a page that fails, or ${last}.`;
}

/** In each part of the traffic the page that is behind overall earns more per view. */
type Reversal = {
  readonly dimension: string;
  readonly ahead: string;
  readonly better: string;
  /** The largest first, with what each page earns per view. */
  readonly parts: readonly { readonly value: string | null; readonly ahead: number; readonly better: number }[];
  /** Of which part the page that is ahead got more of the views. */
  readonly most: string | null;
};

/** `On each device “B” earns more per view than “A”: Phone 0.52 and 0.4, ...` */
function sayReversal({ dimension, ahead, better, parts, most }: Reversal): string {
  const [first, rival] = [ahead, better].map((name) => quote(name, 100));
  const inWords = (value: string | null) => nameOf(value ?? '', 60);
  const amounts = parts.map((part) => {
    const [one, other] = [part.ahead, part.better].map((amount) => Number(amount.toPrecision(3)));
    return `${inWords(part.value)} ${one} and ${other}`;
  });
  return `On each ${dimension.replaceAll('_', ' ')} ${rival} earns more per view than ${first}: ${joinSome(amounts, 5)}. ${first} is ahead overall because it got more of the views of ${inWords(most)}, so the parts decide: ${rival}.`;
}

/** Whose sales are valued at another payout than they had; money is in the tracker's currency. */
type Valued = { readonly page: string; readonly payout: number; readonly booked: number; readonly sales: number };

/** A payout that changed, and is not known well enough to value all sales alike. */
type PayoutChanged = Replaced<number> & { readonly page: string };

function sayPayoutChanged({ page, before, after, since }: PayoutChanged, next: string): string {
  return `${quote(page, 100)} pays ${amountInWords(after)} a sale instead of ${amountInWords(before)} since ${dayInWords(since)}${doubledInWords(before, after)}. ${next}.`;
}

/** In days: over a longer time, traffic and pages change too much to plan by. */
export const maxWait = 365;

export const timeInWords = (days: number): string =>
  days > maxWait ? 'more than a year' : days === 1 ? '1 day' : `${Number(days.toPrecision(2))} days`;

/** How long a test takes that has not begun. */
type TestPlan = {
  /** How much better the page is that the test is to find, in percent. */
  readonly lead: number;
  readonly called: 'offers' | 'landing pages';
  readonly basis: 'money' | 'conversions';
  readonly pages: number;
  /** Whether there is a page to compare with yet. */
  readonly hasRival: boolean;
  readonly viewsPerDay: number;
  readonly conversionsPer100Views: number;
  /** Null if it takes more than a year. */
  readonly days: { readonly about: number; readonly low: number; readonly high: number } | null;
  /** The days with equal shares, if shares are not; null if more than a year. */
  readonly even?: number | null | undefined;
};

function sayPlan({ lead, called, basis, pages, hasRival, days, even, ...traffic }: TestPlan): string {
  const more = basis === 'money' ? `earns ${lead}% more per view` : `converts ${lead}% more often`;
  const among = hasRival ? `one of these ${pages} ${called}` : 'a second page that gets half of the traffic';
  const today = `at today’s traffic (${traffic.viewsPerDay} views a day, ${traffic.conversionsPer100Views} conversions per 100 views)`;
  const takes = days
    ? `takes about ${timeInWords(days.about)} ${today}; 8 in 10 such tests take between ${timeInWords(days.low)} and ${timeInWords(days.high)}`
    : `takes more than a year ${today}`;
  const equally =
    even === undefined
      ? ''
      : even === null
        ? ', also with equal shares'
        : `; with equal shares about ${timeInWords(even)}`;
  return `To see clearly that ${among} ${more} ${takes}${equally}.`;
}

/** How late sales come: 95% are in after so many days, and `part` of the sales of the last ones are still to come. */
type SalesToCome = {
  readonly days: number;
  readonly part: number;
  readonly count: number;
  readonly range?: { readonly low: number; readonly high: number } | undefined;
};

function saySalesToCome({ days, part, count, range }: SalesToCome): string {
  const between = range ? ` (${range.low} to ${range.high})` : '';
  const [within, last] = days === 1 ? ['the day', 'day'] : [`${days} days`, `${days} days`];
  return `Sales come late: 95% are in by ${within} after the visit, so about ${countInWords(count, 'sale')}${between}, ${Math.round(part * 100)}% of those from the last ${last}, are still to come.`;
}

/** The parts of the views that click, and of the clicks that convert. */
type Clicks = { readonly name: string; readonly clicks: number; readonly sales: number };

function sayFewClicks({ few, many }: { readonly few: Clicks; readonly many: Clicks }): string {
  const percent = (part: number) => `${Number((part * 100).toPrecision(2))}%`;
  const [fewName, manyName] = [few, many].map(({ name }) => inQuotes(name));
  return `${percent(few.clicks)} of the views of ${fewName} click, and ${percent(many.clicks)} of those of ${manyName}; ${percent(few.sales)} and ${percent(many.sales)} of the clicks convert. Robots among the views of ${fewName} would explain this.`;
}

/** How pages compete for their traffic, and what a comparison of them rests on. */
export const pageNotes = {
  'off-shares': sayOffShares,
  reversal: sayReversal,
  'valued-at-new-payout': ({
    page,
    payout,
    booked,
    sales,
    before,
    since,
  }: Valued & { before: number; since: string }) =>
    `${quote(page, 100)} pays ${amountInWords(payout)} a sale instead of ${amountInWords(before)} since ${dayInWords(since)}. ${countInWords(sales, 'sale')} before are valued at ${amountInWords(payout)} here: its revenue was ${amountInWords(booked)}.`,
  'valued-as-asked': ({ page, payout, booked, sales }: Valued) =>
    `${quote(page, 100)} is valued at ${amountInWords(payout)} a sale, as asked: its revenue was ${amountInWords(booked)} for ${countInWords(sales, 'sale')}.`,
  'payout-changed': apart<PayoutChanged>(
    (changed) =>
      sayPayoutChanged(
        changed,
        isDouble(changed.before, changed.after)
          ? 'Its sales are counted as they paid; payouts values them all alike'
          : `The figures include its sales before: to compare what it pays now, ask with start_date ${changed.since}`,
      ),
    (changed) =>
      sayPayoutChanged(
        changed,
        isDouble(changed.before, changed.after)
          ? 'Its sales are counted as they paid'
          : 'The figures include its sales before',
      ),
  ),
  'total-is-no-page': ({ name }: { name: string }) =>
    `The row ${inQuotes(name)} is the tracker’s own total, not a page.`,
  'vague-page-ids': ({ column, kind }: { column: string; kind: 'offer' | 'landing' }) =>
    `The report calls the page IDs ${inQuotes(column)}, which may be those of predefined ${kindInWords(kind)}s instead: check them in the tracker’s campaign before calling.`,
  'one-group-compared': ({ group, groups }: { group: string; groups: readonly string[] }) =>
    `Compared: ${group}. Pages compete within one group; the groups are ${listSome(groups)}.`,
  'pages-left-out': ({ because, pages }: { because: 'idle' | 'no views'; pages: readonly string[] }) =>
    `Left out, because they ${because === 'idle' ? 'are inactive or have no share' : 'had no views'}: ${listSome(pages)}.`,
  'busiest-compared': ({ pages, of }: { pages: number; of: number }) =>
    `Compared: the ${pages} with most views of ${of}.`,
  'test-plan': sayPlan,
  /** `hasRevenue`: whether some page has any, though its single payouts are unknown. */
  'compared-by-conversions': ({ hasRevenue }: { hasRevenue: boolean }) =>
    hasRevenue
      ? 'Compared by conversions: some page’s single payouts are unknown, and so is how much of its revenue is luck.'
      : 'No revenue is recorded, so pages are compared by conversions.',
  'payouts-vary': () => 'Payouts vary: a page whose rare, large payouts have not come yet looks poorer than it is.',
  'payouts-vary-much': ({ leader, verdict }: { leader: string; verdict: string }) =>
    `Payouts vary so much that money alone may take too long to decide. By conversions ${inQuotes(leader)} is ahead (${verdict}).`,
  'judged-by-sums': () =>
    'Single days could not be read, or their sums differ from those of the period. So the period is judged by its sums, which mislead if shares and traffic changed at the same time.',
  'days-of-changed-shares': ({ days }: { days: readonly string[] }) =>
    `Left out, because shares had just changed: ${listSome(days)}. Change shares once a week at most.`,
  'tried-between-changes': ({ changed, isPartSet }: { changed: readonly string[]; isPartSet: boolean }) =>
    `Shares changed on ${joinSome(changed, maxNamed)}: days of a change do not count${isPartSet ? ', nor those that had these shares' : ''}.`,
  'tried-untold': (lack: Untold) => whatWouldTell(lack).join(' ').trim(),
  'tried-unchecked': () =>
    'The best of several sets is partly luck: the last third of the days has too few sales or visitors to check it.',
  'sales-to-come': saySalesToCome,
  'late-days-left-out': ({ days }: { days: number }) =>
    `${days === 1 ? 'That day is' : `The last ${days} days are`} measured, and left out of the verdict until 95% of the sales of the slowest page are in.`,
  'negative-revenue': ({ pages }: { pages: readonly string[] }) =>
    `Negative revenue, from chargebacks: ${listSome(pages)}.`,
  'ask-since': model<{ readonly since: string }>(
    ({ since }) => `Ask again with start_date ${since}: a moving first day makes wrong verdicts likelier.`,
  ),
  'measured-and-estimated': model(
    () =>
      'Measured: views, conversions, revenue, epv and rate. Estimated: _low, _high, chances, costs and what a verdict needs; pages with little data are drawn towards the others.',
  ),
  'every-view-a-person': () =>
    'Assumed: every view is a person (a bot looks like a person who does not buy), and the luck of a page rarely lasts for days.',
  'few-clicks': sayFewClicks,
  'page-lacks': ({ page, ...lack }: Lack & { readonly page: string }) =>
    `${quote(page, 100)} ${lackInWords(lack)}. It may be broken, and its figures here are those of its earlier days, too.`,
  'leave-shares': ({ because }: { because: 'too early' | 'as recommended' | 'less than a percent' }) => {
    if (because === 'as recommended') return 'The shares are as recommended already.';
    return because === 'too early'
      ? 'The shares are better left as they are: it is too early to change them.'
      : 'The shares are better left as they are: the evidence carries no change of a percent yet.';
  },
  'call-leaves-split': () =>
    'The call only takes traffic from what is surely behind; the other pages keep their split.',
  /** The page that gets most more traffic by it, and its percent of the traffic now and then; undefined if shares are not known. */
  'call-is-no-verdict': ({ most }: { most: { page: string; from: number; to: number } | undefined }) =>
    `The call ${most ? `moves ${quote(most.page)} from ${Math.round(most.from)}% to ${Math.round(most.to)}% of the traffic, and ` : ''}is no verdict: each page gives up traffic only as far as the evidence against it goes.`,
  'shares-add-up': ({ total }: { total: number }) =>
    `With these calls the shares of the compared pages add up to ${total}, as they do now, so that pages outside the comparison keep their part.`,
  /** `pages`: those that it is about, if not all. */
  'no-calls': ({ because, pages }: { because: keyof typeof whyNoCalls; pages: readonly string[] }) =>
    `${whyNoCalls[because](listSome(pages))}, so no calls can be given.`,
} as const;

const whyNoCalls = {
  'no IDs': () => 'The report shows no page IDs',
  'an ID is missing': (pages: string) => `The report shows no page ID of ${pages}`,
  'same ID': () => 'Several pages have the same ID in the report',
  'ID too large': (pages: string) => `The page ID of ${pages} is too large to be passed on exactly`,
} as const;
