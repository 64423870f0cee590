import { thingsOf } from '../api/vocabulary.ts';
import { sum } from './statistics/history.ts';
import { macroIn, macroOf } from './tracking/macros.ts';

/** What traffic sources call the place where an ad was shown, the most certain first, and what tells other things about it. */
const { placement: places, other } = thingsOf('token');
const others = new Set(other);

/** Dimensions that show whose visits are no people's, and that no traffic source can block. */
export const dimensionsOfRobots: ReadonlySet<string | undefined> = new Set(['isp', 'user_agent']);

/** A placement carries visits if they are from it by this part, and the campaign's others by at most the second one. */
const [minCarried, maxOfOthers] = [0.8, 0.5];

/** The placement that nearly all of some visits are from, by the counts of these and of the others; undefined if none stands out. */
export function placementCarrying<Placement>(
  own: ReadonlyMap<Placement, number>,
  others: ReadonlyMap<Placement, number>,
): Placement | undefined {
  const [all, allOthers] = [own, others].map((counts) => sum([...counts.values()])) as [number, number];
  const [carrying] = [...own].find(
    ([placement, count]) => count >= minCarried * all && (others.get(placement) ?? 0) <= maxOfOthers * allOthers,
  ) ?? [undefined];
  return carrying;
}

/** A slot of a visit, with all that its traffic source calls the token in it: name, parameter in links, macro. */
export interface NamedToken {
  readonly slot: string;
  readonly names: readonly string[];
}

/** The slot of the token that says where an ad was shown; undefined if no token does. */
export function placementAmong(source: string | null, tokens: readonly NamedToken[]): string | undefined {
  const macro = macroOf(source, 'site');
  const ranked = tokens.flatMap(({ slot, names }) => {
    const ranks = names.flatMap((name, index) => {
      const rank = name === macro ? rankOfMacro : rankOf(name);
      // A token is what its source calls it, rather than what its link does.
      return rank === undefined ? [] : [rank + index / 100];
    });
    return ranks.length === 0 ? [] : [{ slot, rank: Math.min(...ranks) }];
  });
  return ranked.sort((one, other) => one.rank - other.rank)[0]?.slot;
}

/** After a token that is named placement, the macro of the source for the place is most certain. */
const rankOfMacro = 0.5;

/** The place that a name means: `Sub-site`, `PLACEMENT_ID`, `{zoneid}`; not `Site category`. */
function rankOf(name: string): number | undefined {
  const text = macroIn(name)?.word ?? name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const words = text.match(/[a-z]+/g) ?? [];
  if (words.some((word) => others.has(word))) return undefined;
  const ranks = words.flatMap((word) => {
    const [, place = ''] = /^(?:sub|ad|web)?(.+?)(?:ids?|name|value)?$/.exec(word) ?? [];
    const rank = [place, word].map((one) => places.indexOf(one)).find((index) => index >= 0);
    return rank === undefined ? [] : [rank];
  });
  return ranks.length === 0 ? undefined : Math.min(...ranks);
}
