import { measureOutcomes, outcomeWorlds } from './outcome-worlds.ts';

const worlds = Number(process.argv[3] ?? 200);
const print = (cells: readonly string[]) =>
  console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(30) : cell.padStart(15))).join(''));
const percent = (part: number) => `${(part * 100).toFixed(1)}%`;

console.log(`${worlds} changes a kind; the range should hold in 85 to 95% of those told`);
print(['', 'refused', 'in range', 'told right', 'told wrong', 'live in range']);
for (const [index, name] of Object.keys(outcomeWorlds).entries()) {
  const { refused, covered, right, wrong, live } = measureOutcomes(name, worlds, index * 100_003);
  print([name, ...[refused, covered, right, wrong, live].map(percent)]);
}
