import { Failure } from '../../api/failure.ts';
import type { Span } from '../account/read-visits.ts';
import type { CallContext } from '../define-tool.ts';
import { type Days, lengthInDays, type Period, resolvePeriod, shiftDays, today } from '../period.ts';

export type SpansQuestion = Days & {
  readonly period?: Period | undefined;
  readonly compare_to: 'same_weekdays' | 'previous';
  readonly compare_start?: string | undefined;
  readonly compare_end?: string | undefined;
};

export interface Spans {
  readonly before: Span;
  readonly after: Span;
  /** The hour of the tracker's day now, if the later span ends today: of both last days only the hours before it are compared. */
  readonly untilHour: number | undefined;
}

const usualDays = 7;

/** So many days of visits one call reads, of both spans together. */
const maxDays = 92;

/**
 * The two spans that a question compares; without days, the last 7 whole ones.
 * @throws Failure if they overlap, differ in length, are turned around, too long or in the future
 */
export function settleSpans(given: SpansQuestion, context: CallContext): Spans {
  const { timeZone, now } = context;
  const day = today(timeZone, now());
  const after = laterSpan(given, context, day);
  checkSpan(after, day);
  const before = earlierSpan(given, after);
  checkSpan(before, day);
  const [length, other] = [lengthInDays(after.start, after.end), lengthInDays(before.start, before.end)];
  if (length !== other)
    refuse(`${length} days cannot be compared with ${other}.`, 'Give two spans of as many days each.');
  if (before.end >= after.start && after.end >= before.start)
    refuse(
      `${before.start} to ${before.end} and ${after.start} to ${after.end} overlap.`,
      'Give spans without a common day.',
    );
  if (length * 2 > maxDays) refuse(`${length} days are too many.`, `Compare ${maxDays / 2} at most.`);
  const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(now()));
  return { before, after, untilHour: after.end === day ? hour : undefined };
}

function checkSpan({ start, end }: Span, day: string): void {
  const future = [start, end].find((named) => named > day);
  if (future !== undefined) refuse(`${future} lies in the future: it is ${day}.`, 'Give days that have come.');
  if (start > end) refuse(`${start} comes after ${end}.`, 'Give the earlier day first.');
}

function laterSpan(given: SpansQuestion, context: CallContext, day: string): Span {
  if (given.period === undefined && given.start_date === undefined && given.end_date === undefined) {
    const end = shiftDays(day, -1);
    return { start: shiftDays(end, 1 - usualDays), end };
  }
  const { start_date: start, end_date: end } = resolvePeriod(given, context);
  // "Since Tuesday" goes on until now.
  return { start: start ?? end ?? day, end: end ?? day };
}

function earlierSpan({ compare_to, compare_start, compare_end }: SpansQuestion, { start, end }: Span): Span {
  const length = lengthInDays(start, end);
  if (compare_start !== undefined)
    return { start: compare_start, end: compare_end ?? shiftDays(compare_start, length - 1) };
  if (compare_end !== undefined) return { start: shiftDays(compare_end, 1 - length), end: compare_end };
  const back = compare_to === 'previous' ? length : Math.ceil(length / 7) * 7;
  return { start: shiftDays(start, -back), end: shiftDays(end, -back) };
}

function refuse(what: string, next: string): never {
  throw new Failure(`explain_change was not called: ${what}`, next);
}
