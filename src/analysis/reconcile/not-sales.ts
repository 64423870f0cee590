import { readTimes } from '../columns/times.ts';
import { readGivenSubid } from '../given-subids.ts';
import { plainWord, plainWords } from './headings.ts';
import { accountWords, noSaleWords, paymentWords } from './line-words.ts';

/** What a row is that is no sale. */
export type NoSaleKind = 'page_number' | 'heading' | 'note' | keyof typeof noSaleWords;

/** The cells of a row that tell whether it is a sale. */
export interface RowFacts {
  /** All cells, without spaces around them. */
  readonly cells: readonly string[];
  readonly subid: string;
  readonly time: string;
  readonly amount: number | undefined;
}

const [totals, bookings, accounts, payments] = [noSaleWords.total, noSaleWords.booking, accountWords, paymentWords].map(
  (list) => new Set(plainWords(list)),
);

const pageNumber =
  /^(?:(?:page|seite|página|pagina) ?\d{1,5}(?: ?(?:\/|of|von|de|sur) ?\d{1,5})?|\d{1,5} ?(?:\/|of|von|de|sur) ?\d{1,5})$/i;

/** Longer cells are no words of a summary. */
const maxWordLength = 60;

/** What the words of a cell say of its row, or of a heading of its column: `Net total (USD)`, `VAT 19%`. */
export function kindInWords(cell: string): NoSaleKind | undefined {
  if (cell.length > maxWordLength) return undefined;
  const words = cell.split(/[^\p{L}\p{M}]+/u).map(plainWord);
  if (words.some((word) => totals?.has(word))) return 'total';
  return words.some((word) => bookings?.has(word)) ? 'booking' : undefined;
}

/** Nearly all cells are of this form. */
const plainSubid = /^[A-Za-z0-9]{1,64}_\d{1,12}_\d{1,20}$/;

/** Whether a cell may be a subID of this or another tracker: it has digits and no spaces, and is no day. */
function mayBeSubid(cell: string): boolean {
  if (cell === '' || cell.length > 500 || plainSubid.test(cell)) return cell !== '';
  if (/\D/.test(cell) && readTimes([cell]).values[0] !== undefined) return false;
  const { subid, clickId } = readGivenSubid(cell);
  return (subid ?? clickId) !== undefined || (/\d/.test(cell) && !/\s/.test(cell));
}

/** Whether an amount is the sum of some others, within half a cent. */
const isSum = (amount: number | undefined, parts: number, total: number) =>
  amount !== undefined && parts > 0 && Math.abs(amount - total) < 0.005 + Math.abs(total) * 1e-9;

/** For each row, the sums of the sales below it: of all, and up to the next row that is none. A sum may stand above its lines. */
function sumsBelow(rows: readonly RowFacts[], likeSales: readonly boolean[]) {
  let [all, next] = [noSum, noSum];
  const sums = rows.toReversed().map(({ amount }, index) => {
    const below = [all, next];
    const isSale = likeSales[rows.length - 1 - index];
    [all, next] = [all, isSale ? next : noSum].map((one) =>
      isSale && amount !== undefined ? { parts: one.parts + 1, total: one.total + amount } : one,
    ) as [typeof noSum, typeof noSum];
    return below;
  });
  return sums.toReversed();
}

const noSum = { parts: 0, total: 0 };

const areMostlyTimed = (rows: readonly RowFacts[]) => rows.filter(({ time }) => time !== '').length * 2 > rows.length;

/**
 * Finds the rows that are no sales: totals, repeated headings, notes, numbers of pages. A row with a subID is a sale, and so is one
 * without it that has the time of one.
 *
 * @param columns the headings
 */
export function findNoSales(rows: readonly RowFacts[], columns: readonly string[]): ReadonlyMap<number, NoSaleKind> {
  const found = new Map<number, NoSaleKind>();
  const headings = new Set(columns.map(plainWord));
  const likeSales = rows.map(({ subid }) => mayBeSubid(subid));
  const areTimed = areMostlyTimed(likeSales.includes(true) ? rows.filter((_, index) => likeSales[index]) : rows);
  const below = sumsBelow(rows, likeSales);
  let [total, parts, section, sectionParts, hasTotal] = [0, 0, 0, 0, false];
  for (const [index, { cells, subid, time, amount }] of rows.entries()) {
    const filled = cells.filter((cell) => cell !== '');
    const isPageNumber = filled.length === 1 && columns.length > 1 && pageNumber.test((filled[0] ?? '').slice(0, 30));
    // A line of totals may have the number of the lines where these have subIDs.
    const isCounted = parts > 2 && subid === String(parts) && isSum(amount, parts, total);
    const kind = isPageNumber ? 'page_number' : kindOf();
    if (kind) found.set(index, kind);
    else if (amount !== undefined) {
      [total, section] = [total + amount, section + amount];
      [parts, sectionParts] = [parts + 1, sectionParts + 1];
    }
    if (kind === 'total') [section, sectionParts, hasTotal] = [0, 0, true];

    function kindOf(): NoSaleKind | undefined {
      if (filled.every((cell) => headings.has(plainWord(cell.slice(0, 200))))) return 'heading';
      if (likeSales[index] && !isCounted) return undefined;
      const isNamed = (cell: string, words = accounts) => words?.has(plainWord(cell.slice(0, maxWordLength)));
      if (isNamed(subid) || isNamed(subid, payments) || (subid === '' && filled.some((cell) => isNamed(cell))))
        return 'booking';
      const isTimed = areTimed && time !== '';
      const texts = filled.filter((cell) => cell !== time);
      // An offer may be named like a sum, so only the first text of a row with a time counts.
      const named = (isTimed ? texts.slice(0, subid === '' ? 0 : 1) : texts).flatMap((cell) => kindInWords(cell) ?? []);
      // The day of a sum is that of the statement.
      const isLastSum = parts > 2 && subid === '' && index === rows.length - 1 && isSum(amount, parts, total);
      if (named[0] || isTimed) return named[0] ?? (isLastSum ? 'total' : undefined);
      if (isSum(amount, parts, total) || isSum(amount, sectionParts, section)) return 'total';
      // One sale of the same amount is no sum, unless the statement has others.
      const least = hasTotal ? 1 : 2;
      if (below[index]?.some((one) => one.parts >= least && isSum(amount, one.parts, one.total))) return 'total';
      if (areTimed || (subid !== '' && /\s|^\P{N}*$/u.test(subid) && filled.length === 1)) return 'note';
      return undefined;
    }
  }
  return found;
}
