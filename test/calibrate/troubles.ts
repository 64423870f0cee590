import { type AccountFindings, type CampaignHistory, reviewAccount } from '../../src/analysis/account-review.ts';
import { percentTrue, rowPrinter } from './printing.ts';
import { quietApprovals, quietTracking } from './quiet-worlds.ts';
import type { Random } from './simulated-campaigns.ts';
import { byId, historyAt, isFindingOf } from './simulated-histories.ts';
import { partIn, type Rates, simulateDays, usual } from './simulated-visits.ts';
import { quietRates, randomOf, simulate, type Trouble, troubles } from './trouble-kinds.ts';

/** How many hours after a trouble it is looked for; 0 is before it. */
const looks = [0, 1, 3, 6, 12, 24, 48, 72] as const;
const daysBefore = 15;

/** The looks at which review_account has the trouble, among nine quiet campaigns. */
async function lookFor(
  trouble: Trouble,
  visits: number,
  seed: number,
  others: readonly CampaignHistory[],
): Promise<boolean[]> {
  const random = randomOf(seed, 1);
  const from = daysBefore * 24 + Math.floor(random() * 7 * 24);
  const all = simulate(trouble, { ...usual, visits }, Math.ceil((from + 72) / 24), from, random);
  const found: boolean[] = [];
  for (const hours of looks) {
    const recent = all.filter(({ at }) => at > from + hours - daysBefore * 24);
    const { findings } = await reviewAccount({ campaigns: byId([historyAt(recent, from + hours), ...others]), partIn });
    found.push(findings.some((finding) => isFindingOf(trouble, finding, '0')));
  }
  return found;
}

const print = rowPrinter(30, 8);

const quietVisits = (rates: Rates, random: Random, days: number) => simulateDays(0, days, () => rates, random);

/** Prints how well each trouble is found in campaigns of 200 and of 2,000 visits a day. */
async function measureTroubles(seeds: number, wanted: string): Promise<void> {
  const others = Array.from({ length: 9 }, (_, id) => {
    const random = randomOf(id, 3);
    return historyAt(quietVisits(quietRates(random), random, daysBefore), daysBefore * 24);
  });
  for (const visits of [200, 2000]) {
    console.log(`\n${visits} visits a day, ${seeds} seeds`);
    print(['found after, hours', ...looks.map((hours) => (hours === 0 ? 'before' : String(hours)))]);
    for (const trouble of troubles.filter(({ name, kind }) => kind && name.includes(wanted))) {
      const found: boolean[][] = [];
      for (let seed = 0; seed < seeds; seed += 1) found.push(await lookFor(trouble, visits, seed, others));
      print([trouble.name, ...looks.map((_, look) => percentTrue(found.map((some) => some[look] ?? false)))]);
    }
  }
}

/** Prints how often an account of quiet campaigns has a finding that was over, or not there, the day before. */
async function measureQuiet(days: number, campaigns = 500): Promise<void> {
  const accounts = Array.from({ length: campaigns }, (_, id) => {
    const random = randomOf(id, 4);
    const rates = quietRates(random);
    return { rates, random, visits: quietVisits(rates, random, daysBefore) };
  });
  const counts = new Map<string, number>();
  let before: AccountFindings | undefined;
  let lookCount = 0;
  for (let day = daysBefore; day < daysBefore + days; day += 1) {
    for (const account of accounts) {
      const { rates, random, visits } = account;
      const recent = visits.filter(({ at }) => at > (day - daysBefore) * 24 + 8);
      account.visits = [...recent, ...simulateDays(day, 1, () => rates, random)];
    }
    const clock = day * 24 + 8;
    const histories = accounts.map(({ visits }) => historyAt(visits, clock));
    const review = await reviewAccount({ campaigns: byId(histories), partIn });
    lookCount = review.looks;
    for (const { key, kind, chance, age, figures } of review.findings) {
      if (!before?.isOver(key, 0)) continue;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      console.log(day, key, chance, age, JSON.stringify(figures));
    }
    before = review;
  }
  for (const kind of [...(await quietTracking(days, campaigns)), ...quietApprovals(days, campaigns / 20)])
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const aWeek = ((all / days) * 7).toFixed(2);
  console.log(`${campaigns} quiet campaigns, ${days} days, ${lookCount} looks a day: ${aWeek} false findings a week`);
  for (const [kind, count] of counts) print([kind, String(count)]);
}

const [what, count, wanted = ''] = process.argv.slice(2);
if (what === 'quiet') await measureQuiet(Number(count ?? 60));
else await measureTroubles(Number(count ?? 50), wanted);
