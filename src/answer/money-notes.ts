import { amountInWords, countInWords, joinSome, joinWords } from '../api/rules.ts';
import { nameValue } from './change-notes.ts';
import { sayApproval } from './held-in-review.ts';
import { sayMarked } from './marks.ts';
import { type NamedCampaign, sayCampaigns } from './visit-notes.ts';
import { model, nameOf, quote } from './words.ts';

/** Which revenue figures count. Rejected money never counts; `paid` leaves out what is pending or unknown, too. */
export const moneyStates = ['booked', 'paid', 'expected'] as const;
export type MoneyState = (typeof moneyStates)[number];

/** How much of the revenue is not surely paid. Money is in the tracker's currency. */
export type HeldRevenue = {
  /** `booked`: revenue has what is pending and unknown; `paid`: it has neither; `expected`: what these will bring. */
  readonly money: 'booked' | 'paid' | 'expected';
  readonly revenue: number;
  readonly pending: number;
  readonly rejected: number;
  readonly rejectedSales: number;
  /** Where the tracker counts them as revenue. */
  readonly rejectedIn?: keyof typeof sources | 'reports' | undefined;
  /** Of sales whose status says nothing. */
  readonly unknown: number;
  /** These statuses, as the tracker writes them. */
  readonly words: readonly string[];
  /** What pending sales will probably bring, with the 90% range. */
  readonly expected?: { readonly amount: number; readonly low: number; readonly high: number };
  /** Sales that are pending for longer than usual. */
  readonly late?: { readonly sales: number; readonly amount: number };
  /** Networks that approve clearly more or less than before; parts from 0 to 1. */
  readonly approvals?: readonly { readonly network: string; readonly share: number; readonly earlier: number }[];
};

const maxWords = 3;

const rejectedInWords = (sales: number, amount: number) =>
  `${countInWords(sales, 'rejected sale')}${amount === 0 ? '' : ` of ${amountInWords(amount)}`}`;

function sayHeldRevenue({
  money,
  revenue,
  pending,
  rejected,
  rejectedSales,
  rejectedIn,
  unknown,
  words,
  expected,
  late,
  approvals = [],
}: HeldRevenue): string {
  const refused = rejectedInWords(rejectedSales, rejected);
  const sum = (value: number) => amountInWords(value);
  const names = joinSome(
    words.map((word) => quote(word)),
    maxWords,
  );
  const ofUnknown = (counts: string) =>
    unknown > 0 ? [`${sum(unknown)} of sales whose status is not known (${names}) counts as ${counts}.`] : [];
  if (money === 'paid') {
    const left = [
      `${sum(pending)} pending`,
      refused,
      ...(unknown > 0 ? [`${sum(unknown)} of unknown status (${names})`] : []),
    ];
    return `Revenue is what is paid. Left out: ${left.join(', ')}. Conversions are all.`;
  }
  if (money === 'expected' && expected) {
    const { amount, low, high } = expected;
    return [
      pending > 0
        ? `Revenue is what is paid, and what pending sales, not those to come, will probably bring: ${sum(amount)} of ${sum(pending)} (${sum(low)} to ${sum(high)}, 9 times of 10).`
        : 'Revenue is what is paid: nothing is pending. Sales to come are not in it.',
      ...(rejectedSales > 0 ? [`${refused} ${rejectedSales === 1 ? 'is' : 'are'} left out.`] : []),
      ...approvals.map(({ network, share, earlier }) => `${sayApproval({ value: network, share, earlier })}.`),
      ...(late && late.sales > 0
        ? [
            `${countInWords(late.sales, 'sale')} of ${sum(late.amount)} ${late.sales === 1 ? 'is' : 'are'} pending for longer than the network usually takes: ask its manager.`,
          ]
        : []),
      ...ofUnknown('paid'),
    ].join(' ');
  }
  const counting = rejectedIn === 'reports' ? 'reports' : rejectedIn && sources[rejectedIn];
  const inTracker = counting !== undefined && rejected !== 0 ? ` here, but in the tracker’s ${counting}` : '';
  const percent = revenue > 0 && pending <= revenue ? ` (${Math.round((pending / revenue) * 100)}%)` : '';
  return [
    ...(pending > 0 ? [`Of all revenue ${sum(pending)}${percent} is pending.`] : []),
    ...(rejectedSales > 0 ? [`${refused} ${rejectedSales === 1 ? 'is' : 'are'} in no revenue${inTracker}.`] : []),
    ...ofUnknown('booked'),
  ].join(' ');
}

const whyNotHeldWords = {
  'no statuses': 'this tracker lists no statuses of sales',
  list: 'the list of conversions of these days cannot be read whole',
  differs: 'the list of conversions adds up to other revenue than the reports',
  pages: 'several pages of a campaign share a name, and the list of conversions does not tell them apart',
} as const;

/** Why it is not known how much is held. */
export type WhyNotHeld = keyof typeof whyNotHeldWords;

export const whyNotHeld = (why: WhyNotHeld): string => whyNotHeldWords[why];

/** So many sales are expected, with their range and what they will bring; `seen` of them are in. */
export type Expected = {
  readonly seen: number;
  readonly count: number;
  readonly low: number;
  readonly high: number;
};

/** `62% (54 to 68%)`: the part of the sales that is in, `none of them`, or `3%`. */
function partInWords(expected: Expected): string {
  if (expected.seen === 0) return 'none of them';
  const [part, least, most] = [expected.count, expected.high, expected.low].map((toCome) =>
    percentIn(expected, toCome),
  );
  return least === most ? `${part}%` : `${part}% (${least} to ${most}%)`;
}

const percentIn = ({ seen }: Expected, toCome: number) => (seen === 0 ? 0 : Math.round((100 * seen) / (seen + toCome)));

const maxDays = 7;

/** `byDay`: the days whose sales are not all in. `later`: what lacks a larger part than all do, the most money first. */
type LateSales = Expected & {
  readonly revenue: number;
  /** Since when each comes so many hours later. */
  readonly heldBack?: { readonly since: string; readonly hours: number } | undefined;
  readonly byDay: readonly (Expected & { readonly day: string })[];
  readonly later: readonly (Expected & { readonly dimension: string; readonly value: string })[];
  /** Whether they are of all visits, where only some are in the answer. */
  readonly areOfAll?: boolean;
};

const maxLater = 4;

function sayLateSales({ revenue, heldBack, byDay, later, areOfAll = false, ...expected }: LateSales): string {
  const named = later.map(
    ({ dimension, value, ...part }) =>
      `${nameValue(dimension, value)} ${percentIn(part, part.count)}% (${Math.round(part.count)} to come)`,
  );
  const least = named.length === 0 ? '' : ` Least in: ${joinSome(named, maxLater)}.`;
  const { count, low, high } = expected;
  const worth = revenue > 0 ? `, worth ${amountInWords(revenue)}` : '';
  const more = `bout ${countInWords(Math.round(count), 'more sale')} (${low} to ${high}) of ${areOfAll ? 'all ' : ''}these days’ visits ${Math.round(count) === 1 ? 'is' : 'are'} still to come${worth}`;
  const late = heldBack
    ? `Sales are held back: since ${heldBack.since} each comes about ${heldBack.hours} hours later than before, so the last visits show none. Ask who sends or takes the postbacks. A`
    : `Sales come late${byDay.length === 0 ? ': a' : '. A'}`;
  if (byDay.length === 0)
    return `${late}${more}; ${expected.seen === 0 ? 'none is in' : `${partInWords(expected)} are in`}.${least}`;
  const parts = byDay.slice(-maxDays).map(({ day, ...ofDay }) => `${day} ${partInWords(ofDay)}`);
  return `${late}${more}. In by day of the visit: ${parts.join(', ')}.${least}`;
}

/** Sums of money of one currency, of one tracker if there are several. */
type CurrencySums = {
  readonly tracker?: string | undefined;
  readonly currency?: string | undefined;
  readonly amounts: readonly (readonly [name: string, amount: number])[];
};

/** A code or a sign as it is; anything longer in quotation marks. */
const currencyInWords = (currency: string) =>
  /^[\p{L}\p{Sc}.]{1,5}$/u.test(currency) ? currency : nameOf(currency, 20);

const sayCurrencySums = ({ tracker, currency, amounts }: CurrencySums) =>
  `${tracker === undefined ? '' : `${tracker} `}${joinWords(
    amounts.map(([name, amount]) => `${name} ${amountInWords(amount)}`),
    'and',
  )} ${currency === undefined ? '(currency not known)' : currencyInWords(currency)}`;

/** Campaigns by what they lost over some days, the most first. */
export type LostMost = {
  readonly days: number;
  readonly campaigns: readonly (NamedCampaign & { readonly lost: number })[];
};

const sayLostMost = ({ days, campaigns }: LostMost): string =>
  `Lost in the last ${days} days, by chance or not, and in no finding: ${campaigns
    .map(({ lost, ...campaign }) => `${sayCampaigns([campaign])} ${amountInWords(lost)}`)
    .join(', ')}.`;

const maxCampaigns = 10;

/** The IDs of campaigns whose links carry no cost, none if it is so in all; the traffic sources where it is so in all, and the others. */
type EnteredCost = Readonly<Record<'campaigns' | 'sources' | 'others', readonly string[]>>;

function sayEnteredCost({ campaigns, sources, others }: EnteredCost): string {
  if (campaigns.length === 0) return 'Cost is the entered bid for each view: no link carries a cost.';
  const isMany = campaigns.length > maxCampaigns;
  const which = [
    ...(isMany && sources.length > 0
      ? [
          `all campaigns of ${joinWords(
            sources.map((source) => nameOf(source, 60)),
            'and',
          )}`,
        ]
      : []),
    ...(isMany ? idsInWords(others) : idsInWords(campaigns)),
  ];
  return `The cost of ${which.join(', and of ')} is the entered bid: no link carries it.`;
}

function idsInWords(ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const rest = ids.length > maxCampaigns ? [`${ids.length - maxCampaigns} more`] : [];
  const which = joinWords([...ids.slice(0, maxCampaigns).map((id) => nameOf(id, 20)), ...rest], 'and');
  return [`${ids.length === 1 ? 'campaign' : 'campaigns'} ${which}`];
}

/** Where cost comes from, what of the revenue counts, and how numbers are written. */
export const moneyNotes = {
  'held-revenue': sayHeldRevenue,
  'held-not-told': ({
    why,
    pending = 0,
    rejected = 0,
    rejectedSales = 0,
  }: { why: WhyNotHeld } & Partial<Pick<HeldRevenue, 'pending' | 'rejected' | 'rejectedSales'>>) => {
    const listed = [
      ...(rejectedSales > 0 ? [rejectedInWords(rejectedSales, rejected)] : []),
      ...(pending > 0 ? [`${amountInWords(pending)} pending`] : []),
    ];
    const inList = listed.length === 0 ? '' : ` It has ${joinWords(listed, 'and')}, which revenue may contain.`;
    return `How much of the revenue is pending or rejected is not known: ${whyNotHeld(why)}.${inList}`;
  },
  'late-sales': sayLateSales,
  'lost-most': sayLostMost,
  'large-fall': model<{ readonly profit: number; readonly before: number }>(
    ({ profit, before }) =>
      `Profit fell from ${amountInWords(before)} to ${amountInWords(profit)}: explain_change with these days says why.`,
  ),
  marked: sayMarked,
  'money-in': ({ currency }: { currency: string }) => `Money is in ${currency}.`,
  'empty-ratios': () =>
    'A ratio is empty, which is not 0, if there were no views, clicks, conversions or cost to divide by.',
  'currency-sums': ({ over, sums }: { over: 'trackers' | 'campaigns'; sums: readonly CurrencySums[] }) =>
    `Money is not added up over ${over}, because their currencies differ${over === 'trackers' ? ' or are not known' : ''}. Of all campaigns: ${sums.map(sayCurrencySums).join('; ')}.`,
  'decimal-mark': ({
    tracker = 'The tracker',
    mark,
    isLearned,
  }: {
    tracker?: string | undefined;
    mark: 'comma' | 'thousands';
    isLearned: boolean;
  }) =>
    `${tracker} writes ${mark === 'comma' ? 'a decimal comma' : 'commas between thousands'}${isLearned ? ', as earlier answers of this tracker show' : ''}; figures here have a decimal point. If that is wrong, set TRACKER_DECIMAL.`,
  'entered-cost': sayEnteredCost,
  'idle-bid': () =>
    'This campaign’s link carries its own cost, so the bid counts only for visits that come without one.',
  /** Sums of the same days, of which one is about `factor` times the other. */
  'other-size': ({
    measure,
    factor,
    large,
    small,
  }: {
    measure: string;
    factor: number;
    large: SourceSum;
    small: SourceSum;
  }) =>
    `The ${measure} in the ${sources[large.source]} (${large.sum}) is about ${factor} times that in the ${sources[small.source]} (${small.sum}): one of them has probably a wrong decimal mark. Nothing was corrected; compare with the tracker, and see TRACKER_DECIMAL.`,
  /** Of the same visits. */
  'other-sum': ({ measure, sums }: { measure: string; sums: readonly SourceSum[] }) =>
    `The same visits have ${measure} of ${joinWords(
      sums.map(({ source, sum }) => `${sum} in the ${sources[source]}`),
      'and',
    )}: compare with the tracker before you act on either.`,
} as const;

export type Source = keyof typeof sources;
type SourceSum = { readonly source: Source; readonly sum: number };

const sources = {
  list_visitors: 'visitor list',
  list_conversions: 'conversion list',
  campaign: 'campaign report',
  offer: 'offer report',
  landing: 'landing report',
} as const;
