import { settings } from '../config.ts';

/** What a person should know of variables that look like a setting and are none: one line each, with the nearest setting. */
export function warnOfUnknownVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  const known = settings.map(({ variable }) => variable);
  return Object.keys(environment)
    .filter((name) => /^TRACKER_/.test(name) && environment[name]?.trim() && !known.includes(name))
    .map((name) => `${name} is no setting and is ignored; did you mean ${nearest(name, known)}?`);
}

function nearest(name: string, known: readonly string[]): string | undefined {
  return [...known].sort((one, other) => distance(name, one) - distance(name, other))[0];
}

/** How many characters have to be put in or taken out to make one text the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (const [line, character] of [...one].entries()) {
    const next = [line + 1];
    for (const [index, counterpart] of [...other].entries()) {
      const changed = 1 + Math.min(row[index + 1] ?? 0, next[index] ?? 0);
      next.push(character === counterpart ? (row[index] ?? 0) : changed);
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
