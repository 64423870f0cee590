import { type Law, laws, type Setting } from './simulated-campaigns.ts';

/** Half of the first week’s traffic goes to the first page, in the second it has the most of it; the second week is the better one. */
const changed = (day: number) => ((day - 1) % 14 < 7 ? [0.2, 0.8] : [0.8, 0.2]);
const poorAndGood = (day: number) => ((day - 1) % 14 < 7 ? 0.6 : 1.4);

/** Most of the traffic comes on one day in nine. */
const bursts = (day: number) => (day % 9 === 3 ? 8 : 0.5);

const allLaws = Object.keys(laws) as Law[];
const plain = { law: 'fixed', listing: 'missing', pages: 2, lead: 0 } as const;

/** Campaigns whose pages earn the same, by what is odd about them. */
export const equalPages: readonly (Setting & { readonly name: string })[] = [
  ...allLaws.flatMap((law) =>
    (['listed', 'missing', 'contradicting'] as const).map((listing) => ({
      ...plain,
      law,
      listing,
      name: `${law}, ${listing}`,
    })),
  ),
  ...([3, 5] as const).map((pages) => ({ ...plain, pages, name: `${pages} pages` })),
  ...([3, 5] as const).map((pages) => ({
    ...plain,
    pages,
    law: 'exponential' as const,
    listing: 'listed' as const,
    name: `${pages} pages, exponential, listed`,
  })),
  ...(['fixed', 'exponential', 'lognormal (2)'] as const).map((law) => ({
    ...plain,
    law,
    listing: 'listed' as const,
    split: changed,
    season: poorAndGood,
    name: `shares and seasons change, ${law}, listed`,
  })),
  { ...plain, law: 'exponential', split: changed, season: poorAndGood, name: 'shares and seasons change, missing' },
  ...[0.2, 0.3].map((noise) => ({ ...plain, noise, name: `days of a page scatter by ${noise * 100}%` })),
  ...[0.2, 0.3].map((noise) => ({
    ...plain,
    noise,
    law: 'exponential' as const,
    listing: 'listed' as const,
    name: `days of a page scatter by ${noise * 100}%, exponential, listed`,
  })),
  { ...plain, noise: 0.3, viewsPerDay: 20_000, name: 'days of a page scatter by 30%, ten times the traffic' },
  { ...plain, noise: 0.3, traffic: bursts, name: 'days of a page scatter by 30%, bursts of traffic' },
];

/** Campaigns in which the first page converts more. */
export const leadingPages: readonly (Setting & { readonly name: string })[] = [0.3, 1].flatMap((lead) => [
  ...allLaws.flatMap((law) =>
    (['listed', 'missing'] as const).map((listing) => ({
      ...plain,
      law,
      listing,
      lead,
      name: `+${lead * 100}%, ${law}, ${listing}`,
    })),
  ),
  { ...plain, pages: 3, lead, name: `+${lead * 100}%, 3 pages` },
  { ...plain, split: changed, season: poorAndGood, lead, name: `+${lead * 100}%, shares and seasons change` },
  { ...plain, noise: 0.3, lead, name: `+${lead * 100}%, days of a page scatter by 30%` },
]);
