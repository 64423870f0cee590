import { minDays } from '../../src/analysis/statistics/verdict.ts';
import { percent, rowPrinter } from './printing.ts';
import { equalPages, leadingPages, temptations } from './settings.ts';
import { askDaily, followDaily, type Outcome, type Setting } from './simulated-campaigns.ts';

const dayCount = 30;
/** Temptations take longer. */
const temptedDays = 60;
const campaigns = Number(process.argv[2] ?? 300);

/** Only settings with this text in their names. */
const filter = process.argv[3] ?? '';
/** With their indexes, so that a setting always has the same seeds. */
const chosenFrom = (settings: typeof equalPages) =>
  [...settings.entries()].filter(([, { name }]) => name.includes(filter));

interface Measured {
  readonly outcomes: readonly Outcome[];
  /** Milliseconds per look. */
  readonly time: number;
}

function measure(setting: Setting, firstSeed: number, days = dayCount): Measured {
  const start = performance.now();
  const outcomes = Array.from({ length: campaigns }, (_, campaign) => askDaily(setting, days, firstSeed + campaign));
  return { outcomes, time: (performance.now() - start) / (campaigns * days) };
}

const partOf = (outcomes: readonly Outcome[], isCounted: (outcome: Outcome) => boolean) =>
  percent(outcomes.filter(isCounted).length / outcomes.length);

const print = rowPrinter(60, 15);

console.log(`${campaigns} campaigns a setting, asked daily for ${dayCount} days\n`);
/** The level at which the oracle errs as often as `compare_pages`, over the equal pairs whose days do not scatter. */
const plain: Outcome[] = [];
const highest = ({ oracleLogs }: Outcome) => Math.max(...oracleLogs);
function levelAlike(): number {
  const errors = plain.filter(({ page }) => page !== undefined).length;
  return plain.map(highest).sort((one, other) => other - one)[errors] ?? Number.POSITIVE_INFINITY;
}

print(['equal pages', 'false leaders', 'oracle', 'lead covered', 'ms a look']);
for (const [index, setting] of chosenFrom(equalPages)) {
  const { outcomes, time } = measure(setting, index * 100_003);
  if (setting.pages === 2 && !setting.noise && !setting.split) plain.push(...outcomes);
  const falseLeaders = partOf(outcomes, ({ page }) => page !== undefined);
  const oracle = setting.pages === 2 ? partOf(outcomes, ({ oracleOn }) => oracleOn !== undefined) : '';
  print([setting.name, falseLeaders, oracle, partOf(outcomes, ({ isCovered }) => isCovered), time.toFixed(2)]);
}

console.log(`\nasked daily for ${temptedDays} days`);
print(['no page earns more, or not the one that converts more', 'first named', 'other named', 'ms a look']);
for (const [index, setting] of chosenFrom(temptations)) {
  const { outcomes, time } = measure(setting, (index + 200) * 100_003, temptedDays);
  const first = partOf(outcomes, ({ page }) => page === 0);
  print([setting.name, first, partOf(outcomes, ({ page = 0 }) => page > 0), time.toFixed(2)]);
}

console.log(
  `\nmedian and mean day, 31 if none; the oracle at its own level, and where it errs as often as compare_pages: then over ${minDays} days at least, too`,
);
print([
  'the first page converts more',
  'by day 5',
  '14',
  '30',
  'day',
  'oracle',
  'as often',
  'another named',
  'covered',
]);
const alike = levelAlike();
for (const [index, setting] of chosenFrom(leadingPages)) {
  const { outcomes } = measure(setting, (index + 100) * 100_003);
  const byDay = (day: number) => partOf(outcomes, ({ clearOn = Infinity, page }) => page === 0 && clearOn <= day);
  const other = partOf(outcomes, ({ page }) => page !== undefined && page !== 0);
  const dayOf = (find: (outcome: Outcome) => number | undefined) => {
    const days = outcomes.map((outcome) => find(outcome) ?? dayCount + 1).sort((a, b) => a - b);
    return `${days[Math.floor(days.length / 2)]} / ${(days.reduce((all, day) => all + day, 0) / days.length).toFixed(1)}`;
  };
  const firstAlike = ({ oracleLogs }: Outcome) =>
    oracleLogs.findIndex((log, index) => index + 1 >= minDays && log >= alike) + 1 || undefined;
  const oracles = setting.pages === 2 ? [dayOf(({ oracleOn }) => oracleOn), dayOf(firstAlike)] : ['', ''];
  const covered = partOf(outcomes, ({ isCovered }) => isCovered);
  print([setting.name, byDay(5), byDay(14), byDay(30), dayOf(({ clearOn }) => clearOn), ...oracles, other, covered]);
}

const followed: readonly Setting[] = [
  { law: 'fixed', listing: 'listed', pages: 2, lead: 0.3 },
  { law: 'fixed', listing: 'listed', pages: 4, lead: 0, leads: [0.6, 0.4, 0.2, 0] },
  { law: 'exponential', listing: 'listed', pages: 4, lead: 0, leads: [0.6, 0.4, 0.2, 0] },
];
console.log('\nshares set daily as recommended, for 60 days');
print(['lost of what the best page alone would have earned', 'even split', '60 days', 'second half']);
for (const [index, setting] of followed.entries()) {
  const name = `${setting.pages} pages, ${setting.law} payouts, followed`;
  if (!name.includes(filter)) continue;
  const lost = Array.from({ length: campaigns }, (_, seed) => followDaily(setting, 60, (index + 300) * 100_003 + seed));
  const mean = (from: number, to: number) => {
    const days = lost.flatMap((campaign) => campaign.slice(from, to));
    return percent(days.reduce((all, one) => all + one, 0) / days.length);
  };
  print([name, mean(0, 1), mean(0, 60), mean(30, 60)]);
}
