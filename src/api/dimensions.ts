import { plainName } from './text/names.ts';
import { thingsOf } from './vocabulary.ts';

export const timeDimensions = ['day', 'hour', 'weekday'] as const;

/** What visits can be grouped by. */
export const dimensions: readonly string[] = [...timeDimensions, ...Object.keys(thingsOf('dimension'))];

/** What people call a dimension, too. A token may have any name that is not here. */
const otherNames: Readonly<Record<string, string>> = {
  date: 'day',
  hour_of_day: 'hour',
  day_of_week: 'weekday',
  operating_system: 'os',
  device_type: 'device',
};

const dimensionByName: ReadonlyMap<string, string> = new Map([
  ...Object.entries(otherNames).map(([name, dimension]) => [plainName(name), dimension] as const),
  ...dimensions.map((dimension) => [plainName(dimension), dimension] as const),
]);

/** The dimension with a name, ignoring letter case and separators; undefined if there is none. */
export const dimensionNamed = (name: string): string | undefined => dimensionByName.get(plainName(name));
