import { countInWords, joinSome, joinWords } from '../api/rules.ts';
import { apart, dayInWords, nameOf, quote } from './words.ts';

export type NamedCampaign = { readonly id: string; readonly name: string };

/** `1 “Search”, 2 “Native” and 40 more` */
export const sayCampaigns = (campaigns: readonly NamedCampaign[], max = 20): string =>
  joinSome(
    campaigns.map(({ id, name }) => `${nameOf(id, 40)} ${quote(name, 60)}`),
    max,
  );

type Span = { readonly start: string; readonly end: string };

/** How many answers a list took, and why it is not whole if it is not. Days as YYYY-MM-DD. */
export type ListRead = {
  readonly requests: number;
  /** Days that were read in part, because the list of a single day is cut off. */
  readonly cutDays: readonly string[];
  readonly unreadDays: readonly string[];
  readonly stoppedBy?: 'time' | 'requests' | 'cut days' | 'latest only' | undefined;
  /** Why some of the unread days could not be read. */
  readonly failure?: string | undefined;
};

/** How many rows of a list are not each a visit that was asked for. */
export type OddRows = {
  /** Left out, since they repeat another row in every cell. */
  readonly same: number;
  /** Counted as visits, though they have the subID of another row. */
  readonly sameSubid: number;
  /** Left out, since they are of days or campaigns that were not asked for. */
  readonly otherDays: number;
  readonly otherCampaigns: number;
};

export const noOddRows: OddRows = { same: 0, sameSubid: 0, otherDays: 0, otherCampaigns: 0 };

export const addOddRows = (rows: OddRows, others: Partial<OddRows>): OddRows => ({
  same: rows.same + (others.same ?? 0),
  sameSubid: rows.sameSubid + (others.sameSubid ?? 0),
  otherDays: rows.otherDays + (others.otherDays ?? 0),
  otherCampaigns: rows.otherCampaigns + (others.otherCampaigns ?? 0),
});

const maxDays = 5;
const nameDays = (days: readonly string[]) => joinSome(days, maxDays, 'day');

const answersInWords = ({ requests }: ListRead) => (requests === 1 ? 'one answer' : `${requests} answers`);

const isWhole = ({ cutDays, unreadDays }: ListRead) => cutDays.length + unreadDays.length === 0;

/** Why a list is not whole, as part of a sentence; empty if it is. */
function gapsInWords({ requests, cutDays, unreadDays, stoppedBy, failure }: ListRead): string {
  const days = nameDays(unreadDays);
  const reason =
    stoppedBy === 'time' ? 'there was no time' : `a call makes at most ${requests} requests, so none was left`;
  const unread =
    stoppedBy === 'latest only'
      ? `the tracker lists only its latest visits, whichever days are asked for, so ${days} could not be read`
      : `${reason} to read ${days}: ask for fewer days at a time`;
  return [
    ...(cutDays.length > 0
      ? [`the list is cut off by its own maximum on ${nameDays(cutDays)}, so it has only a part of the visits`]
      : []),
    ...(failure === undefined ? [] : [`${days} could not be read (${failure})`]),
    ...(unreadDays.length > 0 && failure === undefined ? [unread] : []),
  ].join('; ');
}

/** The same as a sentence. */
function sayGaps(read: ListRead): string {
  const gaps = gapsInWords(read);
  return gaps === '' ? '' : ` Why: ${gaps}.`;
}

/** Rows that would look like more visits. */
function sayOddRows({ same, sameSubid, otherDays, otherCampaigns }: OddRows): string {
  const of = (rows: number, why: string) => (rows === 0 ? [] : [`${countInWords(rows, 'row')} ${why}`]);
  return [
    ...of(same, 'that repeated another in every cell left out.'),
    ...of(otherDays, 'of days that were not asked for, which the tracker listed all the same, left out.'),
    ...of(otherCampaigns, 'of campaigns that were not asked for, which the tracker listed all the same, left out.'),
    ...of(
      sameSubid,
      'had the subID of another and counted as visits: if they are second sales of a visit, there are fewer visits and less cost.',
    ),
  ].join(' ');
}

/** What a list that is not whole is good for, and why it is not. @param elsewhere where the right figures are */
function sayUse(read: ListRead, elsewhere: string): string {
  const use =
    read.cutDays.length === 0 && read.unreadDays.length > 0
      ? 'The days that were read are whole: sums and ratios hold for those.'
      : `It shows which values occur and how often. Sums and ratios of money differ from those of the period, because the missing visits are from other hours and the latest visits still lack sales${elsewhere}.`;
  return `${use}${sayGaps(read)}`;
}

const inStats = '; get_stats has the right ones';

type InAccount = { readonly visits: number; readonly read: ListRead };

function sayCountedInAccount({ visits, read }: InAccount, elsewhere: string): string {
  const basis = `ounted from ${visits} visits of the visitor list of all campaigns, in ${answersInWords(read)}`;
  return isWhole(read) ? `C${basis}, none cut off.` : `A sample: c${basis}. ${sayUse(read, elsewhere)}`;
}

type InCampaign = { readonly visits: number; readonly views?: number | undefined; readonly read: ListRead };

/** What the figures of a campaign are counted from, compared with the views of its report. */
function sayCountedInCampaign({ visits, views, read }: InCampaign, elsewhere: string): string {
  const basis = `ounted from ${visits} visits of the visitor list, in ${answersInWords(read)}`;
  if (views === undefined && isWhole(read))
    return `C${basis}; the campaign report, which would show whether that is all, has no views.`;
  if (visits === views) return `C${basis}: all ${views} views of the campaign report.`;
  if (views !== undefined && visits > views)
    return `C${basis}; the campaign report counts ${views} views, ${visits - views} fewer: the two count visits differently.${sayGaps(read)}`;
  const part = views ? ` (${Math.round((visits / views) * 1000) / 10}%)` : '';
  const report = views === undefined ? '' : `; the campaign report counts ${views} views${part}`;
  return `A sample: c${basis}${report}. ${sayUse(read, elsewhere)}`;
}

/** Why the visitor list of all campaigns is not used. */
export type WhyNotAll =
  | { readonly because: keyof typeof whyNotAll }
  | { readonly because: 'unread' | 'not whole'; readonly failure: string }
  | { readonly because: 'cut'; readonly rows: number | undefined };

const whyNotAll = {
  'no campaigns': 'names no campaigns',
  empty: 'is empty',
  'one campaign': 'has only one campaign',
  'same names': 'does not tell campaigns with the same name apart',
} as const;

function whyNotAllInWords(why: WhyNotAll): string {
  if (why.because === 'cut') return `is cut off by its own maximum of ${why.rows} rows within one day`;
  if (why.because === 'unread') return `could not be read (${why.failure})`;
  return why.because === 'not whole' ? `could not be read whole (${why.failure})` : whyNotAll[why.because];
}

/** Why a list of conversions is not whole. */
export type WhyCut = { readonly because: 'cut' } | { readonly because: 'failure'; readonly failure: string };

export const whyCut = (why: WhyCut): string => (why.because === 'cut' ? 'it is cut off' : why.failure);

const whyNoLists = { unnamed: 'name no campaigns', empty: 'are empty', unread: 'cannot be read' } as const;
export type WhyNoLists = keyof typeof whyNoLists;

/** What is assumed, and what cannot be found, if the visitor list lacks a figure. */
const withoutFigure = {
  clicks: {
    explain: 'each visit counts as a click',
    review: 'pages without clicks and clicks of bots are not seen',
  },
  conversions: {
    explain: 'each visit with revenue counts as a sale',
    review: 'a visit with revenue counts as a sale, and other sales are not seen',
  },
  cost: { explain: 'profit means revenue here', review: 'losses and missing cost are not seen' },
  revenue: { explain: '', review: 'losses and payouts are not seen' },
} as const;

const hasNo = (figures: string) => `The visitor list of this tracker has no ${figures}`;

type FailedCampaign = NamedCampaign & { readonly failure: string };

type CampaignsUnread = {
  /** The first one that failed, and how many more did. */
  readonly failed?: (FailedCampaign & { readonly more: number }) | undefined;
  /** How many there was no time for, of how many; for how long what was read is kept, in minutes. */
  readonly late: number;
  readonly of: number;
  readonly keptFor: number;
  readonly openKeptFor: number;
};

/** What is missing, in one line: with hundreds of campaigns a list of names helps no one. */
function sayUnread({ failed, late, of, keptFor, openKeptFor }: CampaignsUnread, choose: string): string {
  const more = failed && failed.more > 0 ? `, and ${failed.more} more that failed` : '';
  return [
    ...(failed ? [`Not read, and in no total: ${sayCampaigns([failed])} (${failed.failure})${more}.`] : []),
    ...(late > 0
      ? [
          `There was no time to read ${late} of ${of} campaigns, which are in no row and no total.`,
          `Call again to continue with these: what was read is kept for ${keptFor} minutes, or ${openKeptFor} for days that are not over.`,
          ...(choose === '' ? [] : [choose]),
        ]
      : []),
  ].join(' ');
}

/** Campaigns whose lists are not whole. */
type Sample = { readonly count: number; readonly campaigns: readonly NamedCampaign[]; readonly read: ListRead };

const saySample = ({ count, campaigns, read }: Sample, elsewhere: string) =>
  `A sample for ${count} of them: ${sayCampaigns(campaigns)}. ${sayUse(read, elsewhere)}`;

/** What was read of visits and sales, and what of it counts. */
export const visitNotes = {
  'by-random-draw': ({ tried = false }: { tried?: boolean }) =>
    `${tried ? 'Shares that were tried' : 'Outcomes of shares'} assume that a page earns the same from the same visitors whatever its share: caps and visitors who come again break that. Sales count with their visits.`,
  'time-over': apart<TimeOver>(
    (over) => `${sayTimeOver(over)} Ask for less, or raise TRACKER_TIMEOUT_MS.`,
    sayTimeOver,
  ),
  'visits-uncounted': apart<Uncounted>(
    (uncounted) => `${sayUncounted(uncounted)} Ask for less, or raise TRACKER_TIMEOUT_MS.`,
    sayUncounted,
  ),
  'unlisted-views': ({
    listed,
    reported,
    campaigns,
  }: {
    listed: number;
    reported: number;
    /** Those that lack visits; none if only one campaign was asked for. */
    campaigns: readonly NamedCampaign[];
  }) =>
    `Only ${listed} of the ${reported} views in the campaign reports are in the list of visitors${campaigns.length > 0 ? ` (${sayCampaigns(campaigns, 3)})` : ''}: what happened in the others is not seen.`,
  'counted-in-account': apart<InAccount>(
    (counted) => sayCountedInAccount(counted, inStats),
    (counted) => sayCountedInAccount(counted, ''),
  ),
  'counted-in-campaign': apart<InCampaign>(
    (counted) => sayCountedInCampaign(counted, inStats),
    (counted) => sayCountedInCampaign(counted, ''),
  ),
  'odd-rows': sayOddRows,
  'visits-not-whole': (read: ListRead) => `Not all visits were read: ${gapsInWords(read)}.`,
  'counted-in-spans': ({ visits, reads }: { visits: number; reads: readonly ListRead[] }) => {
    const requests = reads.reduce((sum, read) => sum + read.requests, 0);
    const gaps = reads.filter((read) => !isWhole(read)).map((read) => ` It is not whole: ${gapsInWords(read)}.`);
    const answers = answersInWords({ requests, cutDays: [], unreadDays: [] });
    return `Counted from ${visits} visits of the visitor list, in ${answers}.${gaps.join('')}`;
  },
  'counted-by-campaign': ({
    visits,
    campaigns,
    read,
    why,
  }: {
    visits: number;
    campaigns: number;
    read: ListRead;
    why: WhyNotAll;
  }) =>
    `Counted campaign by campaign, because the tracker’s visitor list of all campaigns ${whyNotAllInWords(why)}: from ${visits} visits of the visitor lists of ${campaigns} campaigns, in ${answersInWords(read)}.`,
  'counted-in-account-too': ({ start, end, visits }: Span & { visits: number }) =>
    `For days before ${start} and after ${end}: ${visits} visits of the list of all campaigns.`,
  'sample-of-campaigns': apart<Sample>(
    (sample) => saySample(sample, inStats),
    (sample) => saySample(sample, ''),
  ),
  'lists-of-campaigns-unread': ({
    days,
    campaigns,
    more,
  }: {
    /** The days that it is about, if the others were read otherwise. */
    days?: Span | undefined;
    campaigns: readonly FailedCampaign[];
    more: number;
  }) => {
    const named = campaigns.map((campaign) => `${sayCampaigns([campaign])} (${campaign.failure})`).join('; ');
    return `Not read${days ? ` from ${days.start} to ${days.end}` : ''}, and in no row and no total: ${named}${more > 0 ? `; and ${more} more` : ''}.`;
  },
  'no-time-for-lists': ({
    late,
    of,
    isByVisits,
    keptFor,
  }: {
    late: number;
    of: number;
    isByVisits: boolean;
    keptFor: number;
  }) =>
    `There was no time to read ${late} of ${of} campaigns, which are in no row and no total${isByVisits ? '; those with most visits came first' : ''}. Call again within ${keptFor} s to continue with these.`,
  'campaigns-not-asked': ({ campaigns }: { campaigns: number }) =>
    `${campaigns} campaigns had no visits in the part of the list of all campaigns that was read, and no sales: they were not read, and are in no row and no total.`,
  'no-list-and-no-campaigns': ({ why }: { why: WhyNotAll }) =>
    `The visitor list of all campaigns ${whyNotAllInWords(why)}, and the tracker lists no campaigns.`,
  'lists-unused': ({ why }: { why: WhyNoLists }) =>
    `The lists of all visitors and conversions ${whyNoLists[why]}, so the report of each campaign is read.`,
  'campaigns-in-no-list': ({ campaigns, arePages }: { campaigns: number; arePages: boolean }) =>
    `${campaigns} campaigns are in no list of visitors or conversions of these days: ${arePages ? 'their pages are in no row' : 'they count as 0'}, and their reports were not read.`,
  'campaigns-unread': apart<CampaignsUnread>(
    (unread) =>
      sayUnread(unread, 'Or choose campaigns with where, status or campaign_ids, or raise TRACKER_TIMEOUT_MS.'),
    (unread) => sayUnread(unread, ''),
  ),
  'no-campaigns': ({ status }: { status: string }) =>
    `The tracker lists no campaigns${status === 'all' ? '' : ` that are ${status}`}.`,
  'campaigns-match': ({ campaigns, of }: { campaigns: number; of: number }) =>
    `${campaigns} of ${of} campaigns match; only these were read, and totals are over them.`,
  'pages-with-traffic': () =>
    'Pages are those in the landing and offer reports of these days: a page without traffic may be missing.',
  /** `unknown`: offer pages whose network no list has. */
  'networks-from-lists': ({ unknown }: { unknown: number }) =>
    `The offer reports lack the network of some offers: it is taken from the lists of visitors and conversions of these days${unknown > 0 ? `; ${unknown} offer pages are in neither, so their network is empty` : ''}.`,
  'counted-at-pages': () =>
    'No totals: a visit counts at its landing page and at its offer, and at each level. With where on Kind = offer there are totals.',
  'counted-at-levels': () => 'No totals: a visit counts at its landing page of each level.',
  'only-offers': () =>
    'Visits that reached no offer are in no row, and neither is their cost: for the profit of the account use by campaign.',
  'report-of-each-day': () =>
    'Each day is the campaign report of that day, in the tracker’s own time zone, and a sale counts on the day whose report has it.',
  /** Without a failure, time ran out. */
  'days-unread': ({ days, failure }: { days: readonly string[]; failure?: string | undefined }) =>
    `Not read: ${days.join(', ')}${failure === undefined ? ', because time ran out' : ` (${failure})`}. The totals are without them; call again for them.`,
  'differ-by-chance': ({ dimension, doClicks }: { dimension: string; doClicks: boolean }) =>
    `Chance alone explains how conversions per view differ between these ${nameOf(dimension)}s${doClicks ? ': do not act on one of them.' : ', but not how clicks per view do: look at these.'}`,
  'sale-with-visit': ({ isByOfferOfSale, mixed }: { isByOfferOfSale: boolean; mixed: number }) =>
    `A sale counts with its visit, whenever it came${isByOfferOfSale ? ', under the offer that the conversion list names' : ''}.${mixed === 0 ? '' : ` The sales of ${countInWords(mixed, 'visit')} are of several offers, and all count under one of these.`}`,
  'figures-left-out': apart<{ readonly figures: readonly string[] }>(
    ({ figures }) => `${hasNo(joinWords(figures, 'and'))}, so these are left out; get_stats may have them.`,
    ({ figures }) => `${hasNo(joinWords(figures, 'and'))}, so these are left out.`,
  ),
  'figure-missing': ({ figure, use }: { figure: keyof typeof withoutFigure; use: 'explain' | 'review' }) =>
    `${hasNo(figure)} that can be read, so ${withoutFigure[figure][use]}.`,
  'campaigns-not-reviewed': ({
    campaigns,
    of,
    why,
  }: {
    campaigns: readonly NamedCampaign[];
    of: number;
    why?: WhyUnreviewed | undefined;
  }) =>
    `${campaigns.length} of ${of} campaigns could not be read: ${sayCampaigns(campaigns, 3)}${why === undefined ? '' : ` (${why.failure ?? 'there was no time; the next review of this server begins with them'})`}.`,
  'campaigns-reviewed-in-part': ({ campaigns, of }: { campaigns: readonly NamedCampaign[]; of: number }) =>
    `Only the last days of ${campaigns.length} of ${of} campaigns could be read whole and were reviewed: ${sayCampaigns(campaigns, 3)}.`,
  /** Without this, revenue less cost is not the profit in the totals. */
  'figure-lacking': ({ figure, campaigns }: { figure: string; campaigns: readonly NamedCampaign[] }) =>
    `The reports have no ${figure} of ${sayCampaigns(campaigns)}: the totals of ${figure} and profit are without.`,
  'campaigns-inactive': ({ campaigns }: { campaigns: readonly NamedCampaign[] }) =>
    `Inactive now, so that no visits are no trouble: ${sayCampaigns(campaigns)}. Findings are of the days before.`,
  'sales-unread': ({ why }: { why: WhyCut }) =>
    `How late sales come could not be read (${whyCut(why)}): the sales of the last days count as complete, though some may still come.`,
  'sales-not-dated': () =>
    'The conversion list does not show how late sales come: the sales of the last days count as complete.',
  'sales-read-in-part': ({ why }: { why: WhyCut }) =>
    `How late sales come was learned from a part of the conversions (${whyCut(why)}).`,
  looked: ({
    looks,
    visits,
    days,
    campaigns,
    quiet,
    falseFindings,
  }: {
    looks: number;
    visits: number;
    days: number;
    campaigns: number;
    quiet: number;
    falseFindings: number;
  }) =>
    `Ran ${looks === 0 ? 'no checks' : countInWords(looks, 'check')} on ${countInWords(visits, 'visit')} of the last ${days} days in ${countInWords(campaigns, 'campaign')}${quiet === 0 ? '' : `, of which ${quiet} had none`}${looks === 0 ? '' : `; at most ${falseFindings} finding a week is due to chance`}.`,
  'reviewed-days': ({ days, first }: { days: number; first: string }) =>
    `As of the end of each of ${days} days from ${dayInWords(first)} on, always by the days up to then; what was over by the last is marked.`,
  'not-judged': ({ all, kinds }: { all: number; kinds: readonly NotJudged[] }) => {
    const inWords = (code: string) => code.replaceAll('_', ' ');
    const isOfSome = kinds.some(({ campaigns }) => campaigns < all);
    const worded = [...new Set(kinds.map(({ why }) => why))].map((why) => {
      const own = kinds.filter((one) => one.why === why);
      const named = own.flatMap(({ campaigns, kinds: codes }) =>
        codes.map((code) => `${inWords(code)}${isOfSome ? ` ${campaigns}` : ''}`),
      );
      return `${named.join(', ')} (${inWords(why)})`;
    });
    return `Not looked for${isOfSome ? `, in so many of ${all} campaigns` : ''}: ${worded.join('; ')}.`;
  },
} as const;

type Uncounted = { readonly visits: number };

function sayUncounted({ visits }: Uncounted): string {
  return `The time of the call ended before ${countInWords(visits, 'more visit')} could be counted: they are missing in all figures.`;
}

type TimeOver = {
  /** Campaigns that were not looked at; none if it was groups of visits. */
  readonly campaigns: readonly NamedCampaign[];
};

function sayTimeOver({ campaigns }: TimeOver): string {
  return campaigns.length === 0
    ? 'The time of the call ended before all groups of visits were compared: there may be other causes.'
    : `The time of the call ended before ${sayCampaigns(campaigns, 3)} could be looked at.`;
}

/** Why campaigns were not reviewed; without a failure, there was no time. */
export type WhyUnreviewed = { readonly failure?: string | undefined };

/** Kinds of findings that could not be looked for in so many campaigns, and what these lack, as codes. */
type NotJudged = { readonly why: string; readonly campaigns: number; readonly kinds: readonly string[] };
