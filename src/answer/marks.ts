/** Why a figure misleads though each digit is right. */
export type Mark =
  /** One sale is the larger part of the revenue; in percent. */
  | { readonly code: 'one sale'; readonly percent: number }
  /** Sales of one visitor with one value that are listed more than once. */
  | { readonly code: 'sales twice'; readonly count: number }
  /** Visits cost something before, and nothing now. */
  | { readonly code: 'no cost' };

/** As a cell of a table: `one sale: 62%; no cost` */
export function marksInCell(marks: readonly Mark[]): string | null {
  const words = marks.map((mark) => {
    if (mark.code === 'one sale') return `${mark.code}: ${mark.percent}%`;
    return mark.code === 'sales twice' ? `${mark.code}: ${mark.count}` : mark.code;
  });
  return words.length === 0 ? null : words.join('; ');
}
