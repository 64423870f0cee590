import { countInWords, joinSome } from '../api/rules.ts';
import { fromOutside, mention, quoted } from '../api/text/tracker-text.ts';
import { type WhyCut, whyCut } from './visit-notes.ts';

/** Where a fault of tracking is to be mended. */
export type ChangedPlace = 'ads' | 'source' | 'campaign' | 'page' | 'offer' | 'network';

/** A fault that makes figures wrong. Its texts are as the tracker or strangers wrote them. */
export interface TrackingFault {
  readonly code: keyof typeof whatBy;
  readonly campaign?: { readonly id: string; readonly name: string } | undefined;
  readonly source?: string | undefined;
  /** The token by its label, and the parameter of the link that carries it. */
  readonly token?: string | undefined;
  readonly parameter?: string | undefined;
  readonly page?: string | undefined;
  /** How many visits, or sales, of how many. */
  readonly visits: number;
  readonly of: number;
  readonly counts: 'visit' | 'sale';
  /** Of these visits or sales: see `moneyOfFault`. */
  readonly money: number;
  /** YYYY-MM-DD */
  readonly since: string;
  /** The first day that is counted: that one, or the first that was asked for. */
  readonly counted: string;
  /** Whether it was there on the first day that was read. */
  readonly isOlder: boolean;
  /** The last day with it, if visits or sales after it have it no more. */
  readonly until?: string | undefined;
  readonly example: string | null;
  /** By how much an amount is too large. */
  readonly factor?: number | undefined;
  /** Whether many other visits of the same days have it right. */
  readonly isPartial?: true | undefined;
  /** Offers, and what is paid for a sale of each. */
  readonly paid?: readonly (readonly [offer: string, amount: number])[] | undefined;
  /** The other campaign that values belong to. */
  readonly other?: { readonly id: string; readonly name: string } | undefined;
  readonly at: ChangedPlace;
  /** What to write there instead, such as `zone={zoneid}`; undefined if it is not known. */
  readonly use?: string | undefined;
  /** The whole link of the campaign as it should be. */
  readonly link?: string | undefined;
}

type Say = (fault: TrackingFault) => string;

const say = (text: string | undefined, instead = '') =>
  text === undefined ? instead : mention(fromOutside(text), maxTextLength);
const maxTextLength = 120;

const tokenOf = ({ token, parameter }: TrackingFault) =>
  `token ${say(token)}${parameter === undefined || parameter === token ? '' : ` (${say(parameter)}=)`}`;
const exampleOf = ({ example }: TrackingFault) => (example === null ? '' : `, such as ${say(example)}`);
const inAds =
  (otherwise: string) =>
  ({ use, source }: TrackingFault) =>
    use === undefined ? otherwise : `in the ads’ link at ${say(source, 'the source')} use ${quotedText(use)}`;
const quotedText = (text: string) => quoted(fromOutside(text), 300);

/** Every fault by its code: what it is, after the name of the campaign or source. */
const whatBy = {
  literal_macro: (fault) => `${tokenOf(fault)} arrives as the macro itself, ${say(fault.example ?? '')}`,
  broken_macro: (fault) =>
    `${tokenOf(fault)} arrives as a broken byte and the rest of a macro, ${say(fault.example ?? '')}`,
  bare_word: (fault) => `${tokenOf(fault)} is the bare word ${say(fault.example ?? '')} in place of a value`,
  same_click_id: (fault) =>
    `${tokenOf(fault)} has one value for many visits, ${say(fault.example ?? '')}, where others have one each`,
  empty_token: (fault) => `${tokenOf(fault)} arrives empty, other tokens do not`,
  cut_link: (fault) => `the link ends before ${tokenOf(fault)}: this and all after it arrive empty`,
  other_campaigns_tokens: (fault) =>
    `visits with the tokens of campaign ${say(fault.other?.id)} ${quotedText(fault.other?.name ?? '')}${exampleOf(fault)}`,
  undeclared_parameter: (fault) =>
    `the link has ${quotedText(`${fault.parameter ?? ''}=${fault.example ?? ''}`)}, which no token of its source declares: the tracker drops it`,
  no_cost: ({ example }) =>
    `no cost arrives: ${example === null ? 'visits cost 0' : `visits have the campaign’s bid, ${say(example)}`}`,
  cost_too_large: ({ factor = 100, example }) =>
    `cost arrives ${factor === 100 ? 'in cents' : 'as the price of a thousand'}, ${say(example ?? '')} a visit, about ${factor} times the usual`,
  sale_without_visit: (fault) => `sales without a visit${exampleOf(fault)}`,
  sale_twice: (fault) => `sales are booked twice${exampleOf(fault)}`,
  sale_before_visit: (fault) => `sales are booked before their visit${exampleOf(fault)}`,
  payout_doubled: ({ paid = [] }) => {
    const offers = paid.map(([offer, amount]) => `offer ${say(offer)} at ${amount} a sale in place of ${amount / 2}`);
    return `paid exactly twice the payout: ${joinSome(offers, 5, 'offer')}`;
  },
  cut_subid: (fault) => `subIDs are cut${exampleOf(fault)}`,
  doubled_subid: (fault) => `subIDs are doubled${exampleOf(fault)}`,
  other_campaigns_subid: (fault) => `subIDs of other campaigns${exampleOf(fault)}`,
  no_subid: (fault) => `visits of page ${say(fault.page)} carry no subID`,
  offer_without_subid: (fault) =>
    `visitors of offer ${say(fault.page)} take no subID along, and none was reported as sold`,
  clicks_without_subid: (fault) =>
    `clicks of page ${say(fault.page)} do not arrive: its call to action leads around the tracker, or carries no subID`,
  visits_while_off: () => 'it is switched off and still gets visits',
} as const satisfies Readonly<Record<string, Say>>;

/** What to change. */
const changeBy: Readonly<Record<TrackingFault['code'], Say>> = {
  literal_macro: (fault) =>
    inAds(
      fault.isPartial
        ? 'compare the links: some ads, or some places where they are shown, do not fill this macro'
        : 'take the macro that the source’s own help names; it does not know this one',
    )(fault),
  broken_macro: inAds(
    'a % before two letters is read as an escape and this macro was not replaced: take the source’s own',
  ),
  bare_word: inAds('put the brackets of the source’s macros around it'),
  same_click_id: inAds('take the source’s macro for the ID of a click'),
  empty_token: inAds('pass it again'),
  cut_link: inAds('a raw # ends a link, and so does what was cut from it: write the link whole, # as %23'),
  other_campaigns_tokens: (fault) =>
    `an ad of that campaign has the link of this one: give it ${quotedText(fault.link ?? '')}`,
  undeclared_parameter: (fault) =>
    fault.use === undefined
      ? 'declare a token with this parameter at the traffic source, or leave it out'
      : `use ${quotedText(fault.use)}`,
  no_cost: inAds('pass the source’s macro for the price of a click in the token of costs'),
  cost_too_large: ({ factor = 100 }) => `divide by ${factor}: pass the price of one visit in whole currency`,
  sale_without_visit: () => 'the network’s postback must send back the subID that the offer’s URL was given, whole',
  sale_twice: () => 'let one postback alone report a sale: two are set up, or one is sent again and adds',
  sale_before_visit: () => 'compare the clocks and zones of the tracker and of what imports sales',
  payout_doubled: () =>
    'a postback that adds comes twice, or the network pays twice as much now and the tracker has the old payout: compare with the network',
  cut_subid: () => 'the field that carries the subID is too short: pass all of it, or its last part, the ClickID',
  doubled_subid: () => 'the URL has the subID twice: leave one out, {!subid!} or the one that the campaign appends',
  other_campaigns_subid: () => 'a page or postback has a subID written in by hand: put {!subid!} in its place',
  no_subid: ({ use }) => `pass the subID to the page: ${quotedText(use ?? '')}`,
  offer_without_subid: () =>
    'pass it to offers (edit_campaign pass_subid_to_offer 1), or put {!subid!} into the offer’s URL',
  clicks_without_subid: ({ use }) =>
    `link it to ${use === undefined ? 'the tracker’s link for clicks' : quotedText(use)}, and let the page pass on the subID that it gets`,
  visits_while_off: (fault) => `stop its ads at ${say(fault.source, 'the source')}, or switch it on in the tracker`,
};

/** What to change and where, for the reader. */
export const sayChange = (fault: TrackingFault): string => changeBy[fault.code](fault);

const moneyBy: Partial<Record<TrackingFault['code'], string>> = {
  cost_too_large: 'their cost as it arrives',
  sale_twice: 'revenue counted again',
  payout_doubled: 'paid too much',
};

/** What the money of a fault is, before the amount. */
export function moneyOfFault({ code, counts, example }: TrackingFault): string {
  const isFree = counts === 'sale' || (code === 'no_cost' && example === null);
  return moneyBy[code] ?? (isFree ? 'their revenue' : 'their cost and revenue');
}

/** The fault without its campaign, first day and money. */
export const whatIsWrong = (fault: TrackingFault): string =>
  `${whatBy[fault.code](fault)}; ${fault.visits} of ${countInWords(fault.of, fault.counts)}${fault.counted > fault.since ? ` from ${fault.counted} on` : ''}`;

/** The whole fault in a sentence, without its money. */
export function sayFault(fault: TrackingFault): string {
  const { campaign, source, since, counted, isOlder, until } = fault;
  const ofSource = source === undefined ? 'unknown campaign' : `source ${say(source)}`;
  const who = campaign ? `${campaign.id} ${quotedText(campaign.name)}` : ofSource;
  const days = `since ${since}${isOlder ? ' or before' : ''}`;
  return `${who}: ${whatIsWrong(fault)}${counted > since ? ',' : ''} ${until === undefined ? days : `${days}, until ${until}: it is over`}`;
}

/** What a check of tracking looked at. The days before show what was usual, and so do visits of others where not all were asked about. */
type Looked = Readonly<{
  start: string;
  end: string;
  daysBefore: number;
  campaigns: number;
  of: number;
  visits: number;
  /** The sales of the account. */
  sales: number;
  others?: Readonly<{ visits: number; start: string; end: string }> | undefined;
}>;

export function sayLooked({ start, end, daysBefore, campaigns, of, visits, sales, others }: Looked): string {
  const part = campaigns < of ? `${campaigns} of ` : '';
  const days = `${part}${countInWords(of, 'campaign')} from ${start} to ${end}, and the ${daysBefore} days before for what was usual`;
  const ofAccount = part === '' ? '' : 'of the whole account ';
  const read = countInWords(visits, 'visit');
  const all = others
    ? `${read}, and ${ofAccount}${countInWords(others.visits, 'visit')} from ${others.start} to ${others.end}`
    : `${ofAccount}${read}`;
  return `${days}: ${all} and ${countInWords(sales, 'sale')}; links and tokens as the tracker lists them`;
}

const lackInWords = {
  cost: 'The visitor list has no cost: cost that is missing or wrong is not seen.',
  clicks: 'The visitor list has no clicks: clicks that do not arrive are not seen.',
  subids: 'The visitor list has no subIDs: wrong ones are not seen.',
  tokens: 'The visitor list has no tokens: macros are not seen.',
} as const;

/** A figure or list that a tracker may not show. */
export type TrackingNeed = keyof typeof lackInWords;

/** What a check of tracking could not look at. */
export const trackingNotes = {
  'tracking-lacks': ({ need }: { need: TrackingNeed }) => lackInWords[need],
  'others-unread': ({ why }: { why: string }) =>
    `The visits of other campaigns could not be read (${why}): what is usual is not known.`,
  'sources-unread': ({ why }: { why: string }) => `The traffic sources could not be read (${why}).`,
  'without-tokens': ({ campaigns, of }: { campaigns: number; of: number }) =>
    `The tracker shows no tokens of ${campaigns} of ${countInWords(of, 'campaign')}: what their links should carry is not known.`,
  'sales-cut': ({ why }: { why: WhyCut }) =>
    `The conversion list is not whole (${whyCut(why)}): some sales are not seen.`,
  'sales-without-subids': () => 'The conversion list has no subIDs: sales without a visit are not seen.',
} as const;
