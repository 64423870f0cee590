/** What a report says about one landing page or offer over a period. */
export interface PageResult {
  readonly views: number;
  readonly clicks?: number;
  readonly conversions: number;
  /** The sum over the conversions. */
  readonly revenue: number;
  /** The sum of the squares of the single conversions' revenues. */
  readonly revenueSquares?: number;
  /** The revenues of single conversions, all or a sample; they are asked only how much payouts vary. */
  readonly payouts?: readonly number[];
}

/** What earnings are divided by: the visitors who saw a page, or the clicks that an offer was given. */
export type Per = 'view' | 'click';

/** Money, or conversions where no revenue is recorded at all. */
export type Currency = 'revenue' | 'conversions';

/** Sums over the views (or clicks) of a page: everything the model needs to know. */
export interface Sums {
  /** Views or clicks. */
  readonly exposures: number;
  readonly conversions: number;
  readonly revenue: number;
  /** The sum of the squares of payouts. */
  readonly squares: number;
}

export interface Evidence {
  readonly pages: readonly Sums[];
  readonly pooled: Sums;
  readonly currency: Currency;
  readonly assumptions: readonly Assumption[];
}

/** What had to be taken for granted, because the report does not say it or says two things. */
export type Assumption = keyof typeof assumptions;

/** The assumptions in words. */
export const assumptions = {
  'no revenue': 'No revenue is recorded, so pages are compared by conversions; earnings are in conversions.',
  'payouts unknown':
    'Single payouts are not known: they are taken to vary as much as they earn (standard deviation equal to the mean, an exponential distribution).',
  'payouts borrowed':
    'Where single payouts of a page are not known, they are taken to vary as those of the other pages.',
  'page without conversions': 'A page without conversions is taken to pay what the other pages pay.',
  'more conversions than views': 'A page has more conversions than views or clicks; each conversion is counted as one.',
  'revenue without conversions': 'A page has revenue but no conversions; it is counted as one conversion.',
} as const;

/** Mean square over squared mean of an exponential distribution, the one of greatest entropy for payouts of known mean. */
const exponentialSpread = 2;

/**
 * How many conversions of a page's own weigh as much as the spread of the others: a handful of payouts has seldom seen the
 * large ones, and looks steadier than it is.
 */
const borrowedConversions = 20;

/**
 * The sums that the model needs, out of what a report has.
 *
 * @throws RangeError for fewer than two pages, for numbers that are negative or not finite, and for missing clicks
 */
export function gatherEvidence(results: readonly PageResult[], per: Per): Evidence {
  if (results.length < 2) throw new RangeError('A comparison needs at least two pages.');
  for (const [index, result] of results.entries()) refuseImpossible(result, per, index);
  const spreads = results.map(spreadOf);
  const known = results.filter((_, index) => spreads[index] !== undefined);
  const borrowed = known.length > 0 ? pooledSpread(known) : exponentialSpread;
  const isRevenue = results.some((result) => result.revenue > 0);
  const pages = results.map((result, index): Sums => {
    const conversions = result.revenue > 0 ? Math.max(result.conversions, 1) : result.conversions;
    const exposures = Math.max((per === 'click' ? result.clicks : result.views) ?? 0, conversions);
    if (!isRevenue) return { exposures, conversions, revenue: conversions, squares: conversions };
    const own = spreads[index] === undefined ? 0 : conversions;
    const spread = (own * (spreads[index] ?? 0) + borrowedConversions * borrowed) / (own + borrowedConversions);
    const squares = conversions > 0 ? (spread * result.revenue ** 2) / conversions : 0;
    return { exposures, conversions, revenue: result.revenue, squares };
  });
  const converting = results.filter((result) => result.revenue > 0);
  const isMade: Record<Assumption, boolean> = {
    'no revenue': !isRevenue,
    'payouts unknown': isRevenue && known.length === 0,
    'payouts borrowed': known.length > 0 && converting.some((result) => !known.includes(result)),
    'page without conversions': isRevenue && pages.some((page) => page.conversions === 0),
    'more conversions than views': results.some(
      (result) => result.conversions > ((per === 'click' ? result.clicks : result.views) ?? 0),
    ),
    'revenue without conversions': results.some((result) => result.revenue > 0 && result.conversions === 0),
  };
  const made = (Object.keys(assumptions) as Assumption[]).filter((assumption) => isMade[assumption]);
  return { pages, pooled: pages.reduce(addSums), currency: isRevenue ? 'revenue' : 'conversions', assumptions: made };
}

function addSums(one: Sums, other: Sums): Sums {
  return {
    exposures: one.exposures + other.exposures,
    conversions: one.conversions + other.conversions,
    revenue: one.revenue + other.revenue,
    squares: one.squares + other.squares,
  };
}

function refuseImpossible(result: PageResult, per: Per, index: number): void {
  if (per === 'click' && result.clicks === undefined)
    throw new RangeError(`Page ${index + 1} has no clicks to divide by.`);
  const { payouts = [], ...counts } = result;
  for (const [name, value] of [...Object.entries(counts), ...payouts.map((payout) => ['payout', payout] as const)]) {
    if (value !== undefined && !(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`Page ${index + 1}: ${name} is ${value}; a comparison needs numbers of 0 or more.`);
    }
  }
}

/** Mean square of a page's payouts over their squared mean, 1 if they never vary; undefined where payouts are not known. */
function spreadOf({ conversions, revenue, revenueSquares, payouts }: PageResult): number | undefined {
  if (payouts && payouts.length > 0) {
    const sum = payouts.reduce((total, payout) => total + payout, 0);
    const squares = payouts.reduce((total, payout) => total + payout * payout, 0);
    if (sum > 0) return Math.max((payouts.length * squares) / sum ** 2, 1);
  }
  if (revenueSquares === undefined || revenue === 0) return undefined;
  return Math.max((Math.max(conversions, 1) * revenueSquares) / revenue ** 2, 1);
}

/** The spread of payouts within pages, the pages weighted by their conversions. */
function pooledSpread(known: readonly PageResult[]): number {
  let weighted = 0;
  let weights = 0;
  for (const result of known) {
    const weight = Math.max(result.conversions, 1);
    weighted += weight * (spreadOf(result) ?? 1);
    weights += weight;
  }
  return weighted / weights;
}
