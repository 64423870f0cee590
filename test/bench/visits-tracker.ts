import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A tracker with many visits in its own process: `visits-tracker.js VISITS CAMPAIGNS`. They are spread over the last 15 days, with long
 * tails of keywords, placements, cities and user agents, all columns, and a sale of every fortieth.
 */

const [visits = 0, campaigns = 0] = process.argv.slice(2).map(Number);
const dayCount = 15;
const lastDay = Date.parse(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`);
const dayMs = 86_400_000;
const isoTime = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

interface Visit {
  readonly day: string;
  readonly campaign: number;
  readonly clicked: boolean;
  readonly revenue: number;
  readonly cost: number;
  readonly page: number;
  readonly offer: number;
  readonly row: Buffer;
  readonly sale: string | undefined;
}

let state = 1;
/** A number from 0 to 1; the same in each run. */
function random(): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return state / 2 ** 32;
}
/** One of `count` values, of which the first are common and the last are rare. */
const tail = (count: number): number => Math.floor(count ** random());
const agents = Array.from(
  { length: 400 },
  (_, index) =>
    `Mozilla/5.0 (${index % 2 ? 'Linux; Android' : 'iPhone; CPU iPhone OS'} ${index % 9}) Gecko/${index} Version/${index}.0`,
);

/** The latest first. */
const all: readonly Visit[] = Array.from({ length: visits }, (_, index) => {
  const at = lastDay + dayMs - 1 - Math.floor(((index + 0.5) / visits) * dayCount * dayMs);
  const campaign = 1 + (tail(campaigns) % campaigns);
  const click = `${visits - index}`.padStart(8, '0');
  const [clicked, isSale] = [random() < 0.4, random() < 0.025];
  const [page, offer, cost] = [1 + (index % 3), 4 + (index % 4), Math.round(random() * 400) / 1000];
  const revenue = isSale ? 10 + offer : 0;
  const visit = {
    SubID: `${(index * 7919).toString(16).padStart(8, '0')}_${campaign}_${click}`,
    ClickID: click,
    CampaignID: `${campaign}`,
    Campaign: `Campaign ${campaign}`,
    Keyword: `keyword ${tail(5000)}`,
    AdValue: `ad ${tail(40)}`,
    LandingPage: `Page ${page}`,
    Offer: `Offer ${offer}`,
    OfferSource: `Network ${offer % 2}`,
    IP: `10.${tail(200)}.${tail(200)}.${tail(200)}`,
    Country: ['US', 'DE', 'FR', 'GB', 'BR', 'IN'][tail(6)] ?? 'US',
    Region: `Region ${tail(60)}`,
    City: `City ${tail(900)}`,
    ISP: `Provider ${tail(300)}`,
    Device: ['Phone', 'Desktop', 'Tablet'][tail(3)] ?? 'Phone',
    OS: ['Android', 'iOS', 'Windows'][tail(3)] ?? 'Android',
    Browser: ['Chrome', 'Safari', 'Firefox'][tail(3)] ?? 'Chrome',
    UserAgent: agents[tail(400)] ?? '',
    Referrer: '',
    ExternalID: `x${index}`,
    Extra1: `zone${tail(3000)}`,
    Extra2: `match${tail(3)}`,
    Cost: cost.toFixed(3),
  };
  const time = isoTime(at);
  const sold = isSale ? isoTime(Math.min(at + random() * 2 * dayMs, Date.now())) : '';
  const money = { Revenue: isSale ? revenue.toFixed(2) : '', Status: isSale ? 'approved' : '' };
  const listed = { Date: time, ...visit, Path: '1', Clicked: clicked ? '1' : '0', Converted: isSale ? '1' : '0' };
  const row = Buffer.from(JSON.stringify({ ...listed, ConversionDate: sold, ...money }));
  const sale = isSale ? JSON.stringify({ Date: sold, VisitDate: time, ...visit, ...money }) : undefined;
  return { day: time.slice(0, 10), campaign, clicked, revenue, cost, page, offer, row, sale };
});

type Question = Readonly<Record<string, string>>;

const asked = ({ camp = '0', start = '', end = '9' }: Question): readonly Visit[] =>
  all.filter(({ day, campaign }) => day >= start && day <= end && (Number(camp) === 0 || campaign === Number(camp)));

const comma = Buffer.from(',');

function listOf(name: string, rows: readonly Buffer[]): Buffer {
  const parts = rows.flatMap((row, index) => (index === 0 ? [row] : [comma, row]));
  return Buffer.concat([Buffer.from(`{"${name}":[`), ...parts, Buffer.from(']}')]);
}

function figuresOf(some: readonly Visit[]) {
  const sum = (of: (visit: Visit) => number) => some.reduce((total, visit) => total + of(visit), 0);
  const [cost, revenue] = [sum((visit) => visit.cost), sum((visit) => visit.revenue)];
  const counts = { Views: some.length, Clicks: sum(({ clicked }) => Number(clicked)) };
  const conversions = sum((visit) => Number(visit.sale !== undefined));
  return {
    ...counts,
    Conversions: conversions,
    Cost: cost.toFixed(3),
    Revenue: revenue,
    Profit: (revenue - cost).toFixed(3),
  };
}

const pagesIn = (some: readonly Visit[], of: 'page' | 'offer', name: string) =>
  [...new Set(some.map((visit) => visit[of]))].map((id) => ({
    ...{ PageID: id, [name]: `${name} ${id}`, Share: 25 },
    ...figuresOf(some.filter((visit) => visit[of] === id)),
  }));

const answers: Readonly<Record<string, (question: Question) => Buffer>> = {
  visitorstats: (question) => {
    const some = asked(question).slice(0, Number(question['rec'] ?? 1000));
    return listOf(
      'visitors',
      some.map(({ row }) => row),
    );
  },
  conversions: (question) =>
    listOf(
      'conversions',
      asked(question).flatMap(({ sale }) => (sale === undefined ? [] : [Buffer.from(sale)])),
    ),
  'campaign/list': () => {
    const listed = Array.from({ length: campaigns }, (_, index) => ({
      ...{ ID: index + 1, Name: `Campaign ${index + 1}`, TrafficSource: 'Source', Inactive: 0 },
      ...{ Extra1Name: 'Zone', Extra1Placeholder: '{zone}', KeywordName: 'Keyword', KeywordPlaceholder: '{keyword}' },
    }));
    return Buffer.from(JSON.stringify({ campaigns: listed }));
  },
  'ts/list': () => Buffer.from(JSON.stringify({ sources: [{ ID: 1, Name: 'Source' }] })),
  stats: (question) => {
    const some = asked(question);
    const reports = {
      campaign: [{ CampaignID: question['camp'], ...figuresOf(some) }],
      landing: pagesIn(some, 'page', 'LandingPage'),
      offer: pagesIn(some, 'offer', 'Offer'),
    };
    return Buffer.from(JSON.stringify({ Status: 'OK', Reports: reports }));
  },
};

/** An answer that is asked for again is not made again. */
const kept = new Map<string, Buffer>();

const server = createServer(async (request, response) => {
  let form = '';
  for await (const chunk of request) form += chunk;
  const path = (request.url ?? '').replace(/^.*\/api\//, '').replace(/\/?(?:\?.*)?$/, '');
  const key = `${path} ${form}`;
  const body = kept.get(key) ?? answers[path]?.(Object.fromEntries(new URLSearchParams(form))) ?? Buffer.from('{}');
  if (kept.size > 12) kept.clear();
  kept.set(key, body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
// The bench holds the other end of stdin, so that nothing is left running when it ends in any way.
process.stdin.resume().once('end', () => process.exit());
