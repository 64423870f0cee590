import { dayMs } from '../api/durations.ts';

/** The times of a sale in milliseconds, on the tracker's clock as if that were UTC. */
export interface SaleTimes {
  readonly visited: number;
  readonly booked: number;
}

/** What a sale is of; empty if unknown. */
export interface SoldOf {
  readonly campaign: string;
  readonly offer: string;
  readonly network: string;
}

/** A sale with its times, and what it is of. */
export interface TimedSale extends SaleTimes, SoldOf {
  readonly value: number;
}

/** The time of which a list has all sales: it ends now, unless the last days could not be read. */
export interface Listed {
  readonly from: number;
  readonly until: number;
  readonly now: number;
}

/** Delays are learned from sales booked in the last four weeks. */
export const learnedMs = 28 * dayMs;

/** The oldest visits whose sales may be to come. */
export const maxDays = 92;

export const dayIndex = (moment: number) => Math.floor(moment / dayMs);

/** Days by how many they are before today. */
export interface AgeSpan {
  readonly oldest: number;
  readonly newest: number;
}
