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
  type VisitorEvent,
} from './records.ts';

/** What visitors do, as records. Live traffic and sample data use the same functions, so they cannot differ. */

interface Arrival {
  readonly clickId: number;
  readonly at: number;
  readonly parameter: (name: string) => string | null;
  readonly origin: Origin;
  readonly referrer: string | null;
  readonly keptPath?: number | undefined;
}

/** Sends a visitor to its first page. */
export function arrive(campaign: Campaign, arrival: Arrival, random: Random) {
  const choice = chooseArrival(campaign, random, arrival.keptPath);
  if (choice.kind === 'nowhere') return choice;
  const { clickId, at, origin, referrer } = arrival;
  const event = { clickId, campaignId: campaign.id, at };
  const { tokens, cost } = readTokens(campaign, arrival.parameter);
  const subid = makeSubid(event, random);
  const visit: Visit = { ...event, subid, path: choice.path, tokens, cost: cost ?? campaign.bid, origin, referrer };
  const step: Step = { ...event, page: choice.page.id, fromPage: null };
  return { ...choice, visit, step };
}

/** Reads the tokens that the traffic source declares. A cost that is not an amount counts as left out. */
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

interface Click {
  readonly clickId: number;
  readonly at: number;
  readonly path: number;
  readonly from: CampaignPage;
  /** The option that was clicked, on a page with several. */
  readonly optionGroup?: number | undefined;
}

/** Sends a visitor to its next page. A visitor who reaches a thank-you page has subscribed. */
export function click(campaign: Campaign, { clickId, at, path, from, optionGroup }: Click, random: Random) {
  const choice = chooseNext(campaign, from, path, random, optionGroup);
  if (choice.kind === 'nowhere') return choice;
  const { page } = choice;
  const event = { clickId, campaignId: campaign.id, at };
  const step: Step = { ...event, page: page.id, fromPage: from.id };
  const subscriber: Subscriber | undefined = page.kind === 'thankyou' ? { ...event, thankYouPage: page.id } : undefined;
  return { ...choice, step, subscriber };
}

/** What an offer source reports about a visitor; undefined where it reports nothing. */
export interface Postback {
  readonly revenue: Money;
  /** Adds the revenue to an earlier conversion of the visitor, instead of replacing it. */
  readonly add: boolean;
  readonly status?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly custom: readonly (string | undefined)[];
}

/**
 * Makes a conversion from a postback, or updates an earlier one of the visitor: that keeps its moment and its offer, and
 * every field that the postback leaves out.
 *
 * @param target the offer that the visitor was last sent to
 */
export function convert(
  target: VisitorEvent & Pick<Conversion, 'offerPage'>,
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

const placeholder = '{!subid!}';

/**
 * The URL that a visitor is sent to. `{!subid!}` becomes the SubID. If the URL has no placeholder, `subid=` is appended, provided
 * that the campaign passes the SubID to pages of that kind (`passsubidlp`, `passsubidoffer`).
 */
export function pageUrl(campaign: Campaign, page: CampaignPage, subid: string): string {
  if (page.url.includes(placeholder)) return page.url.replaceAll(placeholder, subid);
  const passes = page.kind === 'offer' ? campaign.passSubidToOffer : campaign.passSubidToLandingPage;
  if (!passes) return page.url;
  const [address = '', fragment] = page.url.split(/(?=#)/, 2);
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${separator}subid=${subid}${fragment ?? ''}`;
}

type SubidParts = Pick<VisitorEvent, 'campaignId' | 'clickId'>;

/** A new SubID `ssssssss_ccc_nnnnnnnn`: eight random letters and digits, the campaign ID, the click ID in eight digits. */
export function makeSubid({ campaignId, clickId }: SubidParts, random: Random): string {
  const letters = () =>
    Math.floor(random() * 36 ** 4)
      .toString(36)
      .padStart(4, '0');
  return `${letters()}${letters()}_${campaignId}_${String(clickId).padStart(8, '0')}`;
}

/** @returns undefined if the text is not a SubID */
export function parseSubid(subid: string): SubidParts | undefined {
  const parts = /^[A-Za-z0-9]{1,32}_(\d{1,9})_(\d{1,15})$/.exec(subid);
  return parts ? { campaignId: Number(parts[1]), clickId: Number(parts[2]) } : undefined;
}
