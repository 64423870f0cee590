import { moneyInWords } from '../../analysis/columns/formats.ts';
import type { Basis } from '../../analysis/statistics/basis.ts';
import type { OpenDay } from '../../answer/open-day.ts';
import { amountInWords } from '../../api/rules.ts';

/** What tools and views agree on. No model reads the values under these keys of a result. */

/** The name of the campaign. */
export const campaignKey = 'tracker-mcp/campaign';

/** The days before the days of a table. */
export const daysBeforeKey = 'tracker-mcp/days-before';

/** What a comparison of pages says first. */
export const headlineKey = 'tracker-mcp/headline';

/** The sentences of its notices that are for people. */
export const remarksKey = 'tracker-mcp/remarks';

/** A day that is not over, among whole ones or set against them. */
export const openDayKey = 'tracker-mcp/open-day';

/** The days that figures are compared with. */
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

/** How far chance alone moves the profit of such spans, compared with the change, and whether one cause is certain. */
export function chanceInWords(change: number, usual: number, hasSureCause: boolean, show = amountInWords): string {
  const within = hasSureCause ? 'the total may be chance, the first cause is not' : 'this may be chance';
  const end = Math.abs(change) <= usual ? within : 'this is more';
  return `Normal variation is up to ${show(usual)} either way (19 times in 20): ${end}.`;
}

/** Min part of a change that a cause must carry to explain all of it. */
const mostPart = 0.75;

/** `-58.00 because landing page “Quiz” stopped getting visits`; both amounts, if these visits changed by more than the cause explains. */
export function causeInWords(
  { what, change, carried }: { readonly what: string; readonly change: number; readonly carried: number },
  show: (amount: number) => string,
): string {
  const isAll = carried / change >= mostPart && carried / change <= 1 / mostPart;
  if (isAll) return `${show(change)} because ${what}`;
  const all = change === 0 ? 'in all, these visits did not change' : `these visits changed by ${show(change)} in all`;
  return `${show(carried)} because ${what} (${all})`;
}

interface Costs {
  readonly basis: Basis;
  readonly name: string;
  readonly waiting_cost_per_day: number;
  readonly risk_today_per_day: number;
}

export function costsInWords(
  { basis, name, waiting_cost_per_day: waiting, risk_today_per_day: risk }: Costs,
  currency: string | undefined,
): string {
  const amount = (value: number) => (basis === 'money' ? moneyInWords(value, currency) : `${value} conversions`);
  const page = JSON.stringify(name);
  return `Estimated: today’s split gives away ${amount(waiting)} a day against ${page} alone; all traffic to ${page} would risk ${amount(risk)} a day, because another may be better.`;
}
