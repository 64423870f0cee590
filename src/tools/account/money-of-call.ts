import { ListedStatuses, lackStatuses, type Money } from '../../analysis/sale-status.ts';
import type { MoneyState } from '../../answer/money-notes.ts';
import { dayMs } from '../../api/durations.ts';
import type { CallContext } from '../define-tool.ts';
import { earlier, shiftDays, today } from '../period.ts';
import { approvalsOf, noStates } from './held-money.ts';
import { ListedSales } from './listed-sales.ts';
import { isLongAgo, readSaleList, readSaleLists, type SaleLists, type SalesQuestion } from './sale-lists.ts';

/** The days from which approvals are learned. */
const approvedDays = 60;

/** Trackers whose conversion list has no statuses, and until when that is believed, by performance.now. */
const withoutStatuses = new WeakMap<CallContext['client'], number>();

/**
 * Which revenue counts, and the conversion lists of a call, which are read once: they have late sales, and the statuses of sales where
 * lists of visitors have none. For days long ago those are one request more, made only for a tracker that may have statuses. What
 * networks approve is learned from the list of the account.
 *
 * @throws Failure if `expected` is asked, and the list cannot be read whole or has no statuses
 */
export async function moneyOf(
  tool: string,
  { money: state = 'booked' }: { readonly money?: MoneyState | undefined },
  question: SalesQuestion,
  context: CallContext,
): Promise<{ readonly money: Money; readonly readLists: () => Promise<SaleLists> }> {
  const asOf = today(context.timeZone, context.now());
  const since = earlier(question.since ?? asOf, shiftDays(asOf, -approvedDays));
  const ofAll =
    state === 'expected'
      ? await readSaleList(0, { start: since, end: shiftDays(asOf, 1) }, context, { isNeeded: true })
      : undefined;
  let lists: Promise<SaleLists> | undefined;
  const readLists = () => {
    lists ??= readSaleLists(question, context, ofAll);
    return lists;
  };
  const tracker = context.client.ofAllCalls;
  const listed = new ListedStatuses(async () => {
    if (ofAll) return ofAll;
    const isOneMore = state === 'booked' && !lists && isLongAgo(question.span, context);
    if (isOneMore && performance.now() < (withoutStatuses.get(tracker) ?? 0)) return undefined;
    const read = await readLists();
    if (lackStatuses(read.tables)) withoutStatuses.set(tracker, performance.now() + dayMs);
    return read;
  });
  if (state !== 'expected') return { money: { state, listed }, readLists };
  await listed.learn();
  if (!listed.bySubid) throw noStates(tool, listed.why ?? 'no statuses');
  const sales = new ListedSales([]);
  for (const table of ofAll?.tables ?? []) sales.add(table);
  return { money: { state, listed, approvals: approvalsOf(sales, asOf).approvals, asOf }, readLists };
}
