import { countInWords, joinWords } from '../api/rules.ts';
import { type OpenDay, sayOpenDay } from './open-day.ts';
import { apart, model } from './words.ts';

/** Why an earlier day up to a time of day is not known. */
export type WhyNotSoFar = keyof typeof whyNotSoFar;

const sayNoViews = (sales: number) =>
  `The campaign reports have no views, though the list of conversions has ${countInWords(sales, 'sale')} of visits of these days: the zeros here are probably not what happened.`;

/** What today is compared with. */
export type SoFar = {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly before: string;
  /** HH:MM, or why the day before cannot be told up to now. */
  readonly until: string | { readonly unknown: WhyNotSoFar };
  /** Figures that the lists do not show as the reports do, so they are compared with nothing. */
  readonly without: readonly string[];
};

const whyNotSoFar = {
  zone: 'the time zone of the tracker is not known (TRACKER_TIMEZONE)',
  'other zone': 'lists have the tracker’s own time zone',
  pages: 'reports of pages have no hours',
  list: 'its list of visitors cannot be read whole',
  times: 'its list of visitors has no time of day',
  views: 'its list of visitors counts other views than its reports',
} as const;

function saySoFar({ day, before, until, without }: SoFar): string {
  if (typeof until !== 'string')
    return `${day} is not over, and ${before} cannot be told up to the same time, since ${whyNotSoFar[until.unknown]}: nothing is compared.`;
  const rest = without.length === 0 ? '' : ` Not known up to then: ${without.join(', ')}.`;
  return `Before: ${before} up to ${until}, since ${day} is not over.${rest}`;
}

/** First and last day, YYYY-MM-DD. */
type Span = { readonly start: string; readonly end: string };

const onDays = ({ start, end }: Span): string => (start === end ? `on ${start}` : `from ${start} to ${end}`);

/** The days of a question, how they are compared, and the clock that they follow. */
export const dayNotes = {
  'open-day': apart<OpenDay>(
    (open) => `${sayOpenDay(open, open.day)}. Without dates get_overview compares whole days.`,
    (open) => `${sayOpenDay(open, open.day)}.`,
  ),
  'so-far': saySoFar,
  /** Days ahead of the first visits that are known are not days of zero. `first`: the first day with visits. */
  'no-data-before': ({ first }: { first: string }) => `No data before ${first}: earlier days have no row.`,
  'no-visits-to-compare': (days: Span) => `No visits ${onDays(days)}: nothing is compared.`,
  'no-visits': (days: Span) => `No visits ${onDays(days)}: these days are ahead of the first data, or nothing ran.`,
  'reports-without-visits': apart<{ readonly sales: number }>(
    ({ sales }) => `${sayNoViews(sales)} get_breakdown counts visits.`,
    ({ sales }) => sayNoViews(sales),
  ),
  before: ({ start, end, days, against }: Span & { days: number; against: number }) =>
    `Before: ${start} to ${end}${days === against ? '' : ` (${days} days against ${against})`}.`,
  'whole-days': ({ days }: { days: number }) => `The last ${days} whole days, without today (period today has it).`,
  days: ({ days }: { days: string }) => `${days}.`,
  'no-dates': () => "No dates were given: this is the tracker's current day.",
  'end-without-start': model(
    () => 'Without start_date the tracker begins at its current day, which is after end_date: give start_date too.',
  ),
  'future-days': () => 'The days asked for are in the future.',
  'unknown-zone': () => 'Days are in the tracker’s own zone, which is not known: set TRACKER_TIMEZONE.',
  /** `set`: the zone of the settings, if any. */
  'other-zone': ({
    tracker = 'The tracker',
    zone,
    set,
  }: {
    tracker?: string | undefined;
    zone: string;
    set?: string | undefined;
  }) =>
    `${tracker} names ${zone} as the zone of its times, and ${set === undefined ? 'none is set' : `${set} is set`} (TRACKER_TIMEZONE). No date was changed for it.`,
  /** The sums of weekdays, some of which come once more than `times`. */
  'uneven-weekdays': ({ often, times, days }: { often: readonly string[]; times: number; days: number }) =>
    `${joinWords(often, 'and')} ${often.length === 1 ? 'comes' : 'come'} ${times + 1} times in these ${days} days, each other weekday ${countInWords(times, 'time')}: compare EPV and ROI, or divide the sums.`,
} as const;
