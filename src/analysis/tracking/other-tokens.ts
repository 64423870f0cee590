import type { TrackingFault } from '../../answer/tracking-faults.ts';
import { yieldIfBusy } from '../../api/running-call.ts';
import { valueAt } from '../coded.ts';
import { groupBy } from '../statistics/history.ts';
import { among, changeIn, countFrom, countOn, type Days, shareOf } from './counts.ts';
import { type Gathered, rowsPerStep, type TrackedCampaign, type TrackedVisits } from './gathered.ts';
import { found, type Looked, minVisits, named, ofCampaign } from './token-faults.ts';

/** A value belongs to the campaign that has most of its visits. */
const minOwned = 0.6;

/** So many values of a visit must belong to the other campaign: more if it may always have been so. */
const [minValues, minValuesAlways] = [2, 3];

type Owners = ReadonlyMap<string, TrackedCampaign>;

/** Visits of a campaign all of whose values belong to another one: an ad of that has the link of this. */
export async function otherTokens(lists: readonly TrackedVisits[], looked: Looked): Promise<TrackingFault[]> {
  const { first, all } = looked;
  const owners = ownersOf(looked);
  const byPair = new Map<Gathered, Map<TrackedCampaign, { days: Days; always: Days; example: string }>>();
  const gatheredOf = new Map(all.map((gathered) => [gathered.campaign, gathered]));
  const own = new Map<Gathered, number>();
  for (const list of lists) {
    for (let row = 0; row < list.rowCount; row += 1) {
      if (row % rowsPerStep === 0) await yieldIfBusy();
      const campaign = list.campaignOf(row);
      const gathered = campaign && gatheredOf.get(campaign);
      const day = list.dayOf(row);
      if (!gathered || day === null) continue;
      const values = gathered.tokens.flatMap(({ token: { slot } }) => {
        const reading = list.slots.get(slot);
        const value = reading && valueAt(reading, row);
        const owner = value ? owners.get(`${slot} ${value}`) : undefined;
        return value && owner ? [{ value, owner }] : [];
      });
      if (values.some(({ owner }) => owner === campaign)) own.set(gathered, (own.get(gathered) ?? 0) + 1);
      const [one] = values;
      if (!one || one.owner === campaign || values.some(({ owner }) => owner !== one.owner)) continue;
      if (values.length < minValues) continue;
      const pairs = byPair.get(gathered) ?? new Map();
      byPair.set(gathered, pairs);
      const pair = pairs.get(one.owner) ?? { days: new Map(), always: new Map(), example: values.at(-1)?.value ?? '' };
      pairs.set(one.owner, pair);
      const money = list.amounts.cost(row) + list.amounts.revenue(row);
      countOn(pair.days, day, true, money);
      if (values.length >= minValuesAlways) countOn(pair.always, day, true, money);
    }
  }
  return [...byPair].flatMap(([gathered, pairs]) =>
    [...pairs].flatMap(([other, pair]): TrackingFault[] => {
      const { before } = changeIn(among(pair.days, gathered.visits));
      const isNew = before.of >= minVisits && shareOf(before) === 0;
      const days = among(isNew ? pair.days : pair.always, gathered.visits);
      const fields = found(days, first);
      const { of } = countFrom(gathered.visits, '');
      // A campaign that shares its values with a larger one has none of its own.
      if (!fields || fields.visits < 2 * minVisits || (own.get(gathered) ?? 0) < 0.4 * of) return [];
      const { example } = pair;
      const link = other.link ?? undefined;
      return [
        {
          code: 'other_campaigns_tokens',
          ...ofCampaign(gathered),
          ...fields,
          counts: 'visit',
          example,
          at: 'ads',
          other: named(other),
          link,
        },
      ];
    }),
  );
}

/** The campaign of each value that mostly comes in one: before the asked days, or on all if it is newer. */
function ownersOf({ first, all }: Looked): Owners {
  const seen = all.flatMap(({ campaign, tokens }) =>
    tokens.flatMap(({ token, values, odd }) =>
      [...values].flatMap(([value, days]) => {
        const [whole, asked] = [countFrom(days, '').bad, countFrom(days, first).bad];
        return odd.has(value) ? [] : [{ key: `${token.slot} ${value}`, campaign, whole, before: whole - asked }];
      }),
    ),
  );
  const ownerBy = (part: 'before' | 'whole') =>
    [...groupBy(seen, ({ key }) => key)].flatMap(([key, some]) => {
      const sum = some.reduce((all, one) => all + one[part], 0);
      const owner = some.find((one) => one[part] >= Math.max(minVisits, minOwned * sum));
      return owner ? [[key, owner.campaign] as const] : [];
    });
  return new Map([...ownerBy('whole'), ...ownerBy('before')]);
}
