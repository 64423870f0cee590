import { amountInWords, countInWords, joinSome } from '../api/rules.ts';

/** Whether a change paid: what was earned with it against what would have been earned without it. */
export type ChangeOutcome = Readonly<{
  /** `unclear`: better and worse are both possible; `open`: its days or their sales are not in; `unknown`: see `why`. */
  state: 'paid' | 'cost' | 'unclear' | 'open' | 'unknown';
  /** The days that are compared, YYYY-MM-DD. */
  start?: string;
  end?: string;
  earned?: number;
  without_it?: number;
  difference?: number;
  /** The range of the difference, which holds in 9 of 10 cases. */
  low?: number;
  high?: number;
  /** Not from visitors drawn at random: compared with the campaign's other pages, or with other campaigns. */
  estimate_by?: 'other pages' | 'other campaigns';
  why?: keyof typeof reasons;
  /** The last day that the amounts of an open outcome count; no verdict follows from them. */
  so_far?: string;
  /** Why there are none of these yet. */
  lacks?: keyof typeof reasons;
  /** The page that `why` is about. */
  page?: string;
}>;

const reasons = {
  'days-to-come': 'its days are not over',
  'sales-to-come': 'sales of its days are still to come',
  'few-sales': 'too few sales on its days',
  'one-sale-decides': 'a few large sales have most of the money, so a single one decides',
  'few-visitors': 'too few visitors on a page since',
  'page-without-visitors': 'a page got no visitors since, so what they would have brought is unseen',
  'same-split': 'the visitors were to be split as before',
  'no-cost': 'the list of visitors has no cost',
  'few-days': 'too few days before or after it',
  overtaken: 'another change came before a whole day was over',
  'changed-with-it': 'something else changed with it',
  'several-kinds': 'landing pages and offers compete for its visitors, which list_changes with outcomes can tell',
  'other-groups': 'it changed pages of several groups',
  'page-gone': 'the reports no longer have a page of it',
  'one-name': 'two pages have one name, which is all that lists of visits have',
  'visits-missing': 'the list of visitors lacks visits of its days',
  'off-shares': 'the visitors were not split as the shares say, so a cap or a change elsewhere came with it',
  'predefined-record': 'a predefined page may be in any campaign',
  'not-known-done': 'it is not known whether it was done',
  'long-ago': 'it was long ago: ask for it alone, by change_id',
  'not-read': 'its visits could not be read',
} as const;

export type WhyNoOutcome = keyof typeof reasons;

/** What a new split of the visitors brings a day, with the range that holds in 9 of 10 cases, or why that cannot be told. */
export type Brought = Readonly<Record<'difference' | 'low' | 'high', number>> | { readonly why: WhyNoOutcome };

/** `since then 12.00 a day less was earned than by the old split (90%: -20.00 to -4.00)` */
export function sayBrought(brought: Brought): string {
  if ('why' in brought) return `what that costs cannot be told: ${reasons[brought.why]}`;
  const [amount, low, high] = [Math.abs(brought.difference), brought.low, brought.high].map(amountInWords);
  return `since then ${amount} a day ${brought.difference < 0 ? 'less' : 'more'} was earned than by the old split (90%: ${low} to ${high})`;
}

/** Why shares that are tried cannot be told, and how much there would have to be of what is too little. */
export interface Untold {
  /** The number of the set, if the others can be told. */
  readonly set?: number | undefined;
  readonly why: WhyNoOutcome;
  readonly page?: string | undefined;
  readonly has?: number;
  readonly needs?: number;
  /** How many days were looked at. */
  readonly days?: number;
  /** When shares changed, if some of the days had those that are tried. */
  readonly changed?: readonly string[];
}

const maxChanges = 3;

/** Why it cannot be told what shares would have earned, and what would help. */
export function whatWouldTell({
  set,
  why,
  page,
  has = 0,
  needs = 0,
  days = 0,
  changed = [],
}: Untold): [string, string] {
  const enough = `about ${Math.ceil((days * needs) / has)} days like these`;
  const helps: Partial<Record<WhyNoOutcome, string>> = {
    'few-sales': `There are ${Math.round(has)}, and ${needs} are needed${has > 0 ? `: ${enough}` : ''}.`,
    'one-sale-decides': `Ask for more days, ${enough}, or compare the pages without shares, by conversions.`,
    'few-visitors': `There are ${Math.round(has)}, and about ${Math.ceil(needs)} are needed: ${enough}, or set it a larger share first.`,
    'page-without-visitors': 'Set it a share first, or try shares that leave it as it is.',
    'one-name': 'Give them names of their own in the tracker.',
    'visits-missing': 'Ask for fewer days.',
    'not-read': 'Ask again.',
  };
  const at = page === undefined ? [] : [`It is ${page}.`];
  const were = `Shares changed on ${joinSome(changed, maxChanges)}, and these were set on the other days: ask later, or what the shares of today would have earned then.`;
  const which = set === undefined ? 'these shares' : `the shares of set ${set}`;
  const happened = `What ${which} would have earned cannot be told: ${tried[why] ?? reasons[why]}.`;
  return [happened, [...at, helps[why] ?? '', ...(changed.length > 0 ? [were] : [])].join(' ').trim()];
}

/** Where no change of shares is asked about. */
const tried: Partial<Record<WhyNoOutcome, string>> = {
  'few-sales': 'too few sales on these days',
  'few-visitors': 'too few visitors on a page',
  'page-without-visitors': 'a page got no visitors, so what they would have brought is unseen',
};

const words: Readonly<Record<ChangeOutcome['state'], string>> = {
  paid: 'it paid',
  cost: 'it cost money',
  unclear: 'no difference can be told',
  open: 'no outcome yet',
  unknown: 'the outcome cannot be told',
};

/** `it paid: +412.00 (90%: 120.00 to 704.00) from 2026-11-02 to 2026-11-15; earned 5210.00, without it 4798.00` */
export function sayOutcome(outcome: ChangeOutcome, currency = ''): string {
  const { state, why, page, start, end, earned, without_it, difference, low, high, estimate_by, so_far, lacks } =
    outcome;
  const days = start === undefined ? '' : ` from ${start} to ${end}`;
  const about = page === undefined ? '' : ` (${page})`;
  const reason = why && `${words[state]}: ${reasons[why]}${about}${state === 'open' ? `:${days}` : ''}`;
  if (lacks !== undefined) return `${reason}; so far, until ${so_far}: ${reasons[lacks]}`;
  if (reason !== undefined && so_far === undefined) return reason;
  const amounts = [earned, without_it, difference, low, high].map((amount) =>
    amount === undefined ? '' : amountInWords(amount),
  );
  const [all, rest, more, from, to] = amounts;
  const unit = currency === '' ? '' : ` ${currency}`;
  const sign = (difference ?? 0) > 0 ? '+' : '';
  const estimate = estimate_by === undefined ? '' : `; an estimate by ${estimate_by}`;
  const what = reason === undefined ? words[state] : `${reason}; so far, until ${so_far} and not final`;
  return `${what}: ${sign}${more}${unit} (90%: ${from} to ${to})${reason === undefined ? days : ''}; earned ${all}, without it ${rest}${estimate}`;
}

/** In how many of how many campaigns changes of shares made elsewhere were looked for. In `unread` it was not possible. */
export type Search = Readonly<{ since: string; searched: number; unread: number; of: number; found: number }>;

/** `Changes of shares made elsewhere since 2026-10-28 were looked for in the visits of 20 of 48 campaigns, those with most: there are none.` */
export function saySearch({ since, searched, unread, of, found }: Search): string {
  const what = `Changes of shares made elsewhere since ${since}`;
  const lack = 'whose lists of visits are not whole or do not tell pages apart';
  if (unread > 0 && searched === 0) return `${what} could not be looked for in campaigns ${lack}.`;
  const part =
    of > searched + unread
      ? `${searched} of ${countInWords(of, 'campaign')}, those with most`
      : countInWords(searched, 'campaign');
  const rest = unread === 0 ? '' : `, not in ${unread} ${lack}`;
  return `${what} were looked for in the visits of ${part}${rest}${found === 0 ? ': there are none' : ''}.`;
}

/** What shares would have earned on some days, with the ranges that hold in 9 of 10 cases. */
type TriedDays = Readonly<
  Record<'start' | 'end', string> &
    Record<'earned' | 'would_have_earned' | 'would_low' | 'would_high', number> &
    Record<'difference' | 'difference_low' | 'difference_high', number>
>;

/** Of several sets, the best is also tried on days that are kept for checking it. */
export function sayTried(
  sets: readonly (TriedDays & { readonly set: number; readonly checked?: TriedDays })[],
  areSeveral: boolean,
): string[] {
  return [
    ...sets.map(({ set, checked: _, ...tried }) => `${areSeveral ? `Set ${set}: ` : ''}${sayTriedDays(tried)}`),
    ...sets.flatMap(({ set, checked }) =>
      checked ? [`The best of them, set ${set}, checked on later days: ${sayTriedDays(checked)}`] : [],
    ),
  ];
}

function sayTriedDays({ start, end, ...amounts }: TriedDays): string {
  const inWords = (name: keyof typeof amounts) => amountInWords(amounts[name]);
  return `${start} to ${end}: earned ${inWords('earned')}, would have earned ${inWords('would_have_earned')} (90%: ${inWords('would_low')} to ${inWords('would_high')}), a difference of ${inWords('difference')} (90%: ${inWords('difference_low')} to ${inWords('difference_high')}).`;
}
