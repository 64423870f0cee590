import { joinSome } from '../api/rules.ts';
import { foldedName } from '../api/text/names.ts';
import { fromTracker, shown } from '../api/text/tracker-text.ts';
import { mentionName } from './present/view.ts';
import { maxLabelLength, placementDimension, type TokenLabels, tokenNames } from './tokens.ts';

const maxSourcesNamed = 8;

/** Says which token is the placement in each traffic source: `placement: Zone in PushHouse, Site in Panorama`. */
export function describePlacements(labels: Iterable<TokenLabels>): string {
  const tokens = new Set(
    [...labels].map((own) => {
      const { placement, source = null } = own;
      const token = placement === undefined ? 'none' : mentionName(own.get(placement) ?? placement);
      return `${token}${source === null ? '' : ` in ${mentionName(shown(fromTracker(source), maxLabelLength))}`}`;
    }),
  );
  return `placement: ${joinSome([...tokens], maxSourcesNamed)}.`;
}

/** What the placements of all campaigns are called: by their token if all call it the same, and it is no dimension. */
export function placementIn(labels: Iterable<TokenLabels>): string | undefined {
  const found = [...labels].flatMap((own) => (own.placement === undefined ? [] : (own.get(own.placement) ?? '')));
  const [label = ''] = found;
  const isOne =
    tokenNames([new Map([['', label]])]).length > 0 && found.every((other) => foldedName(other) === foldedName(label));
  return found.length === 0 ? undefined : isOne ? label : placementDimension;
}

/** The tokens that are no placements. */
export const withoutPlacements = (labels: Iterable<TokenLabels>): TokenLabels[] =>
  [...labels].map((own) => new Map([...own].filter(([slot]) => slot !== own.placement)));
