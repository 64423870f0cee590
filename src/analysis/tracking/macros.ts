import { plainName } from '../../api/text/names.ts';
import { extraSlots, type TokenSlot } from '../../api/token-slots.ts';

/** The macros of sources as their help or public templates have them. A macro that is not here is not known. */
const sources = `googleads click {gclid} site {placement} campaign {campaignid} ad {creative} keyword {keyword}
  microsoft click {msclkid} campaign {CampaignId} ad {AdId} keyword {keyword}
  meta site {{placement}} campaign {{campaign.id}} ad {{ad.id}}
  facebook site {{placement}} campaign {{campaign.id}} ad {{ad.id}}
  tiktok site __PLACEMENT__ campaign __CAMPAIGN_ID__ ad __CID__
  snapchat campaign {{campaign.id}} ad {{ad.id}}
  taboola click {click_id} site {site} campaign {campaign_id} ad {campaign_item_id}
  outbrain click {{ob_click_id}} site {{publisher_id}} campaign {{campaign_id}} ad {{ad_id}}
  mgid click {click_id} site {widget_id} campaign {campaign_id} ad {teaser_id} cost {click_price} country {geo}
  revcontent site {widget_id} campaign {boost_id} ad {content_id}
  propellerads click \${SUBID} site {zoneid} campaign {campaignid} ad {bannerid} cost {cost}
  adsterra click ##SUB_ID_SHORT(action)## site ##PLACEMENT_ID## campaign ##CAMPAIGN_ID## ad ##BANNER_ID##
  hilltopads click {{ctoken}} site {{zoneid}} campaign {{campaignid}} ad {{adid}} cost {{price}}
  exoclick click {conversions_tracking} site {zone_id} campaign {campaign_id} ad {variation_id}
  trafficjunky click {ACLID} site {SiteName} campaign {CampaignID} ad {BanID}
  trafficstars click {click_id} site {site_id} campaign {campaign_id} ad {creative_id} cost {cost} country {geo}
  zeropark click {cid} site {target} campaign {campaign_id} keyword {keyword} country {geo}
  richads click [CLICK_ID] site [SITE_ID] campaign [CAMPAIGN_ID] ad [CREATIVE_ID] cost [BID_PRICE]
  evadav click {CLICKID} site {SOURCE_ID} campaign {CAMPAIGN_ID} ad {CREATIVE_ID} cost {CPC}
  kadam click {click_id} site {site_id} campaign {campaign_id} ad {ad_id} cost {cpc}
  popads click [IMPRESSIONID] site [WEBSITEID] campaign [CAMPAIGNID] cost [BID]
  popcash click [clickid] site [siteid] campaign [campaignid] cost [bid] country [cc]
  adcash click [clickid] site [zone] campaign [campaign] country [country]
  clickadu click \${SUBID} site {zoneid} campaign {campaignid} ad {bannerid}
  galaksion click {click_id} site {zoneid} campaign {cid} ad {creative_id} country {geo}
  mondiad click [clickid] site [zoneid] campaign [campaignid] ad [creativeid]
  bidvertiser click {BV_CLICKID} site {BV_SRCID} ad {BV_ADNAME} keyword {BV_KEYWORD}`.split(/\n +/);

/** The words by which a token's slot, label and parameter tell what it carries, the most certain first. */
const contents: readonly (readonly [RegExp, content: string])[] = [
  [/clickid|clid|impression|subid|^click$|externalid/, 'click'],
  [/cost|price|^bid$|^cpc$/, 'cost'],
  [/campaign/, 'campaign'],
  [/site|zone|placement|widget|publisher|^source/, 'site'],
  [/country|geo/, 'country'],
  [/keyword|^kw$|^target$/, 'keyword'],
  [/creative|banner|teaser|^ad(?:id|value)?$/, 'ad'],
];

/** A token of a traffic source: a parameter of a link that fills a slot of a visit. */
export interface Token {
  readonly slot: TokenSlot;
  readonly label: string;
  /** Null if the tracker does not show it. */
  readonly parameter: string | null;
  readonly placeholder: string;
}

/** The source's own macro for a token; undefined if it is not known. */
export const macroFor = (source: string | null, token: Token): string | undefined =>
  macroOf(source, contentOf(token) ?? '');

/** The source's own macro for a content, such as the `site` where an ad is shown; undefined if it is not known. */
export function macroOf(source: string | null, content: string): string | undefined {
  const plain = plainName(source ?? '');
  const [, ...words] = sources.find((line) => plain.includes(line.split(' ', 1)[0] ?? ''))?.split(' ') ?? [];
  const index = words.indexOf(content);
  return index < 0 ? undefined : words[index + 1];
}

/** What a token carries, by its names; undefined if they do not tell. */
export function contentOf({ slot, label, parameter }: Token): string | undefined {
  const isExtra = (extraSlots as readonly string[]).includes(slot);
  const words = [parameter ?? '', label, ...(isExtra ? [] : [slot])].map(plainName);
  return words.flatMap((word) => contents.find(([pattern]) => pattern.test(word))?.[1] ?? [])[0];
}

/** What opens a macro, and what closes it. */
const brackets =
  `{{{ }}} {{ }} {! !} {% %} {: } {$ } \${ } %{ } { } [[[ ]]] [[ ]] [= =] [+ +] [ ] ### ### ## ## # # __ __ _ _ %% %% % % !!! !!! !! !! $$ $$ *| |* < >`
    .split(' ')
    .flatMap((open, index, all) => (index % 2 === 0 ? [[open, all[index + 1] ?? ''] as const] : []));

/** Forms that people type around ordinary words, too. */
const usualForms = ['[', '#', '_', '<', '!!', '!!!'];

const word = /^[A-Za-z][\w.:-]{0,60}(?:\([\w.,-]{0,40}\))?$/;

export interface Macro {
  readonly open: string;
  /** As `plainName` gives it. */
  readonly word: string;
}

/** The macro that a value is, also if it was encoded twice; undefined if it is none. */
export function macroIn(value: string): Macro | undefined {
  const text = decoded(value.trim());
  if (text.length > 120) return undefined;
  for (const [open, close] of brackets) {
    if (!text.startsWith(open) || !text.endsWith(close) || text.length <= open.length + close.length) continue;
    const inner = text.slice(open.length, text.length - close.length);
    if (word.test(inner)) return { open, word: plainName(inner) };
  }
  return undefined;
}

function decoded(text: string): string {
  if (!/%[0-9a-f]{2}/i.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The words of macros that many sources and networks have. */
const listKnownWords = (): ReadonlySet<string> =>
  new Set([
    ...sources.flatMap((line) => line.split(' ').flatMap((macro) => macroIn(macro)?.word ?? [])),
    ...`clickid subid siteid zoneid campaignid adid creativeid bannerid adgroupid matchtype device keyword source zone
      placementid publisherid widgetid externalid extclid affsub clid tscode transactionid cpc cpm cpv bid price cost
      country city region browser os ip isp carrier useragent language network creative adname campaignname`.split(
      /\s+/,
    ),
  ]);

/** Made when they are first needed: most processes look at no values of tokens. Without their first two letters, as an escape eats them. */
let known: Readonly<Record<'words' | 'rests', ReadonlySet<string>>> | undefined;

function isKnown(plain: string, kind: 'words' | 'rests' = 'words'): boolean {
  if (!known) {
    const words = listKnownWords();
    known = { words, rests: new Set([...words].flatMap((word) => /^[a-f]{2}(.{2,})/.exec(word)?.[1] ?? [])) };
  }
  return known[kind].has(plain);
}

/** Words that sources replace without brackets. */
const bareMacros: ReadonlySet<string> = new Set(['mfoxclickid', 'jtkeyword', 'startappclickidplaceholder']);

/** How a value of a token shows that its macro was not replaced. */
export type OddKind = 'literal_macro' | 'broken_macro' | 'bare_word';

export interface Odd {
  readonly kind: OddKind;
  /** Whether it is surely a macro, by its word. Others count only where most visits have them. */
  readonly isSure: boolean;
  /** Whether people seldom type such brackets. */
  readonly isForm?: boolean;
}

/** A byte that is no letter, or its two in UTF-8, and the rest of a macro after it. */
const broken = /^([\ufffd\u0080-\u00ff]{0,2})([A-Za-z0-9_.-]{1,60})%$/;

/** A macro inside a longer text, as `Name (ID:{site_id})`. */
const inside = /\$?\{{1,2}([A-Za-z][\w.]{1,40})\}{1,2}|\[([A-Z][A-Z_]{1,40})\]|##([A-Z][A-Z_]{1,40})##/;

/** What opens a macro, or is left of one. */
const sign = /[{[<#_%!$*]/;

/**
 * What is odd about a value of a token; undefined if nothing is.
 * @param declared the word of the token's own macro
 */
export function oddIn(value: string, declared: string | undefined): Odd | undefined {
  const odd = sign.test(value) ? oddBySigns(value, declared) : undefined;
  return odd ?? bareWordIn(value, declared);
}

/**
 * Whether a text in UTF-8 is surely nothing odd where no macro is declared: letters and a digit, as in the ID of a click. Most are, and need
 * not be read.
 */
export function isPlainId(bytes: Uint8Array, start: number, end: number): boolean {
  let hasDigit = false;
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) hasDigit = true;
    else if (((byte | 0x20) < 0x61 || (byte | 0x20) > 0x7a) && byte !== dash && byte !== point) return false;
  }
  return hasDigit;
}

const [dash, point] = [0x2d, 0x2e];

function oddBySigns(value: string, declared: string | undefined): Odd | undefined {
  const macro = macroIn(value);
  if (macro) {
    const isOwn = macro.word === declared || isKnown(macro.word);
    return { kind: 'literal_macro', isSure: isOwn, isForm: !usualForms.includes(macro.open) };
  }
  const [, byte, rest = ''] = broken.exec(value) ?? [];
  if (byte !== undefined && (byte !== '' || isKnown(plainName(rest), 'rests')))
    return { kind: 'broken_macro', isSure: true };
  const [, ...parts] = inside.exec(value.slice(0, 1000)) ?? [];
  const part = parts.find((one) => one !== undefined);
  return part !== undefined && isKnown(plainName(part)) ? { kind: 'literal_macro', isSure: true } : undefined;
}

function bareWordIn(value: string, declared: string | undefined): Odd | undefined {
  const plain = plainName(value);
  if (bareMacros.has(plain)) return { kind: 'bare_word', isSure: true };
  const isWord = plain !== '' && /^[^\p{L}\p{N}\s]{0,3}[\w-]{1,60}[^\p{L}\p{N}\s]{0,3}$/u.test(value);
  const isBare = isWord && (plain === declared || (value.includes('_') && isKnown(plain)));
  return isBare ? { kind: 'bare_word', isSure: false } : undefined;
}
