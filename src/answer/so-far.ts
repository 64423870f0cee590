/** Why an earlier day up to a time of day is not known. */
export type WhyNotSoFar = 'zone' | 'other zone' | 'pages' | 'list' | 'times' | 'views';

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

const reasons: Readonly<Record<WhyNotSoFar, string>> = {
  zone: 'the time zone of the tracker is not known (TRACKER_TIMEZONE)',
  'other zone': 'lists have the tracker’s own time zone',
  pages: 'reports of pages have no hours',
  list: 'its list of visitors cannot be read whole',
  times: 'its list of visitors has no time of day',
  views: 'its list of visitors counts other views than its reports',
};

export function saySoFar({ day, before, until, without }: SoFar): string {
  if (typeof until !== 'string')
    return `${day} is not over, and ${before} cannot be told up to the same time, since ${reasons[until.unknown]}: nothing is compared.`;
  const rest = without.length === 0 ? '' : ` Not known up to then: ${without.join(', ')}.`;
  return `Before: ${before} up to ${until}, since ${day} is not over.${rest}`;
}
