import type { Arguments } from '../define-tool.ts';

/** A line about the days of a report, without which two cannot be compared; none where the tracker decided. */
export function daysOf({ start_date: start, end_date: end, timezone }: Arguments): string[] {
  if (start === undefined && end === undefined) return [];
  const days =
    start === end ? `${start}` : `${start ?? 'the tracker’s current day'} to ${end ?? 'the tracker’s current day'}`;
  return [timezone === undefined ? days : `${days}, days of ${timezone}`];
}
