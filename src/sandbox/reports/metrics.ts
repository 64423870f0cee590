import { moneyText } from './period.ts';

/** What is counted or summed; every metric is computed from these. `direct` are the views that an offer had straight from the ad. */
const measures = ['views', 'direct', 'clicks', 'subscribers', 'conversions', 'cost', 'revenue'] as const;
export type Measure = (typeof measures)[number];

/** A metric as an expression over columns named as the measures. */
interface Metric {
  readonly dividend: string;
  readonly divisor?: Measure;
  readonly times?: number;
  /** exact: all that a sum of money has, so that the rows of one report add up to the figure of another. */
  readonly decimals: number | 'exact';
}

const profit = '(revenue - cost)';
const count = (dividend: Measure): Metric => ({ dividend, decimals: 0 });
const money = (dividend: string): Metric => ({ dividend, decimals: 'exact' });
const moneyPer = (divisor: Measure, dividend: string): Metric => ({ dividend, divisor, decimals: 4 });
const percentOf = (divisor: Measure, dividend: string): Metric => ({ dividend, divisor, times: 100, decimals: 2 });

/** The metrics of all reports in the order of their columns; facts page, "Vocabulary and formulas". */
const metrics = {
  Views: count('views'),
  DirectViews: count('direct'),
  Clicks: count('clicks'),
  CTR: percentOf('views', 'clicks'),
  Subscribers: count('subscribers'),
  Conversions: count('conversions'),
  CR: percentOf('clicks', 'conversions'),
  Cost: money('cost'),
  CPV: moneyPer('views', 'cost'),
  CPC: moneyPer('clicks', 'cost'),
  CPSUB: moneyPer('subscribers', 'cost'),
  Revenue: money('revenue'),
  EPV: moneyPer('views', 'revenue'),
  EPC: moneyPer('clicks', 'revenue'),
  PPV: moneyPer('views', profit),
  Profit: money(profit),
  ROI: percentOf('cost', profit),
  CPA: moneyPer('conversions', 'cost'),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

export const metricNames = Object.keys(metrics) as readonly MetricName[];

/** The columns of a SELECT that give metrics as text, over a relation `measured` with the measures they need. */
export function selectMetrics(names: readonly MetricName[]): string {
  return names.map((name) => `${expression(metrics[name])} AS "${name}"`).join(', ');
}

export function measuresOf(names: readonly MetricName[]): Set<Measure> {
  const used = names.map((name) => expression(metrics[name])).join(' ');
  return new Set(measures.filter((measure) => used.includes(measure)));
}

/** As text. Sums of money have two decimals at least, money per unit four, percentages two; a zero denominator gives 0. */
function expression({ dividend, divisor, times = 1, decimals }: Metric): string {
  if (decimals === 'exact') return moneyText(`${dividend}::DECIMAL(38, 6)`);
  const value = divisor ? `(CASE WHEN ${divisor} = 0 THEN 0 ELSE ${times} * ${dividend} / ${divisor} END)` : dividend;
  return `${value}::DECIMAL(38, ${decimals})::VARCHAR`;
}

/** The metrics that reports show unless a Quick View chooses others; Subscribers and DirectViews only if there can be any. */
export const defaultMetrics = {
  visits: [
    ...(['Views', 'Clicks', 'CTR', 'Subscribers', 'Conversions', 'CR', 'Cost', 'CPV'] as const),
    ...(['Revenue', 'EPV', 'Profit', 'ROI'] as const),
  ],
  pages: ['Views', 'Clicks', 'CTR', 'Subscribers', 'Conversions', 'CR', 'Cost', 'Revenue', 'EPV', 'Profit', 'ROI'],
  offers: ['Views', 'DirectViews', 'Clicks', 'Conversions', 'CR', 'Cost', 'Revenue', 'EPV', 'Profit', 'ROI'],
  campaign: [...metricNames],
} as const satisfies Record<string, readonly MetricName[]>;
