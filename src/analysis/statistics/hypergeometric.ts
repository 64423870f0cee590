/** Some visits drawn out of all of one campaign. */
export interface Draw {
  readonly drawn: number;
  readonly all: number;
  /** Those among all that have the value. */
  readonly marked: number;
}

/**
 * How likely chance alone draws at least so many with a value, exactly. Each campaign is a draw of its own: campaigns differ in
 * their traffic, and that would look like a finding.
 */
export function chanceOfAtLeast(count: number, draws: readonly Draw[]): number {
  let chances = [1];
  for (const draw of draws) chances = added(chances, chancesOf(draw));
  return Math.min(
    chances.slice(count).reduce((sum, chance) => sum + chance, 0),
    1,
  );
}

/** The chance of each count, from 0 on: the hypergeometric distribution, one drawn after the other. */
function chancesOf({ drawn, all, marked }: Draw): number[] {
  let chances = [1];
  for (let step = 0; step < drawn; step += 1) {
    const next = new Array<number>(chances.length + 1).fill(0);
    for (const [count, chance] of chances.entries()) {
      const hit = Math.min(Math.max((marked - count) / (all - step), 0), 1);
      next[count] = (next[count] ?? 0) + chance * (1 - hit);
      next[count + 1] = chance * hit;
    }
    chances = next;
  }
  return chances;
}

function added(one: readonly number[], other: readonly number[]): number[] {
  const sums = new Array<number>(one.length + other.length - 1).fill(0);
  for (const [first, chance] of one.entries())
    for (const [second, otherChance] of other.entries())
      sums[first + second] = (sums[first + second] ?? 0) + chance * otherChance;
  return sums;
}
