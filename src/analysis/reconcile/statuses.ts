import { yesOrNoIn } from '../../api/yes-no.ts';
import { parseAmount } from '../columns/amounts.ts';
import { readTimes } from '../columns/times.ts';
import { columnsOf, plainWord } from './headings.ts';
import { approvals, certainStanding, isStatusWord, type Standing, standingOf, statusesOnly } from './status-words.ts';

/** What a heading asks: `Paid`, `Is rejected`, `Paid?`, `Hold`, of which a no is surely a sale. */
const askedIn = (heading: string) =>
  certainStanding(
    heading
      .trim()
      .replace(/^is[ _]|^is(?=[A-Z])|\?$/i, '')
      .replace(/^hold$/i, 'on hold'),
    [statusesOnly],
  );

/** What a column says of the status of its lines. */
export interface StatusColumn {
  readonly index: number;
  /**
   * `type`: the cells tell kinds of lines, and a refund is a line of its own. `answer`: yes or no to its heading. `date`: when that
   * happened, or nothing. `money`: how much of it, or nothing.
   */
  readonly kind: 'status' | 'type' | 'answer' | 'date' | 'money';
  /** Whether an empty cell is an answer: no, or not yet. */
  readonly isAnsweredByNothing?: boolean;
}

/**
 * The columns with statuses, by their headings or else their cells.
 *
 * @param others columns that hold something else
 */
export function findStatusColumns(
  columns: readonly string[],
  cellsOf: (index: number) => readonly string[],
  others: ReadonlySet<number | undefined>,
): StatusColumn[] {
  const [byName, types, offers, rest] = (['status', 'type', 'offer', 'other'] as const).map(
    (meaning) => new Set(columnsOf(columns, meaning)),
  );
  return [...columns.keys()].flatMap((index): StatusColumn[] => {
    if (others.has(index)) return [];
    if (byName?.has(index)) return [{ index, kind: 'status' }];
    if (types?.has(index)) return [{ index, kind: 'type' }];
    const [all, heading] = [cellsOf(index), columns[index] ?? ''];
    const cells = all.filter((cell) => cell !== '');
    const areAnswers = cells.every((cell) => yesOrNoIn(cell) !== undefined || standingOf(cell, undefined));
    if (askedIn(heading) && cells.length > 0 && areAnswers && cells.some((cell) => yesOrNoIn(cell) !== undefined))
      return [{ index, kind: 'answer', isAnsweredByNothing: true }];
    // How long something is pending, or why.
    if (askedIn(heading) === 'pending' && cells.length > 0 && !cells.every(parseAmount))
      return [{ index, kind: 'status' }];
    const areTimes = () => readTimes(cells).values.every((time) => time !== undefined);
    if (isApprovalDay(heading) && cells.length > 0 && cells.length < all.length && areTimes())
      return [{ index, kind: 'date', isAnsweredByNothing: true }];
    // What happened to most lines, such as a day in most of them, is when something ends, or what is always deducted.
    const isOfFew = (values: readonly unknown[]) => values.length > 0 && values.length * 2 <= all.length;
    if (happened(heading) && cells.length > 0) {
      if (isOfFew(cells) && areTimes()) return [{ index, kind: 'date' }];
      if (cells.every(parseAmount) && isOfFew(cells.filter((cell) => /[1-9]/.test(cell))))
        return [{ index, kind: 'money' }];
    }
    // A device may be called invalid, and a state is that of a sale or of a visitor.
    const words = new Set(cells);
    const isOther = offers?.has(index) || rest?.has(index);
    if (isOther && [...words].filter(isStatusWord).length * 2 < words.size) return [];
    // A long column has few different statuses.
    const isCalledStatus = statusName.test(heading);
    const standings = new Map(
      [...words].map((cell) => [cell, isCalledStatus ? standingOf(cell, undefined) : certainStanding(cell)]),
    );
    const read = cells.map((cell) => standings.get(cell));
    if (read.filter(Boolean).length * 2 > cells.length) return [{ index, kind: 'status' }];
    // Other words are statuses beside one that is certain, or if all may be.
    const isSure = standings.size <= maxStatuses && read.some((standing) => standing && standing !== 'taken_back');
    if (isSure || mayBeStatuses([...standings.keys()])) return [{ index, kind: 'status' }];
    return read.includes('taken_back') ? [{ index, kind: 'type' }] : [];
  });
}

/** No network has more. */
const maxStatuses = 8;

/** Whether each of some words is a status somewhere, and not all are approvals. */
function mayBeStatuses(words: readonly string[]): boolean {
  const isApproved = (word: string) => standingOf(word, undefined) === 'approved';
  return words.length > 1 && words.every(isStatusWord) && words.some(isApproved) && !words.every(isApproved);
}

/** A heading with the word, such as `Bearbeitungsstatus`, `Status da compra`. */
const statusName = /status$|(?<!\p{L})(?:status|statut|stato|estado|état|situação)(?!\p{L})/iu;

/** The words around what a day is the day of, or a sum the sum. */
const around =
  /^(?:date|fecha|data|amount|montant|importe|importo|valor|bedrag) (?:d[’']|(?:de la|del|de|da|do|di) )?|[ _]?(?:date|time|datum|amount|betrag|bedrag)$|[ _](?:at|on)$/gi;

/** A heading without these. */
const withoutAround = (heading: string): string =>
  heading
    .replace(/\([^()]*\)$/, '')
    .trim()
    .replace(around, '');

/** What took a line’s money away, by the heading of its day or sum: `Reversal Date`, `Stornodatum`, `Refunded Amount (USD)`. */
export function happened(heading: string): Standing | undefined {
  const standing = certainStanding(withoutAround(heading));
  return standing === 'rejected' || standing === 'taken_back' ? standing : undefined;
}

/** Whether a heading is that of the day of an approval: `Approved On`, `Validation Date`, `Paid At`. */
function isApprovalDay(heading: string): boolean {
  const what = withoutAround(heading);
  return approvals.has(plainWord(what).replace(/s$/, '')) || certainStanding(what, [statusesOnly]) === 'approved';
}

/** One cell that says something of a line's status. */
export interface StatusCell {
  readonly kind: StatusColumn['kind'];
  readonly heading: string;
  /** As the network writes it; empty only where that is an answer. */
  readonly cell: string;
  /** Whether it is an amount that is less than the line’s own. */
  readonly isPart?: boolean;
}

/** What the status of a line says; a `reversal` is a line of its own that takes a sale back. */
export type LineStanding = Standing | 'reversal' | 'unclear';

/** What a cell says of a status; a no to a question counts only beside nothing else. */
type Said = LineStanding | 'not_pending' | 'not_approved' | 'not_lost';

/** @returns undefined if the cell says nothing of a status */
function readStatusCell({ kind, heading, cell, isPart }: StatusCell, network: string | undefined): Said | undefined {
  if (kind === 'date' && isApprovalDay(heading)) return cell === '' ? 'not_approved' : 'approved';
  if (kind === 'date' || kind === 'money') return isPart ? 'unclear' : happened(heading);
  if (kind === 'status') return standingOf(cell, network) ?? 'unclear';
  if (kind === 'type') {
    const standing = standingOf(cell, network, true);
    if (standing === 'taken_back') return 'reversal';
    return standing === 'approved' ? undefined : standing;
  }
  const asked = askedIn(heading);
  const answer = cell === '' ? false : yesOrNoIn(cell);
  if (answer === undefined) return standingOf(cell, network) ?? 'unclear';
  if (answer) return asked;
  return asked === 'approved' ? 'not_approved' : asked === 'pending' ? 'not_pending' : 'not_lost';
}

/** The worst decides: an order that was shipped may be declined. What is not pending any more needs no approval. */
const byWeight: readonly (readonly [Said, LineStanding])[] = [
  ...(['reversal', 'taken_back', 'rejected', 'pending', 'approved', 'unclear'] as const).map(
    (one) => [one, one] as const,
  ),
  ['not_pending', 'approved'],
  ['not_approved', 'unclear'],
  ['not_lost', 'approved'],
];

/** @returns undefined if no cell says something of the status of its line */
export function standingOfLine(cells: readonly StatusCell[], network: string | undefined): LineStanding | undefined {
  const read = cells.map((cell) => readStatusCell(cell, network));
  return byWeight.find(([said]) => read.includes(said))?.[1];
}
