import type { Column } from './columns.ts';

/** How a figure stands to that of the period before. */
export interface Change {
  /** `+12.3%`, or an amount where a percentage would say nothing. */
  readonly text: string;
  /** Whether it is for the better; undefined where that cannot be said, as of costs. */
  readonly isGain: boolean | undefined;
  /** The figure before, written. */
  readonly former: string;
}

/** More of these is better; more cost can be either. */
const better: ReadonlySet<string> = new Set(['profit', 'revenue', 'conversions']);

/** What changed of a measure; undefined where nothing is known of the period before. */
export function changeOf(column: Column, now: number, former: number | undefined): Change | undefined {
  if (former === undefined) return undefined;
  const difference = now - former;
  const name = column.name.toLowerCase();
  // A profit may pass zero, and over nothing there is no percentage.
  const isAmount = name === 'profit' || former === 0;
  const size = isAmount
    ? column.format(Math.abs(difference))
    : `${Math.abs((difference / former) * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })}%`;
  const isZero = !/[1-9]/.test(size);
  return {
    text: isZero ? 'no change' : `${difference < 0 ? '−' : '+'}${size}`,
    isGain: isZero || !better.has(name) ? undefined : difference > 0,
    former: column.format(former),
  };
}
