import { groupBy } from '../statistics/history.ts';
import type { StatementLine } from './read-statement.ts';
import { isRebill } from './status-words.ts';
import type { LineStanding } from './statuses.ts';

/** What lines are beside sales: a sale that is taken back, billed again, or of a kind that is not known. */

/** What the statuses of a line say, once it is known which line it is about. */
export type SettledStanding = Exclude<LineStanding, 'taken_back'> | undefined;

/**
 * A sale that was taken back is a line of its own beside the sale, or the sale's own line with another status: then it is rejected.
 * Without receipts, a visitor with more lines than conversions has a line of its own for what was taken back.
 */
export function settleTakenBack(
  read: readonly {
    readonly line: StatementLine;
    readonly standing: LineStanding | undefined;
    readonly visitor: string | undefined;
  }[],
  salesByVisitor: ReadonlyMap<string, readonly unknown[]>,
): readonly SettledStanding[] {
  const sold = read.flatMap(({ line, standing, visitor }) =>
    standing === undefined || standing === 'approved' || standing === 'unclear' ? [{ visitor, ...line }] : [],
  );
  const soldByVisitor = groupBy(sold, ({ visitor }) => visitor);
  const receiptOf = (visitor: string | undefined, transaction: string | undefined) => `${visitor} ${transaction}`;
  const receipts = new Set(sold.map(({ visitor, transaction }) => receiptOf(visitor, transaction)));
  return read.map(({ line, standing, visitor }) => {
    if (standing !== 'taken_back') return standing;
    const [lines = 0, conversions = 0] = [soldByVisitor, salesByVisitor].map((by) => by.get(visitor ?? '')?.length);
    const isOwnLine =
      line.transaction === undefined
        ? lines > 0 && lines >= conversions
        : receipts.has(receiptOf(visitor, line.transaction));
    return isOwnLine ? 'reversal' : 'rejected';
  });
}

const typeOf = ({ statuses }: StatementLine) => statuses.find(({ kind }) => kind === 'type')?.cell;

/**
 * What a line is that is left over beside others of its visitor.
 *
 * @param countOf how many lines have a receipt
 */
export function kindOfExtraLine(
  line: StatementLine,
  others: readonly StatementLine[],
  countOf: (transaction: string | undefined) => number,
): 'rebill' | 'unclear' | 'twice_in_statement' {
  const type = typeOf(line);
  // A rebill has a receipt of its own; a line that is there twice has none, or the same.
  if (countOf(line.transaction) === 1 || (type !== undefined && isRebill(type))) return 'rebill';
  return others.some((other) => typeOf(other) !== type) ? 'unclear' : 'twice_in_statement';
}
