import { groupBy } from '../statistics/history.ts';

/** Where a conversion comes from, by names; undefined if the tracker does not list them. */
export interface Origin {
  /** The offer source. */
  readonly network: string | undefined;
  readonly offer: string | undefined;
}

/** The networks that a statement covers; offers if the tracker does not list networks. */
export interface Coverage {
  readonly by: 'network' | 'offer';
  readonly names: ReadonlySet<string>;
}

/** The conversions of networks that a statement does not cover. */
export interface OtherSales extends Coverage {
  /** The number of conversions without a line, by the name of a network that is not covered. */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Finds what a statement covers by its lines with a conversion.
 * @param unmatched the number of its lines without one
 * @returns undefined if that is not clear: more lines lack a conversion than have one, or no names are known
 */
export function findCoverage(
  sales: readonly Origin[],
  paired: ReadonlySet<Origin>,
  unmatched: number,
): Coverage | undefined {
  const by = sales.some(({ network }) => network !== undefined) ? 'network' : 'offer';
  const names = new Set([...paired].flatMap((sale) => sale[by] ?? []));
  return names.size === 0 || paired.size < unmatched ? undefined : { by, names };
}

/** Whether a conversion may have a line; a conversion without a name may. */
export function isCovered(sale: Origin, coverage: Coverage | undefined): boolean {
  const name = coverage && sale[coverage.by];
  return name === undefined || coverage?.names.has(name) === true;
}

/** @param others the conversions that are not covered */
export function countOthers(others: readonly Origin[], coverage: Coverage | undefined): OtherSales | undefined {
  if (!coverage || others.length === 0) return undefined;
  const byName = groupBy(others, (sale) => sale[coverage.by] ?? '');
  return { ...coverage, counts: new Map([...byName].map(([name, sales]) => [name, sales.length])) };
}
