import { keptByName } from '../../api/text/kept-by-name.ts';
import { plainName } from '../../api/text/names.ts';
import { namesOf } from '../../api/vocabulary.ts';
import { formatOfName, prices } from './formats.ts';

const amountNames: ReadonlySet<string> = new Set([
  ...prices,
  ...namesOf('visit', 'cost'),
  ...namesOf('visit', 'revenue'),
  ...namesOf('page_report', 'payout'),
  ...namesOf('option', 'bid'),
]);

/** A currency in the name of a column, such as `Payout (EUR)`. */
const currencyInName = /\([^()]*\)|\[[^[\]]*\]|[ _][A-Z]{3}$/g;

/** Whether a column holds amounts, counts or percentages, by its name. */
export const holdsAmounts = keptByName((column): boolean => {
  if (formatOfName(column) !== undefined) return true;
  const bare = column.replace(currencyInName, '');
  return formatOfName(bare) !== undefined || amountNames.has(plainName(bare));
});
