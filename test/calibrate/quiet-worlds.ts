import { fallenBy, type StatedSale } from '../../src/analysis/approvals.ts';
import { findTrackingFaults } from '../../src/analysis/tracking-faults.ts';
import { poisson, type Random } from './simulated-campaigns.ts';
import { type Oddity, oddities, simulateAccount, trackedAt } from './tracked-accounts.ts';
import { randomOf } from './trouble-kinds.ts';

/** Accounts whose tracking is right, and networks that approve what they always did: what a daily review finds there is false. */

const campaignsOfAccount = 10;

/** A finding is new if the day before does not have it. */
class NewFindings {
  readonly found: string[] = [];
  #before = new Set<string>();

  /** @param lasting what is there, whether a review tells it or not */
  add(told: readonly string[], lasting: readonly string[]): void {
    this.found.push(...told.filter((key) => !this.#before.has(key)));
    this.#before = new Set(lasting);
  }
}

/** The faults of tracking that daily reviews find over some days, by code. */
export async function quietTracking(days: number, campaigns: number): Promise<string[]> {
  const all: string[] = [];
  // A campaign that is off and visited is a fault.
  const odd: readonly Oddity[] = oddities.filter((one) => one !== 'off');
  for (let seed = 0; seed < campaigns / campaignsOfAccount; seed += 1) {
    const wanted = Array.from({ length: campaignsOfAccount }, (_, index) => {
      return odd[(seed * campaignsOfAccount + index) % odd.length] ?? 'none';
    });
    const account = simulateAccount(wanted, randomOf(seed, 2), undefined, 15 + days);
    const findings = new NewFindings();
    for (let day = 14; day < 14 + days; day += 1) {
      const faults = await findTrackingFaults(trackedAt(account, day + 8 / 24));
      const lasting = faults.filter(({ until }) => until === undefined);
      const keyOf = ({ code, campaign, token, page }: (typeof faults)[number]) =>
        [code, campaign?.id, token ?? page].join(' ');
      findings.add(lasting.filter(({ isOlder }) => !isOlder).map(keyOf), lasting.map(keyOf));
    }
    for (const key of findings.found) console.log(`account ${seed}`, key);
    all.push(...findings.found);
  }
  return all.map((key) => key.split(' ')[0] ?? '');
}

const listedDays = 60;

/** A network that decides after its usual days, in batches whose shares scatter a little. */
function quietNetwork(random: Random) {
  const [share, aDay, delay, every] = [
    0.4 + 0.55 * random(),
    0.2 + 42 * random() ** 3,
    2 + 18 * random(),
    [1, 1, 7, 14][Math.floor(random() * 4)] ?? 1,
  ];
  const soonRejects = random() < 0.5;
  const batches = new Map<number, number>();
  const shareOf = (booked: number) => {
    const batch = Math.floor(booked / every);
    const own = batches.get(batch) ?? Math.min(Math.max(share + 0.05 * (random() + random() - 1), 0.02), 0.98);
    batches.set(batch, own);
    return own;
  };
  return (days: number) =>
    Array.from({ length: days }, (_, booked) =>
      Array.from({ length: poisson(aDay, random) }, () => {
        const isApproved = random() < shareOf(booked);
        const waits = delay * (0.6 + 0.8 * random()) * (soonRejects && !isApproved ? 0.5 : 1);
        return { booked, isApproved, decided: Math.ceil((booked + waits) / every) * every };
      }),
    ).flat();
}

/** The networks that daily reviews say approve less. */
export function quietApprovals(days: number, networks: number): string[] {
  const sales = Array.from({ length: networks }, (_, network) => {
    const random = randomOf(network, 1);
    return { network: `N${network}`, sales: quietNetwork(random)(listedDays + days) };
  });
  const findings = new NewFindings();
  for (let today = listedDays; today < listedDays + days; today += 1) {
    const stated = sales.flatMap(({ network, sales: own }) =>
      own.flatMap(({ booked, isApproved, decided }): StatedSale[] => {
        const age = today - booked;
        if (age < 0 || age > listedDays) return [];
        return [{ network, age, standing: decided > today ? 'pending' : isApproved ? 'approved' : 'rejected' }];
      }),
    );
    const keys = [...fallenBy(stated, ({ network }) => network).keys()];
    findings.add(keys, keys);
  }
  for (const key of findings.found) console.log(key);
  return findings.found.map(() => 'approvals_fell');
}
