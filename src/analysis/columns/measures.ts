import { keptByName } from '../../api/text/kept-by-name.ts';
import { bareName, measureNames } from '../../api/vocabulary.ts';

/** The measures in reports. Views come from the ad; clicks are on the landing page's call to action. */
export type Measure = keyof typeof measureNames;

const byName = new Map(
  Object.entries(measureNames).flatMap(([measure, words]) =>
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

export interface Formula {
  readonly parts: readonly Measure[];
  readonly compute: (first?: number, second?: number, third?: number) => number;
}

/** A ratio over zero is empty: the 0 that trackers show would read as a result. */
const per =
  /* @__NO_SIDE_EFFECTS__ */
    (factor: number) =>
    (part = 0, whole = 0) =>
      whole === 0 ? Number.NaN : (part / whole) * factor;

const net =
  /* @__NO_SIDE_EFFECTS__ */
    (factor: number) =>
    (revenue = 0, cost = 0, whole = 0) =>
      whole === 0 ? Number.NaN : ((revenue - cost) / whole) * factor;

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

/** Marks a part of a whole, such as "Clicks %", which does not count clicks. */
const partSign = /[%％]/;

/** What a column measures; undefined if its name does not tell. */
export const measureOf = keptByName((column): Measure | undefined => {
  const measure = byName.get(
    bareName(column)
      .toLowerCase()
      .replace(/[^a-z]/g, ''),
  );
  return measure && isAdditive(measure) && partSign.test(column) ? undefined : measure;
});

/** Units in which a column of money or counts may be, by its name: `Cost (cents)`, `cost_micros`, `Revenue in thousands`. */
const otherUnit = /(?:in)?(?:cents?|pence|micros?|millis?|thousands?|millions?)$/;

/** The measure that a column has in another unit; undefined if it has none. */
export function measureInOtherUnit(column: string): Measure | undefined {
  const letters = column.toLowerCase().replace(/[^a-z]/g, '');
  return otherUnit.test(letters) ? measureOf(letters.replace(otherUnit, '')) : undefined;
}

/** Whether sums of the measure mean something. */
export function isAdditive(measure: Measure): boolean {
  return additive.has(measure);
}

const counts: ReadonlySet<Measure | undefined> = new Set([
  'views',
  'clicks',
  'subscribers',
  'conversions',
  'engaged',
] as const);

/** Whether a column counts something: its numbers are whole. */
export function holdsCounts(column: string): boolean {
  return counts.has(measureOf(column));
}
