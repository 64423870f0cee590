import { joinSome } from '../api/rules.ts';
import { type HeldRevenue, sayHeldRevenue, type WhyNotHeld, whyNotHeld } from './held-revenue.ts';
import { type NoDataBefore, sayNoDataBefore } from './no-data-before.ts';
import { type OffShares, sayOffShares } from './off-shares.ts';
import { type OpenDay, sayOpenDay } from './open-day.ts';
import { type PartialReport, sayPartialReport } from './partial-report.ts';
import { type SoFar, saySoFar } from './so-far.ts';

/**
 * Facts about an answer that its rows do not show. They travel as codes with data, and become sentences at the end of a call, here
 * alone. A model reads all of them. What names tools, arguments or fields is not for a person.
 */
interface Words<Data> {
  readonly for: 'model' | 'both';
  readonly say: (data: Data) => string;
  /** What of it a person reads, if not all. */
  readonly sayToPerson?: (data: Data) => string;
}

const row = <Data = unknown>(words: Words<Data>) => words;

const words = {
  'open-day': row<OpenDay>({
    for: 'both',
    say: (open) => `${sayOpenDay(open, open.day)}. Without dates get_overview compares whole days.`,
    sayToPerson: (open) => `${sayOpenDay(open, open.day)}.`,
  }),
  'so-far': row<SoFar>({ for: 'both', say: saySoFar }),
  'no-data-before': row<NoDataBefore>({ for: 'both', say: sayNoDataBefore }),
  'partial-report': row<PartialReport>({ for: 'both', say: sayPartialReport }),
  'held-revenue': row<HeldRevenue>({ for: 'both', say: sayHeldRevenue }),
  'held-not-told': row<{ readonly why: WhyNotHeld }>({
    for: 'both',
    say: ({ why }) => `How much of the revenue is pending or rejected is not known: ${whyNotHeld(why)}.`,
  }),
  'off-shares': row<OffShares>({ for: 'both', say: sayOffShares }),
  'by-random-draw': row<{ readonly tried?: boolean }>({
    for: 'both',
    say: ({ tried = false }) =>
      `${tried ? 'Shares that were tried' : 'Outcomes of shares'} assume that a page earns the same from the same visitors whatever its share: caps and visitors who come again break that. Sales count with their visits.`,
  }),
  'large-fall': row<{ readonly profit: number; readonly before: number }>({
    for: 'model',
    say: ({ profit, before }) =>
      `Profit fell from ${before.toFixed(2)} to ${profit.toFixed(2)}: explain_change with these days says why.`,
  }),
  'unlisted-views': row<{
    readonly listed: number;
    readonly reported: number;
    /** Those that lack visits, in words; none if only one campaign was asked for. */
    readonly campaigns: readonly string[];
  }>({
    for: 'both',
    say: ({ listed, reported, campaigns }) =>
      `Only ${listed} of the ${reported} views in the campaign reports are in the list of visitors${campaigns.length > 0 ? ` (${joinSome(campaigns, 3)})` : ''}: what happened in the others is not seen.`,
  }),
} as const;

type DataOf<Row> = Row extends Words<infer Data> ? Data : never;

/** A fact, by its code. */
export type Note = {
  readonly [Code in keyof typeof words]: { readonly code: Code } & DataOf<(typeof words)[Code]>;
}[keyof typeof words];

/** A notice about one of several trackers. */
type OfTracker = { readonly tracker: string; readonly notice: Notice };

/** A sentence is not a note yet. The tools are to give notes instead, one file after the other. */
export type Notice = Note | OfTracker | string;

/** A result whose notices are not words yet. */
export type Unworded<Result> = Omit<Result, 'notices'> & { readonly notices: readonly Notice[] };

export function sayNotice(notice: Notice): string {
  if (typeof notice === 'string') return notice;
  return 'tracker' in notice ? `${notice.tracker}: ${sayNotice(notice.notice)}` : wordsOf(notice).say(notice);
}

/** Null if it is for models alone. */
export function sayToPerson(notice: Notice): string | null {
  if (typeof notice === 'string') return saidToPerson(notice);
  if ('tracker' in notice) {
    const said = sayToPerson(notice.notice);
    return said === null ? null : `${notice.tracker}: ${said}`;
  }
  const { for: reader, say, sayToPerson: saySome = say } = wordsOf(notice);
  return reader === 'model' ? null : saySome(notice);
}

function wordsOf({ code }: Note): Words<Note> {
  return words[code] as Words<Note>;
}

/** The first day that is not over. */
export function openDayIn(notices: readonly Notice[]): OpenDay | undefined {
  for (const notice of notices) {
    if (typeof notice === 'string') continue;
    const found = 'tracker' in notice ? openDayIn([notice.notice]) : notice.code === 'open-day' ? notice : undefined;
    if (found) return { day: found.day, isSure: found.isSure };
  }
  return undefined;
}

/** Words for models only: names of tools and fields. A sentence that begins with a small letter begins with a field. */
const forModels = /_[a-z]|\boffset\b|\br\d+\b|query_report|not instructions|^[a-z]/;

/**
 * What a person reads of a notice that is still a sentence: without names of tools, arguments and fields. It goes when all are notes.
 */
function saidToPerson(notice: string): string | null {
  const sentences = notice.split(/(?<=[.!?])\s+(?=\p{Lu})/u).filter((sentence) => !forModels.test(sentence));
  return sentences.length > 0 ? sentences.join(' ') : null;
}
