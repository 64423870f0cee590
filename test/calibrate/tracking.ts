import { findTrackingFaults } from '../../src/analysis/tracking-faults.ts';
import type { TrackingFault } from '../../src/answer/tracking-faults.ts';
import { type Random, seeded } from './simulated-campaigns.ts';
import {
  dayCount,
  oddities,
  type SimulatedAccount,
  type SimulatedSale,
  type SimulatedVisit,
  simulateAccount,
  trackedAlone,
  trackedOf,
} from './tracked-accounts.ts';

/** A fault that is put into the first campaign from a day on, and the code by which it should be named first. */
interface Injected {
  readonly name: string;
  readonly code: string;
  /** Whether the finding must say what to write instead, with the link. */
  readonly hasUse?: true;
  /** The first day; by default the tenth, or one of the next two. */
  readonly from?: number;
  readonly source?: string;
  readonly visit?: (visit: SimulatedVisit, account: SimulatedAccount, random: Random) => void;
  readonly sale?: (sale: SimulatedSale, random: Random) => readonly SimulatedSale[];
  readonly account?: (account: SimulatedAccount) => void;
}

type Changing = NonNullable<Injected['visit']>;

const onSlot =
  (change: (value: string) => string | undefined, slot: 'AdValue' | 'ExternalID' = 'AdValue'): Changing =>
  ({ tokens }) => {
    if (tokens[slot] === undefined) return;
    const value = change(tokens[slot]);
    if (value === undefined) delete tokens[slot];
    else tokens[slot] = value;
  };

const tokensOfOther: Changing = (visit, { visits, campaigns }, random) => {
  const source = campaigns[0]?.source;
  const others = visits.filter(({ campaign }) => campaign > 0 && campaigns[campaign]?.source === source);
  const other = others[Math.floor(random() * others.length)];
  if (other) visit.tokens = { ...other.tokens };
};

/** The ad and the campaign's number of another campaign, with keywords of both. */
const adOfOther: Changing = (visit, account, random) => {
  const { Keyword } = visit.tokens;
  tokensOfOther(visit, account, random);
  if (Keyword !== undefined) visit.tokens.Keyword = Keyword;
};

const costFactor =
  (factor: number): Changing =>
  (visit) => {
    visit.cost *= factor;
  };

const ever = -1000;

const faults: readonly Injected[] = [
  { name: 'macro literal', code: 'literal_macro', hasUse: true, visit: onSlot(() => '{bannerid}') },
  { name: 'macro of another source', code: 'literal_macro', hasUse: true, visit: onSlot(() => '%%CREATIVE%%') },
  { name: 'macro empty', code: 'empty_token', hasUse: true, visit: onSlot(() => undefined) },
  { name: 'broken byte', code: 'broken_macro', hasUse: true, visit: onSlot(() => '\ufffd_id%') },
  { name: 'broken byte, dropped', code: 'broken_macro', hasUse: true, visit: onSlot(() => 'mpaign_id%') },
  {
    ...{ name: 'one click ID', code: 'same_click_id', hasUse: true, source: 'PropellerAds push' },
    visit: onSlot(() => '7000123', 'ExternalID'),
  },
  { name: 'bare word', code: 'bare_word', hasUse: true, visit: onSlot(() => 'banner_id') },
  {
    ...{ name: 'link cut', code: 'cut_link' },
    visit: (visit) => {
      const { Keyword } = visit.tokens;
      visit.tokens = Keyword === undefined ? {} : { Keyword };
    },
  },
  {
    ...{ name: 'link cut at its first #, ever', code: 'cut_link', from: ever, source: 'Adsterra pop' },
    visit: (visit) => {
      visit.tokens = {};
    },
  },
  {
    name: 'subIDs cut',
    code: 'cut_subid',
    visit: (visit) => {
      visit.subid = visit.subid.slice(0, 11);
    },
  },
  {
    name: 'subIDs doubled',
    code: 'doubled_subid',
    visit: (visit) => {
      visit.subid += visit.subid;
    },
  },
  {
    name: 'subIDs of another campaign',
    code: 'other_campaigns_subid',
    visit: (visit) => {
      visit.subid = visit.subid.replace('_1_', '_2_');
    },
  },
  {
    ...{ name: 'undeclared parameter', code: 'undeclared_parameter' },
    account: ({ campaigns: [campaign] }) => {
      if (campaign) campaign.link = `${campaign.link}&section={section_id}`;
    },
  },
  { name: 'tokens of another campaign', code: 'other_campaigns_tokens', hasUse: true, visit: tokensOfOther },
  { name: 'ads of another campaign', code: 'other_campaigns_tokens', hasUse: true, visit: adOfOther },
  { name: 'no cost', code: 'no_cost', source: 'PropellerAds push', visit: costFactor(0) },
  { name: 'no cost, ever', code: 'no_cost', from: ever, source: 'PropellerAds push', visit: costFactor(0) },
  { name: 'cents', code: 'cost_too_large', visit: costFactor(100) },
  { name: 'cents since yesterday', code: 'cost_too_large', from: dayCount - 1, visit: costFactor(100) },
  { name: 'cents, ever', code: 'cost_too_large', from: ever, visit: costFactor(100) },
  { name: 'price of a thousand, ever', code: 'cost_too_large', from: ever, visit: costFactor(1000) },
  {
    name: 'sales without a visit',
    code: 'sale_without_visit',
    sale: (sale, random) => [{ ...sale, subid: `zzzzzzzz_1_${10_005_000 + Math.floor(random() * 500)}9`.slice(0, 19) }],
  },
  {
    name: 'sales twice',
    code: 'sale_twice',
    sale: (sale) => [sale, { ...sale, at: Math.min(sale.at + 0.01, dayCount - 0.001) }],
  },
  {
    name: 'sales before their visit',
    code: 'sale_before_visit',
    sale: (sale) => [{ ...sale, at: Math.max(sale.visitedAt - 0.1, 7), visitedAt: Math.max(sale.visitedAt, 7.2) }],
  },
  { name: 'payout doubled', code: 'payout_doubled', sale: (sale) => [{ ...sale, revenue: 2 * sale.revenue }] },
  {
    name: 'payout doubled, ever',
    code: 'payout_doubled',
    from: ever,
    sale: (sale) => [{ ...sale, revenue: 2 * sale.revenue }],
  },
  {
    name: 'no subID on a page',
    code: 'no_subid',
    visit: (visit) => {
      if (visit.landing?.endsWith('a')) visit.subid = '';
    },
  },
  {
    ...{ name: 'clicks that do not arrive', code: 'clicks_without_subid' },
    visit: (visit) => {
      if (!visit.landing?.endsWith('a')) return;
      Object.assign(visit, { clicks: 0, offer: null });
    },
  },
  {
    ...{ name: 'off and visited', code: 'visits_while_off', from: ever },
    account: ({ campaigns: [campaign] }) => {
      if (campaign) campaign.active = false;
    },
  },
];

function inject(fault: Injected, account: SimulatedAccount, random: Random): void {
  const from = fault.from ?? 9 + Math.floor(random() * 3);
  const isMeant = ({ campaign, at }: { readonly campaign: number; readonly at: number }) =>
    campaign === 0 && at >= from;
  const before = { ...account, visits: account.visits.map((visit) => ({ ...visit, tokens: { ...visit.tokens } })) };
  for (const visit of account.visits) if (isMeant(visit)) fault.visit?.(visit, before, random);
  if (fault.sale)
    account.sales = account.sales.flatMap((sale) => (isMeant(sale) ? (fault.sale?.(sale, random) ?? []) : [sale]));
  fault.account?.(account);
}

const randomOf = (seed: number, use: number) => seeded(Math.imul(seed * 64 + use, 0x9e3779b1));

/** Whether a fault is of the first campaign, which has it, or of its source. */
const isOfFirst = ({ campaign }: TrackingFault) => (campaign?.id ?? '1') === '1';

async function measureFaults(seeds: number, wanted: string): Promise<void> {
  const rows = [...faults.entries()].filter(([, { name }]) => name.includes(wanted));
  let [named, all] = [0, 0];
  for (const [use, fault] of rows) {
    const missed: string[] = [];
    for (let seed = 0; seed < seeds; seed += 1) {
      const random = randomOf(seed, use);
      const odd = Array.from({ length: 8 }, () => oddities[Math.floor(random() * oddities.length)] ?? 'none');
      const account = simulateAccount(['none', ...odd, 'none', 'none'], random, fault.source);
      inject(fault, account, random);
      for (const tracked of [trackedOf(account), trackedAlone(account, 0)]) {
        const [first] = (await findTrackingFaults(tracked)).filter((one) => !('usual' in tracked) || isOfFirst(one));
        const isNamed = first?.code === fault.code && isOfFirst(first);
        const isUseful = !fault.hasUse || first?.link !== undefined;
        if (isNamed && isUseful) named += 1;
        else
          missed.push(
            `${seed} ${'usual' in tracked ? 'alone ' : ''}${account.campaigns[0]?.source}: ${first?.code} ${first?.campaign?.id}${isNamed ? ' no link' : ''}`,
          );
        all += 1;
      }
    }
    console.log(
      `${fault.name.padEnd(34)}${String(2 * seeds - missed.length).padStart(4)} of ${2 * seeds}  ${missed.slice(0, 4).join('; ')}`,
    );
  }
  console.log(`named first, with its link, among all and alone: ${named} of ${all}`);
}

/** Prints the faults that are found in campaigns that are right. */
async function measureClean(campaigns: number): Promise<void> {
  let [seen, false_] = [0, 0];
  for (let seed = 0; seen < campaigns; seed += 1) {
    const random = randomOf(seed, 63);
    const odd = Array.from({ length: 10 }, (_, index) => oddities[(seed * 10 + index) % oddities.length] ?? 'none');
    const account = simulateAccount(odd, random);
    const alone = Math.floor(random() * odd.length);
    const found = [
      ...(await findTrackingFaults(trackedOf(account))),
      ...(await findTrackingFaults(trackedAlone(account, alone))).filter(
        ({ campaign }) => campaign?.id === String(alone + 1),
      ),
    ];
    seen += odd.length;
    false_ += found.length;
    for (const { code, campaign, visits, of, since, example } of found)
      console.log(seed, code, campaign?.id, odd[Number(campaign?.id) - 1], visits, of, since, example);
  }
  console.log(`${seen} campaigns that are right: ${false_} false alarms`);
}

const [, count, wanted = '', clean] = process.argv.slice(2);
await measureFaults(Number(count ?? 30), wanted);
if (wanted === '') await measureClean(Number(clean ?? 500));
