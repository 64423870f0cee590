import { type MatchOptions, type Reconciliation, reconcile, type Sale } from '../../../src/analysis/reconcile/match.ts';
import { type GivenColumns, readStatement, type Statement } from '../../../src/analysis/reconcile/read-statement.ts';
import { gridOfText } from '../../../src/analysis/reconcile/statement-grid.ts';

/** Conversions of campaign 7 from 1 June 2026 on, 7 hours and 13 minutes apart, each for another amount. */
export function someSales(count = 40): Sale[] {
  return Array.from({ length: count }, (_, index) => ({
    subid: `ab12cd${10 + (index % 90)}_7_${String(1000 + index).padStart(8, '0')}`,
    amount: 10 + index + 0.25,
    time: Date.UTC(2026, 5, 1, 3) + index * 25_980_000,
    transaction: `T${index}`,
    network: undefined,
    offer: undefined,
  }));
}

export const clock = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ');

/** After all of the sales. */
export const now = new Date('2026-12-31T00:00:00Z');

export async function read(text: string, given: GivenColumns = {}, maxRows = 1000): Promise<Statement> {
  return readStatement(await gridOfText(text, maxRows), given, now);
}

/** A statement with a line for each sale: subID, amount, time. */
export function statementOf(sales: readonly Sale[], heading = 'SubID,Payout,Conversion Date'): string {
  return [heading, ...sales.map(({ subid, amount, time }) => `${subid},${amount},${clock(time ?? 0)}`)].join('\n');
}

export async function match(
  text: string,
  sales: readonly Sale[],
  options: Partial<MatchOptions> = {},
  given: GivenColumns = {},
): Promise<Reconciliation> {
  const june = { start: '2026-06-01', end: '2026-06-30', areDaysGiven: false };
  const usual = { campaigns: new Set(['7', '8']), campaignId: undefined, currency: undefined };
  return reconcile(await read(text, given), sales, { ...usual, ...june, ...options });
}

/** How many lines and conversions each class has, as `matched 40/40`. */
export function counts({ pairs }: Reconciliation): Record<string, string> {
  const names = [...new Set(pairs.map((pair) => pair.class))];
  return Object.fromEntries(
    names.map((name) => {
      const found = pairs.filter((pair) => pair.class === name);
      return [name, `${found.filter(({ line }) => line).length}/${found.filter(({ sale }) => sale).length}`];
    }),
  );
}
