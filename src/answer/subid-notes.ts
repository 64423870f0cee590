import { countInWords } from '../api/rules.ts';
import { type Cell, quoted } from '../api/text/tracker-text.ts';
import { apart, model, nameOf, quote } from './words.ts';

/** What nothing shows. */
const guesses = {
  'other-account':
    'Perhaps the subID is of another tracker or account, was cut off or mistyped, or is older than what the tracker keeps.',
  'left-landing-page': 'Perhaps the visitor left the landing page without clicking, as most do.',
  'untracked-link':
    'Perhaps its call to action does not lead through the tracker: compare the CTR of the landing pages with get_stats.',
  'left-later-page':
    'Perhaps the visitor left at a later one, if the campaign has several levels or a form ahead of the offer.',
  'no-active-offer':
    'Perhaps no offer of the visitor’s path or option group was active with a share above 0 at that moment: see the offer report of get_stats.',
  'did-not-buy':
    'Perhaps the visitor did not buy, which is the usual case; or the network has not reported it yet, which can take days.',
  'lost-postback':
    'Perhaps the network’s postback does not reach the tracker, or not with this subID: check the postback URL, and that pass_subid_to_offer is on (edit_campaign).',
} as const;

export type Guess = keyof typeof guesses;

export interface LikelyRobot {
  readonly id: 'robot';
  /** The user agent, if it is one of a robot; null if not. */
  readonly agent: Cell;
  /** Its word that only robots have. */
  readonly word: string | null;
  readonly isInstant: boolean;
  readonly isp: Cell;
}

/** What may explain that a visitor did not take the next step. */
export type VisitCause = { readonly id: Guess } | LikelyRobot;

export function sayCause(cause: VisitCause): string {
  if (cause.id !== 'robot') return guesses[cause.id];
  const { agent, isInstant, isp } = cause;
  const signs = [
    ...(agent === null ? [] : [`the user agent is ${quoted(agent, 120)}`]),
    ...(isInstant ? ['the click came within a second of arriving'] : []),
  ];
  const provider = isp === null ? '' : ` (ISP ${quoted(isp, 60)})`;
  return `The visitor looks like a bot: ${signs.join(', and ')}${provider}.`;
}

/** The same as a cell of a table: `bot: “HeadlessChrome/118.0”, ISP “Quickrack Hosting”`. */
export function sayRobot({ word, isInstant, isp }: LikelyRobot): string {
  const signs = [
    ...(word === null ? [] : [nameOf(word, 40)]),
    ...(isInstant ? ['clicked within a second'] : []),
    ...(isp === null ? [] : [`ISP ${quoted(isp, 60)}`]),
  ];
  return `bot: ${signs.join(', ')}`;
}

/** The status of a sale that is not surely paid, as a cell of a table. */
export const saySaleStatus = (word: string): string => `status ${nameOf(word, 40)}`;

export const sayLostZeros = ({ zeros, listed }: { zeros: number; listed: string }): string =>
  `${countInWords(zeros, 'leading zero')} of the ClickID lost, as in Excel: ${quote(listed)}`;

/** How many of some subIDs are known. */
const knownWords = {
  yes: 'found',
  no: 'not known to the tracker',
  unreadable: 'unreadable',
  failed: 'could not be looked up',
  'not looked up': 'not looked up for lack of time',
} as const;
export type Known = keyof typeof knownWords;

function sayFound({ subids, known }: { subids: number; known: Readonly<Partial<Record<Known, number>>> }): string {
  const counted = Object.entries(knownWords).flatMap(([one, words]) =>
    known[one as Known] ? [`${known[one as Known]} ${words}`] : [],
  );
  return `Of ${subids}: ${counted.join(', ')}.`;
}

/** What visits share more than other visits of their campaigns and days. */
type SharedValues = {
  /** The visits that were compared, of how many that were given; and those that they were compared with. */
  readonly given: number;
  readonly of: number;
  readonly others: number;
  readonly tested: number;
  /** The part of calls that name any by chance alone. */
  readonly falseFindings: number;
  readonly values: readonly SharedValue[];
  readonly more: number;
};

type SharedValue = {
  readonly dimension: string;
  readonly value: string;
  readonly given: number;
  readonly givenOf: number;
  readonly others: number;
  readonly othersOf: number;
};

function sayShared({ given, of, others, tested, falseFindings, values, more }: SharedValues): string {
  const among = `${countInWords(tested, 'value')}, against ${countInWords(others, 'other visit')} of the same campaigns and days`;
  if (values.length === 0) return `Nothing stands out among ${among}.`;
  const named = values.map(
    (one) =>
      `${nameOf(one.dimension.replaceAll('_', ' '))} ${quote(one.value, 80)} (${one.given} of ${one.givenOf}; of the others ${one.others} of ${one.othersOf})`,
  );
  const rest = more > 0 ? `; and ${more} more in shared.values` : '';
  const part = given < of ? ` of ${given} of the ${of} visits` : '';
  return `Shared more${part} than by others: ${named.join(', ')}${rest}. Tested: ${among}; by chance alone at most 1 call in ${Math.round(1 / falseFindings)} names any.`;
}

type SameClickId = { readonly subids: readonly string[] };

/** Why a subID may be unknown, as a cell of a table. */
export const sayUnknown = (why: SameClickId | { readonly campaign: string }): string =>
  'campaign' in why
    ? `campaign ${nameOf(why.campaign)} is not on this tracker`
    : `${why.subids.map((subid) => quote(subid, 100)).join(' and ')} has the same ClickID but begins differently, so it was not used`;

/** What became of visitors. */
export const subidNotes = {
  'lost-zeros': (lost: { zeros: number; listed: string }) => `${sayLostZeros(lost)}.`,
  'subids-found': sayFound,
  'look-up-again': () => 'Call again with the subIDs that were not looked up.',
  'lookup-failed': ({ failure }: { failure: string }) => `A request failed: ${failure}`,
  'not-looked-up-by-click': ({ count }: { count: number }) =>
    `${count} of the unknown ones were not looked up by their ClickID alone.`,
  'diagnose-one': model(() => 'For the steps of one visitor, call diagnose_subid with subid.'),
  'shared-values': sayShared,
  'shared-values-untested': ({ failure }: { failure?: string | undefined }) =>
    `What these visits share was not tested: too few of them are in a list with other visits${failure === undefined ? '' : ` (${failure})`}.`,
  'more-conversions': apart<{ count: number }>(
    ({ count }) => `${countInWords(count, 'more conversion')}: list_conversions has them all.`,
    ({ count }) => `${countInWords(count, 'more conversion')} did not fit.`,
  ),
  'more-conversion-fields': ({ shown }: { shown: number }) =>
    `Fields of the conversions after the first ${shown} did not fit into one answer.`,
  'same-click-id': (remark: SameClickId) => `${sayUnknown(remark)}.`,
  'campaign-not-here': ({ campaign }: { campaign: string }) => `Campaign ${nameOf(campaign)} is not on this tracker.`,
} as const;
