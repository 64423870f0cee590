import { expect, it } from 'vitest';
import { placementAmong } from '../../src/analysis/placements.ts';

const tokens = (...names: readonly (readonly string[])[]) =>
  names.map((some, index) => ({ slot: `Extra${index + 1}`, names: some }));

it.each([
  ['Zone'],
  ['Zone ID'],
  ['zoneid'],
  ['Ad spot'],
  ['Publisher'],
  ['pub'],
  ['Sub-site'],
  ['SiteName'],
  ['Adset'],
  ['Widget'],
  ['Feed'],
  ['Source ID'],
  ['##PLACEMENT_ID##'],
  ['{{zoneid}}'],
])('%s is the placement of a traffic source', (name) => {
  expect(placementAmong(null, tokens(['Banner', 'banner'], ['Browser'], ['Own word', name]))).toBe('Extra3');
});

it.each([
  ['Site category'],
  ['Ad format', '{placement_type}'],
  ['utm_source'],
  ['Time zone'],
  ['Timezone'],
  ['Source campaign'],
  ['Click', '{subid}'],
  ['Opposite'],
])('%s is not', (...names) => {
  expect(placementAmong(null, tokens(names))).toBeUndefined();
});

it('the token that is called placement comes before others, then the macro of the source, then the closest place', () => {
  const all = tokens(['Publisher', 'pub'], ['Zone', 'zone'], ['Target', '{target}'], ['Placement']);
  expect(placementAmong('Zeropark pop', all)).toBe('Extra4');
  expect(placementAmong('Zeropark pop', all.slice(0, 3))).toBe('Extra3');
  expect(placementAmong('Other', all.slice(0, 3))).toBe('Extra2');
  expect(placementAmong('Other', all.slice(0, 1))).toBe('Extra1');
});
