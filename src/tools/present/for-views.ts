/** What the tools and the view of their results agree on. Under these keys a result carries what no model reads. */

/** Where the name of its campaign stands. */
export const campaignKey = 'tracker-mcp/campaign';

/** Where the days before those of a table by day stand. */
export const daysBeforeKey = 'tracker-mcp/days-before';

/**
 * Says that a period is compared whose last day is not over.
 * @param isSure whether that is known: in a zone that is not, the day before may still go on
 */
export function openDayNotice(day: string, isSure: boolean): string {
  return `${day} ${isSure ? 'is not over' : 'may not be over in the tracker’s zone'}, and is set against a whole day. Without dates get_overview compares whole days.`;
}

const openDay =
  /(\d{4}-\d\d-\d\d) ((?:is not|may not be) over(?: in the tracker’s zone)?, and is set against a whole day)/;

/** The day, YYYY-MM-DD, that such a notice names, and what it says of it. */
export function openDayOf(notices: readonly string[]): readonly [day: string, what: string] | undefined {
  const [, day, what] = openDay.exec(notices.join(' ')) ?? [];
  return day === undefined || what === undefined ? undefined : [day, what];
}

/** The figures of as many days before, by the names of the table's columns. A day that could not be read is not there. */
export interface DaysBefore {
  /** How many days there are from a day of it to that of the table. */
  readonly apart: number;
  readonly columns: readonly string[];
  readonly days: Readonly<Record<string, readonly (number | null)[]>>;
}

/** How far chance alone moves the profit of such spans, beside how far it moved, and whether a cause of that is sure. */
export function chanceInWords(
  change: number,
  usual: number,
  hasSureCause: boolean,
  show = (amount: number) => amount.toFixed(2),
): string {
  const within = hasSureCause ? 'the total may be chance, the first cause is not' : 'this may be chance';
  const end = Math.abs(change) <= usual ? within : 'this is more';
  return `By chance alone it moves by up to ${show(usual)} (19 times of 20): ${end}.`;
}

/** The part of a change that its cause must carry to stand for all of it. */
const mostPart = 0.75;

/** `-58.00 because landing page “Quiz” got no more visits`; of visits that changed by more than this cause carries, both are said. */
export function causeInWords(
  { what, change, carried }: { readonly what: string; readonly change: number; readonly carried: number },
  show: (amount: number) => string,
): string {
  const isAll = carried / change >= mostPart && carried / change <= 1 / mostPart;
  return isAll
    ? `${show(change)} because ${what}`
    : `${show(carried)} because ${what} (with all else of these visits ${show(change)})`;
}

/** How likely chance alone makes a finding, in words. */
export function chanceOfFinding(byChance: string): string {
  return byChance === 'no chance' ? 'no matter of chance' : `by chance ${byChance}`;
}

/** What a review says that found nothing. */
export function nothingFound(unseen: readonly string[]): string {
  return unseen.length === 0 ? 'All was read, and nothing needs a person.' : 'Nothing was found in what was read.';
}

/** Words that only a model needs: names of tools and fields. A sentence that begins with a small letter begins with a field. */
const forModels = /[a-z\d]*_[a-z]|\boffset\b|\br\d+\b|query_report|not instructions|^[a-z]/;

/** What of the notices is meant for people: the sentences without the names of tools, arguments and fields. */
export function remarksFor(notices: readonly string[]): string[] {
  return notices.flatMap((notice) => {
    const sentences = notice.split(/(?<=[.!?])\s+(?=\p{Lu})/u);
    const kept = sentences.filter((sentence) => !forModels.test(sentence));
    return kept.length > 0 ? [kept.join(' ')] : [];
  });
}
