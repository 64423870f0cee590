import { type Campaign, type CampaignPage, chooseArrival, chooseNext } from './choose-page.ts';
import type { Random } from './random.ts';
import {
  addMoney,
  type Conversion,
  type Money,
  type Origin,
  parseMoney,
  type Step,
  type Subscriber,
  type TokenValues,
  type Visit,
} from './records.ts';

/** What happens to a visitor, as records. Live traffic and sample data both use these functions, so they cannot disagree. */

interface Arrival {
  readonly clickId: number;
  readonly at: number;
  readonly parameter: (name: string) => string | null;
  readonly origin: Origin;
  readonly referrer: string | null;
  readonly keptPath?: number | undefined;
}

/** Sends a visitor to its first page. The cost is the link's, else the campaign's bid. */
export function arrive(campaign: Campaign, arrival: Arrival, random: Random) {
  const choice = chooseArrival(campaign, random, arrival.keptPath);
  if (choice.kind === 'nowhere') return choice;
  const { clickId, at } = arrival;
  const { tokens, cost } = readTokens(campaign, arrival.parameter);
  const visit: Visit = {
    clickId,
    subid: makeSubid({ campaignId: campaign.id, clickId }, random),
    campaignId: campaign.id,
    at,
    path: choice.path,
    tokens,
    cost: cost ?? campaign.bid,
    origin: arrival.origin,
    referrer: arrival.referrer,
  };
  const step: Step = { clickId, campaignId: campaign.id, at, page: choice.page.id, fromPage: null };
  return { ...choice, visit, step };
}

interface Click {
  readonly clickId: number;
  readonly at: number;
  readonly path: number;
  readonly from: CampaignPage;
  /** The option that was clicked, on a page that has several. */
  readonly optionGroup?: number | undefined;
}

/** Sends a visitor to its next page. Reaching a thank-you page from a landing page is what subscribing is. */
export function click(campaign: Campaign, { clickId, at, path, from, optionGroup }: Click, random: Random) {
  const choice = chooseNext(campaign, from, path, random, optionGroup);
  if (choice.kind === 'nowhere') return choice;
  const { page } = choice;
  const step: Step = { clickId, campaignId: campaign.id, at, page: page.id, fromPage: from.id };
  const subscriber: Subscriber | undefined =
    page.kind === 'thankyou' ? { clickId, campaignId: campaign.id, at, thankYouPage: page.id } : undefined;
  return { ...choice, step, subscriber };
}

/** What an offer source reports about a visitor; what it leaves out is undefined. */
export interface Postback {
  readonly revenue: Money;
  /** Adds the revenue to an earlier conversion of the click; otherwise it replaces that one's. */
  readonly add: boolean;
  readonly status?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly custom: readonly (string | undefined)[];
}

/**
 * The conversion that a postback makes, or makes of the earlier one of the click: that keeps its moment, and what the
 * postback leaves out. `target` holds the offer that the visitor was last sent to.
 */
export function convert(
  target: Pick<Conversion, 'clickId' | 'campaignId' | 'offerPage' | 'at'>,
  postback: Postback,
  earlier?: Conversion,
): Conversion {
  const before = postback.add && earlier ? earlier.revenue : 0n;
  return {
    ...(earlier ?? target),
    revenue: addMoney(before, postback.revenue),
    status: postback.status ?? earlier?.status ?? null,
    transactionId: postback.transactionId ?? earlier?.transactionId ?? null,
    custom: [0, 1, 2, 3, 4].map((field) => postback.custom[field] ?? earlier?.custom[field] ?? null),
  };
}

/** Reads only what the traffic source declares; an empty value is no value, and a cost that is no amount is none. */
function readTokens(campaign: Campaign, parameter: Arrival['parameter']) {
  const tokens: { -readonly [Slot in keyof TokenValues]: TokenValues[Slot] } = {};
  let cost: Money | undefined;
  for (const { slot, parameter: name } of campaign.tokens) {
    const value = parameter(name);
    if (!value) continue;
    if (slot === 'Cost') cost = parseMoney(value);
    else tokens[slot] = value;
  }
  return { tokens, cost };
}

const placeholder = '{!subid!}';

/**
 * The URL that a visitor is sent to. `{!subid!}` becomes the visitor's SubID; if the URL has none, `subid=` is appended,
 * provided the campaign passes the SubID on to pages of that kind (`passsubidlp`, `passsubidoffer`).
 */
export function pageUrl(campaign: Campaign, page: CampaignPage, subid: string): string {
  if (page.url.includes(placeholder)) return page.url.replaceAll(placeholder, subid);
  const passes = page.kind === 'offer' ? campaign.passSubidToOffer : campaign.passSubidToLandingPage;
  if (!passes) return page.url;
  const [address = '', fragment] = page.url.split(/(?=#)/, 2);
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${separator}subid=${subid}${fragment ?? ''}`;
}

const alphabet = 36;
const half = alphabet ** 4;

interface SubidParts {
  readonly campaignId: number;
  readonly clickId: number;
}

/** A new SubID `ssssssss_ccc_nnnnnnnn`: eight random letters and digits, the campaign ID, the click ID in eight digits. */
export function makeSubid({ campaignId, clickId }: SubidParts, random: Random): string {
  return `${randomHalf(random)}${randomHalf(random)}_${campaignId}_${String(clickId).padStart(8, '0')}`;
}

/** @returns undefined if the text is no SubID */
export function parseSubid(subid: string): SubidParts | undefined {
  const parts = /^[A-Za-z0-9]{1,32}_(\d{1,9})_(\d{1,15})$/.exec(subid);
  return parts ? { campaignId: Number(parts[1]), clickId: Number(parts[2]) } : undefined;
}

function randomHalf(random: Random): string {
  return Math.floor(random() * half)
    .toString(alphabet)
    .padStart(4, '0');
}
