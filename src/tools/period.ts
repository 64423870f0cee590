import { isoDay } from '../analysis/columns/times.ts';
import type { Block } from '../answer/blocks.ts';
import type { Note } from '../answer/notes.ts';
import { dayMs, hourMs } from '../api/durations.ts';
import { endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { findBrokenRule } from '../api/rules.ts';
import { keptByName } from '../api/text/kept-by-name.ts';

/** The first and last day of a period relative to today, or the month relative to the current one. */
const periods = {
  today: { from: 0, to: 0 },
  yesterday: { from: -1, to: -1 },
  last_7_days: { from: -6, to: 0 },
  last_14_days: { from: -13, to: 0 },
  last_30_days: { from: -29, to: 0 },
  this_month: { month: 0 },
  last_month: { month: -1 },
} as const;

export type Period = keyof typeof periods;
export const periodNames = Object.keys(periods) as [Period, ...Period[]];

/** The days of a question, as YYYY-MM-DD, and their time zone. */
export type Days = Readonly<{
  start_date?: string | undefined;
  end_date?: string | undefined;
  timezone?: string | undefined;
}>;

type DaysOrPeriod = Days & { readonly period?: Period | undefined };

export interface Clock {
  readonly timeZone: string;
  /** Whether the zone is assumed because the tracker's own is unknown. */
  readonly isZoneAssumed?: boolean | undefined;
  readonly now: () => Date;
}

/** Replaces a `period` by dates in the `timezone` of the call, else the configured one. Throws a Failure if dates are given too. */
export function resolvePeriod<Given extends DaysOrPeriod>(given: Given, clock: Clock): Given & Days {
  const { period } = given;
  if (period === undefined) return given;
  if (given.start_date !== undefined || given.end_date !== undefined) {
    throw new Failure(
      'period cannot be combined with start_date or end_date.',
      'Give the period alone, or the dates alone.',
    );
  }
  const [start_date, end_date] = daysOf(period, today(given.timezone ?? clock.timeZone, clock.now()));
  return { ...given, start_date, end_date, timezone: zoneOf(given, clock) };
}

/** The zone of a question's days; undefined if unknown. */
function zoneOf({ timezone }: Days, { timeZone, isZoneAssumed }: Clock): string | undefined {
  return timezone ?? (isZoneAssumed ? undefined : timeZone);
}

/** A note on days whose zone is unknown. */
export function zoneNote(days: Days, clock: Clock): Note[] {
  if (zoneOf(days, clock) !== undefined || (days.start_date ?? days.end_date) === undefined) return [];
  return [{ code: 'unknown-zone' }];
}

/** Whether a day is over; in an unknown zone, it may end up to 12 hours later than in UTC. */
export function isOver(day: string, days: Days, clock: Clock): boolean {
  const zone = zoneOf(days, clock);
  const now = clock.now().getTime();
  return day < (zone === undefined ? isoDay(now - 12 * hourMs) : today(zone, new Date(now)));
}

const stats = endpointNamed('get_stats');

/**
 * A question with resolved dates, and its first and last day; without any days, `usualPeriod` applies. A start alone means until
 * today, an end alone means that day. Throws a Failure if the dates break a rule of get_stats, or a period is given too.
 */
export function settleDays<Given extends DaysOrPeriod>(
  tool: string,
  given: Given,
  usualPeriod: Period,
  clock: Clock,
): { readonly query: Given & Days; readonly start: string; readonly end: string } {
  checkDays(tool, given);
  const days = resolvePeriod(hasNoDays(given) ? { ...given, period: usualPeriod } : given, clock);
  const now = today(days.timezone ?? clock.timeZone, clock.now());
  const start = days.start_date ?? days.end_date ?? now;
  const isPast = start < now;
  const end = days.end_date ?? (isPast ? now : start);
  return { query: { ...days, start_date: start, end_date: end }, start, end };
}

/** Whether a question leaves its days to the tool. */
export function hasNoDays({ start_date, end_date, period }: DaysOrPeriod): boolean {
  return start_date === undefined && end_date === undefined && period === undefined;
}

/** @throws Failure if dates break a rule of get_stats */
export function checkDays(tool: string, given: DaysOrPeriod): void {
  const broken = findBrokenRule(stats.rules, { ...given }, (argument) => argument);
  if (broken) throw new Failure(`${tool} was not called: ${broken}`);
}

function daysOf(period: Period, day: string): [start: string, end: string] {
  const range = periods[period];
  if ('from' in range) return [shiftDays(day, range.from), shiftDays(day, range.to)];
  const [year = 0, month = 1] = day.split('-').map(Number);
  const first = isoDay(Date.UTC(year, month - 1 + range.month, 1));
  return [first, range.month === 0 ? day : isoDay(Date.UTC(year, month + range.month, 0))];
}

/** Made once for each zone, since that takes longer than all else that a small call computes of days. Swedish dates are ISO dates. */
const formatIn = (style: Intl.DateTimeFormatOptions) =>
  keptByName((timeZone) => new Intl.DateTimeFormat('sv-SE', { ...style, timeZone }));
const [dayIn, clockIn] = [formatIn({ dateStyle: 'short' }), formatIn({ timeStyle: 'short' })];

/** The calendar day of a moment in a time zone, as YYYY-MM-DD. */
export function today(timeZone: string, now: Date): string {
  return dayIn(timeZone).format(now);
}

/** The time of day of a moment in a time zone, as HH:MM. */
export function clockTime(timeZone: string, now: Date): string {
  return clockIn(timeZone).format(now);
}

/** Whether the clocks of two zones show the same time, in this year's winter and summer. */
export function isSameZone(one: string, other: string, now: Date): boolean {
  const year = now.getUTCFullYear();
  return [0, 6].every((month) => {
    const noon = new Date(Date.UTC(year, month, 1, 12));
    const shown = (zone: string) => `${today(zone, noon)} ${clockTime(zone, noon)}`;
    return shown(one) === shown(other);
  });
}

export const comparisons = ['previous', 'week_before', 'month_before'] as const;
export type ComparedTo = (typeof comparisons)[number];

/** Up to so many days, a month before is four weeks before: each weekday stands against the same one. */
const maxByWeekdays = 13;

/** The days that a period is compared with. */
export function spanBefore({ start, end }: Readonly<Record<'start' | 'end', string>>, comparedTo: ComparedTo) {
  const length = lengthInDays(start, end);
  const shift = (days: number) => ({ start: shiftDays(start, -days), end: shiftDays(end, -days) });
  if (comparedTo === 'previous') return shift(length);
  if (comparedTo === 'week_before') return shift(Math.ceil(length / 7) * 7);
  if (length <= maxByWeekdays) return shift(28);
  const isWhole = start.endsWith('-01') && shiftDays(end, 1).endsWith('-01');
  return { start: monthBefore(start), end: isWhole ? shiftDays(`${end.slice(0, 8)}01`, -1) : monthBefore(end) };
}

/** The same day of the month before, or its last day. */
function monthBefore(day: string): string {
  const last = shiftDays(`${day.slice(0, 8)}01`, -1);
  return last.slice(8) < day.slice(8) ? last : `${last.slice(0, 8)}${day.slice(8)}`;
}

/** The earlier of two days, YYYY-MM-DD. */
export const earlier = (one: string, other: string): string => (one < other ? one : other);

export function shiftDays(day: string, days: number): string {
  return isoDay(Date.parse(`${day}T00:00:00Z`) + days * dayMs);
}

/** The days from the first to the last, both included. */
export function listDays(first: string, last: string): string[] {
  return Array.from({ length: lengthInDays(first, last) }, (_, index) => shiftDays(first, index));
}

/** The number of days from the first to the last, both included. */
export function lengthInDays(first: string, last: string): number {
  return (Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / dayMs + 1;
}

/** A moment in UTC, as `YYYY-MM-DD HH:MM:SS`. */
export function isoMoment(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19).replace('T', ' ');
}

/** The days of a report in a line, so that reports can be compared. A terminal has them in its heading. */
export const daysBlock = (days: Days): Block[] =>
  describeDays(days).map((toModel) => ({ is: 'apart', toModel, toPerson: null }));

/** A line with the days of a report; empty if the tracker chose them. */
export function describeDays({ start_date: start, end_date: end, timezone }: Days): string[] {
  if (start === undefined && end === undefined) return [];
  const days =
    start === end ? `${start}` : `${start ?? 'the tracker’s current day'} to ${end ?? 'the tracker’s current day'}`;
  return [timezone === undefined ? days : `${days}, days of ${timezone}`];
}
