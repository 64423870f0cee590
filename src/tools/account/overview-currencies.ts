import { joinWords } from '../../api/rules.ts';
import { addFigures } from './campaign-figures.ts';
import { moneyDigits } from './figure-columns.ts';
import type { Row } from './overview-columns.ts';
import type { Account, AccountQuestion } from './read-account.ts';

/** Rows of one tracker are in its currency, whatever that is; those of several are in one where each says the same. */
export function hasOneCurrency(rows: readonly Row[]): boolean {
  const trackers = new Set(rows.map(({ tracker }) => tracker));
  const currencies = new Set(rows.map(({ currency }) => currency));
  return trackers.size < 2 || (currencies.size === 1 && !currencies.has(undefined));
}

/** Where amounts must not be added up over trackers, the sums of each. */
export function currencyNotices(accounts: readonly Pick<Account<AccountQuestion>, 'rows'>[]): string[] {
  if (hasOneCurrency(accounts.flatMap(({ rows }) => rows))) return [];
  const sums = accounts.flatMap(({ rows }) => {
    const [first] = rows;
    if (!first) return [];
    const { cost, revenue, profit } = addFigures(rows.map(({ now }) => now));
    const amounts = Object.entries({ cost, revenue, profit }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name} ${value.toFixed(moneyDigits)}`],
    );
    return [`${first.tracker} ${joinWords(amounts, 'and')} ${first.currency ?? '(currency not known)'}`];
  });
  return [
    `Money is not added up over trackers, whose currencies differ or are not known. Of all campaigns: ${sums.join('; ')}.`,
  ];
}
