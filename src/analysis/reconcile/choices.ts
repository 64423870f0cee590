/** What a caller can choose between; apart from what they choose, so that tools are listed before that is loaded. */

/** The decimal mark of amounts. */
export const decimalMarks = ['point', 'comma'] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** The order of day, month and year in dates such as 03/04/2026. */
export const dateOrders = ['dmy', 'mdy'] as const;

/** What a line of a statement, or a conversion of the tracker, comes to; each is in exactly one class. */
export const classNames = [
  'matched',
  'amount_differs',
  'statement_only',
  'tracker_only',
  'twice_in_statement',
  'twice_in_tracker',
  'other_campaign',
  'other_tracker',
  'unreadable',
] as const;
export type ClassName = (typeof classNames)[number];
