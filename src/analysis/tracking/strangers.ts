import type { Codes } from '../../api/cells.ts';
import type { Pace } from '../../api/running-call.ts';
import { withRests } from '../../api/steps.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import { sum } from '../statistics/history.ts';
import { among, changeIn, countOn, type DayCounts, shareOf, sumOf } from './counts.ts';
import { contentOf } from './macros.ts';
import { minVisits, type Sign } from './rules.ts';
import { inParts, type SeenCampaign, type SeenValue } from './seen.ts';
import type { CountedVisits, TrackedVisits } from './tracked.ts';

/** A value belongs to the campaign that has this part of its visits; where nearly all values do, each campaign has its own. */
const [minOwned, minPartOwned, minValues] = [0.6, 0.9, 4];

/** What the values of a visit must weigh: one counts twice where each campaign has its own. Or so many must be of one campaign. */
const [minWeight, minTokens] = [2, 3];

/** Finds the visits of each campaign whose values are rather those of another one, and those with values of their own. */
export async function findStrangers(
  counted: readonly CountedVisits[],
  all: readonly SeenCampaign[],
  pace: Pace,
): Promise<void> {
  await pace.rest();
  const owners = await ownersOf(all, pace);
  const byCampaign = new Map(all.map((seen) => [seen.campaign, seen]));
  const slotsByList = new Map<TrackedVisits, readonly OwnedSlot[]>();
  for (const visits of counted) {
    await pace.rest();
    const { list, campaign } = visits;
    const slots = slotsByList.get(list) ?? ownedSlots(list, owners);
    slotsByList.set(list, slots);
    const seen = byCampaign.get(campaign);
    if (!seen || slots.length === 0) continue;
    const looking = inParts(visits.rows.length, (from, to) => seeStrangers(seen, visits, slots, from, to));
    await withRests(looking, pace.rest);
  }
}

/** A column with values of campaigns. */
interface OwnedSlot {
  readonly codes: Codes;
  readonly owned: readonly (Owned | undefined)[];
}

type Owners = ReadonlyMap<TokenSlot, ReadonlyMap<string, Owned>>;

function ownedSlots({ slots }: TrackedVisits, owners: Owners): readonly OwnedSlot[] {
  return [...slots].flatMap(([slot, { codes, values }]) => {
    const ofSlot = owners.get(slot);
    return ofSlot ? [{ codes, owned: values.map((value) => ofSlot.get(value ?? '')) }] : [];
  });
}

function seeStrangers(
  seen: SeenCampaign,
  { list, rows, days }: CountedVisits,
  slots: readonly OwnedSlot[],
  from: number,
  to: number,
): void {
  const { own } = seen.strangers;
  for (let visit = from; visit < to; visit += 1) {
    const row = rows[visit] ?? 0;
    let ownWeight = 0;
    let foreignWeight = 0;
    for (let slot = 0; slot < slots.length; slot += 1) {
      const { codes, owned } = slots[slot] as OwnedSlot;
      const value = owned[codes[row] ?? 0];
      if (value?.owner === seen) ownWeight += value.weight;
      else if (value) foreignWeight += value.weight;
    }
    const day = days[row] ?? 0;
    if (ownWeight > 0) countOn(own, day, true, 0);
    if (foreignWeight > ownWeight) seeStranger(seen, list, slots, row, day);
  }
}

/** A visit with more values of others than of its own campaign. They are few, and V8 compiles the loop over all visits without this. */
function seeStranger(
  seen: SeenCampaign,
  { amounts }: TrackedVisits,
  slots: readonly OwnedSlot[],
  row: number,
  day: number,
): void {
  const { others } = seen.strangers;
  const owned = slots.flatMap((slot) => slot.owned[slot.codes[row] ?? 0] ?? []);
  const foreign = owned.filter((value) => value.owner !== seen);
  const weigh = (owner: SeenCampaign) => sum(owned.map((value) => (value.owner === owner ? value.weight : 0)));
  const [{ owner, value: example }] = foreign.sort((a, b) => weigh(b.owner) - weigh(a.owner)) as [Owned];
  if (weigh(owner) <= weigh(seen)) return;
  const strangers = others.get(owner) ?? { other: owner, days: [], always: [], example };
  others.set(owner, strangers);
  const money = (amounts.cost[row] ?? 0) + (amounts.revenue[row] ?? 0);
  if (weigh(owner) >= minWeight) countOn(strangers.days, day, true, money);
  if (owned.filter((value) => value.owner === owner).length >= minTokens) countOn(strangers.always, day, true, money);
}

/** A campaign without values of its own in this part of its visits shares those of a larger one. */
const minOwn = 0.4;

/** Visits with the values of another campaign, in place of its own. */
export function otherTokens({ visits, strangers: { own, others } }: SeenCampaign): Sign[] {
  return [...others.values()].flatMap(({ other: { campaign }, example, ...found }): Sign[] => {
    const isNewIn = (days: DayCounts) => {
      const { before } = changeIn(days);
      return before.of >= minVisits && before.bad === 0;
    };
    const recent = among(found.days, visits);
    const isNew = isNewIn(recent);
    const days = isNew ? recent : among(found.always, visits);
    const { before, after } = changeIn(days);
    const ownPart = isNew
      ? shareOf({ ...before, bad: sumOf(own.slice(0, before.days)).bad })
      : sumOf(own).bad / after.of;
    if (sumOf(days).bad < 2 * minVisits || ownPart < minOwn) return [];
    return [{ days, example, other: { id: campaign.id, name: campaign.name }, link: campaign.link ?? undefined }];
  });
}

interface Owned {
  readonly owner: SeenCampaign;
  readonly value: string;
  readonly weight: number;
}

/** The visits of a value in all campaigns, and the campaign with most of them. */
interface ValueVisits {
  sum: number;
  most: number;
  owner: SeenCampaign;
}

const parts = ['whole', 'before'] as const;

/** A value of a slot. */
type ValueInAll = Record<(typeof parts)[number], ValueVisits> & { campaignsBefore: number };

/** The campaigns of values that mostly come in one, by slot and value: before the asked days, or on all if they are newer. */
async function ownersOf(all: readonly SeenCampaign[], pace: Pace): Promise<Owners> {
  const slots = new Map<TokenSlot, ValuesInAll>();
  for (const owner of all) {
    await pace.rest();
    for (const { token, values } of owner.tokens) {
      const slot = slots.get(token.slot) ?? { isNamed: true, byValue: new Map<string, ValueInAll>() };
      slots.set(token.slot, slot);
      if (addValues(slot.byValue, values.values(), owner)) slot.isNamed &&= contentOf(token) === 'campaign';
    }
  }
  const owners = new Map<TokenSlot, Map<string, Owned>>();
  for (const [slot, values] of slots) {
    await pace.rest();
    const owned = ownedAmong(values);
    if (owned.size > 0) owners.set(slot, owned);
  }
  return owners;
}

/** The values of a slot, and whether all of its tokens name campaigns. */
interface ValuesInAll {
  isNamed: boolean;
  readonly byValue: Map<string, ValueInAll>;
}

/** Adds the values of a campaign to those of all. @returns whether it has any */
function addValues(byValue: Map<string, ValueInAll>, values: Iterable<SeenValue>, owner: SeenCampaign): boolean {
  let isAny = false;
  const none = () => ({ sum: 0, most: 0, owner });
  for (const seen of values) {
    if (seen.odd) continue;
    isAny = true;
    const inAll = byValue.get(seen.value) ?? { whole: none(), before: none(), campaignsBefore: 0 };
    byValue.set(seen.value, inAll);
    inAll.campaignsBefore += Number(seen.before > 0);
    for (const part of parts) {
      const visits = inAll[part];
      visits.sum += seen[part];
      if (seen[part] > visits.most) [visits.most, visits.owner] = [seen[part], owner];
    }
  }
  return isAny;
}

function ownedAmong({ isNamed, byValue }: ValuesInAll): Map<string, Owned> {
  const owned = new Map<string, Owned>();
  const known = [...byValue.values()].filter(({ before }) => before.sum >= minVisits);
  const ofOne = known.filter(({ campaignsBefore }) => campaignsBefore === 1);
  const isOwned = ofOne.length >= minPartOwned * known.length && (isNamed || known.length >= minValues);
  for (const [value, inAll] of byValue)
    for (const part of parts) {
      const { sum: whole, most, owner } = inAll[part];
      if (most >= Math.max(minVisits, minOwned * whole)) owned.set(value, { owner, value, weight: isOwned ? 2 : 1 });
    }
  return owned;
}
