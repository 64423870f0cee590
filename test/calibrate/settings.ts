import { type Law, laws, type Random, type Setting } from './simulated-campaigns.ts';

/** The first page has a fifth of the traffic in the first week, and most of it in the second, which is the better one. */
const changed = (day: number) => ((day - 1) % 14 < 7 ? [0.2, 0.8] : [0.8, 0.2]);
const poorAndGood = (day: number) => ((day - 1) % 14 < 7 ? 0.6 : 1.4);

/** Most of the traffic comes on one day in nine. */
const bursts = (day: number) => (day % 9 === 3 ? 8 : 0.5);

const allLaws = Object.keys(laws) as Law[];
const plain = { law: 'fixed', listing: 'missing', pages: 2, lead: 0 } as const;
const listed = { ...plain, law: 'exponential', listing: 'listed' } as const;

/** Campaigns with pages that earn the same. */
export const equalPages: readonly (Setting & { readonly name: string })[] = [
  ...allLaws.flatMap((law) =>
    (['listed', 'missing', 'contradicting'] as const).map((listing) => ({
      ...{ ...plain, law, listing, name: `${law}, ${listing}` },
    })),
  ),
  ...[3, 5].map((pages) => ({ ...plain, pages, name: `${pages} pages` })),
  ...[3, 5].map((pages) => ({ ...listed, pages, name: `${pages} pages, exponential, listed` })),
  ...(['fixed', 'exponential', 'lognormal (2)'] as const).map((law) => ({
    ...{ ...listed, law, split: changed, season: poorAndGood },
    name: `shares and seasons change, ${law}, listed`,
  })),
  { ...plain, law: 'exponential', split: changed, season: poorAndGood, name: 'shares and seasons change, missing' },
  ...[0.2, 0.3].map((noise) => ({ ...plain, noise, name: `days of a page scatter by ${noise * 100}%` })),
  ...[0.2, 0.3].map((noise) => ({
    ...{ ...listed, noise, name: `days of a page scatter by ${noise * 100}%, exponential, listed` },
  })),
  { ...plain, noise: 0.3, viewsPerDay: 20_000, name: 'days of a page scatter by 30%, ten times the traffic' },
  { ...plain, noise: 0.3, traffic: bursts, name: 'days of a page scatter by 30%, bursts of traffic' },
];

/** Shares change once, on the fifteenth day. */
const changedOnce = (day: number) => (day < 15 ? [0.8, 0.2] : [0.2, 0.8]);
const lastTwoWeeks = (today: number) => Math.max(1, today - 13);
const twoDays = (_: number, random: Random) => Math.floor(-2 * Math.log(random()));
const otherPages = (page: number, random: Random) => (page === 0 ? 0 : 1 + Math.floor(7 * random()));
const oneLate = { ...listed, delay: otherPages } as const;
const hidden = { law: 'exponential', listing: 'missing', pages: 2, lead: 0.4 } as const;
const soldLate = { ...plain, law: 'exponential', delay: twoDays, booking: 'sale' } as const;
const late = { ...soldLate, split: changedOnce } as const;

/** Campaigns of sixty days that look as if a page led; if money is hidden, the other one earns more. */
export const temptations: readonly (Setting & { readonly name: string })[] = [
  ...(['listed', 'missing', 'contradicting'] as const).flatMap((listing) => [
    { ...late, listing, since: lastTwoWeeks, name: `late, own day, shares change, last 14 days, ${listing}` },
    { ...late, listing, since: () => 15, name: `late, own day, since the change of shares, ${listing}` },
  ]),
  { ...late, listing: 'missing', booking: 'visit', name: 'late, day of visit, shares change, missing' },
  ...(['listed', 'contradicting'] as const).flatMap((listing) => [
    { ...oneLate, listing, name: `one page late, day of visit, ${listing}` },
    { ...oneLate, listing, since: lastTwoWeeks, name: `one page late, day of visit, last 14 days, ${listing}` },
  ]),
  { ...oneLate, booking: 'sale', name: 'one page late, own day, listed' },
  { ...hidden, pays: 0.6, name: 'converts 1.4 times, earns 0.84, missing' },
  { ...hidden, pays: 0.65, name: 'converts 1.4 times, earns 0.91, missing' },
  { ...hidden, law: 'lognormal (2)', pays: 0.6, name: 'converts 1.4 times, earns 0.84, lognormal (2), missing' },
  { ...hidden, pays: 0.6, hasDays: false, name: 'converts 1.4 times, earns 0.84, sums only' },
  ...[
    { lasting: 0.7, noise: 0.2 },
    { lasting: 0.7, noise: 0.3 },
    { lasting: 0.9, noise: 0.1 },
  ].map((luck) => ({ ...plain, ...luck, name: `luck of ${luck.noise * 100}% of which ${luck.lasting} lasts a day` })),
  { ...plain, noise: 0.3, name: 'days of a page scatter by 30%, 60 days' },
  { ...plain, split: changedOnce, season: poorAndGood, hasDays: false, name: 'sums only, shares moved' },
  { ...plain, robots: 0.2, name: 'robots: a fifth more views on one page' },
];

/** Campaigns in which the first page converts more. */
export const leadingPages: readonly (Setting & { readonly name: string })[] = [0.3, 1].flatMap((lead) => [
  ...allLaws.flatMap((law) =>
    (['listed', 'missing'] as const).map((listing) => ({
      ...{ ...plain, law, listing, lead, name: `+${lead * 100}%, ${law}, ${listing}` },
    })),
  ),
  { ...plain, pages: 3, lead, name: `+${lead * 100}%, 3 pages` },
  { ...plain, split: changed, season: poorAndGood, lead, name: `+${lead * 100}%, shares and seasons change` },
  { ...plain, noise: 0.3, lead, name: `+${lead * 100}%, days of a page scatter by 30%` },
  { ...listed, delay: twoDays, lead, name: `+${lead * 100}%, late, day of visit` },
  { ...soldLate, listing: 'listed' as const, lead, name: `+${lead * 100}%, late, own day, listed` },
  { ...soldLate, lead, name: `+${lead * 100}%, late, own day, missing` },
]);
