import { measureOutcomes, outcomeWorlds } from './outcome-worlds.ts';
import { percent, rowPrinter } from './printing.ts';

const worlds = Number(process.argv[3] ?? 200);
/** Only worlds with this text in their names. */
const filter = process.argv[4] ?? '';
const print = rowPrinter(30, 15);

console.log(`${worlds} changes a kind; the range should hold in 85 to 95% of those told`);
print(['', 'refused', 'in range', 'told right', 'told wrong', 'live in range']);
for (const [index, name] of Object.keys(outcomeWorlds).entries()) {
  if (!name.includes(filter)) continue;
  const { refused, covered, right, wrong, live } = measureOutcomes(name, worlds, index * 100_003);
  print([name, ...[refused, covered, right, wrong, live].map(percent)]);
}
