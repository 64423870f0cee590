import type { NoteOf } from '../answer/notes.ts';
import { fromOutside, mention, quoted } from '../api/text/tracker-text.ts';
import { countInFront } from './statistics/history.ts';
import { clickNumberOf } from './visit-story.ts';

/** A text that should be a subID, such as a cell of a network's statement, as it was read. */
export interface GivenSubid {
  /** A SubID or ClickID as a tracker takes it; undefined if that would need a guess. */
  readonly subid: string | undefined;
  /** The ClickID alone, if its beginning is missing. */
  readonly clickId?: string;
  /** What was wrong with it, a few words each. */
  readonly remarks: readonly string[];
}

const subidOrClickId = /^(?:[A-Za-z0-9]+_\d+_)?\d+$/;
/** A whole subID inside another text: not the middle of a longer word. */
export const wholeSubid = /(?<![A-Za-z0-9_])[A-Za-z0-9]+_\d+_\d+(?![A-Za-z0-9_]|[.,'’]\d{3}(?![A-Za-z0-9_]))/;
const clickIdInUrl = /[?&](?:subid|clickid|click_id|cid)=(\d+)(?=&|#|$)/i;
/** Spaces of any kind, and the invisible characters that come with text from web pages. */
const space = /[\s\u200b-\u200d\u2060\ufeff]/;
const spaces = new RegExp(space, 'g');

/** The digits of a ClickID in the specification's formats (`nnnnnnnn`). */
export const usualDigits = 8;

/** The remark on a text in an unknown form, which may be another tracker's subID. */
const otherForm = 'no SubID (letters and digits_campaign ID_ClickID)';

/** A ClickID with thousands separators, as a spreadsheet shows it; with its beginning, or without. */
const separated = /^((?:[A-Za-z0-9]{1,64}_\d{1,12}_)?)(\d{1,3}(?:([,.'’\u00a0\u202f])\d{3})(?:\3\d{3})*)$/;

/** Other spellings of a whole subID: with a word behind it, escaped for Markdown, or with dashes. */
const spellings: readonly (readonly [RegExp, remark: string])[] = [
  [/^([A-Za-z0-9]{1,64})\\_(\d{1,12})\\_(\d{1,20})$/, 'backslashes inside it'],
  [/^([A-Za-z0-9]{0,64}[A-Za-z][A-Za-z0-9]{0,64})-(\d{1,12})-(\d{1,20})$/, 'dashes for underscores'],
  [/^([A-Za-z0-9]{1,64})_(\d{1,12})_(\d{1,20})[_-][A-Za-z][A-Za-z0-9]{0,32}$/, 'a word behind it'],
];

/** Forms of unreadable texts, the most certain first, and the remark on each. */
const unreadable: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'empty'],
  [/^[-+]?\d+(?:[.,]\d+)?e\+?\d+$/i, 'rounded by Excel, its digits are lost: export the column as text'],
  [/^[A-Za-z0-9]+_\d*_?$/, 'cut off: the ClickID at the end is missing'],
  [/^(?:null|none|nil|undefined|unknown|n\/?a|-+|test)$|[{}[\]#%]/i, 'a placeholder in its place'],
  [/^[=+@]/, 'a formula in its place'],
];

/** Reads a text as a subID. Drops any text around it, with a remark, and guesses nothing. */
export function readGivenSubid(text: string): GivenSubid {
  const remarks: string[] = [];
  const ends = withoutEnds(text, (character) => space.test(character));
  if (ends !== text && ends !== '') remarks.push('spaces around it');
  // ="00000345" and '00000345 make a spreadsheet keep the zeros.
  const bare = withoutQuotes(ends);
  if (bare !== ends) remarks.push('quotation marks around it');
  const joined = bare.replace(spaces, '');
  if (joined !== bare && isSubid(joined)) return { subid: joined, remarks: [...remarks, 'spaces inside it'] };
  if (isSubid(bare)) return { subid: bare, remarks };
  const inside = extractSubid(bare, remarks);
  if (inside) return inside;
  const encoded = decodedSubid(bare);
  if (encoded) return { subid: encoded.subid, remarks: [...remarks, `written as ${encoded.encoding}`] };
  const decimals = /^(\d+)[.,]0{1,2}$/.exec(bare)?.[1];
  if (decimals !== undefined) return { subid: decimals, remarks: [...remarks, 'written as a decimal number'] };
  const [, begin = '', grouped] = separated.exec(bare) ?? [];
  if (grouped !== undefined) {
    const clickId = grouped.replace(/\D/g, '');
    const marked = [...remarks, 'separators between its digits'];
    return begin === '' ? { subid: undefined, clickId, remarks: marked } : { subid: begin + clickId, remarks: marked };
  }
  for (const [form, remark] of spellings) {
    const [, letters, campaign, click] = form.exec(bare) ?? [];
    if (letters !== undefined) return { subid: `${letters}_${campaign}_${click}`, remarks: [...remarks, remark] };
  }
  const clickId = /^_?(?:\d*_)?(\d+)$/.exec(bare)?.[1];
  if (clickId !== undefined) return { subid: undefined, clickId, remarks: [...remarks, 'its beginning is missing'] };
  const reason = unreadable.find(([pattern]) => pattern.test(bare))?.[1];
  return { subid: undefined, remarks: [...remarks, reason ?? otherForm] };
}

const quotes = `"'’\``;

/** A text may end with a word in such marks, so only those around all of it are left out. */
const inMarks = /^[“„«]([^“”„«»]*)[”“»]$/;

/** What a spreadsheet, or its user, puts around a cell: `="12"`, `'12`. */
export function withoutQuotes(text: string): string {
  const isFormula = text.startsWith('=') && quotes.includes(text.charAt(1) || ' ');
  const bare = withoutEnds(isFormula ? text.slice(1) : text, (character) => quotes.includes(character));
  return inMarks.exec(bare)?.[1] ?? bare;
}

function withoutEnds(text: string, isLeftOut: (character: string) => boolean): string {
  let [start, end] = [0, text.length];
  while (start < end && isLeftOut(text.charAt(start))) start += 1;
  while (start < end && isLeftOut(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSubid(text: string): boolean {
  return text.length <= 100 && subidOrClickId.test(text);
}

/** The only subID in a URL or another text; undefined if there is none. */
function extractSubid(text: string, remarks: readonly string[]): GivenSubid | undefined {
  const plain = decodeUrl(text);
  const subids = [...new Set(plain.match(new RegExp(wholeSubid, 'g')) ?? [])].filter(isSubid);
  const [subid = clickIdInUrl.exec(plain)?.[1], other] = subids;
  if (subid === undefined) return undefined;
  if (other !== undefined) return { subid: undefined, remarks: [...remarks, `${subids.length} subIDs in one text`] };
  const around = /:\/\/|[?&=]/.test(plain) ? 'a URL' : 'text';
  return { subid, remarks: [...remarks, `${around} around it: read as ${quoted(fromOutside(subid))}`] };
}

/** As often as redirects may encode it. */
const maxEncodings = 4;

function decodeUrl(text: string, times = maxEncodings): string {
  try {
    const decoded = decodeURIComponent(text);
    return times === 1 || decoded === text ? decoded : decodeUrl(decoded, times - 1);
  } catch {
    return text;
  }
}

/** A longer text is not decoded. */
const maxEncoded = 200;

/** The whole subID that a text encodes; undefined if it is none. */
function decodedSubid(text: string) {
  if (text.length > maxEncoded) return undefined;
  const decoded = (['base64', 'hex'] as const).map((encoding) => ({
    encoding,
    subid: Buffer.from(text, encoding).toString('latin1'),
  }));
  return decoded.find(({ subid }) => subid.includes('_') && isSubid(subid));
}

/** The campaign ID in the middle of a whole subID. */
export function campaignIn(subid: string): string | undefined {
  const [, campaign = '', click, ...others] = subid.split('_');
  const isWhole = click !== undefined && others.length === 0 && /^\d+$/.test(campaign);
  return isWhole ? campaign.replace(/^0+(?=\d)/, '') : undefined;
}

/** A whole subID with the usual zeros before its ClickID, which spreadsheets drop; undefined if it has them. */
export function withUsualZeros(subid: string): string | undefined {
  const [, begin = '', click = ''] = /^([A-Za-z0-9]+_\d+_)(\d+)$/.exec(subid.trim()) ?? [];
  return click === '' || click.startsWith('0') || click.length >= usualDigits
    ? undefined
    : `${begin}${click.padStart(usualDigits, '0')}`;
}

/** The number of zeros that a subID's ClickID has lost, compared with the tracker's own form. */
function countLostZeros(given: string, listed: string): number {
  return Math.max(0, (listed.split('_').at(-1) ?? '').length - (given.split('_').at(-1) ?? '').length);
}

/** A remark on the zeros that a subID has lost, compared with the tracker's own form. */
export function lostZeros(given: string, listed: string): NoteOf<'lost-zeros'>[] {
  const zeros = countLostZeros(given, listed);
  return zeros === 0 ? [] : [{ code: 'lost-zeros', zeros, listed }];
}

/** Finds the visitor of a statement's subID among the visitors who converted. */
export class Visitors {
  readonly #subids: ReadonlySet<string>;
  readonly #byLowerCase: ReadonlyMap<string, string>;
  /** By the ClickID without leading zeros. */
  readonly #byClick: UniqueSubids;
  readonly #rounded = new Map<number, UniqueSubids>();
  readonly #hasWhole: boolean;
  #inOrder: readonly string[] | undefined;

  /** @param sales the conversions, by the subIDs of their visitors */
  constructor(sales: readonly { readonly subid: string }[]) {
    this.#subids = new Set(sales.map(({ subid }) => subid));
    this.#byLowerCase = new Map([...this.#subids].map((subid) => [subid.toLowerCase(), subid]));
    this.#byClick = uniqueBy(this.#subids, clickNumberOf);
    this.#hasWhole = sales.some(({ subid }) => subid.includes('_'));
  }

  /** The visitor of a whole subID or a ClickID. */
  find(subid: string): string | undefined {
    if (!subid.includes('_') || !this.#hasWhole) return this.findByClick(subid);
    return this.#subids.has(subid) ? subid : this.#byLowerCase.get(subid.toLowerCase());
  }

  /** The only visitor with a ClickID, whatever its beginning. */
  findByClick(subid: string): string | undefined {
    return this.#byClick.get(clickNumberOf(subid));
  }

  /** The only visitor whose subID a text has in its parts, whatever is between and around them: `aff_ab12cd34 7 00000345`. */
  findParted(text: string): string | undefined {
    const parts = text
      .normalize('NFKC')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter(Boolean);
    const found = new Set(
      parts.slice(2).map((_, index) => this.#byLowerCase.get(parts.slice(index, index + 3).join('_'))),
    );
    found.delete(undefined);
    return found.size === 1 ? [...found][0] : undefined;
  }

  /**
   * Whether a whole subID is only the beginning of a visitor's. Its ClickID must have kept a zero in front: without one, it may be another
   * visitor's.
   */
  isCut(subid: string): boolean {
    if (!/_0\d*$/.test(subid)) return false;
    const inOrder = this.#inOrder ?? [...this.#byLowerCase.keys()].sort();
    this.#inOrder = inOrder;
    const begin = subid.toLowerCase();
    const first = countInFront(inOrder.length, (index) => (inOrder[index] ?? '') < begin);
    return inOrder[first]?.startsWith(begin) === true;
  }

  /** The only visitor whose ClickID a spreadsheet would round to this, such as 1.23E+11; undefined if several fit. */
  findRounded(cell: string): string | undefined {
    const [, whole = '', decimals = '', exponent = ''] = scientific.exec(cell.trim()) ?? [];
    const digits = decimals.length;
    const subids =
      this.#rounded.get(digits) ??
      uniqueBy(this.#subids, (subid) => Number(clickNumberOf(subid)).toExponential(digits));
    this.#rounded.set(digits, subids);
    return subids.get(`${whole}${digits > 0 ? `.${decimals}` : ''}e+${Number(exponent)}`);
  }
}

/** A longer text is not taken apart. */
const maxParted = 200;

/** Undefined if several visitors share the key. */
type UniqueSubids = ReadonlyMap<string, string | undefined>;

function uniqueBy(subids: ReadonlySet<string>, keyOf: (subid: string) => string): UniqueSubids {
  const unique = new Map<string, string | undefined>();
  for (const subid of subids) {
    const key = keyOf(subid);
    unique.set(key, unique.has(key) ? undefined : subid);
  }
  return unique;
}

const scientific = /^(\d)(?:[.,](\d+))?e\+?(\d{1,2})$/i;

/** A cell of the subID column, as it was read. */
export interface SubidReading {
  /** The tracker's own subID, if it lists a conversion for it. */
  readonly visitor?: string | undefined;
  /** The subID in the cell, if the tracker lists no conversion for it. */
  readonly subid?: string | undefined;
  /** The class of a cell without a subID. */
  readonly class?: 'other_tracker' | 'unreadable';
  readonly about: readonly string[];
}

/** Reads a cell, with remarks on what is wrong with it. Guesses only if exactly one visitor fits. */
export function readSubidCell(cell: string, visitors: Visitors): SubidReading {
  const text = cell.trim();
  // Nearly all cells are a subID and nothing else.
  if (visitors.find(text) === text) return { visitor: text, about: [] };
  const { subid, clickId, remarks } = readGivenSubid(cell);
  if (subid !== undefined) {
    const visitor = visitors.find(subid);
    if (visitor !== undefined) return { visitor, about: [...remarks, ...describeSpelling(subid, visitor)] };
    const other = subid.includes('_') ? visitors.findByClick(subid) : undefined;
    if (other !== undefined && isSameButZeros(subid, other))
      return { visitor: other, about: [...remarks, ...describeSpelling(subid, other)] };
    if (visitors.isCut(subid))
      return { class: 'unreadable', about: [...remarks, 'subID: cut off: its end is missing'] };
    return {
      subid,
      about: other === undefined ? remarks : [...remarks, `the tracker has this ClickID as ${mentionSubid(other)}`],
    };
  }
  const visitor = clickId === undefined ? visitors.findRounded(text) : visitors.findByClick(clickId);
  if (visitor !== undefined)
    return { visitor, about: [...remarks, `the only ClickID that fits belongs to ${mentionSubid(visitor)}`] };
  const parted = text.length > maxParted ? undefined : visitors.findParted(text);
  if (parted !== undefined) return { visitor: parted, about: ['other characters between or around its parts'] };
  if (remarks.at(-1) === otherForm)
    return { class: 'other_tracker', about: ['does not look like this tracker’s subIDs'] };
  return { class: 'unreadable', about: [`subID: ${remarks.join(', ')}`] };
}

/**
 * Whether two whole subIDs differ only in zeros before their numbers, which spreadsheets drop. They drop all: a ClickID that still has
 * some was cut at its end.
 */
function isSameButZeros(one: string, other: string): boolean {
  if (/_0\d*$/.test(one)) return false;
  const [plain, otherPlain] = [one, other].map((subid) => {
    const [begin = '', ...numbers] = subid.toLowerCase().split('_');
    return [begin, ...numbers.map((number) => number.replace(/^0+(?=\d)/, ''))].join('_');
  });
  return plain === otherPlain;
}

/** A subID or another text of a statement in a sentence. */
export function mentionSubid(subid: string): string {
  return mention(fromOutside(subid), 100);
}

/** How a statement's spelling of a subID differs from the tracker's. */
function describeSpelling(subid: string, visitor: string): string[] {
  if (subid === visitor) return [];
  if (subid.toLowerCase() === visitor.toLowerCase()) return [`letter case differs: ${mentionSubid(visitor)}`];
  return countLostZeros(subid, visitor) > 0 ? [`zeros of the ClickID lost, as in Excel: ${mentionSubid(visitor)}`] : [];
}
