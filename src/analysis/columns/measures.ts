import { memoize } from '../../api/text/plain-name.ts';

/**
 * What the columns of a report measure. Trackers name them differently; the formulas are the vocabulary of
 * affiliate marketing (Views arrive from the ad, Clicks are clicks on the landing page's call to action).
 */
export type Measure =
  | 'views'
  | 'clicks'
  | 'subscribers'
  | 'conversions'
  | 'revenue'
  | 'cost'
  | 'profit'
  | 'engaged'
  | 'ctr'
  | 'cr'
  | 'cpv'
  | 'cpc'
  | 'epv'
  | 'epc'
  | 'ppv'
  | 'roi'
  | 'cpa'
  | 'cpsub';

/** The names that mean a measure, in lower case and without anything but letters. A `Click` or a `Visit` may be the ID of one. */
const names: Readonly<Record<Measure, string>> = {
  views: 'views view visitors visits',
  clicks: 'clicks lpclicks landingpageclicks',
  subscribers: 'subscribers subscriber subs subscriptions',
  conversions: 'conversions conversion conv convs',
  revenue: 'revenue rev income earnings',
  cost: 'cost costs spend spent totalcost adspend',
  profit: 'profit pl pnl netprofit profitloss',
  engaged: 'engaged engagedviews engagedvisitors engages',
  ctr: 'ctr clickthroughrate',
  cr: 'cr convrate conversionrate cvr',
  cpv: 'cpv costperview',
  cpc: 'cpc costperclick',
  epv: 'epv earningsperview revenueperview',
  epc: 'epc earningsperclick revenueperclick',
  ppv: 'ppv profitperview',
  roi: 'roi returnoninvestment',
  cpa: 'cpa costperacquisition costperconversion',
  cpsub: 'cpsub costpersubscriber',
};

const byName = new Map(
  Object.entries(names).flatMap(([measure, words]) =>
    words.split(' ').map((word) => [word, measure as Measure] as const),
  ),
);

const additive = new Set<Measure>([
  'views',
  'clicks',
  'subscribers',
  'conversions',
  'revenue',
  'cost',
  'profit',
  'engaged',
]);

interface Formula {
  readonly parts: readonly Measure[];
  readonly compute: (parts: readonly number[]) => number;
}

/** A ratio over zero is none: trackers show 0, which would be taken for a result. */
const per =
  (factor: number) =>
  ([part = 0, whole = 0]: readonly number[]) =>
    whole === 0 ? Number.NaN : (part / whole) * factor;

const net =
  (factor: number) =>
  ([revenue = 0, cost = 0, whole = 0]: readonly number[]) =>
    whole === 0 ? Number.NaN : ((revenue - cost) / whole) * factor;

/** Ratios by the sums they are made of. */
export const formulas: ReadonlyMap<Measure, Formula> = new Map<Measure, Formula>([
  ['ctr', { parts: ['clicks', 'views'], compute: per(100) }],
  ['cr', { parts: ['conversions', 'clicks'], compute: per(100) }],
  ['cpv', { parts: ['cost', 'views'], compute: per(1) }],
  ['cpc', { parts: ['cost', 'clicks'], compute: per(1) }],
  ['epv', { parts: ['revenue', 'views'], compute: per(1) }],
  ['epc', { parts: ['revenue', 'clicks'], compute: per(1) }],
  ['ppv', { parts: ['revenue', 'cost', 'views'], compute: net(1) }],
  ['roi', { parts: ['revenue', 'cost', 'cost'], compute: net(100) }],
  ['cpa', { parts: ['cost', 'conversions'], compute: per(1) }],
  ['cpsub', { parts: ['cost', 'subscribers'], compute: per(1) }],
]);

/** A part of a whole, such as the "Clicks %" of all clicks, and not what it is a part of. */
const isPart = /[%％]/;

/** What a column measures; undefined where its name says nothing about it. */
export const measureOf: (column: string) => Measure | undefined = memoize((column) => {
  const measure = byName.get(column.toLowerCase().replace(/[^a-z]/g, ''));
  return measure && isAdditive(measure) && isPart.test(column) ? undefined : measure;
});

/** Whether sums of the measure mean something. */
export function isAdditive(measure: Measure): boolean {
  return additive.has(measure);
}
