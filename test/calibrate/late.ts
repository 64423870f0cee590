import { ExpectedSalesOf } from '../../src/analysis/expected-sales.ts';
import { lateKinds, simulateLateSales } from './late-worlds.ts';

const worlds = Number(process.argv[3] ?? 300);
console.log(
  `${worlds} worlds a kind\n${'kind'.padEnd(26)}covered  below  above  expected/truth  width/known  mean truth`,
);
for (const [index, name] of Object.keys(lateKinds).entries()) {
  let [covered, below, above, expected, truth] = [0, 0, 0, 0, 0];
  const ratios: number[] = [];
  for (let seed = 1; seed <= worlds; seed += 1) {
    const world = simulateLateSales(name, index * 100_003 + seed);
    const { count, low, high } = new ExpectedSalesOf(world.sales, world).expect(world);
    if (world.truth < low) below += 1;
    else if (world.truth > high) above += 1;
    else covered += 1;
    expected += count;
    truth += world.truth;
    ratios.push((high - low) / world.knownWidth);
  }
  ratios.sort((a, b) => a - b);
  const p = (n: number) => `${((100 * n) / worlds).toFixed(1)}%`.padStart(7);
  console.log(
    name.padEnd(26),
    p(covered),
    p(below),
    p(above),
    (expected / truth).toFixed(3).padStart(12),
    (ratios[Math.floor(worlds / 2)] ?? 0).toFixed(2).padStart(12),
    (ratios[Math.floor(worlds * 0.9)] ?? 0).toFixed(2),
    (truth / worlds).toFixed(1).padStart(10),
  );
}
