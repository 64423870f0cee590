import { groupBy, sum } from './statistics/history.ts';
import { chanceOfAtLeast } from './statistics/hypergeometric.ts';

/** A sale, with what its network says of it today. */
export interface StatedSale {
  readonly network: string | null;
  readonly offer?: string | null;
  /** How many whole days ago it was booked. */
  readonly age: number;
  readonly standing: 'approved' | 'pending' | 'rejected';
}

/** What a network will probably approve of the sales that it has not decided on. */
export interface Approval {
  /** The part of its sales of today that it will approve in the end, and its standard deviation. */
  readonly share: number;
  readonly deviation: number;
  /** The part that it approved in the older half of its decided sales. */
  readonly earlier: number;
  /** From this age on, nearly all of its sales are decided; infinite if that is so at no age. */
  readonly decidedAfter: number;
  /** If it clearly approves less since some day. */
  readonly fall: FallenApproval | undefined;
  /** The part of the sales still pending at an age that it will approve, and its standard deviation. */
  readonly ofPending: (age: number) => Readonly<Record<'share' | 'deviation', number>>;
}

/** Learned from fewer decided sales, a share is little more than that of all networks. */
const minDecided = 5;

/** Sales of an age count as decided if at most this part of them, and of those a week older, is pending. */
const maxPending = 0.1;

/** How far the share of a network lies from that of all, and how much it moves a day, before anything is known of it. */
const [deviationOfShares, deviationOfDrift] = [0.3, 0.006];

/** What approvals of single days scatter beyond chance: networks decide in batches. */
const scatter = 1.5;

/**
 * Learns from sales of all ages what each network approves. Young sales show it wrong, because a network may reject sooner than it
 * approves; old ones show what it approved then. So a straight line over the ages at which nearly all are decided is drawn on to
 * younger ones, with normal priors for its height and its slope. What it says of an age, less what is approved already, is what the
 * pending ones still bring.
 * Where it approves less since a day, beyond chance, the line is drawn through the sales since then: no slope falls as fast.
 */
export function learnApprovals(sales: readonly StatedSale[]): ReadonlyMap<string | null, Approval> {
  const falls = fallenBy(sales, ({ network }) => network);
  const networks = [...groupBy(sales, ({ network }) => network)].map(([name, own]) => {
    const counts = countByAge(own);
    const decidedAfter = ageOfDecision(counts);
    return { name, counts, decidedAfter, old: counts.filter(({ age }) => age >= decidedAfter) };
  });
  const ofAll = networks.flatMap(({ old }) => old);
  const shareOfAll = (countOf(ofAll, 'approved') + 1) / (countOf(ofAll, 'decided') + 2);
  return new Map(
    networks.map((network) => {
      const fall = network.name === null ? undefined : falls.get(network.name);
      return [network.name, approvalOf(network, shareOfAll, fall)];
    }),
  );
}

/** How many sales of one age are approved, rejected, pending, and all of them. */
type AgeCounts = Record<StatedSale['standing'] | 'age' | 'all' | 'decided', number>;

/** Ages are whole days, so a network has few of them, however many sales: the youngest first. */
function countByAge(sales: readonly StatedSale[]): readonly AgeCounts[] {
  const counts = new Map<number, AgeCounts>();
  for (const { age, standing } of sales) {
    const own = counts.get(age) ?? { age, approved: 0, rejected: 0, pending: 0, all: 0, decided: 0 };
    counts.set(age, own);
    own[standing] += 1;
    own.all += 1;
    if (standing !== 'pending') own.decided += 1;
  }
  return [...counts.values()].sort((one, other) => one.age - other.age);
}

const countOf = (counts: readonly AgeCounts[], name: keyof AgeCounts) => sum(counts.map((own) => own[name]));

interface StatedNetwork {
  readonly counts: readonly AgeCounts[];
  readonly decidedAfter: number;
  /** Those of the ages at which nearly all sales are decided. */
  readonly old: readonly AgeCounts[];
}

function approvalOf(
  { counts, decidedAfter, old }: StatedNetwork,
  shareOfAll: number,
  fall: FallenApproval | undefined,
): Approval {
  // If nearly all are decided at no age, the older half of its sales shows most. What of that is pending may end either way.
  const known = old.length > 0 ? old : olderHalf(counts, 'all');
  const open = countOf(known, 'pending') / Math.max(countOf(known, 'all'), 1);
  const since = fall ? known.filter(({ age }) => age < fall.age) : known;
  const lineAt = lineThrough(since, fall?.share ?? shareOfAll, open / 2);
  const judged = new Map<number, ReturnType<Approval['ofPending']>>();
  // Of what is pending at all young ages together: where a network rejects at once, all of it may be approved.
  const young = counts.filter(({ age }) => age < decidedAfter);
  const expected = sum(young.map(({ age, all }) => lineAt(age).share * all));
  const waiting = Math.max(countOf(young, 'pending'), 1);
  const usual = Math.min(Math.max((expected - countOf(young, 'approved')) / waiting, 0), 1);
  const judge = (age: number) => {
    // Sales of ages that are decided have nothing to come: what they lack of the line is no sign for younger ones.
    const isOld = age >= decidedAfter;
    const near = counts.filter((own) => Math.abs(own.age - age) <= nearAges && own.age >= decidedAfter === isOld);
    const pending = countOf(near, 'pending');
    const line = lineAt(age);
    const still = line.share * countOf(near, 'all') - countOf(near, 'approved');
    const part = Math.max(pending / Math.max(countOf(near, 'all'), 1), minPending);
    const prior = isOld ? line.share : usual;
    const share = (Math.min(Math.max(still, 0), pending) + prior * priorPending) / (pending + priorPending);
    return { share, deviation: line.deviation / part };
  };
  // Asked for each sale of a list.
  const ofPending = (age: number) => {
    const known = judged.get(age) ?? judge(age);
    judged.set(age, known);
    return known;
  };
  const older = olderHalf(known, 'decided');
  const decided = countOf(older, 'decided');
  const today = lineAt(0);
  const isOpen = decided < minDecided || open > maxPending;
  const earlier = fall?.earlier ?? (isOpen ? today.share : countOf(older, 'approved') / decided);
  return { ...today, earlier, decidedAfter, fall, ofPending };
}

/** The older ages that have half of some sales. */
function olderHalf(counts: readonly AgeCounts[], name: 'all' | 'decided'): readonly AgeCounts[] {
  const half = countOf(counts, name) / 2;
  return counts.filter((_, index) => countOf(counts.slice(index + 1), name) < half);
}

/** Pending sales are judged by those of about their age. */
const nearAges = 2;

/** As many pending sales as the line counts for, and the least part of sales that is taken as pending. */
const [priorPending, minPending] = [3, 0.2];

/**
 * The share of approved sales by age: a straight line with its standard deviation, from sales that are decided. Pending ones count as all do.
 * @param doubt the standard deviation that these add
 */
function lineThrough(known: readonly AgeCounts[], shareOfAll: number, doubt: number) {
  const approvedOf = (own: AgeCounts) => own.approved + shareOfAll * own.pending;
  const [count, approved] = [countOf(known, 'all'), sum(known.map(approvedOf))];
  const observed = (approved + shareOfAll * 2) / (count + 2);
  const noise = scatter * Math.max(observed * (1 - observed), 0.02);
  return (age: number) => {
    // Ages are counted from the one that is asked for: the height of the line is then its share.
    const sumOver = (of: (own: AgeCounts, from: number) => number) => sum(known.map((own) => of(own, own.age - age)));
    const [one, slope] = [
      count / noise + deviationOfShares ** -2,
      sumOver((own, from) => own.all * from ** 2) / noise + deviationOfDrift ** -2,
    ];
    const both = sumOver((own, from) => own.all * from) / noise;
    const height = approved / noise + shareOfAll * deviationOfShares ** -2;
    const rise = sumOver((own, from) => approvedOf(own) * from) / noise;
    const determinant = one * slope - both * both;
    const share = Math.min(Math.max((slope * height - both * rise) / determinant, 0.01), 0.99);
    return { share, deviation: Math.hypot(Math.sqrt(slope / determinant), doubt) };
  };
}

/** The age from which on nearly all sales are decided, by those of a week or the next few; 0 if that is so at once, infinite if at no age. */
function ageOfDecision(counts: readonly AgeCounts[]): number {
  const found = counts.findIndex(({ age }, index) => {
    let [all, pending] = [0, 0];
    for (const own of counts.slice(index)) {
      if (own.age >= age + 7 && all >= minDecided) break;
      all += own.all;
      pending += own.pending;
    }
    return all >= minDecided && pending <= maxPending * all;
  });
  return found === 0 ? 0 : (counts[found]?.age ?? Number.POSITIVE_INFINITY);
}

/** What approves this much less, and how likely chance may say so of any group in a review. */
const [minFall, maxChance] = [0.1, 0.01];

/** How many days it may have approved less, by sales that are old enough to be decided, and by all. */
const fallenDays = [3, 7, 14, 21, 28];
const looksAtFalls = 2 * fallenDays.length;

/** What is approved of the sales since an age and of those before, and how likely chance rejects so many since. */
interface Fall {
  readonly share: number;
  readonly earlier: number;
  readonly chance: number;
  readonly age: number;
}

export interface FallenApproval extends Fall {
  /** Whether the last sales that are decided are approved as before it again. */
  readonly isOver: boolean;
}

/**
 * The groups of sales of which clearly less is approved than before. Of the sales of each offer, those since some day were rejected more
 * often than chance draws them, exactly, so that few sales tell as much as they can. What is pending counts as approved: younger sales
 * have had less time to be rejected, so that they show it sooner or not at all.
 * @param keyOf the group of a sale, such as its network; null if it has none
 */
export function fallenBy<Sale extends StatedSale>(
  sales: readonly Sale[],
  keyOf: (sale: Sale) => string | null,
): ReadonlyMap<string, FallenApproval> {
  const groups = groupBy(sales, keyOf);
  const fallen = new Map<string, FallenApproval>();
  for (const [key, own] of groups) {
    if (key === null) continue;
    const decidedAfter = ageOfDecision(countByAge(own));
    const looks = [...new Set([decidedAfter, 0])].filter(Number.isFinite).map((youngest) => {
      const known = thinned(own.filter(({ age }) => age >= youngest));
      return { youngest, known, fall: surestOf(fallenDays.flatMap((days) => fallOf(known, youngest + days))) };
    });
    const [{ youngest = 0, known = [], fall } = {}] = looks.toSorted(
      (one, other) => (one.fall?.chance ?? 1) - (other.fall?.chance ?? 1),
    );
    const chance = (fall?.chance ?? 1) * looksAtFalls * groups.size;
    if (!fall || chance > maxChance) continue;
    const since = Array.from({ length: Math.max(...fallenDays) }, (_, day) => fallOf(known, youngest + day + 1));
    const surest = surestOf(since.flat()) ?? fall;
    fallen.set(key, { ...surest, chance, isOver: isOver(own, decidedAfter, surest) });
  }
  return fallen;
}

/** Whether some sales are approved as before an age, or too few to tell. */
export const areApprovedAsBefore = (sales: readonly StatedSale[], age: number): boolean =>
  fallOf(thinned(sales), age).length === 0;

/** The last days whose sales may be approved as before a fall again. */
const overDays = [3, 5, 7];

/** Whether those of some last days are, and those between them and the fall were rejected more often than chance draws them. */
function isOver(sales: readonly StatedSale[], decidedAfter: number, { age, earlier }: Fall): boolean {
  const since = thinned(sales.filter((sale) => sale.age >= decidedAfter && sale.age < age));
  return overDays.some((days) => {
    const before = rejectedMore(since, (sale) => sale.age >= decidedAfter + days);
    return before && before.chance <= maxChance / overDays.length && before.earlier >= earlier - minFall;
  });
}

const surestOf = (falls: readonly Fall[]): Fall | undefined =>
  falls.toSorted((one, other) => one.chance - other.chance)[0];

/** More sales of a network add little, and take long to compute. */
const maxKnown = 1000;

function thinned(sales: readonly StatedSale[]): readonly StatedSale[] {
  const step = Math.ceil(sales.length / maxKnown);
  return step <= 1 ? sales : sales.filter((_, index) => index % step === 0);
}

const partKept = (sales: readonly StatedSale[]) =>
  1 - sales.filter(({ standing }) => standing === 'rejected').length / Math.max(sales.length, 1);

/** What fell with an age; nothing if it is little. */
function fallOf(sales: readonly StatedSale[], age: number): Fall[] {
  const fall = rejectedMore(sales, (sale) => sale.age < age);
  return fall ? [{ ...fall, age }] : [];
}

/** What is approved of some of all sales, and of the others, if that is more; and how likely chance rejects so many of them. */
function rejectedMore(
  sales: readonly StatedSale[],
  isOne: (sale: StatedSale) => boolean,
): Omit<Fall, 'age'> | undefined {
  const isRejected = ({ standing }: StatedSale) => standing === 'rejected';
  const some = sales.filter(isOne);
  const [share, earlier] = [partKept(some), partKept(sales.filter((sale) => !isOne(sale)))];
  if (earlier - share < minFall) return undefined;
  const draws = [...groupBy(sales, ({ offer }) => offer).values()].map((own) => {
    // Either may be drawn out of all: the smaller one is less to compute.
    const [drawn = 0, marked = 0] = [own.filter(isOne), own.filter(isRejected)]
      .map(({ length }) => length)
      .sort((one, other) => one - other);
    return { all: own.length, drawn, marked };
  });
  return { share, earlier, chance: chanceOfAtLeast(some.filter(isRejected).length, draws) };
}

/** Money that is expected, with its 90% range. */
export interface ExpectedMoney {
  readonly amount: number;
  readonly low: number;
  readonly high: number;
}

/** What some pending sales will probably bring. */
export function expectApprovals(
  pending: readonly { readonly network: string | null; readonly age: number; readonly amount: number }[],
  approvals: ReadonlyMap<string | null, Approval>,
): ExpectedMoney {
  let [amount, variance] = [0, 0];
  for (const [network, own] of groupBy(pending, (sale) => sale.network)) {
    const approval = approvals.get(network);
    // The line of a network is wrong for all of its sales in the same direction.
    let deviation = 0;
    for (const [age, sales] of groupBy(own, (sale) => sale.age)) {
      const of = approval?.ofPending(age) ?? { share: 1, deviation: 0 };
      const total = sum(sales.map((sale) => sale.amount));
      amount += of.share * total;
      deviation += of.deviation * total;
      variance += scatter * of.share * (1 - of.share) * sum(sales.map((sale) => sale.amount ** 2));
    }
    variance += deviation ** 2;
  }
  const half = 1.645 * Math.sqrt(variance);
  const all = sum(pending.map((sale) => sale.amount));
  return { amount, low: Math.max(amount - half, 0), high: Math.min(amount + half, all) };
}
