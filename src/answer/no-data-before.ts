/** Days ahead of the first visits that are known: they are not days of zero. All as YYYY-MM-DD. */
export type NoDataBefore = {
  /** The first day with visits, if rows of earlier ones were asked for. */
  readonly first?: string;
  /** The days to compare with, if none of them had a visit. */
  readonly compared?: { readonly start: string; readonly end: string };
};

export function sayNoDataBefore({ first, compared }: NoDataBefore): string {
  if (compared) {
    const { start, end } = compared;
    return `No visits ${start === end ? `on ${start}` : `from ${start} to ${end}`}: nothing is compared.`;
  }
  return `No data before ${first}: earlier days have no row.`;
}
