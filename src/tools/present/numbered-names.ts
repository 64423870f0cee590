/** Fewer names than this are as short one by one. */
const leastFolded = 3;

/**
 * Names as a reader wants them: `Extra1`, `Extra2`, ... `Extra15` become `Extra1 to Extra15`, at the place of the first. What
 * has gaps becomes several.
 *
 * @param show how a single name is written
 */
export function foldNumbered(names: readonly string[], show: (name: string) => string = (name) => name): string[] {
  const numbers = new Map<string, number[]>();
  for (const name of names) {
    const { stem, number } = split(name);
    if (number !== undefined) numbers.set(stem, [...(numbers.get(stem) ?? []), number]);
  }
  return names.flatMap((name) => {
    const { stem, number } = split(name);
    const run = number === undefined ? [] : runAround(number, new Set(numbers.get(stem)));
    if (run.length < leastFolded) return [show(name)];
    const [first = 0] = run;
    return number === first ? [`${show(name)} to ${show(`${stem}${run.at(-1)}`)}`] : [];
  });
}

/** A number with zeros ahead is a part of the name. */
function split(name: string): { stem: string; number: number | undefined } {
  const [, stem = name, digits] = /^(.*\D)([1-9]\d{0,3})$/.exec(name) ?? [];
  return { stem, number: digits === undefined ? undefined : Number(digits) };
}

/** The numbers that follow on one another around one of them. */
function runAround(number: number, numbers: ReadonlySet<number>): number[] {
  let first = number;
  while (numbers.has(first - 1)) first -= 1;
  const run: number[] = [];
  for (let next = first; numbers.has(next); next += 1) run.push(next);
  return run;
}
