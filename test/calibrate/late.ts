import { lateKinds, measureLateSales } from './late-worlds.ts';
import { percent, rowPrinter } from './printing.ts';

const worlds = Number(process.argv[3] ?? 300);
/** So many days before today have known visits. */
const days = Number(process.argv[4] ?? 14);
const wanted = process.argv[5] ?? '';
const print = rowPrinter(26, 11);

console.log(`${worlds} worlds a kind; the range should hold in 90%`);
print(['sales come', 'in range', 'below', 'above', 'by truth', 'by known']);
for (const [index, name] of Object.keys(lateKinds).entries()) {
  if (!name.includes(wanted)) continue;
  const { covered, below, above, expectedPart, width } = measureLateSales(name, worlds, index * 100_003, days);
  print([name, percent(covered), percent(below), percent(above), expectedPart.toFixed(3), width.toFixed(2)]);
}
