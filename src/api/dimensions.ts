import { plainName } from './text/names.ts';
import { thingsOf } from './vocabulary.ts';

export const timeDimensions = ['day', 'hour', 'weekday'] as const;

/** What visits can be grouped by. */
export const dimensions: readonly string[] = [...timeDimensions, ...Object.keys(thingsOf('dimension'))];

/** The dimension with a name, ignoring letter case and separators; undefined if there is none. */
export function dimensionNamed(name: string): string | undefined {
  return dimensions.find((dimension) => plainName(dimension) === plainName(name));
}
