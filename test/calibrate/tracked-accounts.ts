import type { TrackedCampaign, TrackedSale, TrackedVisits } from '../../src/analysis/tracking-faults.ts';
import type { Reading } from '../../src/analysis/visit-dimensions.ts';
import type { Coded } from '../../src/api/cells.ts';
import type { TokenSlot } from '../../src/api/token-slots.ts';
import { poisson, type Random } from './simulated-campaigns.ts';

/** Accounts of campaigns with right tracking, among them direct, organic and odd ones. */

export interface SimulatedVisit {
  campaign: number;
  /** Days since the first that is read, with a part of a day. */
  at: number;
  tokens: Partial<Record<TokenSlot, string>>;
  subid: string;
  landing: string | null;
  offer: string | null;
  clicks: number;
  cost: number;
  revenue: number;
}

export interface SimulatedSale {
  campaign: number;
  subid: string | null;
  offer: string | null;
  revenue: number;
  transaction: string | null;
  at: number;
  visitedAt: number;
}

type Changeable<Record> = { -readonly [Field in keyof Record]: Record[Field] };

export interface SimulatedAccount {
  readonly campaigns: (Changeable<TrackedCampaign> & { readonly price: number })[];
  visits: SimulatedVisit[];
  sales: SimulatedSale[];
}

export const dayCount = 14;
const start = Date.parse('2026-06-01');
const dayMs = 86_400_000;
const isoOf = (at: number) => new Date(start + Math.floor(at) * dayMs).toISOString().slice(0, 10);

/** Sources with the parameter and macro of each slot; ExternalID is the click, Cost the cost. */
const sources: Readonly<Record<string, Readonly<Partial<Record<TokenSlot, string>>>>> = {
  'Google Ads': {
    Keyword: 'kw={keyword}',
    AdValue: 'ad={creative}',
    Extra1: 'camp={campaignid}',
    ExternalID: 'gclid={gclid}',
  },
  'PropellerAds push': {
    Keyword: 'zone={zoneid}',
    AdValue: 'banner={bannerid}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a macro of a source.
    ExternalID: 'visitor=${SUBID}',
    Cost: 'cost={cost}',
  },
  'Adsterra pop': {
    Keyword: 'placement=##PLACEMENT_ID##',
    AdValue: 'banner=##BANNER_ID##',
    Extra1: 'campaign=##CAMPAIGN_ID##',
  },
  Facebook: {
    Keyword: 'adset={{adset.name}}',
    AdValue: 'ad={{ad.id}}',
    Extra1: 'site={{placement}}',
    Extra2: 'campaign={{campaign.id}}',
  },
  'Lighthouse Search': {
    Keyword: 'kw={keyword}',
    AdValue: 'ad={creative}',
    Extra1: 'match={matchtype}',
    ExternalID: 'clid={clickid}',
    Cost: 'cost={cpc}',
  },
  Organic: {},
};

const named = Object.keys(sources).filter((source) => source !== 'Organic');

/** What is odd about a campaign that is right. */
export const oddities = [
  'none',
  'organic',
  'direct',
  'odd words',
  'bid',
  'dear',
  'free',
  'two payouts',
  'new',
  'paused',
  'off',
  'shared ads',
  'rebills',
  'small',
  'half keyword',
] as const;
export type Oddity = (typeof oddities)[number];

const tokensOf = (source: string) =>
  Object.entries(sources[source] ?? {}).map(([slot, pair]) => {
    const [parameter = '', placeholder = ''] = pair.split('=', 2);
    return { slot: slot as TokenSlot, label: slot === 'Cost' ? 'Cost' : parameter, parameter, placeholder };
  });

const linkOf = (id: number, source: string) =>
  `https://t.example.com/base.php?c=${id}&key=0123${tokensOf(source)
    .map(({ parameter, placeholder }) => `&${parameter}=${placeholder}`)
    .join('')}`;

const oddWords = [
  '[exact] shoes',
  '315x300',
  '150$to200$',
  'null',
  'kwd-123:aud-456',
  'device',
  '#sale',
  '_new_',
  '50%',
  'a%b',
  '<b>',
  'Name (2)',
];

/** What offers pay: those of pop and push traffic little. */
const offers = {
  cheap: new Map([
    ['Pin A', 0.4],
    ['Pin B', 0.6],
    ['Pin C', 0.5],
  ]),
  usual: new Map([
    ['Cash', 12],
    ['Gift', 7.5],
    ['Card', 9],
  ]),
  dear: new Map([['Loan', 210]]),
};
const isCheap = (source: string | null) => source === 'PropellerAds push' || source === 'Adsterra pop';

const pick = <One>(some: readonly One[], random: Random): One => some[Math.floor(random() * some.length)] as One;

/**
 * @param wanted what is odd, a campaign each
 * @param firstSource of the first campaign; by chance if it is absent
 * @param days how many
 */
export function simulateAccount(
  wanted: readonly Oddity[],
  random: Random,
  firstSource?: string,
  days: number = dayCount,
): SimulatedAccount {
  const account: SimulatedAccount = { campaigns: [], visits: [], sales: [] };
  const click = { next: 10_000_000 + Math.floor(random() * 1000) };
  const shift = firstSource === undefined ? Math.floor(random() * named.length) : named.indexOf(firstSource);
  for (const [index, oddity] of wanted.entries()) addCampaign(account, index, shift, oddity, random, days);
  account.visits.sort((one, other) => one.at - other.at);
  for (const visit of account.visits) {
    click.next += 1 + Math.floor(random() * 3);
    const letters = Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
    visit.subid = `${letters}_${account.campaigns[visit.campaign]?.id}_${click.next}`;
  }
  sell(account, wanted, random, days);
  return account;
}

function addCampaign(
  { campaigns, visits }: SimulatedAccount,
  index: number,
  shift: number,
  oddity: Oddity,
  random: Random,
  days: number,
): void {
  const id = index + 1;
  const source =
    oddity === 'organic' ? 'Organic' : oddity === 'direct' ? null : (named[(index + shift) % named.length] ?? '');
  const price = isCheap(source) ? 0.005 + 0.02 * random() : 0.1 + 0.4 * random();
  const mean = oddity === 'dear' ? 8 : price;
  const paid = offers[oddity === 'dear' ? 'dear' : isCheap(source) ? 'cheap' : 'usual'];
  const bid = Math.round(mean * 1.3 * 1000) / 1000;
  campaigns.push({
    ...{ id: String(id), name: `Campaign ${id}`, source, active: oddity !== 'off', passesSubidToOffer: true },
    // Many sources know the bid alone.
    ...{ bid: random() < 0.5 ? bid : 0, price: bid },
    ...{ link: linkOf(id, source ?? ''), tokens: tokensOf(source ?? '') },
  });
  const tokens = tokensOf(source ?? '');
  const keywords = Array.from({ length: 12 }, (_, place) =>
    oddity === 'odd words'
      ? (oddWords[place] ?? '')
      : isCheap(source)
        ? String(70_000 + ((place * 37 + id * 11) % 60))
        : `word ${(place * 7 + id) % 40}`,
  );
  const ads = Array.from({ length: 3 }, (_, place) => (oddity === 'shared ads' ? `90${place}` : `9${id}${place}`));
  const [from, to] = oddity === 'new' ? [9, days] : oddity === 'paused' || oddity === 'off' ? [0, days - 4] : [0, days];
  const size = oddity === 'small' ? 6 : 40 + Math.floor(random() * 120);
  const hasCost = tokens.some(({ slot }) => slot === 'Cost');
  const isFree = oddity === 'free' && !hasCost;
  for (let day = from; day < to; day += 1) {
    for (const count = poisson(size, random), n = { at: 0 }; n.at < count; n.at += 1) {
      const at = day + random();
      const isOrganic = source === null || source === 'Organic' || random() < 0.03;
      const value: Partial<Record<TokenSlot, string>> = {};
      if (!isOrganic)
        for (const { slot, placeholder } of tokens) {
          if (slot === 'Cost') continue;
          const isEmpty = random() < (oddity === 'half keyword' && slot === 'Keyword' ? 0.5 : 0.02);
          if (isEmpty) continue;
          if (slot === 'Keyword') value[slot] = pick(keywords, random);
          else if (slot === 'AdValue') value[slot] = pick(ads, random);
          else if (slot === 'ExternalID') value[slot] = `x${Math.floor(random() * 1e9)}`;
          else if (/campaign/i.test(placeholder)) value[slot] = oddity === 'shared ads' ? '55' : `55${id}`;
          else value[slot] = pick(['exact', 'broad', 'feed', 'story'], random);
        }
      const cost = !hasCost ? bid : Math.round(mean * (0.7 + 0.6 * random()) * 10_000) / 10_000;
      const hasClicked = random() < 0.3;
      visits.push({
        ...{ campaign: index, at, tokens: value, subid: '', landing: `Page ${id}${random() < 0.5 ? 'a' : 'b'}` },
        offer: hasClicked ? pick([...paid.keys()], random) : null,
        clicks: Number(hasClicked),
        cost: isOrganic || isFree ? 0 : cost,
        revenue: 0,
      });
    }
  }
}

const payoutOf = new Map(Object.values(offers).flatMap((some) => [...some]));

/** Campaigns earn about what they cost. */
function sell(account: SimulatedAccount, wanted: readonly Oddity[], random: Random, days: number): void {
  for (const visit of account.visits) {
    const { price = 0 } = account.campaigns[visit.campaign] ?? {};
    const payout = payoutOf.get(visit.offer ?? '') ?? 0;
    if (visit.clicks === 0 || random() > (3 * price) / payout) continue;
    const oddity = wanted[visit.campaign];
    const revenue = oddity === 'two payouts' && random() < 0.4 ? 2 * payout : payout;
    const sale = { campaign: visit.campaign, subid: visit.subid, offer: visit.offer, revenue, visitedAt: visit.at };
    const count = oddity === 'rebills' && random() < 0.3 ? 2 : 1;
    for (let time = 0; time < count; time += 1) {
      const at = visit.at + random() * (random() < 0.9 ? 0.2 : 3) + time;
      if (at >= days) continue;
      visit.revenue += revenue;
      account.sales.push({ ...sale, at, transaction: `T${Math.floor(random() * 1e9)}` });
    }
  }
  // Visits of the days before sell late.
  for (let late = 0; late < 5; late += 1) {
    const campaign = Math.floor(random() * wanted.length);
    const id = account.campaigns[campaign]?.id;
    const like = account.sales.find((sale) => sale.campaign === campaign);
    if (!like) continue;
    const subid = `0000000${late}_${id}_${9_900_000 + late}`;
    account.sales.push({ ...like, subid, transaction: `L${late}`, at: random(), visitedAt: -1 - random() });
  }
}

/** A column as a list reads it: each value once. */
function readingOf(values: readonly (string | null)[]): Reading {
  const codes = new Map<string | null, number>();
  const coded = Uint32Array.from(values, (value) => {
    if (!codes.has(value)) codes.set(value, codes.size);
    return codes.get(value) ?? 0;
  });
  return { codes: coded, values: [...codes.keys()] };
}

/** The account as it is read. */
export function trackedOf({ campaigns, visits: all, sales }: SimulatedAccount, isRead = (_: SimulatedVisit) => true) {
  const slots = new Set(all.flatMap(({ tokens }) => Object.keys(tokens) as TokenSlot[]));
  const visits = all.filter(isRead);
  const list: TrackedVisits = {
    rowCount: visits.length,
    campaigns: { codes: Uint32Array.from(visits, ({ campaign }) => campaign), values: campaigns },
    days: readingOf(visits.map(({ at }) => isoOf(at))) as Coded<string | null>,
    moments: Float64Array.from(visits, ({ at }) => start + at * dayMs),
    slots: new Map([...slots].map((slot) => [slot, readingOf(visits.map(({ tokens }) => tokens[slot] ?? null))])),
    subids: { at: (row) => visits[row]?.subid || null },
    landingPage: readingOf(visits.map(({ landing }) => landing)),
    offer: readingOf(visits.map(({ offer }) => offer)),
    amounts: {
      clicks: Float64Array.from(visits, ({ clicks }) => clicks),
      conversions: Float64Array.from(visits, ({ revenue }) => Number(revenue > 0)),
      cost: Float64Array.from(visits, ({ cost }) => cost),
      revenue: Float64Array.from(visits, ({ revenue }) => revenue),
    },
  };
  const listed = sales.map(
    ({ at, visitedAt, campaign, ...sale }): TrackedSale => ({
      ...{ ...sale, amount: sale.revenue, campaign: campaigns[campaign], payout: null },
      ...{ day: isoOf(at), at: start + at * dayMs, visitDay: isoOf(visitedAt), visitedAt: start + visitedAt * dayMs },
    }),
  );
  const days = { read: isoOf(0), first: isoOf(dayCount / 2), last: isoOf(dayCount - 1) };
  return { campaigns, lists: [list], sales: listed, lacks: new Set<never>(), isWhole: true, days };
}

/** The account as a review reads it at a moment, in days since the first: the days of before, and what is known by then. */
export function trackedAt(account: SimulatedAccount, at: number) {
  const last = Math.floor(at);
  const isKnown = (one: { readonly at: number }) => one.at >= last + 1 - dayCount && one.at < at;
  const read = trackedOf({ ...account, sales: account.sales.filter(isKnown) }, isKnown);
  return { ...read, days: { read: isoOf(last + 1 - dayCount), first: isoOf(last - 6), last: isoOf(last) } };
}

/** The account as it is read for one campaign: its own visits, and those of the others on two days. */
export function trackedAlone(account: SimulatedAccount, campaign: number) {
  const [from, to] = [dayCount / 2 - 2, dayCount / 2];
  const others = trackedOf(account, (visit) => visit.campaign !== campaign && visit.at >= from && visit.at < to).lists;
  const own = trackedOf(account, (visit) => visit.campaign === campaign);
  return { ...own, lists: [...others, ...own.lists], usual: { lists: others, since: isoOf(from) } };
}
