import { type Agent, get, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { PageKind } from '../../api/campaign-types.ts';
import { Failure } from '../../api/failure.ts';
import type { Random } from '../rotation/random.ts';
import { pageHeader, subidCookie } from '../traffic/answers.ts';
import type { Profile } from './profile.ts';

/** What one visitor did, as it was answered. */
export interface Journey {
  /** The pages it was sent to, each once. */
  readonly pages: readonly number[];
  /** Those whose call to action it clicked. */
  readonly clicked: readonly number[];
  /** Where it converted, and for how many cents. */
  readonly conversion?: { readonly offer: number; readonly cents: number };
}

export interface VisitorOptions {
  /** Keeps the connections, as many as visitors are on the way. */
  readonly agent: Agent;
  readonly campaign: VisitedCampaign;
  readonly profile: Profile;
  readonly random: Random;
  /** Distinguishes visitors, such as in the ID that the traffic source gives a click. */
  readonly name: string;
}

const userAgents = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0',
];
const countries = ['US', 'US', 'DE', 'GB', 'BR'];
const keywords = ['first keyword', 'second keyword', 'third keyword', 'fourth keyword'];
/** More steps than any campaign has levels: a set-up that leads in a circle ends here. */
const maxSteps = 30;
const maxRedirects = 5;
const maxWaitMs = 30_000;

/**
 * Plays one visitor over HTTP: it follows the campaign's link, clicks from page to page as the profile says, and converts.
 * Only links of the tracker are visited, no pages. Throws a Failure for any other answer than a visitor gets.
 */
export async function playVisitor(options: VisitorOptions): Promise<Journey> {
  const { agent, campaign, profile, random } = options;
  const headers = {
    'user-agent': pick(userAgents, random),
    'cf-ipcountry': pick(countries, random),
    // TEST-NET-2, reserved for documentation.
    'x-forwarded-for': `198.51.100.${1 + Math.floor(random() * 254)}`,
  };
  const arrival = await follow(agent, fillIn(options), headers);
  const pages = new Set<number>();
  const clicked = new Set<number>();
  let page = pageOf(campaign, arrival.page);
  for (let step = 0; step < maxSteps; step++) {
    pages.add(page.id);
    if (page.kind === 'offer' || random() >= profile.on(page.id).click) break;
    clicked.add(page.id);
    const click = `/base2.php?id=${callToAction(campaign, page, random)}`;
    const next = await follow(agent, new URL(click, campaign.link), { ...headers, cookie: arrival.cookie });
    page = pageOf(campaign, next.page);
    pages.add(page.id);
  }
  const { convert, payout } = profile.on(page.id);
  const journey = { pages: [...pages], clicked: [...clicked] };
  if (page.kind !== 'offer' || random() >= convert) return journey;
  const [lowest, highest] = payout.map((dollars) => Math.round(dollars * 100)) as [number, number];
  const cents = lowest + Math.floor(random() * (highest - lowest + 1));
  const subid = arrival.cookie.slice(subidCookie.length + 1);
  const postback = `/adclick.php?subid=${subid}&revenue=${(cents / 100).toFixed(2)}`;
  await ask(agent, new URL(postback, campaign.link), {}, 200);
  return { ...journey, conversion: { offer: page.id, cents } };
}

/** The link as an ad has it once the traffic source has filled it in. What has no meaning here is left empty. */
function fillIn({ campaign, random, name }: VisitorOptions): URL {
  const values: Readonly<Record<string, string>> = {
    Keyword: pick(keywords, random),
    AdValue: `ad-${1 + Math.floor(random() * 3)}`,
    ExternalID: name,
  };
  let link = campaign.link;
  for (const [placeholder, slot] of campaign.placeholders) {
    link = link.replaceAll(placeholder, encodeURIComponent(values[slot] ?? ''));
  }
  return new URL(link);
}

/** The page ID that a call to action names: the page's own, or an offer's, if the page lets visitors choose. */
function callToAction({ pages, hasOptionGroups }: VisitedCampaign, page: VisitedPage, random: Random): number {
  if (!hasOptionGroups) return page.id;
  const others = [...pages.values()];
  const isLast = !others.some(({ kind, level, active }) => kind === 'landing' && active && level > page.level);
  const offers = others.filter(({ kind, active }) => kind === 'offer' && active);
  const groups = [...new Set(offers.map(({ path }) => path))];
  if (!isLast || groups.length < 2) return page.id;
  const group = pick(groups, random);
  return offers.find(({ path }) => path === group)?.id ?? page.id;
}

async function follow(agent: Agent, link: URL, headers: OutgoingHttpHeaders) {
  const first = await ask(agent, link, headers, 302);
  const page = Number(first[pageHeader]);
  const [cookie = ''] = first['set-cookie']?.[0]?.split(';', 1) ?? [];
  let target = locationOf(first, link);
  // A page may be another link of the tracker. The page's own server is none of it, and is left alone.
  for (let hop = 0; target?.origin === link.origin && hop < maxRedirects; hop++) {
    target = locationOf(await ask(agent, target, headers, 302), target);
  }
  return { page, cookie };
}

function locationOf({ location = '' }: IncomingHttpHeaders, base: URL): URL | undefined {
  return URL.canParse(location, base.href) ? new URL(location, base) : undefined;
}

/**
 * Returns the headers of the answer, which must have the expected status. A kept connection that the server closed while it
 * was idle has carried nothing: the request goes out again over another.
 */
function ask(agent: Agent, link: URL, headers: OutgoingHttpHeaders, expected: number): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const asked = get(link, { agent, headers, timeout: maxWaitMs }, (answer) => {
      const { statusCode, headers: answered } = answer;
      let text = '';
      answer.setEncoding('utf8').on('error', reject);
      answer.on('data', (part: string) => {
        text = (text + part).slice(0, 300);
      });
      answer.on('end', () => {
        if (statusCode === expected) resolve(answered);
        else reject(new Failure(`A visitor was answered with HTTP ${statusCode}: ${text.trim()}`));
      });
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${maxWaitMs / 1000} s`)));
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (asked.reusedSocket && error.code === 'ECONNRESET') resolve(ask(agent, link, headers, expected));
      else reject(error);
    });
  });
}

function pageOf({ pages }: VisitedCampaign, id: number): VisitedPage {
  const page = pages.get(id);
  if (page) return page;
  throw new Failure(
    'A visitor was sent to a page that the reports did not name when the traffic began.',
    'Send visitors again: the campaign was changed meanwhile, or this is not the embedded tracker.',
  );
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** What visitors need to know of a campaign. */
export interface VisitedCampaign {
  /** The campaign's link, with the placeholders that a traffic source fills in. */
  readonly link: string;
  /** What each placeholder stands for, by the placeholder: the name of a token slot. */
  readonly placeholders: ReadonlyMap<string, string>;
  readonly pages: ReadonlyMap<number, VisitedPage>;
  /** Whether to arrive at an offer is a click. */
  readonly isDirectLink: boolean;
  /** Whether a landing page has a call to action for each option group of offers. */
  readonly hasOptionGroups: boolean;
}

export interface VisitedPage {
  readonly id: number;
  readonly kind: PageKind;
  readonly name: string;
  readonly active: boolean;
  /** 1 where landing pages have none. */
  readonly level: number;
  /** Path or option group; 1 where pages have none. */
  readonly path: number;
}
