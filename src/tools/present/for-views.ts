/** What a result has beside what a model reads, for its view alone. */

/** Where the name of its campaign stands. */
export const campaignKey = 'tracker-mcp/campaign';

/** Where the days before those of a table by day stand. */
export const daysBeforeKey = 'tracker-mcp/days-before';

/** The figures of as many days before, by the names of the table's columns. A day that could not be read is not there. */
export interface DaysBefore {
  /** How many days there are from a day of it to that of the table. */
  readonly apart: number;
  readonly columns: readonly string[];
  readonly days: Readonly<Record<string, readonly (number | null)[]>>;
}
