import type { OpenDay } from '../../answer/open-day.ts';

/** What tools and views agree on. No model reads the values under these keys of a result. */

export const campaignKey = 'tracker-mcp/campaign';

export const daysBeforeKey = 'tracker-mcp/days-before';

/** What a comparison of pages says first. */
export const headlineKey = 'tracker-mcp/headline';

/** The sentences of its notices that are for people. */
export const remarksKey = 'tracker-mcp/remarks';

/** A day that is not over, among whole ones or set against them. */
export const openDayKey = 'tracker-mcp/open-day';

export const comparedToKey = 'tracker-mcp/compared-to';

/** Days, or one day up to a time of day (HH:MM). */
export interface EarlierDays {
  readonly start_date: string;
  readonly end_date: string;
  readonly until?: string | undefined;
}

export interface Headline {
  /** One line. */
  readonly verdict: string;
  /** The sentences after it. */
  readonly reason: string;
}

/** What a view gets beside the answer. A host that does not pass it on leaves all of it out. */
export interface ForView {
  readonly campaign?: string | undefined;
  readonly comparedTo?: EarlierDays | undefined;
  readonly daysBefore?: DaysBefore | undefined;
  readonly headline?: Headline | undefined;
  readonly openDay?: OpenDay | undefined;
  readonly remarks?: readonly string[] | undefined;
}

/** The figures of the same number of earlier days, by column name. Days that could not be read are missing. */
export interface DaysBefore {
  /** The number of days between a day and its counterpart in the table. */
  readonly apart: number;
  readonly columns: readonly string[];
  readonly days: Readonly<Record<string, readonly (number | null)[]>>;
}
