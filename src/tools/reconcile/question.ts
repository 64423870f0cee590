import * as z from 'zod';
import { classNames, dateOrders, decimalMarks } from '../../analysis/reconcile/choices.ts';
import * as is from '../../api/parameters.ts';

const column = (describe: string) => z.string().min(1).max(200).describe(describe).optional();

/** What is asked about a statement, beside its cells. */
export const questionInput = z.strictObject({
  campaign_id: is.campaignOrAll().default(0),
  start_date: is.date('Default: its days').optional(),
  end_date: is.date('Last day').optional(),
  subid_column: column('Unless found'),
  amount_column: column('Likewise'),
  time_column: column('Likewise'),
  decimal: is.oneOf(decimalMarks, 'Mark').optional(),
  date_order: is.oneOf(dateOrders, 'Of 3/4/26').optional(),
  class: is.oneOf(classNames, 'Pages through one').optional(),
  limit: is.whole(1, 500, '1 to 500; default 3 a class, 25 of one').optional(),
  offset: is.whole(0, 1_000_000, 'Default 0').optional(),
});

export type Question = Readonly<z.output<typeof questionInput>>;
