/** The arguments that are amounts of money: what a visit may cost, and what a sale pays. Columns of these names are, too. */
export const moneyArguments = ['bid', 'payout'] as const;

export type MoneyArgument = (typeof moneyArguments)[number];

export function isMoneyArgument(name: string): name is MoneyArgument {
  return moneyArguments.some((known) => known === name);
}

/** The currency, to be written behind the value of an argument; empty where that is no amount, or none is known. */
export function currencyBehind(argument: string, value: unknown, currency: string | undefined): string {
  const isAmount = typeof value === 'number' || (typeof value === 'string' && /^\s*-?[\d.]+\s*$/.test(value));
  return currency !== undefined && isMoneyArgument(argument) && isAmount ? ` ${currency}` : '';
}
