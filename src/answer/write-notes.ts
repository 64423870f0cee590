import type { HistoryNote } from '../api/notes.ts';
import { countInWords, joinSome, joinWords } from '../api/rules.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { shorten } from '../api/text/tracker-text.ts';
import { showArgument } from './changes.ts';
import { saySearch } from './outcomes.ts';
import { duration, type EndedProposal, sayProposal } from './proposals.ts';
import { type NamedCampaign, sayCampaigns } from './visit-notes.ts';
import { apart, model, nameOf, quote, type Words } from './words.ts';

/** A page of a campaign, with its name if the reports show it. */
export type NamedPage = {
  readonly id: string;
  readonly name?: string | undefined;
  readonly kind: 'landing' | 'offer';
};

export const kindInWords = (kind: NamedPage['kind']): string => (kind === 'offer' ? 'offer' : 'landing page');

/** `3 “FitTrack coaching” (offer)` */
export const namePage = ({ id, name, kind }: NamedPage): string =>
  `${id}${name === undefined ? '' : ` ${quote(name, 60)}`} (${kindInWords(kind)})`;

/** The share of a page, and the percentage of the group's traffic that it gets; null if unknown. */
export type Part = { readonly share: number | null; readonly percent: number | null };

/** What requests do to a page of a group. */
type PageEffect = {
  readonly page: NamedPage;
  readonly before: Part;
  readonly after: Part;
  /** Whether the page moves out of the group, or into it from a different group. */
  readonly move?: 'leaves' | 'joins' | undefined;
};

/** `- 3 “FitTrack” (offer): share 40 -> 25, 40% -> 30.8% of the traffic` */
function sayPageEffect({ page, before, after, move }: PageEffect): string {
  const shareOf = ({ share }: Part) => String(share ?? 'unknown');
  const percentOf = ({ percent }: Part) => (percent === null ? 'unknown' : `${percent}%`);
  const arrow = (of: (part: Part) => string) =>
    of(before) === of(after) ? of(before) : `${of(before)} -> ${of(after)}`;
  const joins = move === 'leaves' ? 'leaves this group' : `joins this group with share ${shareOf(after)}`;
  return `- ${namePage(page)}: ${move === undefined ? `share ${arrow(shareOf)}` : joins}, ${arrow(percentOf)} of the traffic`;
}

/** What a page should get and does not. */
export type Lack = {
  readonly lacks: 'clicks' | 'sales';
  readonly visits: number;
  /** At its own earlier rate, or at that of the other pages of its group. */
  readonly expected: number;
  readonly rate_of: 'page' | 'others';
  /** First day, YYYY-MM-DD. */
  readonly since: string;
};

/** `had no click in 101 visits since 2026-11-12: at its usual rate it would have 37` */
export function lackInWords({ lacks, visits, expected, rate_of, since }: Lack): string {
  const usual = rate_of === 'page' ? 'at its usual rate' : 'at the rate of the other pages of its group';
  return `had no ${lacks === 'clicks' ? 'click' : 'sale'} in ${visits} visits since ${since}: ${usual} it would have ${expected}`;
}

/** Why the values before a write are not known. */
export type WhyUnknown =
  | { readonly because: keyof typeof whyUnknown }
  /** A number that can be read in two ways, as the tracker writes it. */
  | { readonly because: 'open number'; readonly cell: string }
  | { readonly because: 'failure'; readonly failure: string };

const whyUnknown = {
  'no report': 'no report of the campaign shows this page.',
  'not listed': 'the campaign list does not show this campaign.',
  predefined: 'the API cannot read predefined records, so only values that this server set are known.',
} as const;

function whyUnknownInWords(why: WhyUnknown): string {
  if (why.because === 'failure') return shortFailure(why);
  return why.because === 'open number'
    ? `nothing shows whether ${quote(why.cell, 60)} is a thousand or a fraction. Set TRACKER_DECIMAL (--decimal) to point or comma.`
    : whyUnknown[why.because];
}

type UnknownBefore = { readonly names: readonly string[]; readonly why?: WhyUnknown | undefined };

/** `The payout before is not known, so undo_change cannot restore it.`, or with a reason */
function sayUnknownBefore({ names, why }: UnknownBefore, lost: (isOne: boolean) => string): string {
  const isOne = names.length === 1;
  const fields = names.map((name) => (name === 'active' ? 'state' : name.replaceAll('_', ' ')));
  const end = why === undefined ? '.' : `: ${whyUnknownInWords(why)}`;
  return `The ${joinWords(fields, 'and')} before ${isOne ? 'is' : 'are'} not known, so ${lost(isOne)}${end}`;
}

/** Why it is not known whether landing pages and offers compete for the same visitors. */
export type WhyNoPool =
  | { readonly because: keyof typeof whyNoPool }
  | { readonly because: 'visits refused'; readonly failure: string };

const whyNoPool = {
  'few visits': 'there are too few visits of late',
  'no pages in list': 'the visitor list does not have their pages',
  'many campaigns': 'only the campaigns with most visits are asked for them',
  'no time': 'there was no time to ask for visits',
} as const;

/** `nothing shows whether landing pages and offers compete for the same visitors: there are too few visits of late` */
export const sayNoPool = (why: WhyNoPool): string =>
  `nothing shows whether landing pages and offers compete for the same visitors: ${why.because === 'visits refused' ? shortFailure(why) : `${whyNoPool[why.because]}.`}`;

/** Why the effect of a write on traffic is not known. */
type WhyNoEffect =
  | WhyNoPool
  | { readonly because: 'failure'; readonly failure: string }
  /** Of `level` or `path`. */
  | { readonly because: 'not shown' | 'several'; readonly place: string };

function sayNoEffect({ why }: { readonly why?: WhyNoEffect }): string {
  const start = 'The effect on traffic is not known';
  if (!why) return `${start}.`;
  if (why.because === 'failure') return `${start}: ${shortFailure(why)}`;
  if (!('place' in why)) return `${start}: ${sayNoPool(why)}`;
  return why.because === 'not shown'
    ? `${start}: the reports do not show the ${why.place} of every page.`
    : `${start}: there are several ${why.place}s, and the tracker chooses one unless ${why.place} is given.`;
}

type Failed = { readonly failure: string };

const maxFailure = 500;
const shortFailure = ({ failure }: Failed) => shorten(cleanText(failure), maxFailure);

/** A name or value of an argument that a request sets. */
type OfRequest = { readonly name: string; readonly request: string };

const maxPages = 20;

export const listPages = (pages: readonly string[]): string => joinSome(pages, maxPages);

type Group = { readonly group: string };
type OfPage = { readonly page: NamedPage };

type HistoryData<Code extends HistoryNote['code']> = Extract<HistoryNote, { code: Code }>;

const historyNotes = {
  'replicas-unknown': ({ failure }) => `Changes that other replicas made are not known: ${failure}`,
  'replicas-unreadable': ({ count }) => `Changes of other replicas that could not be read: ${count}.`,
  'earlier-unknown': ({ failure }) => `Changes of earlier runs are not known: ${failure}`,
  'log-unreadable': ({ count }) => `Lines of the audit log that could not be read: ${count}.`,
  'log-problem': ({ problem }) => problem,
} satisfies { readonly [Code in HistoryNote['code']]: Words<HistoryData<Code>> };

/** What writes do, what was there before, and what became of them. */
export const writeNotes = {
  'dry-run': apart<{ readonly isChecked: boolean }>(
    ({ isChecked }) =>
      `Dry run: nothing was sent${isChecked ? '' : ', and the tracker has not checked it'}. Call again without dry_run to do it.`,
    ({ isChecked }) => `Dry run: nothing was sent${isChecked ? '' : ', and the tracker has not checked it'}.`,
  ),
  'already-so': ({ what }: { what: 'values' | 'shares' }) => `Nothing was sent: the tracker already has these ${what}.`,
  'write-already-so': apart<{ readonly write: number; readonly request: string }>(
    ({ write, request }) => `${write} ${request}: not sent, the tracker already has these values.`,
    ({ write }) => `Write ${write} was not sent: the tracker already has these values.`,
  ),
  'writes-not-shown': apart<{ readonly count: number }>(
    ({ count }) => `Not shown: ${countInWords(count, 'more write')}; list_changes has them.`,
    ({ count }) => `Not shown: ${countInWords(count, 'more write')}.`,
  ),
  'sent-whole': ({ maxLength }: { maxLength: number }) =>
    `Values longer than ${maxLength} characters are cut here, and sent whole.`,
  'no-page-id': apart(
    () =>
      'The tracker returned no page ID, and its reports do not show the page yet. Look for it later in the landing or offer report of get_stats. Until its ID is known, undo_change cannot switch it off.',
    () =>
      'The tracker returned no page ID, and its reports do not show the page yet. Until its ID is known, the page cannot be switched off from here.',
  ),
  'no-record-id': () => 'The tracker answered OK, but gave no ID of the record.',
  'other-id': ({ id, asked }: { id: string; asked: string }) =>
    `The tracker answered with ID ${id}, but the request was for ${asked}: check which record it changed.`,
  /** An amount that grows or shrinks many times: a decimal point may be in the wrong place. */
  leap: ({
    argument,
    before,
    after,
    times,
    currency,
  }: {
    argument: string;
    before: number;
    after: number;
    times: number;
    currency?: string | undefined;
  }) => {
    const [old, set] = [before, after].map((value) => showArgument(argument, value, currency));
    const whole = Math.round(times);
    const about = whole === times ? '' : 'about ';
    return `The ${argument} of ${set} is ${about}${after > before ? `${whole} times` : `1/${whole} of`} the old one, ${old}.`;
  },
  'unknown-before': apart<UnknownBefore>(
    (unknown) => sayUnknownBefore(unknown, (isOne) => `undo_change cannot restore ${isOne ? 'it' : 'them'}`),
    (unknown) => sayUnknownBefore(unknown, (isOne) => `${isOne ? 'it' : 'they'} cannot be restored`),
  ),
  'effect-unknown': sayNoEffect,
  /** The heading of the writes to a campaign, or to records that are in none. */
  'in-campaign': ({ id, name }: { id?: number | undefined; name?: string | undefined }) =>
    id === undefined ? 'Predefined records:' : `Campaign ${id}${name === undefined ? '' : ` ${quote(name, 80)}`}:`,
  /** The heading of the pages of a group. */
  'in-group': ({ group }: Group) => `${group.charAt(0).toUpperCase()}${group.slice(1)}:`,
  'page-effect': sayPageEffect,
  'no-traffic': ({ group }: Group) =>
    `No page of the ${group} would get traffic: the visitors of this group would have nowhere to go.`,
  'gets-all-traffic': ({ group, page }: Group & OfPage) => `Page ${namePage(page)} gets all traffic of the ${group}.`,
  'traffic-stops': ({ pages }: { pages: readonly NamedPage[] }) =>
    `No traffic any more: ${listPages(pages.map(namePage))}.`,
  alone: ({ group, page }: Group & OfPage) =>
    `Page ${namePage(page)} is alone among the ${group}: its share has no effect.`,
  'gains-and-lacks': ({ page, ...lack }: Lack & OfPage) =>
    `Page ${namePage(page)} gains traffic, but ${lackInWords(lack)}.`,
  'parts-unknown': ({ campaigns, why }: { campaigns: readonly NamedCampaign[]; why: WhyNoPool }) =>
    `The pages of ${sayCampaigns(campaigns, 5)} have no Traffic %: ${sayNoPool(why)}`,
  'one-pool': () => 'Landing pages and offers of this campaign share one pool: a share takes from both.',
  'pages-not-shown': ({ group, count }: Group & { count: number }) =>
    `Not shown: ${countInWords(count, 'more page')} of the ${group}.`,
  'percent-missed': ({ page, percent, wished }: OfPage & { percent: number; wished: number }) =>
    `${namePage(page)} gets ${percent}% instead of ${wished}%: whole shares from 1 to 100 come no nearer.`,
  'shares-as-set': () => 'Read again: the tracker has these shares now.',
  'shares-differ': apart<{ readonly pages: readonly (OfPage & { readonly share: number | null })[] }>(
    ({ pages }) => `${sayShares(pages)} Its report may lag behind; look again with get_stats.`,
    ({ pages }) => `${sayShares(pages)} Its report may lag behind.`,
  ),
  /** What a rotation was planned without: the tracker, or somebody else, set them meanwhile. */
  'others-moved': ({ pages }: { pages: readonly MovedShare[] }) =>
    `Read again, other pages have other shares than before, so the traffic is split otherwise than shown here: ${listPages(
      pages.map(({ page, share, before }) => `${namePage(page)} has ${share} instead of ${before}`),
    )}.`,
  /** `missing`: the arguments whose value it does not show. */
  'values-as-set': ({ missing }: { missing: readonly string[] }) =>
    missing.length === 0
      ? 'Read again: the tracker has these values now.'
      : `Read again: the tracker does not show ${joinWords(missing, 'or')}, and has the other values now.`,
  'values-differ': apart<Values>(
    (values) => `${sayValues(values)} ${sayLag(values)}; look again with ${values.by ?? 'list_campaigns'}.`,
    (values) => `${sayValues(values)} ${sayLag(values)}.`,
  ),
  'writes-as-set': ({ writes, isAll }: { writes: readonly number[]; isAll: boolean }) =>
    `Read again: the tracker has the values of ${isAll ? 'all writes' : `write${writes.length === 1 ? '' : 's'} ${joinWords(writes.map(String), 'and')}`} now.`,
  'values-not-shown': () => 'The tracker accepted the write, but does not show these values any more.',
  'not-read-again': ({ failure, writes }: Failed & { writes: 'one' | 'all' }) =>
    `The tracker accepted ${writes === 'one' ? 'the' : 'every'} write, but could not be read again: ${shortFailure({ failure })}`,
  'undone-already': ({ changes }: { changes: readonly { id: string; by: string }[] }) =>
    `${countInWords(changes.length, 'change')} of these ${changes.length === 1 ? 'was' : 'were'} already undone: ${joinWords(
      changes.map(({ id, by }) => `${id} (by ${by})`),
      'and',
    )}.`,
  'old-value-there': apart<{ readonly request: string }>(
    ({ request }) => `${request}: nothing to undo, the tracker already has the old value.`,
    () => 'Nothing to undo of a part of it: the tracker already has the old value.',
  ),
  'today-unread': apart<{ readonly values: readonly OfRequest[] }>(
    ({ values }) =>
      `Today’s value cannot be read: ${listPages(values.map(({ name, request }) => `${name} of ${request}`))}. Somebody may have changed it since.`,
    ({ values }) =>
      `Today’s ${listPages([...new Set(values.map(({ name }) => name.replaceAll('_', ' ')))])} cannot be read: somebody may have changed it since.`,
  ),
  /** An old value that the API does not take, as it is shown. */
  'old-value-not-taken': apart<{ readonly name: string; readonly value: string; readonly tool: string }>(
    ({ name, value, tool }) => `Not undone: ${name}. Its old value, ${value}, cannot be set with ${tool}.`,
    ({ name, value }) => `Not undone: ${name.replaceAll('_', ' ')}. Its old value, ${value}, cannot be set.`,
  ),
  'old-value-unknown': apart<{ readonly names: readonly string[] }>(
    ({ names }) => `Not undone: ${joinWords(names, 'and')}, because the value before is not known.`,
    ({ names }) =>
      `Not undone: ${joinWords(names, 'and').replaceAll('_', ' ')}, because the value before is not known.`,
  ),
  'added-without-id': apart<{ readonly tool: string }>(
    ({ tool }) => `What ${tool} added cannot be switched off: the tracker returned no ID for it.`,
    () => 'What was added cannot be switched off: the tracker returned no ID for it.',
  ),
  'added-id-unknown': apart(
    () => 'undo_change cannot switch off what was added: its ID is not known.',
    () => 'What was added cannot be switched off from here: its ID is not known.',
  ),
  'addition-stays': () => 'What was added is switched off and stays: the API cannot delete it.',
  'surroundings-unread': ({ failure }: Failed) =>
    `The pages around it could not be read, so they are not compared again before it is sent: ${failure}`,
  'done-not-shown': apart<{ readonly tool: string; readonly change: string }>(
    ({ tool, change }) =>
      `${tool}: done, change ${change}. The answer could not be shown whole: list_changes has it. Do not repeat the call.`,
    ({ change }) => `Done, change ${change}. The answer could not be shown whole.`,
  ),
  'waits-for-approval': ({ id, minutes, page }: { id: string; minutes: number; page?: string | undefined }) =>
    `Nothing was sent: proposal ${id} waits for a person, and expires in ${duration(minutes)}. Only a person with an approver’s secret can approve it: with \`tracker-mcp approve ${id}\` on a terminal, or ${page === undefined ? 'on the /approve page of a server over HTTP' : `at ${page}`}.`,
  'sent-by-a-server': () =>
    'This command has ended by then: what is approved is sent by a running server with the same tracker, settings and proposals. Start one if there is none.',
  'tell-the-person': model(
    () => 'Tell the person. get_proposal shows the outcome; do not call the tool again for the same change.',
  ),
  'no-changes': () => 'No changes by this server yet.',
  'no-change-matches': ({ known }: { known: number }) =>
    `None of the ${known} known changes matches that campaign and time.`,
  'searched-elsewhere': saySearch,
  'ask-for-outcomes': model(() => 'With outcomes true, changes of shares made elsewhere are looked for, too.'),
  'older-changes': apart<{ count: number; offset: number }>(
    ({ count, offset }) => `Not shown: ${countInWords(count, 'older change')}; call again with offset ${offset}.`,
    ({ count }) => `Not shown: ${countInWords(count, 'older change')}.`,
  ),
  'older-proposals': apart<{ count: number }>(
    ({ count }) => `Not shown: ${countInWords(count, 'older proposal')}; get_proposal has them.`,
    ({ count }) => `Not shown: ${countInWords(count, 'older proposal')}.`,
  ),
  ...historyNotes,
  proposal: apart<EndedProposal>(sayProposal, (proposal) => sayProposal(proposal, false)),
} as const;

interface Values {
  readonly values: readonly (readonly [name: string, value: string])[];
  /** What shows the values of pages. */
  readonly by?: 'get_stats';
}

/** A page that kept its share as far as a write knows, and has a different one. */
export type MovedShare = OfPage & { readonly share: number; readonly before: number };

const sayLag = ({ by }: Values) => `Its ${by === undefined ? 'list' : 'report'} may lag behind`;

const readAgainDiffers = 'Read again, the tracker does not show what was set';

const sayShares = (pages: readonly (OfPage & { readonly share: number | null })[]) =>
  `${readAgainDiffers}: ${listPages(pages.map(({ page, share }) => `${namePage(page)} has ${share ?? 'no share'}`))}.`;

const sayValues = ({ values }: Values) =>
  `${readAgainDiffers}: ${joinWords(
    values.map(([name, value]) => `${name} is ${nameOf(value)}`),
    'and',
  )}.`;
