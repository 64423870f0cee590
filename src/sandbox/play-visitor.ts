import { type Agent, get, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import * as z from 'zod';
import type { PageKind } from '../api/campaign-types.ts';
import { Failure } from '../api/failure.ts';
import { pickEvenly, type Random } from './rotation/random.ts';
import { pageHeader, subidCookie } from './traffic/http.ts';

/** What visitors need to know of a campaign. */
export interface VisitedCampaign {
  /** The campaign's link, with the placeholders that a traffic source fills in. */
  readonly link: string;
  /** The name of a token slot, by placeholder. */
  readonly placeholders: ReadonlyMap<string, string>;
  readonly pages: ReadonlyMap<number, VisitedPage>;
  /** Whether arriving at an offer counts as a click. */
  readonly isDirectLink: boolean;
  /** Whether a landing page has a call to action per option group of offers. */
  readonly hasOptionGroups: boolean;
}

export interface VisitedPage {
  readonly id: number;
  readonly kind: PageKind;
  readonly name: string;
  readonly active: boolean;
  /** 1 if landing pages have no level. */
  readonly level: number;
  /** Path or option group; 1 if pages have none. */
  readonly path: number;
}

const rate = z.number().min(0).max(1);
const amount = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, 'must be whole cents');

const behaviour = z.strictObject({
  /** The chance that a visitor clicks the page's call to action. */
  click: rate,
  /** The chance that a visitor who reached the offer converts. */
  convert: rate,
  /** The range of what a conversion pays, in dollars and whole cents. */
  payout: z.tuple([amount, amount]).refine(([lowest, highest]) => lowest <= highest, 'must be [lowest, highest]'),
});

type Behaviour = z.output<typeof behaviour>;

const profileSchema = z.strictObject({
  pages: z.record(z.string().regex(/^[1-9]\d*$/), behaviour.partial()).default({}),
  default: behaviour.partial().default({}),
});

export interface Profile {
  /** The IDs of the pages that it mentions. */
  readonly pages: readonly number[];
  readonly on: (pageId: number) => Behaviour;
}

const usualBehaviour: Behaviour = { click: 0.4, convert: 0.05, payout: [20, 30] };

/**
 * Reads a profile: `{"pages": {"<page ID>": {"click": 0.4, "convert": 0.05, "payout": [20, 30]}}, "default": {...}}`. What a
 * page leaves out is taken from `default`, and then from the figures above.
 *
 * @throws Failure that lists what is wrong
 */
export function readProfile(json: string): Profile {
  const parsed = profileSchema.safeParse(parseJson(json));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, code, message }) => {
      const problem = code === 'invalid_key' ? 'is not a page ID' : message;
      return `${path.join('.') || 'the profile'}: ${problem}`;
    });
    throw new Failure(
      `The profile is not valid. ${problems.join('; ')}.`,
      'An example: {"pages": {"3": {"convert": 0.1, "payout": [20, 30]}}, "default": {"click": 0.4, "convert": 0.05}}',
    );
  }
  const { pages, default: others } = parsed.data;
  const on = (pageId: number) => Object.assign({ ...usualBehaviour }, others, pages[pageId]);
  return { pages: Object.keys(pages).map(Number), on };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Failure(`The profile is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
}

export interface Journey {
  /** The pages it was sent to, each once. */
  readonly pages: readonly number[];
  /** The pages whose call to action it clicked. */
  readonly clicked: readonly number[];
  readonly conversion?: { readonly offer: number; readonly cents: number };
}

export interface VisitorOptions {
  /** Keeps connections open for the next visitors. */
  readonly agent: Agent;
  readonly campaign: VisitedCampaign;
  readonly profile: Profile;
  readonly random: Random;
  /** Tells visitors apart; sent as the ID that the traffic source gives to a click. */
  readonly name: string;
}

const userAgents = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0',
] as const;
const countries = ['US', 'US', 'DE', 'GB', 'BR'] as const;
const keywords = ['first keyword', 'second keyword', 'third keyword', 'fourth keyword'] as const;
/** More than any campaign has levels, so that a setup that leads in a circle ends too. */
const maxSteps = 30;
const maxRedirects = 5;
const maxWaitMs = 30_000;

/**
 * Plays one visitor over HTTP: it follows the campaign's link, clicks from page to page as the profile says, and converts. It
 * visits only links of the tracker, not the pages.
 *
 * @throws Failure for an answer that visitors do not get
 */
export async function playVisitor(options: VisitorOptions): Promise<Journey> {
  const { agent, campaign, profile, random } = options;
  const headers = {
    'user-agent': pickEvenly(userAgents, random),
    'cf-ipcountry': pickEvenly(countries, random),
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
  await request(agent, new URL(postback, campaign.link), {}, 200);
  return { ...journey, conversion: { offer: page.id, cents } };
}

/** Fills in the link as a traffic source does. Placeholders of other slots become empty. */
function fillIn({ campaign, random, name }: VisitorOptions): URL {
  const values: Readonly<Record<string, string>> = {
    Keyword: pickEvenly(keywords, random),
    AdValue: `ad-${1 + Math.floor(random() * 3)}`,
    ExternalID: name,
  };
  let link = campaign.link;
  for (const [placeholder, slot] of campaign.placeholders) {
    link = link.replaceAll(placeholder, encodeURIComponent(values[slot] ?? ''));
  }
  return new URL(link);
}

/** The ID in a call to action: the page’s own, or an offer’s if the page lets visitors choose an option group. */
function callToAction({ pages, hasOptionGroups }: VisitedCampaign, page: VisitedPage, random: Random): number {
  if (!hasOptionGroups) return page.id;
  const active = [...pages.values()].filter((candidate) => candidate.active);
  const isLast = !active.some(({ kind, level }) => kind === 'landing' && level > page.level);
  const offers = active.filter(({ kind }) => kind === 'offer');
  const groups = [...new Set(offers.map(({ path }) => path))];
  if (!isLast || groups.length < 2) return page.id;
  const group = pickEvenly(groups, random);
  return offers.find(({ path }) => path === group)?.id ?? page.id;
}

async function follow(agent: Agent, link: URL, headers: OutgoingHttpHeaders) {
  const first = await request(agent, link, headers, 302);
  const page = Number(first[pageHeader]);
  const [cookie = ''] = first['set-cookie']?.[0]?.split(';', 1) ?? [];
  let target = locationOf(first, link);
  // A page can be another link of the tracker. Pages on other servers are not visited.
  for (let hop = 0; target?.origin === link.origin && hop < maxRedirects; hop++) {
    target = locationOf(await request(agent, target, headers, 302), target);
  }
  return { page, cookie };
}

function locationOf({ location = '' }: IncomingHttpHeaders, base: URL): URL | undefined {
  return URL.canParse(location, base.href) ? new URL(location, base) : undefined;
}

/**
 * Returns the headers of an answer with the expected status. If the server closed an idle connection, it has not seen the
 * request, which is sent again over a new one.
 */
function request(
  agent: Agent,
  link: URL,
  headers: OutgoingHttpHeaders,
  expectedStatus: number,
): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const sent = get(link, { agent, headers, timeout: maxWaitMs }, (answer) => {
      const { statusCode } = answer;
      let text = '';
      answer.setEncoding('utf8').on('error', reject);
      answer.on('data', (part: string) => {
        text = (text + part).slice(0, 300);
      });
      answer.on('end', () => {
        if (statusCode === expectedStatus) resolve(answer.headers);
        else reject(new Failure(`A visitor was answered with HTTP ${statusCode}: ${text.trim()}`));
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${maxWaitMs / 1000} s`)));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(request(agent, link, headers, expectedStatus));
      else reject(error);
    });
  });
}

function pageOf({ pages }: VisitedCampaign, id: number): VisitedPage {
  const page = pages.get(id);
  if (page) return page;
  throw new Failure(
    'A visitor was sent to a page that was not in the reports when the traffic began.',
    'Send visitors again: the campaign was changed in the meantime, or this is not the embedded tracker.',
  );
}
