import type { Pace } from '../../api/running-call.ts';
import { quartersOf } from './hours.ts';
import { pairOf } from './pairs.ts';
import type { Dimension, VisitColumns, Visits } from './visit-columns.ts';

/** The order in which dimensions with alike groups are named, the most telling first. Tokens follow keywords. */
const dimensionOrder = [
  'campaign',
  'landing_page',
  'offer',
  'network',
  'traffic_source',
  'path',
  'placement',
  'keyword',
  'ad',
  'country',
  'device',
  'os',
  'browser',
  'isp',
  'user_agent',
  'region',
  'city',
  'hour',
];

export function rankOf(dimension: string): number {
  const rank = dimensionOrder.indexOf(dimension);
  return rank < 0 ? dimensionOrder.indexOf('keyword') + 0.5 : rank;
}

/** With fewer visits, any change is within chance. */
export const minVisits = 8;

/** Values of different campaigns with one name are one thing in these dimensions alone. */
const dimensionsOfAccount: ReadonlySet<string> = new Set(['network', 'offer', 'traffic_source', 'country']);

/** Dimensions that are tested together, also where neither alone stands out. */
const pairedDimensions: readonly (readonly [first: string, second: readonly string[]])[] = [
  ['landing_page', ['offer', 'traffic_source', 'placement', 'country', 'device', 'os', 'browser', 'isp']],
  ['offer', ['traffic_source', 'placement', 'country', 'device', 'os', 'browser', 'isp', 'hour']],
  ['placement', ['country', 'device', 'os', 'browser']],
  ['keyword', ['country', 'device']],
  ['ad', ['country', 'device']],
  ['country', ['device', 'os', 'browser']],
];

/** How the visits of some rows may be grouped. */
export class Groupings {
  readonly #columns: VisitColumns;
  readonly #pace: Pace;
  readonly #rows: Visits;
  readonly #pairs = new Map<string, Dimension>();
  /** The campaigns, if there are several. */
  readonly campaign: Dimension | undefined;

  constructor(rows: Visits, columns: VisitColumns, pace: Pace) {
    this.#columns = columns;
    this.#pace = pace;
    this.#rows = rows;
    const campaign = columns.dimensions.find(({ name }) => name === 'campaign');
    this.campaign = campaign && campaign.values.filter((value) => value !== null).length > 1 ? campaign : undefined;
  }

  /** An account is its campaigns first: a value of several campaigns is tested within each, unless it is one thing in all. */
  async outer(): Promise<readonly Dimension[]> {
    const { campaign } = this;
    const { dimensions } = this.#columns;
    if (!campaign) return dimensions;
    const others = dimensions.filter((dimension) => dimension !== campaign && dimension.name !== 'hour');
    const alone = others.filter(({ name }) => dimensionsOfAccount.has(name));
    return [campaign, ...alone, ...(await this.#pairsOf(others.map((other) => [campaign, other])))];
  }

  async pairsAmong(dimensions: readonly Dimension[]): Promise<readonly Dimension[]> {
    const { placement } = this.#columns;
    const named = (wanted: string) => {
      const some = dimensions.filter(({ name }) => name === (wanted === 'placement' ? placement : wanted));
      return wanted === 'hour' ? some.flatMap((hour) => quartersOf(hour) ?? []) : some;
    };
    return this.#pairsOf(
      pairedDimensions.flatMap(([first, second]) =>
        named(first).flatMap((one) => second.flatMap(named).map((other) => [one, other] as const)),
      ),
    );
  }

  async #pairsOf(pairs: readonly (readonly [Dimension, Dimension])[]): Promise<readonly Dimension[]> {
    const made: Dimension[] = [];
    for (const [one, other] of pairs) {
      const key = `${one.name} ${other.name}`;
      const pair = this.#pairs.get(key) ?? pairOf(one, other, this.#rows, minVisits);
      this.#pairs.set(key, pair);
      made.push(pair);
      await this.#pace.rest();
    }
    return made;
  }
}
