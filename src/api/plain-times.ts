import { hourMs, minuteMs } from './durations.ts';

const zero = 0x30;
const marks = Array.from('0000-00-00 00:00:00', (mark) => (mark === '0' ? undefined : mark.charCodeAt(0)));

/** The bytes of a time in the form that nearly all lists have. */
export const timeLength = marks.length;

/** Reads times such as `2026-08-02 10:00:00` from their bytes: for those of a long list, texts and patterns would take a third of a call. */
export class PlainTimes {
  /** The day of the last time as its digits, and its midnight. */
  #day = 0;
  #midnight = Number.NaN;

  /** @returns the moment in milliseconds, as if its clock were UTC; NaN in another form, or if there is no such time */
  read(bytes: Uint8Array, start: number): number {
    let digits = 0;
    for (let index = 0; index < timeLength; index += 1) {
      const byte = bytes[start + index] ?? 0;
      const mark = marks[index];
      if (mark === undefined) {
        if (byte < zero || byte > zero + 9) return Number.NaN;
        digits = digits * 10 + byte - zero;
      } else if (byte !== mark) return Number.NaN;
    }
    const day = Math.floor(digits / 1e6);
    const clock = digits - day * 1e6;
    if (day !== this.#day) {
      this.#midnight = midnightOf(Math.floor(day / 1e4), Math.floor(day / 100) % 100, day % 100);
      this.#day = day;
    }
    const hour = Math.floor(clock / 1e4);
    const minute = Math.floor(clock / 100) % 100;
    const second = clock % 100;
    if (hour > 23 || minute > 59 || second > 59) return Number.NaN;
    return this.#midnight + hour * hourMs + minute * minuteMs + second * 1000;
  }
}

/** NaN if the calendar has no such day, or no tracker has counted it. */
export function midnightOf(year: number, month: number, day: number): number {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = year > 1990 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay ? date.getTime() : Number.NaN;
}
