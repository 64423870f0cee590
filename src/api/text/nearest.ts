import leven from 'leven';
import { plainName } from './plain-name.ts';

/**
 * The name that somebody who wrote another may have meant: the one with the fewest letters changed, or one that it is a
 * part of.
 *
 * @returns undefined where none is near
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  if (plain === '') return undefined;
  let nearest: string | undefined;
  let fewest = Math.floor(plain.length / 3) + 1;
  for (const candidate of known) {
    const other = plainName(candidate);
    const changes = other.includes(plain) || (other !== '' && plain.includes(other)) ? 1 : leven(plain, other);
    if (changes < fewest || (changes === fewest && nearest === undefined)) [nearest, fewest] = [candidate, changes];
  }
  return nearest;
}
