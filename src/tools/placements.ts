import { foldedName } from '../api/text/names.ts';
import { fromTracker, shown } from '../api/text/tracker-text.ts';
import { maxLabelLength, placementDimension, type TokenLabels, tokenNames } from './tokens.ts';

/** Which token is the placement in each traffic source. */
export function placementsNote(labels: Iterable<TokenLabels>) {
  const sources = [...labels].map((own) => {
    const { placement, source } = own;
    const token = placement === undefined ? undefined : (own.get(placement) ?? placement);
    return { token, source: source ? shown(fromTracker(source), maxLabelLength) : undefined };
  });
  return { code: 'placements', sources } as const;
}

/** What the placements of all campaigns are called: by their token if all call it the same, and it is no dimension. */
export function placementIn(labels: Iterable<TokenLabels>): string | undefined {
  const found = [...labels].flatMap((own) => (own.placement === undefined ? [] : (own.get(own.placement) ?? '')));
  const [label = ''] = found;
  const isOne =
    tokenNames([new Map([['', label]])]).length > 0 && found.every((other) => foldedName(other) === foldedName(label));
  return found.length === 0 ? undefined : isOne ? label : placementDimension;
}

export const withoutPlacements = (labels: Iterable<TokenLabels>): TokenLabels[] =>
  [...labels].map((own) => new Map([...own].filter(([slot]) => slot !== own.placement)));
